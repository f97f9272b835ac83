//! Whether memory grows with the number of pages.

use std::sync::Mutex;

use a11ycheck_core::scanner::ProgressSink;

use a11ycheck_scanner_chromium::Evidence;

use crate::{corpus::Corpus, ours, usage::memory_of_tree};

/// Readings whose median stands for a moment: one depends on the page that is shown just then.
const WINDOW: usize = 25;

/// The memory of this process and the browser, after each page.
#[derive(Debug, Default)]
struct Readings(Mutex<Vec<u64>>);

impl ProgressSink for Readings {
    fn pages_done(&self, _: u32) {
        self.0.lock().unwrap().push(memory_of_tree(std::process::id()));
    }
}

/// Checks so many pages in one scan, which one browser serves, and compares.
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
