//! W3C's test cases of ACT rules: one outcome for each case, and how consistent they are for each rule.

use std::collections::BTreeMap;

use a11ycheck_core::catalog;
use serde::Deserialize;

use crate::corpus::{Case, Checked};

/// A test case.
#[derive(Debug, Deserialize)]
pub(crate) struct ActCase {
    id: String,
    path: String,
    act_rule: String,
    expected: Expected,
    approved: bool,
    axe_rules: Vec<String>,
}

impl Case for ActCase {
    fn page(&self) -> &str {
        &self.path
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Expected {
    Failed,
    Passed,
    Inapplicable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Failed,
    ByHand,
    /// Nothing was found. ACT treats inapplicable like this.
    Passed,
    /// No rule says anything about the ACT rule, or the page was not checked.
    Untested,
}

/// What W3C calls an implementation of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Consistency {
    /// Every case has the outcome that is expected.
    Complete,
    /// No case has another than the expected one, at least one failing case has it, and some have none.
    Partial,
    /// A case has another outcome than is expected.
    Inconsistent,
    /// No failing case was caught, and none has a wrong outcome.
    Untested,
}

/// Numbers of cases.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    caught: usize,
    by_hand: usize,
    missed: usize,
    false_alarms: usize,
    false_alarms_of_probes: usize,
    by_hand_needlessly: usize,
}

/// The cases of one rule.
#[derive(Debug, Default)]
struct OfRule {
    approved: bool,
    counts: Counts,
    outcomes: Vec<(Expected, Outcome)>,
}

/// Returns the rules that decide about an ACT rule: our probes where there are any, else those of axe-core; both where the probes decide
/// what a rule of axe-core leaves open.
fn deciding(case: &ActCase) -> Vec<&str> {
    let ours: Vec<_> = catalog::probes().filter(|(_, entry)| entry.act.contains(&case.act_rule)).collect();
    let is_beside = ours.iter().all(|(_, entry)| entry.decides.is_some());
    let theirs = case.axe_rules.iter().map(String::as_str).filter(|_| is_beside);
    ours.iter().map(|(id, _)| *id).chain(theirs).collect()
}

fn outcome(checked: &Checked<ActCase>, case: &ActCase) -> Outcome {
    let deciding = deciding(case);
    let Some(said) = checked.said(case).filter(|_| !deciding.is_empty()) else { return Outcome::Untested };
    let only_fails = |id: &&str| catalog::rule(id).is_some_and(|entry| entry.only_fails);
    if deciding.iter().any(|rule| said.problems.contains(*rule) || said.recommendations.contains(*rule)) {
        Outcome::Failed
    } else if deciding.iter().any(|rule| said.by_hand.contains(*rule)) {
        Outcome::ByHand
    } else if deciding.iter().all(only_fails) {
        Outcome::Untested
    } else {
        Outcome::Passed
    }
}

fn consistency(outcomes: &[(Expected, Outcome)]) -> Consistency {
    let is_wrong = |(expected, outcome): &(Expected, Outcome)| match expected {
        Expected::Failed => *outcome == Outcome::Passed,
        Expected::Passed | Expected::Inapplicable => *outcome == Outcome::Failed,
    };
    let is_open = |(_, outcome): &(Expected, Outcome)| matches!(outcome, Outcome::ByHand | Outcome::Untested);
    if outcomes.iter().any(is_wrong) {
        Consistency::Inconsistent
    } else if !outcomes.contains(&(Expected::Failed, Outcome::Failed)) {
        Consistency::Untested
    } else if outcomes.iter().any(is_open) {
        Consistency::Partial
    } else {
        Consistency::Complete
    }
}

pub(crate) fn count(checked: &Checked<ActCase>) {
    let mut by_rule: BTreeMap<&str, OfRule> = BTreeMap::new();
    let mut total = Counts::default();
    for case in &checked.cases {
        let outcome = outcome(checked, case);
        let OfRule { approved, counts, outcomes } = by_rule.entry(&case.act_rule).or_default();
        *approved = case.approved;
        outcomes.push((case.expected, outcome));
        let is_ours = deciding(case).iter().any(|rule| catalog::is_probe(rule));
        for counts in [counts, &mut total] {
            match (case.expected, outcome) {
                (Expected::Failed, Outcome::Failed) => counts.caught += 1,
                (Expected::Failed, Outcome::ByHand) => counts.by_hand += 1,
                (Expected::Failed, Outcome::Passed | Outcome::Untested) => counts.missed += 1,
                (_, Outcome::Failed) if is_ours => counts.false_alarms_of_probes += 1,
                (_, Outcome::Failed) => counts.false_alarms += 1,
                (_, Outcome::ByHand) => counts.by_hand_needlessly += 1,
                (_, Outcome::Passed | Outcome::Untested) => {}
            }
        }
        if case.expected != Expected::Failed && outcome == Outcome::Failed {
            println!("false alarm: {} ({:?})", case.id, deciding(case));
        }
    }
    let mut kinds: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for (rule, OfRule { approved, counts, outcomes }) in &by_rule {
        let consistency = consistency(outcomes);
        let standing = if *approved { "approved" } else { "proposed" };
        *kinds.entry((standing, format!("{consistency:?}").to_lowercase())).or_default() += 1;
        println!("{rule} {standing:8} {:12} {}", format!("{consistency:?}").to_lowercase(), counts.in_words());
    }
    println!("all: {}", total.in_words());
    for ((standing, consistency), rules) in kinds {
        println!("{standing} rules, {consistency}: {rules}");
    }
}

impl Counts {
    fn in_words(self) -> String {
        let Self { caught, by_hand, missed, false_alarms, false_alarms_of_probes, by_hand_needlessly } = self;
        format!(
            "caught {caught}, by hand {by_hand}, missed {missed}; false alarms: probes {false_alarms_of_probes}, axe-core \
             {false_alarms}; by hand where nothing is wrong {by_hand_needlessly}"
        )
    }
}
