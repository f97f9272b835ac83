//! How long exports of 200,000 elements take, how much memory beyond the findings, and how that compares with writing the same
//! bytes from prepared rows with the crates `csv` and `serde_json` directly. The goals: less than twice the time, at most 64 MB.
//!
//! `cargo bench -p a11ycheck-core --bench export` prints the median of nine runs of each. GitHub and Jira files list what fits
//! into their issues, so their time is that of ranking all elements; what they are compared with is the CSV file's bytes.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints its result and stops at what it did not expect"
)]

#[path = "../tests/export/counting.rs"]
mod counting;

use std::{
    collections::BTreeMap,
    hint::black_box,
    io,
    time::{Duration, Instant},
};

use a11ycheck_core::{
    catalog::{self, Basis},
    domain::{Engine, Finding, Findings, PageOutcome, RuleFacts, RuleId, SiteDetails, SiteUrl},
    export::{ExportFormat, ExportSource, write},
    locale::Locale,
};
use chrono::Utc;
use serde::{Deserialize, Serialize};

use crate::counting::Counting;

const ELEMENTS: usize = 200_000;
const RULES: usize = 40;
const PAGES: usize = 500;
const PER_PAGE: usize = ELEMENTS / PAGES;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let url = SiteUrl::parse("https://shop.example/").unwrap();
    let site = SiteDetails { url, name: None, report_locale: Locale::Uk, platform: None, stack: vec![], tags: vec![] };
    let findings = findings();
    let source = ExportSource {
        team: "Blue Team",
        site: &site,
        checked_at: Utc::now(),
        findings: &findings,
        locale: Locale::Uk,
    };
    let file = |format| {
        let mut bytes = Vec::new();
        write(format, &source, &mut bytes).unwrap();
        bytes
    };
    let json: File = serde_json::from_slice(&file(ExportFormat::Json)).unwrap();
    assert_eq!(json.rules.iter().map(|rule| rule.issues.len()).sum::<usize>(), ELEMENTS);
    let with_serde = || {
        let mut out = io::BufWriter::new(io::sink());
        serde_json::to_writer_pretty(&mut out, black_box(&json)).unwrap();
    };
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(io::Cursor::new(file(ExportFormat::Csv)));
    let rows = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect());
    let rows: Vec<Vec<String>> = rows.collect();
    assert_eq!(rows.len(), ELEMENTS + 2);
    let with_csv = || {
        let mut out = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(io::sink());
        black_box(&rows).iter().for_each(|row| out.write_record(row).unwrap());
    };

    for format in ExportFormat::ALL {
        let bytes = file(format).len();
        let export = || write(format, black_box(&source), io::sink()).unwrap();
        let extra = Counting::peak_of(|| write(format, &source, io::sink()).unwrap());
        let (name, (time, direct)) = match format {
            ExportFormat::Json => ("serde_json", medians(export, with_serde)),
            _ => ("csv", medians(export, with_csv)),
        };
        let ratio = time.as_secs_f64() / direct.as_secs_f64();
        println!(
            "{format:>6}: {time:>6.0?} for {} MB, {ratio:.2} × {name} alone ({direct:.0?}), {:.1} MB beyond the findings",
            bytes / 1_000_000,
            extra as f64 / 1e6,
        );
    }
}

/// In turns, so that what else the machine does slows down both.
fn medians(one: impl Fn(), other: impl Fn()) -> (Duration, Duration) {
    let timed = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let (mut ones, mut others): (Vec<_>, Vec<_>) = (0..9).map(|_| (timed(&one), timed(&other))).unzip();
    ones.sort();
    others.sort();
    (ones[ones.len() / 2], others[others.len() / 2])
}

/// Elements as a large shop has them: most of the rules, all pages, no two of them alike.
fn findings() -> Findings {
    let problems = catalog::rules().filter(|(_, entry)| entry.basis == Basis::WcagAAa).take(RULES);
    let rules: BTreeMap<RuleId, RuleFacts> = problems
        .map(|(id, entry)| {
            let tags = entry.wcag.iter().map(|number| format!("wcag{}", number.replace('.', "")));
            let facts = RuleFacts {
                impact: entry.impact,
                tags: ["wcag2a".to_owned()].into_iter().chain(tags).collect(),
                help: String::new(),
                description: String::new(),
                help_url: format!("https://rules.example/{id}"),
            };
            (RuleId::new(id), facts)
        })
        .collect();
    assert_eq!(rules.len(), RULES);
    let pages: Vec<String> = (0..PAGES).map(|page| format!("https://shop.example/c/{page}?sort=price")).collect();
    let ids: Vec<&RuleId> = rules.keys().collect();
    let items = (0..ELEMENTS).map(|number| {
        // axe-core tells of one page after another, and there of one rule after another.
        let (page, within) = (number / PER_PAGE, number % PER_PAGE);
        let rule = ids[within * RULES / PER_PAGE];
        let selector = format!("main > .product-grid > li:nth-child({}) > a.product-card__link", within);
        let html = format!(
            "<a href=\"/products/linen-shirt-{number}\" class=\"product-card__link card--hover\" data-id=\"{number}\">\n  \
             <img src=\"//cdn.shop.example/files/linen-shirt-{number}.webp\">\n</a>"
        );
        let summary = "Fix any of the following:\n  Element does not have text that is visible to screen readers\n  \
                       aria-label attribute does not exist or is empty";
        Finding::new(rule.clone(), page, &pages[page], &selector, &html, summary)
    });
    Findings {
        engine: Engine::axe_core("4.14.1", "Chromium 156"),
        items: items.collect(),
        pages: pages.iter().map(|url| PageOutcome::checked(url.as_str(), "")).collect(),
        rules: rules.clone(),
        needs_review: BTreeMap::new(),
        stack: vec![],
        screen: None,
        ran: None,
        pictures_not_stored: false,
        stopped_by_timeouts: false,
    }
}

/// A JSON export, as a program would hold it.
#[derive(Debug, Serialize, Deserialize)]
struct File {
    format: String,
    disclaimer: String,
    generated_by: String,
    site: BTreeMap<String, String>,
    checked_at: String,
    pages_checked: u64,
    standard: String,
    engine: BTreeMap<String, String>,
    language: String,
    rules: Vec<Rule>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Rule {
    rule: String,
    r#type: String,
    severity: String,
    title: String,
    summary: String,
    how_to_fix: String,
    platform_tip: Option<String>,
    wcag: Vec<String>,
    en301549: Vec<String>,
    count: u64,
    pages: u64,
    issues: Vec<Issue>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Issue {
    page: String,
    selector: String,
    html: String,
    failure_summary: String,
    is_new: bool,
}
