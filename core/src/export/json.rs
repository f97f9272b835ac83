//! Everything as JSON: contract §9.4.

use std::{borrow::Cow, io};

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Serialize, Serializer};

use super::issues::{Issues, checked_standard};
use crate::{
    domain::{
        self, AcceptReason, Acceptance, CoverKind, Failure, FailureCode, Finding, Impact, OpenedBy, RuleId, RuleKind,
        StandardId, UncheckedFrame,
    },
    locale::Locale,
    report::{CoverView, PreparedPage, PreparedRule, PreparedUndecided},
    timestamp,
};

/// The name of the form of the file. Its number changes with a change that breaks readers.
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
        standard: checked_standard(source.findings.standard),
        engine: Engine::of(&source.findings.engine),
        language: issues.terms.locale,
        rules: Rules(issues),
        pages: Pages(issues),
        needs_review: NeedsReview(issues),
        standard_id: source.findings.standard,
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// Returns the schema of the file.
#[cfg(feature = "schema")]
pub(super) fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    generator.subschema_for::<Document<'_>>()
}

/// All issues of a check, for programs. Texts of the checked pages are whole and unchanged: escape them.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "IssueExport"))]
struct Document<'a> {
    /// The name of the file's form; the number changes when a reader would have to.
    #[cfg_attr(feature = "schema", schemars(extend("const" = FORMAT_LABEL)))]
    format: &'a str,
    /// The statement that an automated check is no full audit and no legal advice.
    disclaimer: &'a str,
    /// The team's name.
    generated_by: &'a str,
    /// The site.
    site: Site<'a>,
    /// The instant at which the check completed.
    #[serde(serialize_with = "timestamp::serialize")]
    checked_at: DateTime<Utc>,
    /// The number of pages that could be checked.
    pages_checked: usize,
    /// The standard that the pages were checked against.
    standard: String,
    /// The program that judged the pages.
    engine: Engine<'a>,
    /// The language of the texts.
    language: Locale,
    /// Rules that elements break, ranked as in the report.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Rule<'a>>"))]
    rules: Rules<'a>,
    // An addition to the contract's keys, as is the next, so both come after them.
    /// Every page that the check opened, and the parts of it that were not checked.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Page<'a>>"))]
    pages: Pages<'a>,
    /// The elements that a person must look at, by rule.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Undecided<'a>>"))]
    needs_review: NeedsReview<'a>,
    /// The same standard, as sites name it.
    standard_id: StandardId,
}

/// The site of an export.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "IssueSite"))]
struct Site<'a> {
    /// Its name, else its domain.
    name: &'a str,
    /// Its address.
    url: &'a str,
}

/// The program that judged the pages.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "IssueEngine"))]
struct Engine<'a> {
    // The contract always has the field.
    /// The version of axe-core; empty if another engine checked.
    axe: &'a str,
    /// The engine that judged the pages, for example `axe-core`.
    name: &'a str,
    /// The version of the engine.
    version: &'a str,
    /// Name and version of the browser in which the engine ran; null for an engine that needs none.
    browser: Option<&'a str>,
    // An addition to the contract's keys.
    /// The version of a11ycheck whose own checks looked at the pages as well; null where none did, and for older checks.
    a11ycheck: Option<&'a str>,
}

impl<'a> Engine<'a> {
    fn of(engine: &'a domain::Tool) -> Self {
        let domain::Tool { name, version, browser, probes } = engine;
        Self {
            axe: engine.axe_version().unwrap_or_default(),
            name,
            version,
            browser: browser.as_deref(),
            a11ycheck: probes.as_deref(),
        }
    }
}

struct Rules<'a>(&'a Issues<'a>);

// By hand, so that each rule or element is built only after the one before it is written.
impl Serialize for Rules<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.rules().map(|rule| Rule::new(self.0, rule)))
    }
}

/// The elements that break one rule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "IssueRule"))]
struct Rule<'a> {
    /// axe-core's id of the rule.
    rule: &'a str,
    /// The kind of rule: a problem breaks WCAG A or AA.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [RuleKind::Problem, RuleKind::Recommendation])))]
    kind: RuleKind,
    /// The severity for visitors.
    severity: Impact,
    /// The problem in a few words.
    title: &'a str,
    /// The problem in a sentence or two.
    summary: &'a str,
    /// The advice.
    how_to_fix: String,
    /// The advice for the site's platform.
    platform_tip: Option<&'a str>,
    /// Numbers of WCAG success criteria.
    wcag: &'a [String],
    /// Numbers of EN 301 549 clauses.
    en301549: &'a [String],
    /// The number of elements.
    count: u64,
    /// The number of pages that have such elements.
    pages: usize,
    /// All elements.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Element<'a>>"))]
    issues: Elements<'a>,
    // An addition to the contract's keys, so it comes after them.
    /// The number of these elements that `issues` lacks, because their pages had more elements than are kept.
    left_out: u64,
    /// Paragraphs of the original Section 508 standards, where axe-core maps the rule to any.
    section508: Vec<String>,
    /// Tests of Trusted Tester v5, where axe-core maps the rule to any.
    trusted_tester: Vec<String>,
    /// Tests of RGAA 4, where axe-core maps the rule to any.
    rgaa: Vec<String>,
}

impl<'a> Rule<'a> {
    fn new(issues: &'a Issues<'a>, rule: &'a PreparedRule<'a>) -> Self {
        Self {
            rule: rule.id(),
            kind: rule.kind,
            severity: rule.severity(),
            title: rule.texts.title,
            summary: rule.texts.summary,
            how_to_fix: rule.texts.advice(),
            platform_tip: rule.platform_tip,
            wcag: &rule.wcag,
            en301549: &rule.en301549,
            count: rule.count(),
            pages: rule.pages_listed(),
            issues: Elements { issues, rule },
            left_out: rule.left_out,
            section508: rule.facts.section508(),
            trusted_tester: rule.facts.trusted_tester(),
            rgaa: rule.facts.rgaa(),
        }
    }
}

struct Elements<'a> {
    issues: &'a Issues<'a>,
    rule: &'a PreparedRule<'a>,
}

impl Serialize for Elements<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_seq(self.rule.elements.iter().map(|(number, finding)| Element::new(self.issues, *number, finding)))
    }
}

/// One element.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Issue"))]
struct Element<'a> {
    /// The page's address.
    page: &'a str,
    /// The place on the page: a CSS selector.
    selector: &'a str,
    /// Its source.
    html: &'a str,
    /// axe-core's English account of what is wrong.
    failure_summary: &'a str,
    /// Whether the previous completed check did not have it.
    is_new: bool,
    /// The control that was pressed before the element appeared; null for what the page shows by itself.
    opened_by: Option<&'a OpenedBy>,
    /// What people decided, where elements can be accepted and this one is.
    // No file of the contract has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    accepted: Option<Accepted<'a>>,
}

/// What people decided about an accepted element.
#[derive(Serialize)]
struct Accepted<'a> {
    /// The word of the reason; null where it is not known.
    reason: Option<&'static str>,
    /// What the person notes.
    note: &'a str,
    /// The last day; null if it does not expire.
    until: Option<NaiveDate>,
}

impl<'a> Element<'a> {
    fn new(issues: &Issues<'a>, number: u64, finding: &'a Finding) -> Self {
        let accepted = issues.source.accepted.and_then(|accepted| accepted.of(number));
        Self {
            page: issues.page_url(finding),
            selector: &finding.selector,
            html: &finding.html,
            failure_summary: &finding.failure_summary,
            is_new: finding.is_new,
            opened_by: finding.opened_by.as_ref(),
            accepted: accepted.map(|Acceptance { reason, note, until }| Accepted {
                reason: reason.map(AcceptReason::as_str),
                note,
                until: *until,
            }),
        }
    }
}

struct Pages<'a>(&'a Issues<'a>);

impl Serialize for Pages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.prepared.pages().map(Page::new))
    }
}

/// One page of a check, or a dead link.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "IssuePage"))]
struct Page<'a> {
    /// Its address, as it was opened.
    url: &'a str,
    /// Its title. Written by the checked page: escape it.
    title: &'a str,
    /// The number of its problem elements; 0 where it could not be checked.
    issues: u64,
    /// The number of elements that fail on it, recommendations included, and are counted but not listed.
    left_out: u64,
    /// The reason why it could not be checked.
    error: Option<PageError<'a>>,
    /// The number of its frames that were not checked: the file says nothing about their content.
    frames_not_checked_count: u32,
    /// Those frames by address and reason. Empty in checks of releases that only counted them.
    #[cfg_attr(feature = "schema", schemars(length(max = domain::PageOutcome::MAX_UNCHECKED_FRAMES)))]
    frames_not_checked: &'a [UncheckedFrame],
    /// Whether it was still building itself when the time for that was up, and was checked as it was then.
    still_changing: bool,
    /// Addresses, without queries, that it asked for and got no answer from: what they would have brought is missing in what was
    /// checked. Written by the checked page: escape them.
    #[cfg_attr(feature = "schema", schemars(length(max = domain::PageOutcome::MAX_UNANSWERED)))]
    #[cfg_attr(feature = "schema", schemars(inner(length(max = domain::PageOutcome::MAX_ADDRESS))))]
    unanswered: &'a [String],
    /// The address of the page, or of the sitemap, that leads to it, where it is a dead link, which the web server does not have;
    /// else null. At most 100 dead links are listed, beside the pages of the plan. Written by the checked site: escape it.
    #[cfg_attr(feature = "schema", schemars(length(max = domain::PageOutcome::MAX_LINKED_FROM)))]
    linked_from: Option<&'a str>,
    /// The layer that covered most of it when it was checked; what lies behind it may not have been checked.
    cover: Option<Cover>,
}

impl<'a> Page<'a> {
    fn new(PreparedPage { outcome, issues, left_out, error, cover }: PreparedPage<'a>) -> Self {
        Self {
            url: &outcome.url,
            title: &outcome.title,
            issues,
            left_out,
            error: error.map(PageError::new),
            frames_not_checked_count: outcome.frames_not_checked,
            frames_not_checked: &outcome.unchecked_frames,
            still_changing: outcome.still_changing,
            unanswered: &outcome.unanswered,
            linked_from: outcome.linked_from.as_deref(),
            cover: cover.map(|CoverView { kind, percent, message }| Cover { kind, percent, message }),
        }
    }
}

/// The reason why a page could not be checked.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "IssuePageError"))]
struct PageError<'a> {
    /// The reason for programs. Later versions may add codes.
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("examples" = FailureCode::KNOWN)))]
    code: FailureCode,
    /// The reason for people, in the language of the file.
    #[cfg_attr(feature = "schema", schemars(length(max = Failure::MAX_MESSAGE)))]
    message: Cow<'a, str>,
}

impl<'a> PageError<'a> {
    fn new(failure: Cow<'a, Failure>) -> Self {
        let code = failure.code;
        let message = match failure {
            Cow::Borrowed(failure) => Cow::Borrowed(failure.message.as_str()),
            Cow::Owned(failure) => Cow::Owned(failure.message),
        };
        Self { code, message }
    }
}

/// Something that covers most of a page as visitors first see it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "IssueCover"))]
struct Cover {
    /// The kind of layer: a request for consent, another dialog, or a layer that does not say what it is.
    kind: CoverKind,
    /// The share of the visible part of the page that it covers.
    #[cfg_attr(feature = "schema", schemars(range(min = domain::Cover::LEAST_PERCENT, max = 100)))]
    percent: u8,
    /// The same for people, in the language of the file.
    message: String,
}

struct NeedsReview<'a>(&'a Issues<'a>);

impl Serialize for NeedsReview<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.prepared.undecided().map(Undecided::new))
    }
}

/// Elements of one rule that axe-core could not decide about: a person must look at them.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "IssueUndecided"))]
struct Undecided<'a> {
    /// axe-core's id of the rule.
    rule: &'a RuleId,
    /// The rule in words.
    title: &'a str,
    /// The number of elements.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    count: u32,
}

impl<'a> Undecided<'a> {
    fn new(undecided: PreparedUndecided<'a>) -> Self {
        Self { rule: undecided.rule, title: undecided.title, count: undecided.count }
    }
}
