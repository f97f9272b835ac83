//! What GitLab shows in a merge request: code quality and accessibility.
//!
//! GitLab compares the reports of two branches, the first by fingerprint, the second by whole objects. So nothing in them counts, and
//! nothing changes from run to run of the same build.

use std::{
    collections::{BTreeMap, HashMap},
    io::{self, Write},
};

use a11ycheck_core::{
    domain::{Impact, RuleId},
    export::text::clip,
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{
    json,
    path::path_of,
    safe::{clipped_line, one_line},
};
use crate::run::{Kind, PageState, Run, RunFinding};

const MAX_TEXT: usize = 500;

/// An entry of the code quality report.
#[derive(Serialize)]
struct Quality<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Place,
}

#[derive(Serialize)]
struct Place {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

impl Place {
    const fn of(path: String) -> Self {
        Self { path, lines: Lines { begin: 1 } }
    }
}

/// Writes the code quality report: an entry for each element that is not accepted, and for each page that was not checked.
pub(super) fn quality(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let paths: Vec<String> = run.pages.iter().map(path_of).collect();
    let mut seen: HashMap<(&str, &str), u32> = HashMap::new();
    let mut entries = Vec::new();
    for (page, path) in run.pages.iter().zip(&paths).filter(|(page, _)| page.state == PageState::NotChecked) {
        let number = seen.entry((path, "page-not-checked")).or_default();
        *number += 1;
        let reason = page.failure_message.as_deref().unwrap_or_default();
        entries.push(Quality {
            description: clipped_line(&format!("The page {} was not checked: {reason}", page.url), MAX_TEXT),
            check_name: "page-not-checked",
            fingerprint: fingerprint(path, "page-not-checked", *number),
            severity: "blocker",
            location: Place::of(path.clone()),
        });
    }
    for finding in &run.findings {
        let Some(path) = paths.get(finding.page) else { continue };
        // Elements that look alike have one key, and GitLab keeps one entry of a fingerprint. Accepted ones are counted, too, so that
        // accepting one does not change the others.
        let number = seen.entry((path, &finding.key)).or_default();
        *number += 1;
        if finding.accepted.is_some() {
            continue;
        }
        let title = run.rule_of(finding).map_or(finding.rule.as_str(), |rule| rule.title.as_str());
        entries.push(Quality {
            description: clipped_line(&format!("{title} ({})", finding.selector), MAX_TEXT),
            check_name: finding.rule.as_str(),
            fingerprint: fingerprint(path, &finding.key, *number),
            severity: severity(finding),
            location: Place::of(path.clone()),
        });
    }
    json::pretty(&entries, out)
}

fn severity(finding: &RunFinding) -> &'static str {
    match (finding.kind, finding.impact) {
        (Kind::Recommendation, _) => "info",
        (_, Impact::Minor) => "minor",
        (_, Impact::Moderate) => "major",
        (_, Impact::Serious) => "critical",
        (_, Impact::Critical) => "blocker",
    }
}

/// Returns the fingerprint of the `number`th element with this key on this page: 64 hexadecimal digits.
fn fingerprint(path: &str, key: &str, number: u32) -> String {
    let mut hash = Sha256::new();
    for part in [path, key] {
        // The length keeps ("ab", "c") and ("a", "bc") apart.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.update(number.to_le_bytes());
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The accessibility report: the form of pa11y-ci's JSON reporter, which GitLab reads.
#[derive(Serialize)]
struct Accessibility<'a> {
    total: usize,
    passes: usize,
    errors: usize,
    results: BTreeMap<&'a str, Vec<Issue<'a>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Issue<'a> {
    code: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    type_code: u8,
    message: String,
    context: &'a str,
    selector: &'a str,
    runner: &'static str,
    runner_extras: Extras,
}

/// Nothing, as pa11y writes for its other runners: what it has of axe changes without a change of the page.
#[derive(Serialize)]
struct Extras {}

impl<'a> Issue<'a> {
    const fn error(code: &'a str, message: String, context: &'a str, selector: &'a str) -> Self {
        Self { code, kind: "error", type_code: 1, message, context, selector, runner: "axe", runner_extras: Extras {} }
    }
}

/// Writes the accessibility report: the problems of each page that are not accepted. Recommendations are not in it.
pub(super) fn accessibility(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let mut by_page: Vec<Vec<Issue<'_>>> = run.pages.iter().map(|_| Vec::new()).collect();
    let messages: BTreeMap<&RuleId, String> = run
        .rules
        .iter()
        .map(|(id, rule)| {
            let address = if rule.help_url.is_empty() { String::new() } else { format!(" ({})", rule.help_url) };
            (id, format!("{}{address}", one_line(&rule.title)))
        })
        .collect();
    let counts = |finding: &&RunFinding| finding.kind == Kind::Problem && finding.accepted.is_none();
    for finding in run.findings.iter().filter(counts) {
        let message = messages.get(&finding.rule).cloned().unwrap_or_else(|| finding.rule.to_string());
        if let Some(issues) = by_page.get_mut(finding.page) {
            let context = clip(&finding.html, MAX_TEXT);
            issues.push(Issue::error(finding.rule.as_str(), message, context, &finding.selector));
        }
    }
    let mut results: BTreeMap<&str, Vec<Issue<'_>>> = BTreeMap::new();
    for (page, mut issues) in run.pages.iter().zip(by_page) {
        match page.state {
            PageState::DeadLink => continue,
            PageState::Checked => {}
            PageState::NotChecked => {
                let reason = one_line(page.failure_message.as_deref().unwrap_or_default());
                issues.push(Issue::error("page-not-checked", format!("The page was not checked: {reason}"), "", ""));
            }
        }
        // The port of a folder that the run served is another one each time.
        results.entry(page.file.as_ref().unwrap_or(&page.url)).or_default().append(&mut issues);
    }
    let report = Accessibility {
        total: results.len(),
        passes: results.values().filter(|issues| issues.is_empty()).count(),
        errors: results.values().map(Vec::len).sum(),
        results,
    };
    json::pretty(&report, out)
}
