//! The HTML report of several sites, as its reader opens it.

use crate::{
    program::a11ycheck,
    site::{Site, bad, good},
};

#[test]
fn our_own_check_finds_nothing_in_the_report_of_several_sites() {
    let folder = tempfile::tempdir().unwrap();
    let pages = || [("/", good("Home")), ("/a", bad("A", &["logo", "photo"])), ("/b", bad("B", &["map"]))];
    let (one, two, three) = (Site::serve(pages()), Site::serve(pages()), Site::serve(pages()));
    let urls: Vec<String> =
        [&one, &two, &three].iter().flat_map(|site| ["/", "/a", "/b", "/gone"].map(|path| site.url(path))).collect();
    let named: Vec<&str> = urls.iter().map(String::as_str).collect();
    let done = a11ycheck(folder.path(), &["check", "-q", "-o", "html=report.html"]).with_arguments(&named).run();
    assert_eq!(done.code, 1, "{done:#?}");
    let html = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    for url in &urls {
        assert!(html.contains(url.as_str()), "{url} is in the report");
    }
    // No script, and nothing that is loaded.
    assert!(html.contains("default-src 'none'") && !html.contains("<script"), "a closed document");
    // A large page takes its time on a busy machine.
    let check = ["check", "report.html", "--page-seconds", "600", "-o", "json"];
    let done = a11ycheck(folder.path(), &check).run();
    let run = done.json();
    assert_eq!((done.code, &run["findings"]), (0, &serde_json::json!([])), "{:#}", run["findings"]);
    assert_eq!(run["pages"][0]["state"], "checked");
}
