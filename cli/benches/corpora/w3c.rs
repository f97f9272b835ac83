//! Consistency with ACT rules, computed as W3C's own tool computes it, so that the results can be compared with the
//! published ones.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// The expected outcome of a test case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Expected {
    Failed,
    Passed,
    Inapplicable,
}

/// The outcome that a procedure reports for a test case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Said {
    Failed,
    CantTell,
    Passed,
    Inapplicable,
    Untested,
}

/// The outcomes that one procedure, or several together, report for a test case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) is_approved: bool,
    pub(crate) expected: Expected,
    pub(crate) said: Vec<Said>,
}

/// A procedure of an implementation, with its outcomes for the test cases of a rule. The test cases are in the same
/// order for all procedures.
#[derive(Debug, Clone, Default)]
pub(crate) struct Procedure {
    /// The success criteria that fail if the procedure fails, in the form of the published reports (`WCAG2:keyboard`).
    pub(crate) criteria: BTreeSet<String>,
    pub(crate) answers: Vec<Answer>,
}

/// The degree to which an implementation is consistent with a rule, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Consistency {
    /// Consistent: all failing cases are found, no case is untested, and no other case is reported as failing.
    Complete,
    /// Consistent: some failing cases are found, or cases are left to a person, and no other case is reported as
    /// failing.
    Partial,
    /// A case is reported as failing that does not fail, or no failing case is found.
    Inconsistent,
    /// No procedure reports anything about the rule.
    Untested,
}

/// Returns the consistency of procedures with a rule that requires these success criteria; `None` if they are not
/// known. The best procedure counts. If the best are only partially consistent, these are counted together.
pub(crate) fn consistency(procedures: &[Procedure], criteria: Option<&BTreeSet<String>>) -> Consistency {
    let level = |procedure: &Procedure| {
        let is_mapped = criteria.is_none_or(|criteria| criteria.is_subset(&procedure.criteria));
        level(&procedure.answers, is_mapped)
    };
    let levels: Vec<Consistency> = procedures.iter().map(level).collect();
    let Some(best) = levels.iter().min().copied() else { return Consistency::Untested };
    if best != Consistency::Partial {
        return best;
    }
    // Several procedures that each find a part of the failing cases may be complete together.
    let best = procedures.iter().zip(&levels).filter(|(_, level)| **level == Consistency::Partial);
    best.map(|(procedure, _)| procedure.clone()).reduce(together).map_or(Consistency::Partial, |all| level(&all))
}

fn together(mut first: Procedure, second: Procedure) -> Procedure {
    first.criteria.extend(second.criteria);
    for (answer, other) in first.answers.iter_mut().zip(second.answers) {
        answer.said.extend(other.said);
    }
    first
}

/// Returns the consistency of these outcomes. If at least one case is approved, proposed cases do not count.
fn level(answers: &[Answer], is_mapped: bool) -> Consistency {
    let is_approved = answers.iter().any(|answer| answer.is_approved);
    let counted: Vec<&Answer> = answers.iter().filter(|answer| answer.is_approved || !is_approved).collect();
    let any = |test: &dyn Fn(&Answer) -> bool| counted.iter().any(|answer| test(answer));
    let says = |answer: &Answer, said: Said| answer.said.contains(&said);
    if any(&|answer| answer.expected != Expected::Failed && says(answer, Said::Failed)) {
        return Consistency::Inconsistent;
    }
    let is_caught = any(&|answer| answer.expected == Expected::Failed && says(answer, Said::Failed));
    let is_untested = any(&|answer| answer.said.is_empty() || says(answer, Said::Untested));
    let is_missed = any(&|answer| {
        let is_silent = |said: &Said| !matches!(said, Said::Failed | Said::CantTell);
        answer.expected == Expected::Failed && answer.said.iter().all(is_silent)
    });
    if is_mapped && is_caught && !is_untested && !is_missed {
        return Consistency::Complete;
    }
    let is_clear = |answer: &&&Answer| {
        answer.expected != Expected::Inapplicable
            || answer.said.iter().all(|said| matches!(said, Said::Passed | Said::Inapplicable))
    };
    let is_left_open = any(&|answer| says(answer, Said::CantTell)) && counted.iter().all(|answer| is_clear(&answer));
    if is_caught || is_left_open { Consistency::Partial } else { Consistency::Inconsistent }
}

/// A report about an implementation that W3C has published, as its tool wrote it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Published {
    name: String,
    act_rule_mapping: Vec<PublishedRule>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PublishedRule {
    rule_id: String,
    procedure_names: Vec<String>,
    /// The consistency; `None` if it is inconsistent or untested.
    consistency: Option<Consistency>,
    accessibility_requirements: Option<PublishedRequirements>,
    test_case_results: Vec<PublishedCase>,
}

#[derive(Debug, Deserialize)]
struct PublishedRequirements {
    correct: bool,
    expected: BTreeSet<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PublishedCase {
    test_case_approved: bool,
    expected: Expected,
    procedure_results: Vec<PublishedAnswer>,
}

#[derive(Debug, Deserialize)]
struct PublishedAnswer {
    outcomes: Vec<Said>,
}

impl Published {
    /// Computes the consistency of each rule again. Returns a line for each rule for which the result differs from the
    /// published one, in the order of the report, and then a line about all rules.
    pub(crate) fn compare(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for rule in &self.act_rule_mapping {
            let answers = rule.test_case_results.iter().map(|case| Answer {
                is_approved: case.test_case_approved,
                expected: case.expected,
                said: case.procedure_results.iter().flat_map(|answer| answer.outcomes.iter().copied()).collect(),
            });
            let is_mapped = rule.accessibility_requirements.as_ref().is_some_and(|requirements| requirements.correct);
            let counted = match rule.procedure_names.as_slice() {
                [] => Consistency::Untested,
                _ => level(&answers.collect::<Vec<_>>(), is_mapped),
            };
            let is_consistent = matches!(counted, Consistency::Complete | Consistency::Partial);
            if is_consistent.then_some(counted) != rule.consistency {
                let published = rule.consistency;
                lines.push(format!("{} {}: published {published:?}, counted {counted:?}", self.name, rule.rule_id));
            }
        }
        let all = self.act_rule_mapping.len();
        lines.push(format!("{}: {} of {all} rules counted as published", self.name, all - lines.len()));
        lines
    }

    /// Returns the success criteria that each rule of the report requires, by the id of the rule.
    pub(crate) fn criteria(&self) -> BTreeMap<String, BTreeSet<String>> {
        let criteria = |rule: &PublishedRule| {
            let requirements = rule.accessibility_requirements.as_ref()?;
            Some((rule.rule_id.clone(), requirements.expected.clone()))
        };
        self.act_rule_mapping.iter().filter_map(criteria).collect()
    }
}
