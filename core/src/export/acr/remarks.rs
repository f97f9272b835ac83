//! The words for verdicts, and for the methods and gaps behind them.

use std::collections::BTreeSet;

use super::verdict::Verdict;
use crate::{
    catalog::{Terms, WcagVersion, fill},
    domain::{Failure, Findings},
    export::ExportSource,
};

/// Returns the reasons for a verdict, in sentences of plain text.
pub(in crate::export) fn remarks(verdict: &Verdict<'_>, findings: &Findings, terms: &Terms) -> String {
    let Verdict { criterion, evidence, .. } = verdict;
    let acr = &terms.acr;
    let mut sentences: Vec<String> = Vec::new();
    if criterion.dropped.is_some() {
        sentences.push(acr.parsing_obsolete.clone());
    } else if !evidence.failed.is_empty() {
        let values = [
            ("elements", &*evidence.elements.to_string()),
            ("pages", &evidence.pages.len().to_string()),
            ("checked", &findings.pages_checked().to_string()),
            ("rules", &list(&evidence.failed)),
        ];
        sentences.push(fill(&acr.failures_found, &values));
    } else if !evidence.undecided.is_empty() {
        // Mentioned below.
    } else if !evidence.ran.is_empty() {
        sentences.push(fill(&acr.no_failure_found, &[("rules", &list(&evidence.ran))]));
    } else if !evidence.off.is_empty() {
        sentences.push(fill(&acr.rules_off, &[("rules", &list(&evidence.off))]));
    } else if !evidence.unknown.is_empty() {
        sentences.push(fill(&acr.rules_unknown, &[("rules", &list(&evidence.unknown))]));
    } else {
        sentences.push(acr.no_rule.clone());
    }
    if !evidence.undecided.is_empty() && criterion.dropped.is_none() {
        let values = [("elements", &*evidence.undecided_elements.to_string()), ("rules", &list(&evidence.undecided))];
        sentences.push(fill(&acr.review_needed, &values));
    }
    if criterion.since > WcagVersion::V2_1 {
        sentences.push(fill(&acr.new_in_version, &[("version", &criterion.since.to_string())]));
    }
    sentences.join(" ")
}

/// Returns the methods that led to the verdicts, in a sentence.
pub(in crate::export) fn methods(source: &ExportSource<'_>, terms: &Terms) -> String {
    let engine = &source.findings.engine;
    let pages = source.findings.pages_checked().to_string();
    let program = engine.program();
    let values = [("engine", &*program), ("pages", &pages), ("browser", engine.browser.as_deref().unwrap_or_default())];
    match engine.browser {
        Some(_) => fill(&terms.acr.methods_used, &values),
        None => fill(&terms.acr.methods_without_browser, &values),
    }
}

/// Returns the pages that were not checked, each with the reason. A dead link is not a page.
pub(in crate::export) fn not_checked(findings: &Findings) -> impl Iterator<Item = (&str, &Failure)> {
    let pages = findings.pages.iter().filter(|page| !page.is_dead_link());
    pages.filter_map(|page| Some((page.url.as_str(), page.error.as_ref()?)))
}

/// Returns a sentence with the number of pages that were not checked; `None` if there are none.
pub(in crate::export) fn scope_warning(findings: &Findings, terms: &Terms) -> Option<String> {
    let count = not_checked(findings).count();
    (count > 0).then(|| fill(&terms.acr.pages_not_checked, &[("pages", &count.to_string())]))
}

/// Returns the gaps in the checked pages, a line for each kind: frames not checked, and pages covered by a dialog or another layer.
pub(in crate::export) fn gaps(findings: &Findings, terms: &Terms) -> Vec<String> {
    let frames: u64 = findings.pages.iter().map(|page| u64::from(page.frames_not_checked)).sum();
    let covered = findings.pages.iter().filter(|page| page.cover.is_some()).count() as u64;
    let gaps = [(&terms.label.frames_not_checked, frames), (&terms.label.pages_covered, covered)];
    gaps.into_iter().filter(|(_, count)| *count > 0).map(|(label, count)| format!("{label}: {count}")).collect()
}

fn list(rules: &BTreeSet<&str>) -> String {
    rules.iter().copied().collect::<Vec<_>>().join(", ")
}
