//! W3C's test cases of ACT rules: one outcome for each case, and how consistent they are for each rule.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::{catalog, locale::Locale};
use serde::Deserialize;

use crate::{
    corpus::{Case, Checked},
    w3c::{Answer, Consistency, Expected, Procedure, Said, consistency},
};

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Failed,
    ByHand,
    /// Nothing was found. ACT treats inapplicable like this.
    Passed,
    /// No rule says anything about the ACT rule, or the page was not checked.
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
struct OfRule<'a> {
    approved: bool,
    counts: Counts,
    /// The outcomes of our rules that decide about it, by the id of the rule.
    procedures: BTreeMap<&'a str, Procedure>,
}

/// Returns the rules that decide about an ACT rule: our probes if there are any, and otherwise the rules of axe-core.
/// Both decide if the probes only judge elements that a rule of axe-core leaves undecided. Rules of axe-core of which only the
/// catalogue says that they implement the ACT rule always decide.
fn deciding(case: &ActCase) -> Vec<&str> {
    let ours: Vec<_> = catalog::probes().filter(|(_, entry)| entry.act.contains(&case.act_rule)).collect();
    let is_beside = ours.iter().all(|(_, entry)| entry.decides.is_some());
    let theirs = case.axe_rules.iter().map(String::as_str).filter(|_| is_beside);
    let more = catalog::rules().filter(|(_, entry)| entry.act.contains(&case.act_rule)).map(|(id, _)| id);
    ours.iter().map(|(id, _)| *id).chain(theirs).chain(more).collect()
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

/// Returns the outcome of one of the deciding rules for a case.
fn said_by(checked: &Checked<ActCase>, case: &ActCase, rule: &str) -> Said {
    let Some(said) = checked.said(case) else { return Said::Untested };
    if said.problems.contains(rule) || said.recommendations.contains(rule) {
        Said::Failed
    } else if said.by_hand.contains(rule) {
        Said::CantTell
    } else if catalog::rule(rule).is_some_and(|entry| entry.only_fails) {
        Said::Untested
    } else {
        Said::Passed
    }
}

/// Returns the success criteria of a rule as published reports name them: `WCAG2:` and the words of the name, for
/// example `WCAG2:focus-order`.
fn criteria(rule: &str) -> BTreeSet<String> {
    let numbers = catalog::rule(rule).map(|entry| entry.wcag.as_slice()).unwrap_or_default();
    let names = numbers.iter().filter_map(|number| Some(catalog::criterion(number)?.name(Locale::En).to_lowercase()));
    let words = |name: String| {
        let words = name.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-")
    };
    names.map(|name| format!("WCAG2:{}", words(name))).collect()
}

/// Counts the cases. `required` has the success criteria that ACT rules require, as far as they are known. A rule of
/// ours may name further criteria.
pub(crate) fn count(checked: &Checked<ActCase>, required: &BTreeMap<String, BTreeSet<String>>) {
    let mut by_rule: BTreeMap<&str, OfRule<'_>> = BTreeMap::new();
    let mut total = Counts::default();
    for case in &checked.cases {
        let outcome = outcome(checked, case);
        let OfRule { approved, counts, procedures } = by_rule.entry(&case.act_rule).or_default();
        *approved |= case.approved;
        for rule in deciding(case) {
            let new = || Procedure { criteria: criteria(rule), answers: Vec::new() };
            let said = vec![said_by(checked, case, rule)];
            let answer = Answer { is_approved: case.approved, expected: case.expected, said };
            procedures.entry(rule).or_insert_with(new).answers.push(answer);
        }
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
    let mut kinds: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (rule, OfRule { approved, counts, procedures }) in by_rule {
        let procedures: Vec<Procedure> = procedures.into_values().collect();
        let consistency = consistency(&procedures, required.get(rule));
        let standing = if approved { "approved" } else { "proposed" };
        let consistency = match consistency {
            Consistency::Complete => "complete",
            Consistency::Partial => "partial",
            Consistency::Inconsistent => "inconsistent",
            Consistency::Untested => "untested",
        };
        *kinds.entry((standing, consistency)).or_default() += 1;
        println!("{rule} {standing:8} {consistency:12} {}", counts.in_words());
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
