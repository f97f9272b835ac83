//! The load that a check puts on a site.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use a11ycheck_core::domain::FailureCode;
use a11ycheck_scanner_chromium::ChromiumScanner;

use crate::support::{Reply, Site, config, failure, page, pages, scan, scanner, trouble};

fn busy(status: u16, retry_after: &str) -> Reply {
    Reply::Whole(status, format!("Content-Type: text/html\r\nRetry-After: {retry_after}\r\n"), page("Busy", "").into())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_busy_for_a_moment_is_checked_after_it() {
    let asked: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let site = Site::describing_itself(move |request| match request.path.as_str() {
        "/robots.txt" if request.header("user-agent").unwrap().contains("a11ycheck/") => {
            Reply::File("text/plain", b"User-agent: *\nDisallow:".to_vec())
        }
        "/" => Reply::Html(page("Home", "<a href=/busy>b</a>")),
        "/busy" => {
            let mut asked = seen.lock().unwrap();
            asked.push(Instant::now());
            if asked.len() == 1 { busy(429, "2") } else { Reply::Html(page("Not busy", "ok")) }
        }
        _ => Reply::Status(404, String::new()),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 5).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/busy"]);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    assert!(asked[1] - asked[0] >= Duration::from_secs(2), "the site asked for two seconds");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_stays_busy_is_listed_with_its_status() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/busy>b</a> <a href=/free>f</a>")),
        "/busy" => busy(503, "0"),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 5).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/busy http_status", "/free"]);
    assert!(findings.pages[1].error.clone().unwrap().message.contains("503"));
    assert_eq!(site.hits("/busy"), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_page_whose_site_is_in_trouble_is_worth_another_try_and_a_missing_one_is_not() {
    let site = Site::start(|request| match request.path.as_str() {
        "/busy" => busy(503, "1"),
        "/broken" => Reply::Status(502, page("Oops", "")),
        path => Reply::Status(404, page(path, "")),
    })
    .await;
    let scanner = scanner();
    let (busy, retry_after) = trouble(&scanner, &site.url("/busy")).await;
    let (broken, _) = trouble(&scanner, &site.url("/broken")).await;
    let missing = failure(&scanner, &site.url("/missing")).await;
    scanner.close().await;
    assert_eq!(retry_after, Some(Duration::from_secs(1)));
    for (failure, status) in [(busy, "503"), (broken, "502"), (missing, "404")] {
        assert_eq!(failure.code, FailureCode::HttpStatus);
        assert!(failure.message.contains(status), "{failure}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn few_pages_of_a_site_are_open_at_once_however_many_tabs_there_are() {
    let (open, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (now, peak) = (Arc::clone(&open), Arc::clone(&most));
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", &(0..8).map(|id| format!("<a href=/p/{id}>x</a>, ")).collect::<String>())),
        "/done" => {
            now.fetch_sub(1, Ordering::SeqCst);
            Reply::File("text/plain", Vec::new())
        }
        path => {
            peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            Reply::Html(page(path, "<script>addEventListener('load', () => fetch('/done'))</script>"))
        }
    })
    .await;
    let scanner = ChromiumScanner::new(config().with_tabs(6)).unwrap();
    let findings = scan(&scanner, &site.url("/"), 9).await;
    scanner.close().await;
    assert_eq!(findings.pages.len(), 9);
    assert_eq!(open.load(Ordering::SeqCst), 0, "every page said that it is done");
    assert!(most.load(Ordering::SeqCst) <= 2, "{most:?} pages were open at once");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pause_that_robots_txt_asks_for_is_kept() {
    let asked: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let site = Site::describing_itself(move |request| {
        seen.lock().unwrap().push(Instant::now());
        match request.path.as_str() {
            "/robots.txt" => Reply::File("text/plain", b"User-agent: *\nCrawl-delay: 0.8".to_vec()),
            "/sitemap.xml" => Reply::Status(404, String::new()),
            "/" => Reply::Html(page("Home", "<a href=/a>a</a> <a href=/b>b</a>")),
            path => Reply::Html(page(path, "ok")),
        }
    })
    .await;
    let scanner = ChromiumScanner::new(config().with_tabs(4)).unwrap();
    let findings = scan(&scanner, &site.url("/"), 3).await;
    scanner.close().await;
    assert_eq!(findings.pages.len(), 3);
    let asked = asked.lock().unwrap();
    // A request may take a moment longer on its way than the one after it.
    let shortest = asked.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap();
    assert!(shortest >= Duration::from_millis(400), "{shortest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_whose_time_is_over_lists_what_it_tried_and_leaves_out_the_rest() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/busy>b</a> <a href=/other>o</a>")),
        "/busy" => busy(429, "30"),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let config = config().with_scan_timeout(Duration::from_secs(10)).with_pages_at_once(1);
    let scanner = ChromiumScanner::new(config).unwrap();
    scanner.versions().await.unwrap();
    let findings = scan(&scanner, &site.url("/"), 5).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/busy http_status"]);
    assert_eq!((site.hits("/busy"), site.hits("/other")), (1, 0));
}
