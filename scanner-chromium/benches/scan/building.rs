//! The cost of pages that fetch data after their load, and whether what they build from it is found.

use std::time::Instant;

use a11ycheck_core::{domain::PageCounts, scanner::ProgressSink};
use a11ycheck_scanner_chromium::Evidence;

use crate::{corpus::Corpus, ours};

/// The number of pages of each kind.
const PAGES: u32 = 12;
/// The kinds: the number of requests in sequence, the milliseconds of each response, and whether the page then shows
/// anything.
const KINDS: [(u32, u32, bool); 5] = [(0, 0, false), (1, 100, false), (1, 100, true), (3, 300, true), (2, 1_200, true)];

struct Nobody;

impl ProgressSink for Nobody {
    fn progress(&self, _: PageCounts) {}
}

/// Measures the kinds in turns, and prints the medians, with the number of pages of all rounds on which the fault that
/// they build was found.
#[tokio::main]
pub(crate) async fn measure(corpus: &Corpus, rounds: usize) {
    let scanner = ours::scanner(Evidence::LeftOut);
    scanner.versions().await.unwrap();
    let mut runs = KINDS.map(|_| (Vec::new(), 0));
    for _ in 0..rounds {
        for ((steps, millis, builds), (times, seen)) in KINDS.into_iter().zip(&mut runs) {
            let started = Instant::now();
            let start = corpus.building(PAGES, steps, millis, builds);
            let findings = ours::scan(&scanner, &start, PAGES + 1, &Nobody).await;
            times.push(started.elapsed());
            assert_eq!(findings.pages.len(), PAGES as usize + 1, "{:?}", findings.pages);
            *seen += findings.items.iter().filter(|item| item.rule.as_str() == "image-alt").count();
        }
    }
    scanner.close().await;
    println!("\n{:<50}{:>9}{:>16}", "pages that fetch data", "pages/s", "seen");
    for ((steps, millis, builds), (mut times, seen)) in KINDS.into_iter().zip(runs) {
        times.sort_unstable();
        let pages_per_second = f64::from(PAGES + 1) / times[times.len() / 2].as_secs_f64();
        let all = if builds { PAGES as usize * rounds } else { 0 };
        let then = if builds { "then show it" } else { "show nothing of it" };
        let kind = format!("{steps} answers of {millis} ms, {then}");
        println!("{kind:<50}{pages_per_second:>9.2}{:>16}", format!("{seen} of {all}"));
    }
}
