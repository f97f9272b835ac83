//! What is found on pages that behave.

use crate::support::{Reply, Site, items, page, pages, scan, scanner};

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_every_page_that_links_lead_to_are_found() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<img src=/a.png><a href=/about>About</a> <a href=/contact/>Contact</a>")),
        "/about" => Reply::Html(page("About", "<a href='/'>Home</a><button></button>")),
        "/contact/" => Reply::Html(page("Contact", "<p>ok</p>")),
        _ => Reply::Status(404, page("Nothing", "")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    assert_eq!(pages(&findings), ["/", "/about", "/contact"]);
    assert_eq!(items(&findings), ["image-alt img", "button-name button"]);
    assert_eq!(findings.pages[0].title, "Home");
    scanner.close().await;
}
