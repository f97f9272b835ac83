//! Sites without end.

use crate::support::{Reply, Site, page, pages, scan, scanner};

#[tokio::test(flavor = "multi_thread")]
async fn folders_that_lead_into_themselves_end_after_a_few_pages() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/soft/a/>s</a> <a href=/about>a</a>")),
        "/about" => Reply::Html(page("About", "ok")),
        // A missing page looks like any other.
        _ => Reply::Html(page("Oops", "<a href=deeper/>More</a> <a href='?again'>Again</a>")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 60).await;
    scanner.close().await;
    let expected = [
        "/",
        "/soft/a/",
        "/about",
        "/soft/a/deeper/",
        "/soft/a/?again",
        "/soft/a/deeper/deeper/",
        "/soft/a/deeper/?again",
    ];
    assert_eq!(pages(&findings)[..7], expected);
    assert_eq!(findings.pages.len(), 8, "{:?}", pages(&findings));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_and_filters_that_add_up_end_and_take_nothing_from_the_rest() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => {
            Reply::Html(page("Home", "<a href='/calendar?month=1'>c</a> <a href=/list?f=0>l</a> <a href=/one>1</a>"))
        }
        "/one" => Reply::Html(page("One", "<a href=/two>2</a>")),
        "/two" => Reply::Html(page("Two", "ok")),
        path if path.starts_with("/calendar") => {
            let month: u32 = path.rsplit_once('=').unwrap().1.parse().unwrap();
            Reply::Html(page("Calendar", &format!("<a href='/calendar?month={}'>Next</a>", month + 1)))
        }
        path if path.starts_with("/list") => Reply::Html(page("List", &format!("<a href='{path}&f=0'>More</a>"))),
        path => Reply::Status(404, page(path, "")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 100).await;
    scanner.close().await;
    let with = |part: &str| pages(&findings).iter().filter(|page| page.contains(part)).count();
    assert_eq!((with("/calendar"), with("/list")), (21, 2), "{:?}", pages(&findings));
    assert_eq!(findings.pages.len(), 26);
}
