//! Tests of the standards against the catalogue: every file of `core/standards/` names criteria and rules that exist.

use super::{Criterion, Level, WcagVersion, criteria, rule, rules};
use crate::domain::Standard;

fn version(standard: &Standard) -> WcagVersion {
    let versions = [WcagVersion::V2_0, WcagVersion::V2_1, WcagVersion::V2_2];
    versions.into_iter().find(|version| version.to_string() == standard.wcag).unwrap()
}

fn numbers(level: Level, is_in: impl Fn(&Criterion) -> bool) -> Vec<&'static str> {
    criteria().iter().filter(|one| one.level == level && is_in(one)).map(|one| one.number.as_str()).collect()
}

#[test]
fn a_standard_requires_the_criteria_of_its_version_of_wcag_at_levels_a_and_aa() {
    for standard in Standard::all() {
        let wcag = version(standard);
        assert_eq!(standard.criteria.a, numbers(Level::A, |one| one.is_in(wcag)), "{}", standard.name);
        assert_eq!(standard.criteria.aa, numbers(Level::Aa, |one| one.is_in(wcag)), "{}", standard.name);
    }
}

#[test]
fn clauses_are_for_criteria_that_exist_and_those_of_v3_2_1_are_all_of_wcag_2_1() {
    for standard in Standard::all() {
        let required: Vec<&str> = standard.en301549.clauses.iter().map(|clause| clause.criterion.as_str()).collect();
        let is_in = |one: &Criterion| match standard.en301549.version.as_str() {
            "v3.2.1" => one.is_in_en301549(),
            _ => one.level != Level::Aaa && one.is_in(version(standard)),
        };
        let known: Vec<&str> = criteria().iter().filter(|one| is_in(one)).map(|one| one.number.as_str()).collect();
        assert_eq!(required, known, "{}", standard.name);
    }
}

#[test]
fn the_default_names_the_same_clauses_of_a_rule_as_the_catalogue() {
    for (id, entry) in rules().filter(|(_, entry)| entry.basis != super::Basis::Deprecated) {
        assert_eq!(Standard::all()[0].clauses_of(&entry.wcag), entry.en301549, "{id}");
    }
}

/// Otherwise a check against WCAG 2.2 would not look at what is new in it, and nobody would notice.
#[test]
fn a_standard_switches_on_exactly_the_rules_that_are_new_in_its_version_of_wcag() {
    for standard in Standard::all() {
        for id in &standard.rules_on {
            let entry = rule(id.as_str()).unwrap_or_else(|| panic!("{id} is no rule of axe-core"));
            assert!(entry.wcag.iter().any(|number| standard.requires(number)), "{}: {id}", standard.name);
        }
        let new = rules().filter(|(_, entry)| entry.since() == Some(WcagVersion::V2_2)).map(|(id, _)| id);
        let expected: Vec<&str> = new.filter(|_| version(standard) == WcagVersion::V2_2).collect();
        assert_eq!(standard.rules_on.iter().map(|id| id.as_str()).collect::<Vec<_>>(), expected, "{}", standard.name);
    }
}
