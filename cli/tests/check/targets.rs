//! Targets: what is named is checked, once, in the order in which it was named.

use std::fs;

use crate::{
    program::a11ycheck,
    site::{Answer, Site, bad, good, page},
};

fn checked(urls: &[String]) -> Vec<(String, String)> {
    urls.iter().map(|url| (url.clone(), "checked".to_owned())).collect()
}

#[test]
fn a_list_of_several_hosts_is_checked_once_each_in_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let pages = || [("/", good("Home")), ("/a", bad("A", &["logo"])), ("/b", good("B"))];
    let (one, other) = (Site::serve(pages()), Site::serve(pages()));
    let list = [one.url("/b"), other.url("/a"), one.url("/"), other.url("/"), one.url("/a")];
    let input = format!("# pages\n{}\n{}\n", list.join("\n"), one.url("/b#top"));
    let done = a11ycheck(folder.path(), &["check", "-", "-o", "json"]).with_input(&input).run();
    assert_eq!(done.code, 1, "{done:#?}");
    assert_eq!(done.pages(), checked(&list));
    let run = done.json();
    let places: Vec<u64> =
        run["findings"].as_array().unwrap().iter().map(|found| found["page"].as_u64().unwrap()).collect();
    assert_eq!(places, [1, 4]);
    assert_eq!(one.asked().iter().filter(|path| *path == "/b").count(), 1);
}

#[test]
fn a_sitemap_is_checked_at_the_preview_that_it_is_rewritten_to() {
    let folder = tempfile::tempdir().unwrap();
    let map = |urls: &[&str]| {
        let urls: String =
            urls.iter().map(|url| format!("<url><loc>https://www.shop.example{url}</loc></url>")).collect();
        format!("<?xml version='1.0'?><urlset>{urls}</urlset>")
    };
    let index = "<sitemapindex><sitemap><loc>https://www.shop.example/one.xml</loc></sitemap></sitemapindex>";
    let site = Site::serve([
        ("/sitemap.xml", Answer::Text("application/xml", index.to_owned())),
        ("/one.xml", Answer::Text("application/xml", map(&["/x", "/drafts/y", "/"]))),
        ("/", good("Home")),
        ("/x", good("X")),
    ]);
    let (sitemap, replace) = (site.url("/sitemap.xml"), format!("https://www.shop.example={}", site.url("")));
    let arguments = ["check", &sitemap, "--sitemap-replace", &replace, "--exclude", "/drafts/**", "-o", "json"];
    let done = a11ycheck(folder.path(), &arguments).run();
    assert_eq!(done.code, 0, "{done:#?}");
    assert_eq!(done.pages(), checked(&[site.url("/x"), site.url("/")]));
    assert!(done.stdout.contains("2 of 3 addresses"), "{done:#?}");
    // The same in files, where parts are beside each other.
    fs::write(folder.path().join("sitemap.xml"), index).unwrap();
    fs::write(folder.path().join("one.xml"), map(&["/"])).unwrap();
    let done = a11ycheck(folder.path(), &["check", "sitemap.xml", "--sitemap-replace", &replace, "-o", "json"]).run();
    assert_eq!((done.code, done.pages()), (0, checked(&[site.url("/")])), "{done:#?}");
    let missing = a11ycheck(folder.path(), &["check", &site.url("/none.xml")]).run();
    assert_eq!(missing.code, 2, "a sitemap that is not there is no empty one: {missing:#?}");
}

#[test]
fn a_build_is_served_and_checked_with_the_names_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let dist = folder.path().join("dist");
    fs::create_dir_all(dist.join("docs")).unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let html = |answer| match answer {
        Answer::Html(html) => html,
        _ => unreachable!("it is a page"),
    };
    fs::write(dist.join("index.html"), html(good("Home"))).unwrap();
    fs::write(dist.join("docs/index.html"), html(bad("Docs", &["map"]))).unwrap();
    let done = a11ycheck(folder.path(), &["check", "dist", "-o", "json"]).run();
    assert_eq!(done.code, 1, "{done:#?}");
    let run = done.json();
    let files: Vec<&str> = run["pages"].as_array().unwrap().iter().map(|page| page["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["dist/index.html", "dist/docs/index.html"]);
    // The configuration says the same, and a single file can be named.
    fs::write(folder.path().join("a11ycheck.toml"), "serve = 'dist'\nurls = ['/']").unwrap();
    assert_eq!(a11ycheck(folder.path(), &["check", "-q"]).run().code, 0);
    assert_eq!(a11ycheck(folder.path(), &["check", "-q", "dist/docs/index.html"]).run().code, 1);
}

#[test]
fn a_server_is_started_for_the_check_and_ended_after_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("index.html"), page("Home", "<p>ok</p>")).unwrap();
    let address = Site::nobody();
    let (host, port) = address.trim_start_matches("http://").trim_end_matches('/').split_once(':').unwrap();
    let start = format!("echo $$ > pid; exec python3 -m http.server --bind {host} {port}");
    let done = a11ycheck(folder.path(), &["check", "-q", "/", "--start", &start, "--base-url", &address]).run();
    assert_eq!(done.code, 0, "{done:#?}");
    let pid = fs::read_to_string(folder.path().join("pid")).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    assert!(stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z ")), "the server has ended");
}

#[test]
fn links_are_followed_to_as_many_pages_as_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let home = page("Home", "<p><a href=/a>A</a> <a href=/b>B</a></p>");
    let site = Site::serve([("/", Answer::Html(home)), ("/a", good("A")), ("/b", good("B"))]);
    let done = a11ycheck(folder.path(), &["check", &site.url("/"), "--pages", "2", "-o", "json"]).run();
    assert_eq!((done.code, done.pages().len()), (0, 2), "{done:#?}");
}

#[test]
fn a_page_is_named_as_it_was_asked_for_and_where_it_led_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::serve([("/old", Answer::Redirect("/new".to_owned())), ("/new", bad("New", &["logo"]))]);
    let arguments = ["check", &site.url("/old"), "-o", "json=run.json", "-o", "text"];
    fs::write(folder.path().join("a11ycheck.toml"), "[[gate.pages]]\nmatch = '/old'\nmax = 1\n").unwrap();
    let done = a11ycheck(folder.path(), &arguments).run();
    assert_eq!(done.code, 0, "the pattern means the address that was named: {done:#?}");
    let run: serde_json::Value = serde_json::from_slice(&fs::read(folder.path().join("run.json")).unwrap()).unwrap();
    assert_eq!(
        (&run["pages"][0]["url"], &run["pages"][0]["final_url"]),
        (&site.url("/old").into(), &site.url("/new").into())
    );
    // What applies to no element of the page is apart from what its elements pass.
    let has = |list: &str, rule: &str| run["pages"][0][list].as_array().unwrap().contains(&rule.into());
    assert!(has("passed", "html-has-lang") && has("inapplicable", "video-caption"), "{:#}", run["pages"][0]);
    assert!(!has("passed", "image-alt") && !has("inapplicable", "image-alt"));
}
