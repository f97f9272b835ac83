//! The measurement whether memory grows with the number of pages.

use std::sync::Mutex;

use a11ycheck_core::{domain::PageCounts, scanner::ProgressSink};

use a11ycheck_scanner_chromium::Evidence;

use crate::{corpus::Corpus, ours, usage::memory_of_tree};

/// The number of readings whose median counts as one value: a single one depends on the page that is shown at that
/// moment.
const WINDOW: usize = 25;

/// The memory of this process and the browser after each page, in MiB.
#[derive(Debug, Default)]
struct Readings(Mutex<Vec<u64>>);

impl ProgressSink for Readings {
    fn progress(&self, pages: PageCounts) {
        let mut readings = self.0.lock().unwrap();
        // A report that only counts more links follows no page.
        if readings.len() < pages.done as usize {
            readings.push(memory_of_tree(std::process::id()));
        }
    }
}

/// Checks `pages` pages in one scan, which one browser serves, and compares the memory.
#[tokio::main]
pub(crate) async fn measure(corpus: &Corpus, pages: u32) {
    let scanner = ours::scanner(Evidence::Taken);
    let readings = Readings::default();
    let findings = ours::scan(&scanner, &corpus.many(pages), pages, &readings).await;
    scanner.close().await;
    let readings = readings.0.into_inner().unwrap();
    for page in findings.pages.iter().filter(|page| !page.is_checked()) {
        println!("not checked: {} {:?}", page.url, page.error);
    }
    let early = readings.len() / 10;
    let (early, late) = (median_before(&readings, early), median_before(&readings, readings.len()));
    println!(
        "{} pages: {early} MiB around page {}, {late} MiB at the end: {:+.0} % (goal: within 20 %)",
        readings.len(),
        readings.len() / 10,
        (late as f64 / early as f64 - 1.0) * 100.0
    );
}

fn median_before(readings: &[u64], end: usize) -> u64 {
    let mut window = readings[end.saturating_sub(WINDOW)..end].to_vec();
    window.sort_unstable();
    window[window.len() / 2]
}
