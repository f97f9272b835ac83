//! Links that lead to nothing.

use a11ycheck_core::domain::{FailureCode, Findings};

use crate::support::{Reply, Site, page, scan, scanner};

/// Returns the paths of dead links, with the paths of the pages that lead to them.
fn dead(findings: &Findings) -> Vec<(String, String)> {
    let path = |url: &str| url::Url::parse(url).unwrap()[url::Position::BeforePath..].to_owned();
    let dead = findings.pages.iter().filter_map(|page| Some((path(&page.url), path(page.linked_from.as_deref()?))));
    dead.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_links_are_listed_with_the_page_that_has_them_and_leave_the_budget_to_pages() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => {
            let dead: String = (0..40).map(|number| format!("<a href='/dead/{number}'>d</a>, ")).collect();
            let good: String = (0..20).map(|number| format!("<a href='/good/{number}/'>g</a>, ")).collect();
            Reply::Html(page("Home", &(dead + &good)))
        }
        "/good/7/" => Reply::Html(page("Good", "<a href='/Gone/?utm_source=x#top'>x</a> <a href=/dead/1>again</a>")),
        "/Gone/" => Reply::Status(410, page("Gone", "")),
        path if path.starts_with("/good/") => Reply::Html(page("Good", "ok")),
        path => Reply::Status(404, page(path, "")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 25).await;
    scanner.close().await;
    assert_eq!((findings.pages_checked(), findings.pages_scanned()), (21, 21));
    let dead = dead(&findings);
    assert_eq!(dead.len(), 41);
    assert_eq!(dead.iter().filter(|(_, from)| from == "/").count(), 40);
    assert!(dead.contains(&("/Gone/".to_owned(), "/good/7/".to_owned())), "{dead:?}");
    let failed = findings.pages.iter().filter_map(|page| page.error.as_ref());
    assert!(failed.map(|failure| failure.code).all(|code| code == FailureCode::HttpStatus));
    assert_eq!(site.hits("/dead/1"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_entry_of_a_sitemap_is_listed_with_the_sitemap_and_an_error_of_the_server_is_a_page() {
    let site = Site::describing_itself(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/500>5</a> <a href=/linked>l</a>")),
        "/sitemap.xml" => {
            let host = request.header("host").unwrap();
            let entry = |path: &str| format!("<url><loc>http://{host}{path}</loc></url>");
            let entries = format!("<urlset>{}{}</urlset>", entry("/listed"), entry("/linked"));
            Reply::File("application/xml", entries.into())
        }
        "/500" => Reply::Status(500, page("Oops", "")),
        path => Reply::Status(404, page(path, "")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    let pair = |page: &str, from: &str| (page.to_owned(), from.to_owned());
    assert_eq!(dead(&findings), [pair("/linked", "/"), pair("/listed", "/sitemap.xml")]);
    assert_eq!((findings.pages_checked(), findings.pages_scanned()), (1, 2), "the home page, and the one that fails");
}
