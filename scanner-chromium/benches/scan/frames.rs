//! The cost of a frame: pages with frames beside the same pages without.

use std::time::{Duration, Instant};

use a11ycheck_core::{domain::PageCounts, scanner::ProgressSink};
use a11ycheck_scanner_chromium::Evidence;

use crate::{corpus::Corpus, ours};

/// The number of pages of each kind.
const PAGES: u32 = 12;
/// The numbers of frames on a page.
const FRAMES: [u32; 3] = [0, 2, 8];

struct Nobody;

impl ProgressSink for Nobody {
    fn progress(&self, _: PageCounts) {}
}

/// Measures in turns, and prints the medians. The cost of a frame includes loading what it shows.
#[tokio::main]
pub(crate) async fn measure(corpus: &Corpus, rounds: usize) {
    let scanner = ours::scanner(Evidence::LeftOut);
    scanner.versions().await.unwrap();
    let mut times = FRAMES.map(|_| Vec::new());
    for _ in 0..rounds {
        for (frames, times) in FRAMES.into_iter().zip(&mut times) {
            let started = Instant::now();
            let start = corpus.framed(PAGES, frames);
            let findings = ours::scan(&scanner, &start, PAGES + 1, &Nobody).await;
            times.push(started.elapsed());
            assert_eq!(findings.pages.len(), PAGES as usize + 1, "{:?}", findings.pages);
            // Pages of the corpus show frames of hosts that may be unreachable.
            let is_of_others = |url: &str| !url.contains("//127.0.0.");
            let mut unchecked = findings.pages.iter().flat_map(|page| &page.unchecked_frames);
            assert!(unchecked.all(|frame| is_of_others(&frame.url)), "{:?}", findings.pages);
        }
    }
    scanner.close().await;
    println!("\n{:<34}{:>9}{:>14}", "pages with frames", "pages/s", "ms per frame");
    let medians = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    });
    for (frames, time) in FRAMES.into_iter().zip(medians) {
        let pages_per_second = f64::from(PAGES + 1) / time.as_secs_f64();
        let more = time.saturating_sub(medians[0]);
        let per_frame = Duration::as_secs_f64(&more) * 1_000.0 / f64::from((frames * PAGES).max(1));
        println!("{:<34}{pages_per_second:>9.2}{per_frame:>14.1}", format!("{frames} frames"));
    }
}
