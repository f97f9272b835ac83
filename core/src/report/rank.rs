//! The order in which to deal with what was found: the same in reports and exports.

use std::{cmp::Reverse, collections::BTreeMap};

use crate::{
    catalog,
    domain::{Finding, Findings, PlatformKey, RuleFacts, RuleId, RuleKind, SiteDetails, leading_platform},
};

/// A rule with the elements that break it.
#[derive(Debug)]
pub(crate) struct RankedRule<'a> {
    pub(crate) rule: &'a RuleId,
    pub(crate) facts: &'a RuleFacts,
    pub(crate) kind: RuleKind,
    /// With their numbers within the check, from 1, in the order of the findings.
    pub(crate) elements: Vec<(u64, &'a Finding)>,
    /// Elements that count as well and are not listed: their pages had more of them than are kept.
    pub(crate) left_out: u64,
}

impl RankedRule<'_> {
    /// All elements that break the rule.
    pub(crate) const fn count(&self) -> u64 {
        self.elements.len() as u64 + self.left_out
    }

    /// Clauses of EN 301 549. The catalogue knows which the standard really has; tags serve for rules that it does not
    /// know.
    pub(crate) fn en301549(&self) -> Vec<String> {
        catalog::rule(self.rule.as_str()).map_or_else(|| self.facts.en301549(), |entry| entry.en301549.clone())
    }
}

/// Problems, then recommendations; each by severity, then by count, then by the rule's id. Elements of a rule without
/// facts are left out.
pub(crate) fn ranked(findings: &Findings) -> Vec<RankedRule<'_>> {
    let mut by_rule: BTreeMap<&RuleId, Vec<(u64, &Finding)>> = BTreeMap::new();
    let mut numbers = 1..;
    // On each page axe-core tells of one rule after another, so a run of elements is looked up at once.
    for run in findings.items.chunk_by(|one, next| one.rule == next.rule) {
        let Some(first) = run.first() else { continue };
        by_rule
            .entry(&first.rule)
            .or_default()
            .extend(run.iter().zip(numbers.by_ref()).map(|(finding, number)| (number, finding)));
    }
    let known = by_rule.into_iter().filter_map(|(rule, elements)| {
        let facts = findings.rules.get(rule)?;
        Some(RankedRule { rule, facts, kind: facts.kind(), elements, left_out: findings.left_out(rule) })
    });
    let mut rules: Vec<RankedRule<'_>> = known.collect();
    // The sort is stable, and the map gave the rules in the order of their ids.
    rules.sort_by_key(|rule| (rule.kind, Reverse(rule.facts.impact), Reverse(rule.count())));
    rules
}

/// The platform that tips follow: what the owner says of the site outweighs what the pages showed.
pub(crate) fn platform<'a>(site: &'a SiteDetails, findings: &'a Findings) -> Option<&'a PlatformKey> {
    site.tip_platform().or_else(|| leading_platform(&findings.stack))
}
