//! The words for verdicts, and for the methods and gaps behind them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    options::PersonDecisions,
    verdict::{Conformance, Verdict, is_reliable},
};
use crate::{
    catalog::{Level, Terms, WcagVersion, card, criteria, fill},
    domain::{Assessment, Failure, Findings, RuleId},
    export::{
        ExportSource,
        text::{clip, one_line},
    },
    report::{Prepared, PreparedRule},
};

/// The most rules with failures that the remarks of a criterion describe; the rest is counted.
const MAX_FAILURES: usize = 5;
/// The most rules that are named because they ran, or did not.
const MAX_RULES: usize = 4;
/// The most characters of the selector that stands for a place.
const MAX_PLACE: usize = 100;
/// The most characters of a page's address.
const MAX_ADDRESS: usize = 150;

/// Returns the reasons for a verdict, in sentences of plain text.
pub(in crate::export) fn remarks(
    verdict: &Verdict<'_>,
    prepared: &Prepared<'_>,
    source: &ExportSource<'_>,
    terms: &Terms,
) -> String {
    let Verdict { criterion, evidence, assessment, .. } = verdict;
    let acr = &terms.acr;
    let named = |template: &str, rules: &BTreeSet<&str>| fill(template, &[("rules", &titles(rules, prepared, terms))]);
    let mut sentences: Vec<String> = Vec::new();
    if criterion.dropped.is_some() {
        sentences.push(acr.parsing_obsolete.clone());
    } else if !evidence.failed.is_empty() {
        sentences.push(acr.failures_found.clone());
        // First, since a row of a PDF is cut where it is too long.
        sentences.extend(assessment.iter().flat_map(|one| assessed(one, verdict, source, terms)));
        // In the order in which they should be fixed.
        let failed = prepared.rules.iter().filter(|rule| evidence.failed.contains(rule.rule.as_str()));
        let lines: Vec<String> = failed.map(|rule| failure(rule, prepared, terms)).collect();
        let rest = lines.len().saturating_sub(MAX_FAILURES);
        sentences.extend(lines.into_iter().take(MAX_FAILURES));
        if rest > 0 {
            sentences.push(fill(&acr.further_failures, &[("n", &rest.to_string())]));
        }
    } else if let Some(assessment) = assessment {
        sentences.extend(assessed(assessment, verdict, source, terms));
        if !evidence.ran.is_empty() && evidence.undecided.is_empty() {
            sentences.push(named(&acr.no_failure_beside, &evidence.ran));
        }
    } else if !evidence.undecided.is_empty() {
        // Mentioned below.
    } else if !evidence.ran.is_empty() {
        sentences.push(named(&acr.no_failure_found, &evidence.ran));
    } else if !evidence.off.is_empty() {
        sentences.push(named(&acr.rules_off, &evidence.off));
    } else if !evidence.unknown.is_empty() {
        sentences.push(named(&acr.rules_unknown, &evidence.unknown));
    } else {
        sentences.push(acr.no_rule.clone());
    }
    if !evidence.undecided.is_empty() && criterion.dropped.is_none() {
        let elements = evidence.undecided_elements.to_string();
        sentences.push(fill(&named(&acr.review_needed, &evidence.undecided), &[("elements", &elements)]));
    }
    let by_person = decisions_about(&criterion.number, prepared.findings, &source.draft.decided);
    if by_person.decided > 0 && criterion.dropped.is_none() {
        sentences.push(by_person_sentence(&acr.decided_by_person, by_person));
    }
    let standard = prepared.findings.standard.effective();
    if criterion.since > WcagVersion::V2_1 && standard.clause_of(&criterion.number).is_none() {
        let values = [("version", &*criterion.since.to_string()), ("standard", &standard.en301549_name())];
        sentences.push(fill(&acr.new_in_version, &values));
    }
    sentences.join(" ")
}

/// Returns what a person has said about a criterion: who, when, what, why, and whether it was long before the check.
fn assessed(
    assessment: &Assessment,
    verdict: &Verdict<'_>,
    source: &ExportSource<'_>,
    terms: &Terms,
) -> impl Iterator<Item = String> {
    let acr = &terms.acr;
    let is_outweighed = assessment.outcome.denies_failures() && !verdict.evidence.failed.is_empty();
    let template = if is_outweighed { &acr.assessed_outweighed } else { &acr.assessed };
    let values = [
        ("name", &*one_line(&assessment.author)),
        ("date", &assessment.at.format("%Y-%m-%d").to_string()),
        ("term", Conformance::said(assessment.outcome).map_or("", |said| said.name(acr))),
    ];
    let who_and_when = fill(template, &values);
    let note = Some(one_line(&assessment.note)).filter(|note| !note.is_empty());
    let is_old = assessment.is_old(source.checked_at);
    let old = is_old.then(|| fill(&acr.assessed_long_ago, &[("months", &Assessment::TERM_MONTHS.to_string())]));
    [Some(who_and_when), note, old].into_iter().flatten()
}

/// Returns whether people have assessed criteria that a draft knows.
pub(super) fn has_assessments(source: &ExportSource<'_>) -> bool {
    assessed_criteria(source) > 0
}

/// Returns the number of criteria that people have assessed, of those that a person assesses.
fn assessed_criteria(source: &ExportSource<'_>) -> usize {
    let assessments = to_assess().filter_map(|number| source.draft.assessment(number));
    assessments.filter(|assessment| Conformance::said(assessment.outcome).is_some()).count()
}

/// Returns the criteria that a person assesses: those of levels A and AA that the standard still has.
fn to_assess() -> impl Iterator<Item = &'static str> {
    let required = criteria().iter().filter(|one| one.level != Level::Aaa && one.dropped.is_none());
    required.map(|criterion| criterion.number.as_str())
}

/// Returns what a person has decided about elements of the rules that test a criterion.
fn decisions_about(
    criterion: &str,
    findings: &Findings,
    decided: &BTreeMap<RuleId, PersonDecisions>,
) -> PersonDecisions {
    let tests = |rule: &RuleId| {
        findings
            .rules
            .get(rule)
            .is_some_and(|facts| is_reliable(facts) && facts.wcag().iter().any(|one| one == criterion))
    };
    sum(decided.iter().filter(|(rule, _)| tests(rule)).map(|(_, decisions)| *decisions))
}

fn sum(decisions: impl Iterator<Item = PersonDecisions>) -> PersonDecisions {
    decisions.fold(PersonDecisions::default(), |all, one| PersonDecisions {
        decided: all.decided + one.decided,
        of: all.of + one.of,
    })
}

fn by_person_sentence(template: &str, decisions: PersonDecisions) -> String {
    fill(template, &[("decided", &decisions.decided.to_string()), ("elements", &decisions.of.to_string())])
}

/// Returns what one rule found: in words, how much of it, and where to begin.
fn failure(rule: &PreparedRule<'_>, prepared: &Prepared<'_>, terms: &Terms) -> String {
    let example = rule.places.first().map(|place| {
        let (_, finding) = place.shown;
        let what = match place.measured() {
            Some(measured) => measured.to_string(),
            None => clip(&one_line(&finding.selector), MAX_PLACE).to_owned(),
        };
        format!("{what} ({}).", clip(prepared.page_url(finding.page), MAX_ADDRESS))
    });
    let values = [
        ("title", rule.texts.title),
        ("elements", &*terms.counted(&terms.count.element, rule.count())),
        ("places", &terms.counted(&terms.count.place, rule.places.len() as u64)),
        ("pages", &rule.pages.len().to_string()),
        ("checked", &prepared.findings.pages_checked().to_string()),
        ("example", &example.unwrap_or_default()),
    ];
    fill(&terms.acr.failure_line, &values)
}

/// Returns the titles of rules, and how many there are beyond those that are named.
fn titles(rules: &BTreeSet<&str>, prepared: &Prepared<'_>, terms: &Terms) -> String {
    let title = |id: &&str| {
        let help = || prepared.findings.rules.get(*id).map(|facts| facts.help.as_str()).filter(|help| !help.is_empty());
        card(id, terms.locale).map(|card| card.title).or_else(help).unwrap_or(*id).to_owned()
    };
    let mut titles: Vec<String> = rules.iter().take(MAX_RULES).map(title).collect();
    if rules.len() > MAX_RULES {
        titles.push(format!("+ {}", rules.len() - MAX_RULES));
    }
    titles.join("; ")
}

/// Returns the methods that led to the verdicts, in a sentence.
pub(in crate::export) fn methods(source: &ExportSource<'_>, terms: &Terms) -> String {
    let engine = &source.findings.engine;
    let pages = source.findings.pages_checked().to_string();
    let program = engine.program();
    let values = [("engine", &*program), ("pages", &pages), ("browser", engine.browser.as_deref().unwrap_or_default())];
    let by_person = sum(source.draft.decided.values().copied());
    let with_browser = || engine.browser.iter().fold(program.to_string(), |all, browser| format!("{all}, {browser}"));
    let assessed = assessed_criteria(source);
    if assessed > 0 {
        let values = [
            ("engine", &*with_browser()),
            ("pages", &pages),
            ("assessed", &assessed.to_string()),
            ("criteria", &to_assess().count().to_string()),
        ];
        let text = fill(&terms.acr.methods_with_assessments, &values);
        let decided = (by_person.decided > 0).then(|| by_person_sentence(&terms.acr.decided_by_person, by_person));
        return [text].into_iter().chain(decided).collect::<Vec<_>>().join(" ");
    }
    if by_person.decided > 0 {
        let program = with_browser();
        let text = fill(&terms.acr.methods_with_person, &[("engine", &program), ("pages", &pages)]);
        return by_person_sentence(&text, by_person);
    }
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
