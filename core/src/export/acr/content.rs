//! The content of a draft for people, which all formats but OpenACR show: its head, its tables and the sentences around them.

use std::collections::BTreeMap;

use super::{
    manual::{CriterionToCheck, by_criterion, reasons},
    remarks::{gaps, has_assessments, methods, not_checked, remarks, scope_warning},
    verdict::{Conformance, Verdict},
};
use crate::{
    catalog::{AcrTerms, Labels, Level, Terms, WcagVersion, fill, terms},
    domain::{DraftHead, HeadText},
    export::{ExportSource, text::one_line_with_no_breaks},
    locale::Locale,
    report::{ByHand, Prepared, ToCheck, by_hand, to_check},
};

/// A draft in its language. Texts that a page, a team or an error has written are one line each.
pub(in crate::export) struct Content {
    pub(in crate::export) terms: &'static Terms,
    pub(in crate::export) acr: &'static AcrTerms,
    pub(in crate::export) label: &'static Labels,
    pub(in crate::export) site: String,
    pub(in crate::export) url: String,
    /// The day of the check.
    pub(in crate::export) date: String,
    /// The lines of the head, in the order of such reports.
    pub(in crate::export) head: Vec<HeadLine>,
    pub(in crate::export) gaps: Vec<String>,
    pub(in crate::export) scope_warning: Option<String>,
    pub(in crate::export) not_checked: Vec<PageNotChecked>,
    /// The standards whose requirements are listed, and what of them.
    pub(in crate::export) standards: Vec<(String, String)>,
    pub(in crate::export) tables: Vec<CriteriaTable>,
    pub(in crate::export) clauses: ClauseTable,
    /// What it means that people have assessed criteria, where they have.
    pub(in crate::export) assessed_means: Option<&'static str>,
    /// Why level AAA is missing, where it is.
    pub(in crate::export) aaa_left_out: Option<&'static str>,
    /// The elements that a person works through, by criterion.
    pub(in crate::export) to_check: Vec<CriterionToWork>,
    /// What no program tests: the parts of about an hour.
    pub(in crate::export) by_hand: Vec<Step>,
}

/// A criterion with elements that a person works through.
pub(in crate::export) struct CriterionToWork {
    /// The number and the name.
    pub(in crate::export) heading: String,
    pub(in crate::export) rules: Vec<RuleToWork>,
}

/// The elements of one rule. Texts have their code in backticks.
pub(in crate::export) struct RuleToWork {
    pub(in crate::export) title: String,
    /// The language of the title, if it is not that of the draft.
    pub(in crate::export) language: Option<Locale>,
    /// The number of elements, with its noun.
    pub(in crate::export) elements: String,
    pub(in crate::export) how_to_tell: String,
    /// Each with its number of elements.
    pub(in crate::export) reasons: Vec<String>,
    pub(in crate::export) places: Vec<PlaceToWork>,
    /// How many more places there are, if there are more.
    pub(in crate::export) further_places: Option<String>,
}

/// An element that a person looks at.
pub(in crate::export) struct PlaceToWork {
    pub(in crate::export) url: String,
    pub(in crate::export) selector: String,
}

/// A part of the hour of testing by hand.
pub(in crate::export) struct Step {
    pub(in crate::export) title: String,
    pub(in crate::export) minutes: String,
    pub(in crate::export) how: String,
    pub(in crate::export) criteria: String,
}

/// A line of the head.
pub(in crate::export) struct HeadLine {
    pub(in crate::export) name: &'static str,
    pub(in crate::export) value: HeadValue,
}

/// What stands in a line of the head.
pub(in crate::export) enum HeadValue {
    Text(String),
    Address(String),
    Day(String),
    /// A person fills it in.
    Open,
}

/// A page that was not checked.
pub(in crate::export) struct PageNotChecked {
    pub(in crate::export) url: String,
    pub(in crate::export) reason: String,
}

/// The criteria of one level.
pub(in crate::export) struct CriteriaTable {
    pub(in crate::export) level: Level,
    pub(in crate::export) heading: String,
    pub(in crate::export) rows: Vec<Row>,
}

/// The clauses of EN 301 549 that require criteria.
pub(in crate::export) struct ClauseTable {
    pub(in crate::export) heading: String,
    pub(in crate::export) about: String,
    pub(in crate::export) rows: Vec<Row>,
}

/// A criterion or a clause, with how far it is met.
pub(in crate::export) struct Row {
    pub(in crate::export) number: &'static str,
    pub(in crate::export) name: &'static str,
    pub(in crate::export) conformance: Conformance,
    /// The term for that.
    pub(in crate::export) term: &'static str,
    pub(in crate::export) remarks: String,
}

impl Row {
    /// Returns whether a failure was found, which is set in bold.
    pub(in crate::export) const fn is_failure(&self) -> bool {
        matches!(self.conformance, Conformance::PartiallySupports | Conformance::DoesNotSupport)
    }
}

impl Content {
    pub(in crate::export) fn new(source: &ExportSource<'_>, verdicts: &[Verdict<'_>]) -> Self {
        let terms = terms(source.locale);
        let line = |text: &str| one_line_with_no_breaks(text);
        let prepared = Prepared::new(source.site, source.findings, source.locale);
        let not_checked = not_checked(source.findings)
            .map(|(url, failure)| PageNotChecked { url: line(url), reason: line(&terms.failure(failure)) });
        let levels = levels(source);
        Self {
            terms,
            acr: &terms.acr,
            label: &terms.label,
            site: line(source.site.display_name()),
            url: line(source.site.url.as_str()),
            date: source.checked_at.format("%Y-%m-%d").to_string(),
            head: head(source, terms),
            gaps: gaps(source.findings, terms),
            scope_warning: scope_warning(source.findings, terms),
            not_checked: not_checked.collect(),
            standards: standards(source, levels),
            tables: levels.iter().map(|level| CriteriaTable::new(*level, source, &prepared, verdicts)).collect(),
            clauses: ClauseTable::new(source, verdicts, terms),
            assessed_means: has_assessments(source).then_some(terms.acr.assessed_means.as_str()),
            aaa_left_out: (!source.draft.lists_aaa).then_some(terms.acr.aaa_left_out.as_str()),
            to_check: to_work_through(source, levels, verdicts, terms),
            by_hand: by_hand(source.locale).into_iter().map(|step| Step::new(step, terms)).collect(),
        }
    }
}

/// Returns the levels whose criteria a draft lists.
pub(in crate::export) const fn levels(source: &ExportSource<'_>) -> &'static [Level] {
    if source.draft.lists_aaa { &[Level::A, Level::Aa, Level::Aaa] } else { &[Level::A, Level::Aa] }
}

/// Returns the head in the order of the template that conformance reports of vendors follow.
fn head(source: &ExportSource<'_>, terms: &'static Terms) -> Vec<HeadLine> {
    let Terms { acr, label, .. } = terms;
    let DraftHead { product_version, contact, evaluator } = &source.draft.head;
    let text = |text: &str| HeadValue::Text(one_line_with_no_breaks(text));
    let given = |given: &Option<HeadText>| given.as_ref().map_or(HeadValue::Open, |given| text(given.as_str()));
    let url = source.site.url.as_str();
    let lines: [(&'static str, HeadValue); 11] = [
        (&acr.product, text(source.site.display_name())),
        (&acr.product_version, given(product_version)),
        (&acr.report_date, HeadValue::Day(source.checked_at.format("%Y-%m-%d").to_string())),
        (&acr.product_description, text(&fill(&acr.website, &[("url", url)]))),
        (&label.site, HeadValue::Address(one_line_with_no_breaks(url))),
        (&acr.contact, given(contact)),
        (&label.prepared_by, text(source.team)),
        (&acr.evaluator, given(evaluator)),
        (&label.notes, HeadValue::Open),
        (&acr.methods, text(&methods(source, terms))),
        (&label.standard, text(&terms.checked_standard(source.findings.standard))),
    ];
    lines.into_iter().map(|(name, value)| HeadLine { name, value }).collect()
}

/// Returns the standards whose requirements are listed, with the levels or the clause.
fn standards(source: &ExportSource<'_>, levels: &[Level]) -> Vec<(String, String)> {
    let versions = [WcagVersion::V2_0, WcagVersion::V2_1, WcagVersion::V2_2];
    let of_level = levels.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let wcag = versions.map(|version| (format!("WCAG {version}"), of_level.clone()));
    let clauses = &source.findings.standard.effective().en301549.clauses;
    let ends = [clauses.first(), clauses.last()].map(|clause| clause.map_or("", |clause| &clause.number));
    let european = (source.findings.standard.effective().en301549_name(), ends.join(" – "));
    wcag.into_iter().chain([european]).collect()
}

impl CriteriaTable {
    fn new(level: Level, source: &ExportSource<'_>, prepared: &Prepared<'_>, verdicts: &[Verdict<'_>]) -> Self {
        let terms = terms(source.locale);
        let of_level = verdicts.iter().filter(|verdict| verdict.criterion.level == level);
        let rows = of_level.map(|verdict| Row {
            number: &verdict.criterion.number,
            name: verdict.criterion.name(terms.locale),
            conformance: verdict.conformance,
            term: verdict.conformance.name(&terms.acr),
            remarks: one_line_with_no_breaks(&remarks(verdict, prepared, source, terms)),
        });
        let heading = fill(&terms.acr.criteria_of_level, &[("level", &level.to_string())]);
        Self { level, heading, rows: rows.collect() }
    }
}

/// Returns the elements that a person works through, by criterion of these levels.
fn to_work_through(
    source: &ExportSource<'_>,
    levels: &[Level],
    verdicts: &[Verdict<'_>],
    terms: &'static Terms,
) -> Vec<CriterionToWork> {
    let rules = to_check(source.findings, source.locale);
    let criteria = by_criterion(verdicts, &rules).into_iter().filter(|found| levels.contains(&found.criterion.level));
    criteria
        .map(|CriterionToCheck { criterion, rules }| CriterionToWork {
            heading: format!("{} {}", criterion.number, criterion.name(source.locale)),
            rules: rules.into_iter().map(|rule| RuleToWork::new(rule, terms)).collect(),
        })
        .collect()
}

impl RuleToWork {
    fn new(rule: &ToCheck, terms: &'static Terms) -> Self {
        let label = &terms.label;
        let line = |text: &str| one_line_with_no_breaks(text);
        let further = fill(&label.further_places, &[("n", &rule.further_places.to_string())]);
        Self {
            title: line(&rule.title),
            language: Some(Locale::En).filter(|locale| !rule.has_card && *locale != terms.locale),
            elements: terms.counted(&terms.count.element, rule.count),
            how_to_tell: line(&rule.how_to_tell),
            reasons: reasons(rule, label).iter().map(|reason| line(reason)).collect(),
            places: rule
                .places
                .iter()
                .map(|place| PlaceToWork { url: line(&place.page), selector: line(&place.target) })
                .collect(),
            further_places: (rule.further_places > 0).then_some(further),
        }
    }
}

impl Step {
    fn new(step: ByHand, terms: &'static Terms) -> Self {
        let criteria: Vec<&str> = step.criteria.iter().map(|criterion| criterion.number.as_str()).collect();
        let minutes = terms.counted(&terms.count.minute, u64::from(step.minutes));
        Self { criteria: criteria.join(", "), minutes, title: step.title, how: step.how }
    }
}

/// A piece of a text: code, or not.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) is_code: bool,
}

/// Returns the pieces of a text with code in backticks.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let parts = text.split('`').enumerate().filter(|(_, part)| !part.is_empty());
    parts.map(|(number, part)| Piece { text: part.to_owned(), is_code: number % 2 == 1 }).collect()
}

impl ClauseTable {
    fn new(source: &ExportSource<'_>, verdicts: &[Verdict<'_>], terms: &'static Terms) -> Self {
        let acr = &terms.acr;
        let standard = source.findings.standard.effective();
        let verdicts: BTreeMap<&str, &Verdict<'_>> =
            verdicts.iter().map(|verdict| (verdict.criterion.number.as_str(), verdict)).collect();
        let rows = standard.en301549.clauses.iter().filter_map(|clause| {
            let verdict = verdicts.get(clause.criterion.as_str())?;
            let see = fill(&acr.see_criterion, &[("number", &clause.criterion)]);
            let is_unconfirmed = standard.en301549.unverified.contains(&clause.number);
            Some(Row {
                number: &clause.number,
                name: verdict.criterion.name(terms.locale),
                conformance: verdict.conformance,
                term: verdict.conformance.name(acr),
                remarks: if is_unconfirmed { format!("{see} {}", acr.clause_unconfirmed) } else { see },
            })
        });
        Self {
            heading: fill(&acr.clause_table, &[("standard", &standard.en301549_name())]),
            about: fill(&acr.web_chapter, &[("wcag", &standard.en301549.wcag)]),
            rows: rows.collect(),
        }
    }
}
