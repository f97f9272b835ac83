//! Parts of pages that never respond: they cost themselves, and their page once.

use std::time::Duration;

use a11ycheck_core::domain::{FailureCode, Findings};
use a11ycheck_scanner_chromium::ChromiumScanner;

use crate::support::{Reply, Request, Site, config, page, page_time, pages, scan, try_scan};

/// The number of pages of a site, which all have the same part.
const PAGES: usize = 12;

/// Starts a site of [`PAGES`] pages and a start page, each with `part` in its head and a fault; addresses below `/hang`
/// never respond.
async fn site_with(part: &'static str) -> Site {
    let links: String = (0..PAGES).map(|number| format!("<a href=/page/{number}>{number}</a>, ")).collect();
    Site::start(move |Request { path, .. }| {
        if path.starts_with("/hang") {
            return Reply::Hang;
        }
        let body = format!("{links}<p style='color: #ccc'>pale</p>");
        let part = part.replace("{path}", path);
        Reply::Html(page(path, &body).replacen("</head>", &format!("{part}</head>"), 1))
    })
    .await
}

/// Scans it within a time in which only a few of its pages can be waited for.
async fn scan_in_little_time(site: &Site) -> Findings {
    let page_time = page_time(Duration::from_secs(6)).await;
    let config = config().with_page_timeout(page_time).with_scan_timeout(3 * page_time);
    let scanner = ChromiumScanner::new(config).unwrap();
    let findings = scan(&scanner, &site.url("/"), 50).await;
    scanner.close().await;
    findings
}

fn all_are_checked(findings: &Findings, unanswered: &[String]) {
    assert_eq!(findings.pages.len(), PAGES + 1, "{:?}", pages(findings));
    for (number, page) in findings.pages.iter().enumerate() {
        assert_eq!((&page.error, page.unanswered.as_slice()), (&None, unanswered), "{}", page.url);
        let items = findings.items.iter().filter(|item| item.page == number);
        assert_eq!(items.map(|item| item.rule.as_str()).collect::<Vec<_>>(), ["color-contrast"], "{}", page.url);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_of_a_dead_tracker_costs_a_site_one_wait() {
    let site = site_with("<script>document.write('<img alt=\"\" src=/hang/pixel.gif?visitor=7>')</script>").await;
    let findings = scan_in_little_time(&site).await;
    all_are_checked(&findings, &[site.url("/hang/pixel.gif")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tracker_with_another_address_on_each_page_costs_a_site_few_waits() {
    let site =
        site_with("<script>new Image().src = '/hang/pixel.gif?page=' + location.pathname + Math.random()</script>")
            .await;
    let findings = scan_in_little_time(&site).await;
    all_are_checked(&findings, &[site.url("/hang/pixel.gif")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_the_document_waits_for_costs_a_site_one_wait() {
    let site = site_with("<script src=/hang/tracker.js></script>").await;
    let findings = scan_in_little_time(&site).await;
    all_are_checked(&findings, &[site.url("/hang/tracker.js")]);
    assert!(site.hits("/hang/tracker.js") <= 2, "it is not asked for again: {}", site.hits("/hang/tracker.js"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_style_sheet_or_a_font_without_which_nothing_is_drawn_costs_a_site_one_wait() {
    let site = site_with(
        "<link rel=stylesheet href=/hang/a.css><style>@font-face { font-family: f; src: url(/hang/f.woff2) }
         p { font-family: f, sans-serif }</style>",
    )
    .await;
    let findings = scan_in_little_time(&site).await;
    assert_eq!(findings.pages.len(), PAGES + 1, "{:?}", pages(&findings));
    for page in &findings.pages {
        assert_eq!((&page.error, &page.unanswered[0]), (&None, &site.url("/hang/a.css")), "{page:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_or_a_video_that_hangs_costs_a_site_one_wait() {
    let site = site_with(
        "<script>addEventListener('DOMContentLoaded', () => document.querySelector('main').insertAdjacentHTML('beforeend',
            '<iframe title=t src=/hang/frame></iframe><video src=/hang/film.mp4></video>'))</script>",
    )
    .await;
    let findings = scan_in_little_time(&site).await;
    all_are_checked(&findings, &[site.url("/hang/film.mp4"), site.url("/hang/frame")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_waits_for_one_thing_after_the_other_is_given_up_and_says_for_what() {
    // Its scripts have other addresses each time.
    let html = "<script>document.write('<script src=/hang/' + Math.random() + '><' + '/script>')</script>";
    let site = Site::start(move |Request { path, .. }| match path.as_str() {
        path if path.starts_with("/hang") => Reply::Hang,
        _ => Reply::Html(page("Waits", html)),
    })
    .await;
    let page_time = page_time(Duration::from_secs(4)).await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(page_time)).unwrap();
    let error = try_scan(&scanner, &site.url("/"), 1).await.unwrap_err();
    scanner.close().await;
    let a11ycheck_core::scanner::ScanError::Failed(failure) = error else { panic!("{error:?}") };
    assert_eq!(failure.code, FailureCode::Timeout);
    assert!(failure.message.contains(&site.url("/hang/")), "{failure}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_whose_pages_all_wait_for_something_else_is_left_after_ten_in_a_row() {
    let waits = "<script>document.write('<script src=/hang/' + Math.random() + '><' + '/script>')</script>";
    let links: String = (0..30).map(|number| format!("<a href=/page/{number}>{number}</a>, ")).collect();
    let start = page("Start", &links);
    let site = Site::start(move |Request { path, .. }| match path.as_str() {
        "/" => Reply::Html(start.clone()),
        path if path.starts_with("/hang") => Reply::Hang,
        _ => Reply::Html(page("Waits", waits)),
    })
    .await;
    let page_time = page_time(Duration::from_secs(2)).await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(page_time)).unwrap();
    let findings = scan(&scanner, &site.url("/"), 30).await;
    scanner.close().await;
    assert!(findings.stopped_by_timeouts, "{:?}", pages(&findings));
    assert_eq!(findings.pages.len(), 11, "{:?}", pages(&findings));
    for page in &findings.pages[1..] {
        assert_eq!(page.error.as_ref().unwrap().code, FailureCode::Timeout, "{}", page.url);
    }
}
