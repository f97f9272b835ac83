//! Pages that build themselves are checked when they are done, on a busy machine too. These tests have a process of
//! their own, because other tests have fixed times, which the load here would use up.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "browser/support/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the other tests use the rest of it")]
mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use a11ycheck_scanner_chromium::ChromiumScanner;

use crate::support::{
    Reply, Request, Site,
    building::{DONE, builds, data, found, links, number},
    config, scan,
};

/// The numbers and times of responses that a page requests one after the other before it shows anything.
const CHAINS: [(u32, u64); 17] = [
    (1, 1_900),
    (1, 3_000),
    (1, 4_500),
    (2, 450),
    (2, 600),
    (2, 800),
    (2, 1_200),
    (3, 400),
    (3, 600),
    (3, 900),
    (3, 1_500),
    (4, 300),
    (5, 120),
    (6, 250),
    (8, 80),
    (2, 2_500),
    (2, 4_500),
];

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_fetch_one_thing_after_the_other_are_checked_when_they_are_done_on_a_busy_machine_too() {
    let paths: Vec<String> = CHAINS.iter().map(|(number, millis)| format!("/chain/{number}/{millis}")).collect();
    let start = paths.clone();
    let site = Site::start(move |Request { path, .. }| match path.as_str() {
        "/" => links(&start),
        path => data(path).or_else(|| chain(path)).unwrap_or(Reply::Status(404, String::new())),
    })
    .await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(Duration::from_secs(60))).unwrap();
    let mut rounds = Vec::new();
    for is_busy in [false, true] {
        let load = is_busy.then(Load::start);
        rounds.push(scan(&scanner, &site.url("/"), 50).await);
        drop(load);
    }
    scanner.close().await;
    for (round, findings) in rounds.iter().enumerate() {
        for path in &paths {
            assert_eq!(found(findings, path), ["button-name button", "image-alt img"], "{path}, round {round}");
            let page = &findings.pages[number(findings, path)];
            assert!(!page.still_changing && page.unanswered.is_empty(), "{page:?}");
        }
    }
}

/// Returns the page at `/chain/{number}/{millis}`, with that many requests, one after the other.
fn chain(path: &str) -> Option<Reply> {
    let (number, millis) = path.strip_prefix("/chain/")?.split_once('/')?;
    let step = format!("await (await fetch('/data/{millis}?step=' + step)).text()");
    let script = format!("for (let step = 0; step < {number}; step++) {step}; {DONE}");
    // Each begins while the page loads, or after its load.
    let is_even = number.parse::<u32>().ok()? % 2 == 0;
    Some(builds(if is_even { "build()" } else { "addEventListener('load', build)" }, &script))
}

/// Threads that keep all processor cores busy until this is dropped.
struct Load(Arc<AtomicBool>, Vec<JoinHandle<()>>);

impl Load {
    fn start() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let cores = std::thread::available_parallelism().unwrap().get();
        let threads = (0..2 * cores).map(|_| {
            let is_over = Arc::clone(&is_over);
            std::thread::spawn(move || while !is_over.load(Ordering::Relaxed) {})
        });
        let threads = threads.collect();
        Self(is_over, threads)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.drain(..).for_each(|thread| thread.join().unwrap());
    }
}
