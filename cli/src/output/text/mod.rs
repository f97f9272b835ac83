//! Text for people at a terminal: what was found by rule, then a summary that fits one screen, and the verdict in the last line.

mod lines;
mod summary;

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use a11ycheck_core::domain::{Impact, RuleId};

pub(super) use self::summary::verdict;
use self::{
    lines::{Lines, Paint},
    summary::summary,
};
use super::WriteOptions;
use crate::run::{Kind, Rule, Run, RunFinding, RunReport, Since};

/// How the text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// True if colours may be used. They are never the only sign of something.
    pub colours: bool,
    /// True if only the verdict is written.
    pub quiet: bool,
    /// What is shown beside the findings that count.
    pub show: Show,
}

/// What is shown beside the findings that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Show {
    /// Findings that the configuration accepts.
    pub accepted: bool,
    /// Elements that the engine could not judge.
    pub review: bool,
}

/// The most elements of a rule that are listed.
const MAX_LISTED: usize = 10;

/// Writes the text. Without colours, no line is wider than 80 columns, except where an address is.
pub(super) fn write(run: &Run, options: &WriteOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = Lines::new(out, options.text.colours);
    if options.text.quiet {
        return lines.line(&[verdict_paint(run)(&verdict(run))]);
    }
    let report = RunReport::of(run, run.settings.locale).report;
    let order: Vec<&RuleId> = report.groups.iter().chain(&report.advisory).map(|group| &group.rule).collect();
    let mut by_rule: BTreeMap<&RuleId, Vec<&RunFinding>> = BTreeMap::new();
    for finding in &run.findings {
        by_rule.entry(&finding.rule).or_default().push(finding);
    }
    for id in &order {
        let findings = by_rule.remove(*id).unwrap_or_default();
        if let Some(rule) = run.rules.get(*id) {
            group(&mut lines, run, id, rule, &findings, options.text.show)?;
        }
    }
    if options.text.show.review {
        for (id, rule) in run.rules.iter().filter(|(_, rule)| rule.undecided > 0) {
            review(&mut lines, run, id, rule)?;
        }
    }
    summary(&mut lines, run, &report, options)?;
    lines.line(&[verdict_paint(run)(&verdict(run))])
}

fn verdict_paint(run: &Run) -> fn(&str) -> Paint {
    match run.exit.code {
        0 => Paint::good,
        1 => Paint::bad,
        _ => Paint::doubtful,
    }
}

fn severity(rule: &Rule) -> Paint {
    let word =
        format!("{:<14}", if rule.kind == Kind::Recommendation { "recommendation" } else { rule.impact.as_str() });
    match (rule.kind, rule.impact) {
        (Kind::Problem, Impact::Critical | Impact::Serious) => Paint::bad(&word),
        (Kind::Problem, _) => Paint::doubtful(&word),
        (Kind::Recommendation, _) => Paint::dim(&word),
    }
}

/// Writes a rule with its elements. One whose elements are all accepted is left out unless they are asked for.
fn group(
    lines: &mut Lines<'_>,
    run: &Run,
    id: &RuleId,
    rule: &Rule,
    findings: &[&RunFinding],
    show: Show,
) -> io::Result<()> {
    let shown: Vec<&RunFinding> =
        findings.iter().copied().filter(|finding| show.accepted || finding.accepted.is_none()).collect();
    let accepted = findings.len() - findings.iter().filter(|finding| finding.accepted.is_none()).count();
    // Elements that were left out are counted, and cannot be accepted.
    let left_out = rule.elements.saturating_sub(findings.len() as u64);
    if shown.is_empty() && left_out == 0 {
        return Ok(());
    }
    head(lines, id, rule)?;
    lines.wrapped("  ", first_sentence(&rule.how_to_fix))?;
    let mut page = None;
    for finding in shown.iter().take(MAX_LISTED) {
        if page != Some(finding.page) {
            page = Some(finding.page);
            lines.address("  ", run.page_of(finding).map_or("", |page| &page.url))?;
        }
        element(lines, finding)?;
    }
    let mut rest = Vec::new();
    let further = shown.len().saturating_sub(MAX_LISTED) as u64 + left_out;
    if further > 0 {
        rest.push(format!("{further} more"));
    }
    if accepted > 0 && !show.accepted {
        rest.push(format!("{accepted} accepted (--show accepted)"));
    }
    if !rest.is_empty() {
        lines.line(&[Paint::dim(&format!("    and {}", rest.join(", ")))])?;
    }
    lines.empty()
}

fn head(lines: &mut Lines<'_>, id: &RuleId, rule: &Rule) -> io::Result<()> {
    lines.head(severity(rule), &rule.title, id.as_str())
}

/// Returns the first sentence of a text of the catalogue, in which code is between backticks; the explanation of the rule has the rest.
fn first_sentence(text: &str) -> &str {
    let ends = text.match_indices(". ").map(|(at, _)| &text[..=at]);
    ends.into_iter().find(|sentence| sentence.matches('`').count() % 2 == 0).unwrap_or(text)
}

fn element(lines: &mut Lines<'_>, finding: &RunFinding) -> io::Result<()> {
    let mark = match (&finding.accepted, finding.since) {
        (Some(accepted), _) => Some(format!("accepted: {}", accepted.reason)),
        (None, Since::New) => Some("new".to_owned()),
        (None, Since::Known | Since::NotCompared) => None,
    };
    lines.marked("    ", &finding.selector, mark.as_deref())?;
    // The first line says what is wrong, unless it only leads a list; the other formats have all.
    let said = finding.message.lines().map(str::trim).find(|line| !line.is_empty() && !line.ends_with(':'));
    lines.wrapped("      ", said.unwrap_or_default().trim_start_matches("- "))
}

fn review(lines: &mut Lines<'_>, run: &Run, id: &RuleId, rule: &Rule) -> io::Result<()> {
    lines.head(Paint::dim(&format!("{:<14}", "review")), &rule.title, id.as_str())?;
    let mut page = None;
    let kept: Vec<_> = run.undecided.iter().filter(|finding| &finding.rule == id).collect();
    for finding in kept.iter().take(MAX_LISTED) {
        if page != Some(finding.page) {
            page = Some(finding.page);
            lines.address("  ", run.page_of(finding).map_or("", |page| &page.url))?;
        }
        element(lines, finding)?;
    }
    let further = usize::try_from(rule.undecided).unwrap_or(usize::MAX).saturating_sub(kept.len().min(MAX_LISTED));
    if further > 0 {
        lines.line(&[Paint::dim(&format!("    and {further} more"))])?;
    }
    lines.empty()
}
