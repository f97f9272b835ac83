//! Pages that take more memory than V8's heap, which the browser bounds by itself: each costs itself, and others go on.

use std::{
    fs,
    time::{Duration, Instant},
};

use a11ycheck_core::domain::{Failure, FailureCause, FailureCode};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner};

use crate::support::{Reply, Site, config, failure, page, pages, scan};

/// The least that can be set. It suffices for honest pages, and is soon exceeded on any machine.
const LIMIT: u64 = 256 * 1024 * 1024;

fn bounded() -> ChromiumConfig {
    config().with_tab_memory(LIMIT).with_page_timeout(Duration::from_secs(60))
}

/// Returns a script that takes steps of 24 MB until 2 GB are reached or the page is ended, far from as fast as it
/// could.
fn by_and_by(step: &str) -> String {
    format!("let n = 0; (function more() {{ if (n++ < 80) {{ {step}; setTimeout(more, 20) }} }})()")
}

/// Checks a site whose page `/bad` is between two good ones, and returns its results, while an honest site is checked
/// beside it.
async fn beside_an_honest_site(bad: String) -> (Vec<String>, Failure) {
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/bad>b</a> <a href=/good>g</a>")),
        "/bad" => Reply::Html(bad.clone()),
        "/good" | "/frame" => Reply::Html(page("Good", "ok")),
        _ => Reply::Hang,
    })
    .await;
    let honest = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", &(1..15).map(|n| format!("<a href=/{n}>{n}</a>, ")).collect::<String>())),
        _ => Reply::Html(page("Honest", "<button></button>")),
    })
    .await;
    let scanner = ChromiumScanner::new(bounded()).unwrap();
    let (start, beside) = (site.url("/"), honest.url("/"));
    let (findings, untouched) = tokio::join!(scan(&scanner, &start, 5), scan(&scanner, &beside, 15));
    let browser = scanner.browser_pid().await;
    assert!(browser.is_some(), "the browser did not outlive the page");
    scanner.close().await;
    assert_eq!(untouched.items.len(), 14, "{:?}", pages(&untouched));
    assert!(untouched.pages.iter().all(|page| page.error.is_none()), "{:?}", pages(&untouched));
    let error = findings.pages[1].error.clone().expect("the page was ended");
    (pages(&findings), error)
}

async fn is_ended(bad: String) {
    let (pages, error) = beside_an_honest_site(bad).await;
    assert_eq!(pages, ["/", "/bad too_large", "/good"]);
    assert_eq!(error.cause(), Some(FailureCause::TooMuchMemory));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_fills_buffers_while_it_loads_is_ended() {
    let flood = by_and_by("hoard.push(new Uint8Array(24e6).fill(n))");
    is_ended(page("Hoard", &format!("<img alt='' src=/hang><script>const hoard = []; {flood}</script>"))).await;
}

/// The page of the process shows only when it dies, since it made no requests.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_fills_buffers_and_asks_for_nothing_is_ended() {
    let flood =
        "const hoard = []; for (let n = 0; n < 40; n++) hoard.push(new Uint8Array(24e6).fill(n)); while (true) {}";
    is_ended(page("Silent", &format!("<script>{flood}</script>"))).await;
}

/// No frame takes as much as the bound by itself, but all of them together do.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_frames_fill_webassembly_memories_is_ended() {
    let flood = "const memory = new WebAssembly.Memory({ initial: 0 });
        let n = 0; (function more() { if (n++ < 40) {
            const from = memory.buffer.byteLength; memory.grow(160); new Uint8Array(memory.buffer, from).fill(n);
            setTimeout(more, 20)
        } })()";
    let frame = format!("<iframe title=f srcdoc='<script>{flood}</script>'></iframe>");
    is_ended(page("Frames", &format!("<img alt='' src=/hang>{}", frame.repeat(4)))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_workers_fill_buffers_is_ended() {
    let flood = by_and_by("hoard.push(new Uint8Array(24e6).fill(n))");
    let worker = format!("new Worker('data:text/javascript,' + encodeURIComponent(`const hoard = []; {flood}`))");
    is_ended(page("Workers", &format!("<img alt='' src=/hang><script>{worker}; {worker}</script>"))).await;
}

/// Stored data is in the browser's own process, which does not report whose it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_fills_a_database_with_blobs_is_ended_and_no_other() {
    let script = "const open = indexedDB.open('x');
        open.onupgradeneeded = () => open.result.createObjectStore('s');
        open.onsuccess = () => { let n = 0; (function more() { if (n++ < 80) {
            const step = open.result.transaction('s', 'readwrite');
            step.objectStore('s').put(new Blob([new Uint8Array(24e6).fill(n)]), n);
            step.oncomplete = more
        } })() }";
    is_ended(page("Database", &format!("<img alt='' src=/hang><script>{script}</script>"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_fills_blobs_is_ended_and_no_other() {
    let flood = by_and_by("hoard.push(new Blob([new Uint8Array(24e6).fill(n)]))");
    is_ended(page("Blobs", &format!("<img alt='' src=/hang><script>const hoard = []; {flood}</script>"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_fills_a_cache_is_ended_and_no_other() {
    let script =
        "(async () => { const cache = await caches.open('x'); const step = new Blob([new Uint8Array(24e6).fill(1)]);
        const put = n => cache.put('/' + n, new Response(step));
        for (let n = 0; n < 80; n += 4) await Promise.all([n, n + 1, n + 2, n + 3].map(put)) })()";
    is_ended(page("Cache", &format!("<img alt='' src=/hang><script>{script}</script>"))).await;
}

/// Trying again would take the machine to its limit again.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_page_that_takes_too_much_fails_its_check_at_once_and_is_asked_for_once() {
    let flood = by_and_by("hoard.push(new Uint8Array(24e6).fill(n))");
    let bad = page("Hoard", &format!("<img alt='' src=/hang><script>const hoard = []; {flood}</script>"));
    let site =
        Site::start(move |request| if request.path == "/" { Reply::Html(bad.clone()) } else { Reply::Hang }).await;
    let scanner = ChromiumScanner::new(bounded()).unwrap();
    let failed = failure(&scanner, &site.url("/")).await;
    scanner.close().await;
    assert_eq!((failed.code, failed.cause()), (FailureCode::TooLarge, Some(FailureCause::TooMuchMemory)));
    assert!(!failed.code.is_worth_retrying());
    assert_eq!(site.hits("/"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_kernel_ends_pages_before_the_browser_and_the_browser_before_the_server() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<script>fetch('/slow')</script>")),
        _ => Reply::data_after(3_000),
    })
    .await;
    let scanner = ChromiumScanner::new(config()).unwrap();
    scanner.versions().await.unwrap();
    let browser = scanner.browser_pid().await.unwrap();
    // The scores are read while the page waits for a response.
    let scores = async {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let (of_pages, of_browser) = scores_of(browser);
            // A new process has its parent's score for a moment.
            if of_pages > of_browser || Instant::now() >= deadline {
                break (of_pages.unwrap(), of_browser.unwrap());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let start = site.url("/");
    let (_, (of_pages, of_browser)) = tokio::join!(scan(&scanner, &start, 1), scores);
    scanner.close().await;
    let own = score("self").unwrap();
    assert!(of_pages > of_browser || own >= 300, "{of_pages} for pages, {of_browser} for the browser");
    assert!(of_browser > own || own >= 299, "{of_browser} for the browser, {own} for us");
}

/// Returns the score by which the kernel chooses the process to end; `None` for a process that has ended.
fn score(process: &str) -> Option<i32> {
    fs::read_to_string(format!("/proc/{process}/oom_score_adj")).ok()?.trim().parse().ok()
}

/// Returns the group of a process; the browser has its own.
fn group(process: &str) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name in parentheses: state, parent, group.
    stat.rsplit_once(')')?.1.split(' ').nth(3)?.parse().ok()
}

/// Returns the highest score among the pages of a browser, and the lowest of the browser itself, which Debian starts
/// with a script.
fn scores_of(browser: u32) -> (Option<i32>, Option<i32>) {
    let (of_this, mut of_pages, mut of_browser) = (group(&browser.to_string()), None, None);
    for process in fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
        let read = |file| fs::read_to_string(format!("/proc/{process}/{file}")).unwrap_or_default();
        if group(&process).is_none_or(|group| Some(group) != of_this) {
            continue;
        }
        let (line, score) = (read("cmdline"), score(&process));
        // Chromium joins the words of its pages' command lines with spaces.
        match line.split(['\0', ' ']).find_map(|word| word.strip_prefix("--type=")) {
            Some("renderer") => of_pages = of_pages.max(score),
            None => of_browser = of_browser.into_iter().chain(score).min(),
            Some(_) => {}
        }
    }
    (of_pages, of_browser)
}
