//! The addresses at which pages are opened, and their names in reports.

use crate::support::{Reply, Site, page, pages, scan, scanner};

#[tokio::test(flavor = "multi_thread")]
async fn the_address_in_a_report_is_the_one_that_was_opened() {
    let paths =
        ["/dir/", "/%D0%BF%D1%83%D1%82%D1%8C/%D0%B4%D0%B0%D0%BB%D1%8C%D1%88%D0%B5/", "/Case", "/x?Q=%EF%F0&b=1"];
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => {
            let links: String = paths.iter().map(|path| format!("<a href='{path}'>x</a>, ")).collect();
            Reply::Html(page("Home", &(links + "<a href=/from>f</a>")))
        }
        "/from" => Reply::Redirect("/To/".to_owned()),
        "/To/" => Reply::Html(page("To", "ok")),
        // Some servers have a page at only one of the two.
        path if paths.contains(&path) => Reply::Html(page("Page", "ok")),
        path => Reply::Status(404, page(path, "")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", paths[0], paths[1], paths[2], "/To/", paths[3]]);
    for path in pages(&findings) {
        assert_eq!(site.hits(&path), 1, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_encodings_of_an_address_are_one_page() {
    let links = [
        "/caf%c3%a9/",
        "/caf%C3%A9",
        "/%63af%C3%A9/#top",
        "/%7Euser",
        "/~user/",
        "/?q=%c3%a9&p=1",
        "/?p=1&q=%C3%A9",
        // Links of a page in windows-1251: letters that are not UTF-8, and that differ.
        "/?q=%EF&utm_source=x",
        "/?q=%F0",
    ];
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", &links.map(|link| format!("<a href='{link}'>x</a>, ")).concat())),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/caf%c3%a9/", "/%7Euser", "/?q=%c3%a9&p=1", "/?q=%EF", "/?q=%F0"]);
}
