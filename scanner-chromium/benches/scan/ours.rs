//! The scanner, in a process of its own.

use std::collections::BTreeMap;

use a11ycheck_core::{
    catalog::is_probe,
    domain::{Finding, Findings, PageCounts, SiteUrl},
    id::ScanId,
    net::AddressPolicy,
    scanner::{CancellationToken, ProgressSink, ScanRequest, Scanner as _},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner, Evidence, MovingProbes};
use chrono::Utc;
use clap::{Args, ValueEnum};
use futures_util::future::join_all;
use serde_json::json;

/// Scans sites at once as a server would, and prints what a [`Contender`](crate::contender::Contender) prints.
#[derive(Debug, Args)]
pub(crate) struct Scan {
    #[arg(required = true)]
    starts: Vec<String>,
    /// Of each site
    #[arg(long)]
    pages: u32,
    #[arg(long, value_enum, default_value_t = Looks::Plain)]
    looks: Looks,
    /// Names each element, and the pages that were not checked
    #[arg(long)]
    elements: bool,
}

/// The extent of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Looks {
    /// Axe-core alone, without pictures.
    Axe,
    /// Axe-core alone, with pictures.
    AxePictures,
    /// Axe-core and the probes that do not change the page, without pictures.
    Plain,
    /// The plain check with pictures.
    Pictures,
    /// The check with pictures, and with contrasts that are measured in pictures.
    Contrast,
    /// The check with pictures, and with the moving probes on one page of each kind.
    MovingKinds,
    /// The check with pictures, and with the moving probes on every page.
    MovingAll,
    /// The check with pictures, measured contrast, and the moving probes on every page.
    Everything,
}

struct Nobody;

impl ProgressSink for Nobody {
    fn progress(&self, _: PageCounts) {}
}

impl Scan {
    #[tokio::main]
    pub(crate) async fn run(self) {
        let scanner = scanner_with(|config| self.looks.of(config));
        scanner.versions().await.unwrap();
        println!("ready");
        let scans = self.starts.iter().map(|start| scan(&scanner, start, self.pages, &Nobody));
        for findings in join_all(scans).await {
            for (number, page) in findings.pages.iter().enumerate() {
                let mut counts = BTreeMap::<String, u64>::new();
                // A bare script has no probes to compare with.
                let of_axe = |finding: &&Finding| finding.page == number && !is_probe(finding.rule.as_str());
                for finding in findings.items.iter().filter(of_axe) {
                    *counts.entry(finding.rule.to_string()).or_default() += 1;
                    if self.elements && !page.left_out.contains_key(&finding.rule) {
                        *counts.entry(format!("{} {}", finding.rule, finding.selector)).or_default() += 1;
                    }
                }
                let left_out = page.left_out.iter().filter(|(rule, _)| self.elements && !is_probe(rule.as_str()));
                for (rule, left_out) in left_out {
                    *counts.entry(rule.to_string()).or_default() += u64::from(*left_out);
                }
                if let Some(failure) = page.error.as_ref().filter(|_| self.elements) {
                    counts.insert(format!("not checked: {failure:?}"), 1);
                }
                assert!(self.elements || page.is_checked(), "{page:?}");
                println!("{}", json!({ "url": page.url, "counts": counts }));
            }
        }
        println!("done");
        scanner.close().await;
    }
}

impl Looks {
    fn of(self, config: ChromiumConfig) -> ChromiumConfig {
        let has_pictures = !matches!(self, Self::Axe | Self::Plain);
        let config = config.with_evidence(if has_pictures { Evidence::Taken } else { Evidence::LeftOut });
        match self {
            Self::Axe | Self::AxePictures => config.with_probes(false),
            Self::Plain | Self::Pictures => config,
            Self::Contrast => config.with_measured_contrast(true),
            Self::MovingKinds => config.with_moving_probes(MovingProbes::OneOfEachKind),
            Self::MovingAll => config.with_moving_probes(MovingProbes::EveryPage),
            Self::Everything => config.with_measured_contrast(true).with_moving_probes(MovingProbes::EveryPage),
        }
    }
}

pub(crate) fn scanner(evidence: Evidence) -> ChromiumScanner {
    scanner_with(|config| config.with_evidence(evidence))
}

/// Returns a scanner for sites on this machine, with these settings.
pub(crate) fn scanner_with(settings: impl FnOnce(ChromiumConfig) -> ChromiumConfig) -> ChromiumScanner {
    let policy = AddressPolicy::builder().allow_network("127.0.0.0/8".parse().unwrap()).build();
    ChromiumScanner::new(settings(ChromiumConfig::new(policy))).unwrap()
}

pub(crate) async fn scan(scanner: &ChromiumScanner, start: &str, pages: u32, progress: &dyn ProgressSink) -> Findings {
    let start = SiteUrl::parse(start).unwrap();
    let request = ScanRequest::new(ScanId::generate(Utc::now()), start, pages);
    scanner.scan(request, progress, CancellationToken::new()).await.unwrap().findings
}
