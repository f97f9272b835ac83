//! Exports are written as they are made. This is a program of its own, because it counts every byte that is allocated.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

#[path = "export/counting.rs"]
mod counting;

use std::io;

use a11ycheck_core::{
    domain::{Finding, Findings, Impact, PageOutcome, RuleFacts, RuleId, SiteDetails, SiteUrl, Tool},
    export::{ExportFormat, ExportSource, write},
    locale::Locale,
};
use chrono::Utc;

use crate::counting::Counting;

const ELEMENTS: usize = 200_000;
const MAX_EXTRA: usize = 64 * 1_024 * 1_024;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Counts what is written, and keeps nothing else.
struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn findings() -> Findings {
    let rule = RuleId::new("color-contrast");
    let facts = RuleFacts::new(Impact::Serious, ["wcag2aa", "wcag143"]);
    let url = "https://shop.example/";
    let element = Finding::new(rule.clone(), 0, url, "main > p", &"<p class=\"price\">".repeat(20), "Fix this.");
    Findings::new(Tool::axe_core("", ""))
        .with_pages([PageOutcome::checked(url, "")])
        .with_rules([(rule, facts)])
        .with_items(vec![element; ELEMENTS])
}

#[test]
fn a_check_with_200_000_elements_is_exported_within_64_mb_beyond_its_data() {
    let site = SiteDetails {
        url: SiteUrl::parse("https://shop.example/").unwrap(),
        name: None,
        report_locale: Locale::En,
        platform: None,
        stack: vec![],
        tags: vec![],
        standard: None,
    };
    let findings = findings();
    let source = ExportSource::new("Blue Team", &site, Utc::now(), &findings, Locale::En);
    for format in ExportFormat::ALL {
        let mut length = Length(0);
        let extra = Counting::peak_of(|| write(format, &source, &mut length).unwrap());
        println!("{format}: {} bytes written, {extra} bytes taken beyond the findings", length.0);
        assert!(extra < MAX_EXTRA, "{format} took {extra} bytes");
        let is_whole_list = matches!(format, ExportFormat::Json | ExportFormat::Csv);
        assert!(!is_whole_list || length.0 > MAX_EXTRA, "{format}: too small a file to prove anything");
    }
}
