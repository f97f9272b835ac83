//! The verdicts of a check on the success criteria.

use std::{
    collections::{BTreeMap, BTreeSet},
    iter,
};

use crate::{
    catalog::{AcrTerms, Basis, Criterion, criteria, rules},
    domain::{Assessment, AssessmentOutcome, Findings, RuleFacts, RuleId},
    export::ExportSource,
};

/// The degree to which a criterion is met, in the terms of conformance reports. Automation alone never says “supports” or
/// “not applicable”: a person does, or, for one criterion, the standard itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Conformance {
    /// The criterion is met.
    Supports,
    /// Failures on fewer than half of the checked pages.
    PartiallySupports,
    /// Failures on at least half of the checked pages.
    DoesNotSupport,
    /// The site has nothing that the criterion is about.
    NotApplicable,
    /// A person must decide.
    NotEvaluated,
}

impl Conformance {
    /// Returns OpenACR's term.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Supports => "supports",
            Self::PartiallySupports => "partially-supports",
            Self::DoesNotSupport => "does-not-support",
            Self::NotApplicable => "not-applicable",
            Self::NotEvaluated => "not-evaluated",
        }
    }

    /// Returns the term in a language.
    pub fn name(self, terms: &AcrTerms) -> &str {
        match self {
            Self::Supports => &terms.supports,
            Self::PartiallySupports => &terms.partially_supports,
            Self::DoesNotSupport => &terms.does_not_support,
            Self::NotApplicable => &terms.not_applicable,
            Self::NotEvaluated => &terms.not_evaluated,
        }
    }

    /// Returns what a person said, as such reports have it; `None` for an outcome of a later release.
    pub const fn said(outcome: AssessmentOutcome) -> Option<Self> {
        match outcome {
            AssessmentOutcome::Supports => Some(Self::Supports),
            AssessmentOutcome::PartiallySupports => Some(Self::PartiallySupports),
            AssessmentOutcome::DoesNotSupport => Some(Self::DoesNotSupport),
            AssessmentOutcome::NotApplicable => Some(Self::NotApplicable),
            AssessmentOutcome::Unknown(_) => None,
        }
    }
}

/// The verdict on one criterion: of a check, and of a person where one has assessed it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Verdict<'a> {
    /// The criterion.
    pub criterion: &'static Criterion,
    /// The degree to which the criterion is met.
    pub conformance: Conformance,
    /// The evidence of the check for that.
    pub evidence: Evidence<'a>,
    /// What a person has said about it, also where failures outweigh that; `None` for an outcome of a later release.
    pub assessment: Option<&'a Assessment>,
}

/// The evidence of a check about one criterion. Rules are given by their ids, in the order of the ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence<'a> {
    /// Rules that found failures.
    pub failed: BTreeSet<&'a str>,
    /// Elements that fail.
    pub elements: u64,
    /// The numbers of the pages with such elements.
    pub pages: BTreeSet<usize>,
    /// Rules that found elements which they could not decide.
    pub undecided: BTreeSet<&'a str>,
    /// Elements that these rules could not decide.
    pub undecided_elements: u64,
    /// Rules that ran on at least one page according to the check itself, whatever they found.
    pub ran: BTreeSet<&'a str>,
    /// Rules that exist but did not run.
    pub off: BTreeSet<&'a str>,
    /// Rules that exist, and about which the check does not say whether they ran.
    pub unknown: BTreeSet<&'a str>,
}

/// Returns the verdict of a check on every criterion of WCAG 2.0, 2.1 and 2.2, in the order of the standard.
pub fn verdicts(findings: &Findings) -> Vec<Verdict<'_>> {
    verdicts_after(findings, iter::empty(), |_| None)
}

/// Returns the same for findings that lack elements that fail, which are given as page and rule.
pub(crate) fn verdicts_beside<'a>(
    findings: &'a Findings,
    failing: impl IntoIterator<Item = (usize, &'a RuleId)>,
) -> Vec<Verdict<'a>> {
    verdicts_after(findings, failing, |_| None)
}

/// Returns the verdicts of a draft: those of the check, after what people have said.
pub(in crate::export) fn draft_verdicts<'a>(source: &ExportSource<'a>) -> Vec<Verdict<'a>> {
    let (findings, draft) = (source.findings, source.draft);
    verdicts_after(findings, iter::empty(), |number| draft.assessment(number))
}

/// Returns the verdicts after what a person has said about a criterion with this number. Elements that fail, and that the findings lack, are
/// given as page and rule.
fn verdicts_after<'a>(
    findings: &'a Findings,
    failing: impl IntoIterator<Item = (usize, &'a RuleId)>,
    assessment: impl Fn(&str) -> Option<&'a Assessment>,
) -> Vec<Verdict<'a>> {
    let mut evidence = gather(findings, failing);
    let checked = findings.pages_checked();
    criteria()
        .iter()
        .map(|criterion| {
            let evidence = evidence.remove(criterion.number.as_str()).unwrap_or_default();
            let of_check = judge(criterion, &evidence, checked);
            let assessment = assessment(&criterion.number)
                .filter(|one| criterion.dropped.is_none() && Conformance::said(one.outcome).is_some());
            let said = assessment.and_then(|one| Conformance::said(one.outcome));
            let conformance = said.map_or(of_check, |said| worse_of(of_check, said));
            Verdict { criterion, conformance, evidence, assessment }
        })
        .collect()
}

/// Returns what a draft says of a criterion about which a check says one thing and a person another: nothing is better than the check has
/// found it.
const fn worse_of(of_check: Conformance, said: Conformance) -> Conformance {
    match (of_check, said) {
        (Conformance::NotEvaluated, said) => said,
        (Conformance::PartiallySupports, Conformance::DoesNotSupport) => Conformance::DoesNotSupport,
        (of_check, _) => of_check,
    }
}

fn judge(criterion: &Criterion, evidence: &Evidence<'_>, checked: usize) -> Conformance {
    if criterion.dropped.is_some() {
        // 4.1.1 Parsing: W3C's notes to WCAG 2.0 and 2.1 regard it as met by whatever browsers parse as HTML.
        Conformance::Supports
    } else if evidence.failed.is_empty() {
        Conformance::NotEvaluated
    } else if evidence.pages.len() * 2 >= checked {
        // "Does not support" is for the majority of what a product does.
        Conformance::DoesNotSupport
    } else {
        Conformance::PartiallySupports
    }
}

/// Returns the evidence by the number of the criterion.
fn gather<'a>(
    findings: &'a Findings,
    failing: impl IntoIterator<Item = (usize, &'a RuleId)>,
) -> BTreeMap<String, Evidence<'a>> {
    let mut all: BTreeMap<String, Evidence<'a>> = BTreeMap::new();
    for (id, entry) in rules().filter(|(_, entry)| is_decisive(entry.basis)) {
        for number in &entry.wcag {
            let evidence = all.entry(number.clone()).or_default();
            match &findings.ran {
                _ if findings.pages_checked() == 0 => evidence.off.insert(id),
                Some(ran) if ran.contains(id) => evidence.ran.insert(id),
                Some(_) => evidence.off.insert(id),
                None => evidence.unknown.insert(id),
            };
        }
    }
    // The check's own facts about its rules outweigh what the catalogue expects.
    let mut numbers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (rule, facts) in findings.rules.iter().filter(|(_, facts)| is_reliable(facts)) {
        let id = rule.as_str();
        let undecided = findings.needs_review.get(rule).copied().unwrap_or(0);
        for number in facts.wcag() {
            let evidence = all.entry(number.clone()).or_default();
            evidence.off.remove(id);
            evidence.unknown.remove(id);
            evidence.ran.insert(id);
            if undecided > 0 {
                evidence.undecided.insert(id);
                evidence.undecided_elements += u64::from(undecided);
            }
            numbers.entry(id).or_default().push(number);
        }
    }
    let kept = findings.items.iter().map(|finding| (finding.page, &finding.rule)).chain(failing);
    let kept = kept.map(|(page, rule)| (page, rule, 1));
    let left_out =
        findings.pages.iter().enumerate().flat_map(|(page, outcome)| {
            outcome.left_out.iter().map(move |(rule, count)| (page, rule, u64::from(*count)))
        });
    for (page, rule, count) in kept.chain(left_out) {
        let Some((id, numbers)) = numbers.get_key_value(rule.as_str()) else { continue };
        for number in numbers {
            if let Some(evidence) = all.get_mut(number) {
                evidence.failed.insert(id);
                evidence.elements += count;
                evidence.pages.insert(page);
            }
        }
    }
    all
}

/// Returns whether a finding of a rule on this basis is a failure of the criteria that the rule names.
const fn is_decisive(basis: Basis) -> bool {
    match basis {
        Basis::WcagAAa | Basis::WcagAaa => true,
        Basis::BestPractice | Basis::Experimental | Basis::Deprecated => false,
    }
}

/// Returns the same from axe-core's tags of the rule.
pub(super) fn is_reliable(facts: &RuleFacts) -> bool {
    !facts.tags.iter().any(|tag| matches!(tag.as_str(), "best-practice" | "experimental" | "deprecated"))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::{
        domain::{CriterionNumber, Finding, Impact, NewAssessment, PageOutcome, StandardId, Tool},
        id::{SiteId, TeamId},
        ranking::Extract,
    };

    /// A check of four pages that found elements, given as rule and page, and could not decide others.
    fn findings(elements: &[(&str, usize)], undecided: &[(&str, u32)]) -> Findings {
        let facts = |tags: &[&str]| RuleFacts {
            impact: Impact::Serious,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            help: String::new(),
            description: String::new(),
            help_url: String::new(),
        };
        let tags = [
            ("color-contrast", &["wcag2aa", "wcag143"][..]),
            ("link-name", &["wcag2a", "wcag244", "wcag412"]),
            ("p-as-heading", &["wcag2a", "wcag131", "experimental"]),
            ("target-size", &["wcag22aa", "wcag258"]),
            ("of-tomorrow", &["wcag2a", "wcag311"]),
        ];
        let used = |rule: &str| elements.iter().any(|one| one.0 == rule) || undecided.iter().any(|one| one.0 == rule);
        Findings {
            engine: Tool::axe_core("", ""),
            pages: (0..4).map(|page| PageOutcome::checked(format!("https://a.example/{page}"), "")).collect(),
            rules: tags
                .into_iter()
                .filter(|(id, _)| used(id))
                .map(|(id, tags)| (RuleId::new(id), facts(tags)))
                .collect(),
            items: elements
                .iter()
                .map(|(rule, page)| Finding::new(RuleId::new(*rule), *page, "", "p", "<p>", ""))
                .collect(),
            needs_review: undecided.iter().map(|(rule, count)| (RuleId::new(*rule), *count)).collect(),
            undecided: Vec::new(),
            undecided_reasons: BTreeMap::new(),
            stack: vec![],
            screen: None,
            ran: None,
            pictures_not_stored: false,
            stopped_by_timeouts: false,
            standard: StandardId::Wcag21Aa,
        }
    }

    fn on<'a>(findings: &'a Findings, number: &str) -> Verdict<'a> {
        verdicts(findings).into_iter().find(|verdict| verdict.criterion.number == number).unwrap()
    }

    #[test]
    fn every_criterion_is_judged_once_in_the_order_of_the_standard() {
        let findings = findings(&[], &[]);
        let numbers: Vec<&str> = verdicts(&findings).iter().map(|verdict| verdict.criterion.number.as_str()).collect();
        assert_eq!(numbers, criteria().iter().map(|criterion| criterion.number.as_str()).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_is_called_supported_because_nothing_was_found() {
        let findings = findings(&[], &[]);
        for verdict in verdicts(&findings) {
            let wanted =
                if verdict.criterion.number == "4.1.1" { Conformance::Supports } else { Conformance::NotEvaluated };
            assert_eq!(verdict.conformance, wanted, "{}", verdict.criterion.number);
        }
    }

    fn assessed(number: &str, outcome: AssessmentOutcome) -> Assessment {
        let criterion: CriterionNumber = number.parse().unwrap();
        let new = NewAssessment { criterion, outcome, note: String::new(), person: None, author: "Jo".to_owned() };
        new.at(TeamId::MIN, SiteId::MIN, DateTime::from_timestamp(1_800_000_000, 0).unwrap())
    }

    /// Every outcome of every criterion, beside nothing, failures on few pages, on many, and elements that nobody decided about.
    #[test]
    fn nothing_is_supported_or_not_applicable_without_a_person_and_against_a_failure() {
        let checks = [
            findings(&[], &[]),
            findings(&[("color-contrast", 0), ("link-name", 1)], &[]),
            findings(&[("color-contrast", 0), ("color-contrast", 1), ("link-name", 2), ("link-name", 3)], &[]),
            findings(&[], &[("color-contrast", 7), ("link-name", 1)]),
        ];
        let later = AssessmentOutcome::from_stored("exceptions").unwrap();
        for check in &checks {
            let of_check = verdicts(check);
            for outcome in AssessmentOutcome::KNOWN.iter().copied().chain([later]) {
                for (assessed_one, alone) in criteria().iter().zip(&of_check) {
                    let said = assessed(&assessed_one.number, outcome);
                    let find = |number: &str| (said.criterion.as_str() == number).then_some(&said);
                    for (verdict, before) in verdicts_after(check, iter::empty(), find).iter().zip(&of_check) {
                        if verdict.criterion.number != assessed_one.number {
                            assert_eq!(verdict.conformance, before.conformance, "an assessment is about one criterion");
                            assert_eq!(verdict.assessment, None);
                            continue;
                        }
                        let number = &verdict.criterion.number;
                        let is_obsolete = verdict.criterion.dropped.is_some();
                        assert_eq!(verdict.assessment.is_some(), !is_obsolete && outcome != later, "{number}");
                        let expected = match (alone.conformance, Conformance::said(outcome)) {
                            (of_check, _) if is_obsolete => of_check,
                            (Conformance::NotEvaluated, said) => said.unwrap_or(Conformance::NotEvaluated),
                            (_, Some(Conformance::DoesNotSupport)) => Conformance::DoesNotSupport,
                            (of_check, _) => of_check,
                        };
                        assert_eq!(verdict.conformance, expected, "{number} {outcome}");
                        if !verdict.evidence.failed.is_empty() {
                            let failing = [Conformance::PartiallySupports, Conformance::DoesNotSupport];
                            assert!(failing.contains(&verdict.conformance), "{number} {outcome}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn an_extract_of_findings_has_the_verdicts_of_all_of_them() {
        let all = findings(&[("color-contrast", 0), ("color-contrast", 3), ("link-name", 1)], &[("target-size", 2)]);
        let extract = Extract::of(&all);
        let failing = extract.failing_elements().map(|(_, page, rule)| (page, rule));
        for (one, expected) in verdicts_beside(extract.rest(), failing).iter().zip(verdicts(&all)) {
            assert_eq!((one.conformance, &one.evidence), (expected.conformance, &expected.evidence));
        }
        let first = extract.failing_elements().next().map(|(number, page, rule)| (number, page, rule.as_str()));
        assert_eq!(first, Some((1, 0, "color-contrast")));
    }

    #[test]
    fn failures_on_half_of_the_pages_are_more_than_partial() {
        let conformance = |pages: &[usize]| {
            let elements: Vec<_> = pages.iter().map(|page| ("color-contrast", *page)).collect();
            on(&findings(&elements, &[]), "1.4.3").conformance
        };
        assert_eq!(conformance(&[0, 0, 0]), Conformance::PartiallySupports);
        assert_eq!(conformance(&[0, 3]), Conformance::DoesNotSupport);
        assert_eq!(conformance(&[0, 1, 2, 3]), Conformance::DoesNotSupport);
    }

    #[test]
    fn a_failure_counts_against_each_criterion_that_its_rule_names() {
        let findings = findings(&[("link-name", 0), ("link-name", 0), ("color-contrast", 1)], &[]);
        for number in ["2.4.4", "4.1.2"] {
            let verdict = on(&findings, number);
            assert_eq!(verdict.conformance, Conformance::PartiallySupports);
            assert_eq!((verdict.evidence.elements, verdict.evidence.pages.len()), (2, 1));
            assert!(verdict.evidence.failed.iter().eq(["link-name"].iter()));
        }
    }

    #[test]
    fn a_rule_that_is_tried_out_or_undecided_fails_no_criterion() {
        let findings = findings(&[("p-as-heading", 0)], &[("color-contrast", 7)]);
        assert_eq!(on(&findings, "1.3.1").conformance, Conformance::NotEvaluated);
        let contrast = on(&findings, "1.4.3");
        assert_eq!(contrast.conformance, Conformance::NotEvaluated);
        assert_eq!(contrast.evidence.undecided_elements, 7);
    }

    #[test]
    fn a_rule_counts_as_run_because_the_check_says_so_or_because_it_found_something() {
        let mut quiet = findings(&[], &[]);
        quiet.ran = Some([RuleId::new("color-contrast")].into());
        assert!(on(&quiet, "1.4.3").evidence.ran.contains("color-contrast"));
        let target = on(&quiet, "2.5.8").evidence;
        assert!(target.ran.is_empty() && target.off.contains("target-size"));
        let asked = findings(&[("target-size", 0), ("of-tomorrow", 0)], &[]);
        let target = on(&asked, "2.5.8").evidence;
        assert!(target.ran.contains("target-size") && target.off.is_empty() && target.unknown.is_empty());
        assert!(on(&asked, "3.1.1").evidence.failed.contains("of-tomorrow"));
        assert!(on(&quiet, "3.2.1").evidence == Evidence::default());
    }

    /// Otherwise checks by other engines, and checks from before the rules that ran were recorded, would hand customers
    /// false statements.
    #[test]
    fn no_rule_is_claimed_where_the_check_does_not_say_what_ran() {
        for verdict in verdicts(&findings(&[], &[])) {
            assert!(verdict.evidence.ran.is_empty(), "{}", verdict.criterion.number);
        }
        let contrast = findings(&[], &[]);
        assert!(on(&contrast, "1.4.3").evidence.unknown.contains("color-contrast"));
    }

    #[test]
    fn no_rule_is_claimed_where_no_page_was_checked() {
        let mut nothing = findings(&[], &[]);
        nothing.ran = Some([RuleId::new("color-contrast")].into());
        nothing.pages.clear();
        for verdict in verdicts(&nothing) {
            assert!(verdict.evidence.ran.is_empty(), "{}", verdict.criterion.number);
        }
    }

    #[test]
    fn elements_that_were_left_out_above_the_limit_of_a_page_count() {
        let mut many = findings(&[("color-contrast", 1)], &[]);
        many.pages[1].left_out = [(RuleId::new("color-contrast"), 1_000)].into();
        assert_eq!(on(&many, "1.4.3").evidence.elements, 1_001);
    }
}
