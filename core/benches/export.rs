//! Measures how long exports of 200,000 elements take, how much memory they need beyond the findings, and how that compares
//! with writing the same bytes from prepared rows with the crates `csv` and `serde_json` directly. The goals: less than
//! twice the time, and at most 64 MB.
//!
//! `cargo bench -p a11ycheck-core --bench export` prints the median of nine runs of each. GitHub and Jira files list only
//! what fits into their issues, so that their time is that of ranking all elements; they are compared with the bytes of the
//! CSV file.

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
    domain::{Finding, Findings, PageOutcome, RuleFacts, RuleId, SiteDetails, SiteUrl, Tool},
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
    let site = SiteDetails {
        url,
        name: None,
        report_locale: Locale::Uk,
        platform: None,
        stack: vec![],
        tags: vec![],
        standard: None,
    };
    let findings = findings();
    let source = ExportSource::new("Blue Team", &site, Utc::now(), &findings, Locale::Uk);
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

/// Returns the median times of `one` and `other`. They run in turns, so that other work of the machine slows down both.
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

/// Findings like those of a large shop: elements of many rules on every page, no two of them alike.
fn findings() -> Findings {
    let problems = catalog::rules().filter(|(_, entry)| entry.basis == Basis::WcagAAa).take(RULES);
    let rules: BTreeMap<RuleId, RuleFacts> = problems
        .map(|(id, entry)| {
            let tags = entry.wcag.iter().map(|number| format!("wcag{}", number.replace('.', "")));
            let facts = RuleFacts::new(entry.impact, ["wcag2a".to_owned()].into_iter().chain(tags));
            (RuleId::new(id), facts.with_help_url(format!("https://rules.example/{id}")))
        })
        .collect();
    assert_eq!(rules.len(), RULES);
    let pages: Vec<String> = (0..PAGES).map(|page| format!("https://shop.example/c/{page}?sort=price")).collect();
    let ids: Vec<&RuleId> = rules.keys().collect();
    let items = (0..ELEMENTS).map(|number| {
        // axe-core reports one page after another, and on each page one rule after another.
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
    Findings::new(Tool::axe_core("4.14.1", "Chromium 156"))
        .with_items(items)
        .with_pages(pages.iter().map(|url| PageOutcome::checked(url.as_str(), "")))
        .with_rules(rules.clone())
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
