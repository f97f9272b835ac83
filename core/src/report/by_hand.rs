//! What no program tests, and how a person tests it.

use std::collections::BTreeSet;

use crate::{
    catalog::{Level, hand_steps, rules},
    domain::RuleKind,
    locale::Locale,
};

/// A part of about an hour in which a person tests the most important pages of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ByHand {
    /// The id, for example `keyboard`.
    pub id: String,
    /// Its name.
    pub title: String,
    /// How long it takes, in minutes.
    pub minutes: u32,
    /// What to do, and what is right.
    pub how: String,
    /// The success criteria that it answers.
    pub criteria: Vec<CriterionByHand>,
}

/// A success criterion that a person has to test.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CriterionByHand {
    /// The number, for example `2.1.2`.
    pub number: String,
    /// The name.
    pub name: String,
    /// The level of conformance that requires it.
    pub level: Level,
    /// True if rules test a part of it; otherwise no program does.
    pub has_rules: bool,
}

/// Returns the parts of the hour, with those criteria that EN 301 549 requires; a part without such a criterion is left out.
pub(crate) fn by_hand(locale: Locale) -> Vec<ByHand> {
    let problems = rules().filter(|(_, entry)| entry.kind() == RuleKind::Problem);
    let tested: BTreeSet<&str> = problems.flat_map(|(_, entry)| &entry.wcag).map(String::as_str).collect();
    let steps = hand_steps().iter().map(|step| ByHand {
        id: step.id.clone(),
        title: step.title(locale).to_owned(),
        minutes: step.minutes,
        how: step.how(locale).to_owned(),
        criteria: step
            .criteria()
            .filter(|criterion| criterion.is_in_en301549())
            .map(|criterion| CriterionByHand {
                number: criterion.number.clone(),
                name: criterion.name(locale).to_owned(),
                level: criterion.level,
                has_rules: tested.contains(criterion.number.as_str()),
            })
            .collect(),
    });
    steps.filter(|step| !step.criteria.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_criterion_that_the_standard_requires_is_named_with_whether_rules_test_it() {
        let steps = by_hand(Locale::De);
        let criteria: Vec<&CriterionByHand> = steps.iter().flat_map(|step| &step.criteria).collect();
        // Levels A and AA of WCAG 2.1 without 4.1.1, which is obsolete.
        assert_eq!(criteria.len(), 49);
        let has_rules = |number: &str| criteria.iter().find(|criterion| criterion.number == number).unwrap().has_rules;
        assert_eq!([has_rules("1.4.3"), has_rules("2.1.2")], [true, false]);
        assert!(steps.iter().all(|step| step.minutes > 0 && !step.how.is_empty()));
    }
}
