//! The cost of a second check of a site on which nothing has changed, beside that of the first and of a check that remembers nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use a11ycheck_core::{
    domain::{Depth, Findings, Memo, PageCounts, SiteUrl},
    id::ScanId,
    scanner::{CancellationToken, EarlierCheck, ProgressSink, ScanOutput, ScanRequest, Scanner as _},
};
use a11ycheck_scanner_chromium::{ChromiumScanner, Evidence, Reuse};
use chrono::Utc;
use clap::Args;

use crate::{
    corpus::{Corpus, Validators},
    ours,
    usage::Watch,
};

/// The number of pages beside the start page.
const PAGES: u32 = 48;

/// Checks a site several times, in a process of its own, so that what the site costs does not count.
#[derive(Debug, Args)]
pub(crate) struct Again {
    start: String,
    #[arg(long)]
    rounds: usize,
}

/// The time of a check, and the seconds of all cores together that it took.
#[derive(Debug, Clone, Copy)]
struct Cost {
    time: Duration,
    cpu: f64,
}

struct Nobody;

impl ProgressSink for Nobody {
    fn progress(&self, _: PageCounts) {}
}

/// Measures both kinds of servers.
pub(crate) fn measure(corpus: &Corpus, rounds: usize) {
    for (validators, name) in [(Validators::Tags, "with validators"), (Validators::None, "without validators")] {
        println!("\n{PAGES} pages of one site, {name}");
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("again").arg(corpus.unchanged(PAGES, validators)).arg(format!("--rounds={rounds}"));
        assert!(command.status().unwrap().success());
    }
}

impl Again {
    #[tokio::main]
    pub(crate) async fn run(self) {
        let watch = Watch::start(std::process::id());
        let scanner = |reuse| ours::scanner_with(|config| config.with_evidence(Evidence::Taken).with_reuse(reuse));
        let (plain, remembering) = (scanner(Reuse::Off), scanner(Reuse::On));
        plain.versions().await.unwrap();
        remembering.versions().await.unwrap();
        for _ in 0..self.rounds {
            let (_, full) = self.check(&watch, &plain, None).await;
            let (first, remembered) = self.check(&watch, &remembering, None).await;
            let (second, again) = self.check(&watch, &remembering, Some(&first)).await;
            let pages = second.findings.pages_scanned();
            full.print("remembering nothing", full);
            remembered.print("the first check", full);
            again.print(
                &format!("the second check, {} of {pages} pages taken over", second.findings.pages_taken_over()),
                remembered,
            );
            print_differences(&first.findings, &second.findings);
        }
        plain.close().await;
        remembering.close().await;
    }

    async fn check(
        &self,
        watch: &Watch,
        scanner: &ChromiumScanner,
        earlier: Option<&ScanOutput>,
    ) -> (ScanOutput, Cost) {
        let earlier = earlier.map(|earlier| {
            let document = earlier.remembered.clone().unwrap().document;
            let memo = Memo { full_at: Utc::now(), barred_until: None, document };
            Arc::new(EarlierCheck::new(Utc::now(), earlier.findings.clone(), memo, Depth::Incremental))
        });
        let start = SiteUrl::parse(&self.start).unwrap();
        let request = ScanRequest::new(ScanId::generate(Utc::now()), start, PAGES + 1).with_earlier(earlier);
        let before = watch.cpu();
        let started = Instant::now();
        let output = scanner.scan(request, &Nobody, CancellationToken::new()).await.unwrap();
        let time = started.elapsed();
        (output, Cost { time, cpu: watch.cpu() - before })
    }
}

/// Prints the pages of which the second check has other findings than the first: those that it has looked at, and that are not the same
/// each time. Stops at one that it has taken over.
fn print_differences(first: &Findings, second: &Findings) {
    let by_page = |findings: &Findings| -> BTreeMap<String, Vec<String>> {
        let mut pages: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for item in &findings.items {
            let page = findings.pages[item.page].url.clone();
            pages.entry(page).or_default().push(format!("{} {}", item.rule.as_str(), item.selector));
        }
        pages
    };
    let taken_over: BTreeSet<_> =
        second.pages.iter().filter(|page| page.looked_at.is_some()).map(|page| page.url.clone()).collect();
    let (first, second) = (by_page(first), by_page(second));
    let pages: BTreeSet<_> =
        first.keys().chain(second.keys()).filter(|page| first.get(*page) != second.get(*page)).collect();
    for page in pages {
        let missing = |from: &BTreeMap<String, Vec<String>>, other: &BTreeMap<String, Vec<String>>| {
            let known = other.get(page).map(Vec::as_slice).unwrap_or_default();
            from.get(page).into_iter().flatten().filter(|item| !known.contains(item)).cloned().collect::<Vec<_>>()
        };
        let (gone, new) = (missing(&first, &second), missing(&second, &first));
        println!(
            "    {page} differs: {} only in the first {gone:?}, {} only in the second {new:?}",
            gone.len(),
            new.len()
        );
        assert!(!taken_over.contains(page), "{page} was taken over");
    }
}

impl Cost {
    /// Prints it, and what part it is of another one.
    fn print(self, name: &str, of: Self) {
        let (time, cpu) = (self.time.as_secs_f64(), self.cpu);
        let (share, cpu_share) = (time / of.time.as_secs_f64(), cpu / of.cpu);
        println!("{name:<48}{time:>8.2} s ({share:>4.2}){cpu:>9.2} CPU s ({cpu_share:>4.2})");
    }
}
