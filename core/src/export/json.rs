//! Everything as JSON: contract, "Issue export files".

use std::io;

use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};

use super::issues::{IssueRule, Issues, STANDARD};
use crate::{
    domain::{self, Finding, Impact, RuleKind},
    locale::Locale,
    report::{PageView, Undecided, needs_review, pages},
    timestamp,
};

/// Names the form of the file; the number changes when a reader would have to.
pub const FORMAT_LABEL: &str = "a11ycheck.issues/1";

pub(super) fn write(issues: &Issues<'_>, out: &mut impl io::Write) -> io::Result<()> {
    let source = &issues.source;
    let document = Document {
        format: FORMAT_LABEL,
        disclaimer: &issues.terms.disclaimer,
        generated_by: source.team,
        site: Site { name: source.site.display_name(), url: source.site.url.as_str() },
        checked_at: source.checked_at,
        pages_checked: source.findings.pages_checked(),
        standard: STANDARD,
        engine: Engine::of(&source.findings.engine),
        language: issues.terms.locale,
        rules: Rules(issues),
        pages: pages(source.findings, issues.terms.locale),
        needs_review: needs_review(source.findings, issues.terms.locale),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'a str,
    disclaimer: &'a str,
    generated_by: &'a str,
    site: Site<'a>,
    #[serde(serialize_with = "timestamp::serialize")]
    checked_at: DateTime<Utc>,
    pages_checked: usize,
    standard: &'a str,
    engine: Engine<'a>,
    language: Locale,
    rules: Rules<'a>,
    /// Every page with what of it was left unchecked. An addition to the contract's keys, as is the next, and so behind them.
    pages: Vec<PageView>,
    needs_review: Vec<Undecided>,
}

#[derive(Serialize)]
struct Site<'a> {
    name: &'a str,
    url: &'a str,
}

#[derive(Serialize)]
struct Engine<'a> {
    /// Empty where another engine checked: the contract has the field always.
    axe: &'a str,
    name: &'a str,
    version: &'a str,
    browser: Option<&'a str>,
}

impl<'a> Engine<'a> {
    fn of(engine: &'a domain::Engine) -> Self {
        let domain::Engine { name, version, browser } = engine;
        Self { axe: engine.axe_version().unwrap_or_default(), name, version, browser: browser.as_deref() }
    }
}

struct Rules<'a>(&'a Issues<'a>);

// By hand, so that no rule or element is built before the one ahead of it is written.
impl Serialize for Rules<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.rules.iter().map(|rule| Rule::new(self.0, rule)))
    }
}

#[derive(Serialize)]
struct Rule<'a> {
    rule: &'a str,
    #[serde(rename = "type")]
    kind: RuleKind,
    severity: Impact,
    title: &'a str,
    summary: &'a str,
    how_to_fix: String,
    platform_tip: Option<&'a str>,
    wcag: &'a [String],
    en301549: &'a [String],
    count: u64,
    pages: usize,
    issues: Elements<'a>,
    /// Of `count`, those that `issues` lacks. An addition to the contract's keys, and so behind them.
    left_out: u64,
}

impl<'a> Rule<'a> {
    fn new(issues: &'a Issues<'a>, rule: &'a IssueRule<'a>) -> Self {
        Self {
            rule: rule.id(),
            kind: rule.ranked.kind,
            severity: rule.severity(),
            title: rule.texts.title,
            summary: rule.texts.summary,
            how_to_fix: rule.texts.advice(),
            platform_tip: rule.platform_tip,
            wcag: &rule.wcag,
            en301549: &rule.en301549,
            count: rule.ranked.count(),
            pages: rule.pages,
            issues: Elements { issues, rule },
            left_out: rule.ranked.left_out,
        }
    }
}

struct Elements<'a> {
    issues: &'a Issues<'a>,
    rule: &'a IssueRule<'a>,
}

impl Serialize for Elements<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rule.elements().map(|finding| Element::new(self.issues, finding)))
    }
}

#[derive(Serialize)]
struct Element<'a> {
    page: &'a str,
    selector: &'a str,
    html: &'a str,
    failure_summary: &'a str,
    is_new: bool,
}

impl<'a> Element<'a> {
    fn new(issues: &Issues<'a>, finding: &'a Finding) -> Self {
        Self {
            page: issues.page_url(finding),
            selector: &finding.selector,
            html: &finding.html,
            failure_summary: &finding.failure_summary,
            is_new: finding.is_new,
        }
    }
}
