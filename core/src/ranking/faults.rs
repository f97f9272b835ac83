//! One fault that several rules report: which rules go away when another is repaired (decision 0041).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::RankedRule;
use crate::{
    catalog::{Fault, rule as entry},
    domain::{Finding, Findings},
};

/// The most elements of one page among which parents are looked for by their source; with more, selectors alone tell.
const MAX_COMPARED: usize = 200;

/// Returns for each rule, in the same order, the rank of the rule whose repair clears it; `None` for a rule that has to be
/// repaired itself.
///
/// A rule goes away with one of a better rank if both report the same [family of faults](Fault) and every one of its
/// elements is covered: by the same element of the other rule, or for faults of structure by an element around it or within
/// it. An element without such a counterpart would remain, so it keeps its rule; so do elements that are counted without
/// being listed.
pub(super) fn absorbed(findings: &Findings, rules: &[RankedRule<'_>]) -> Vec<Option<u64>> {
    let faults: Vec<Option<Fault>> =
        rules.iter().map(|rule| entry(rule.rule.as_str()).and_then(|entry| entry.fault)).collect();
    let of_structure = rules.iter().zip(&faults).filter(|(_, fault)| **fault == Some(Fault::Structure));
    let structure = Nesting::new(of_structure.flat_map(|(rule, _)| elements_of(findings, rule)));
    let mut absorbed: Vec<Option<u64>> = Vec::with_capacity(rules.len());
    for (at, (rule, fault)) in rules.iter().zip(&faults).enumerate() {
        let better = rules.iter().zip(&faults).zip(&absorbed).take(at);
        // The other rule has to be repaired itself, so that no chain of rules ends nowhere.
        let with = better.filter(|((_, other), absorbed)| fault.is_some() && *other == fault && absorbed.is_none());
        let covering = with.map(|((other, _), _)| other).find(|other| {
            let elements: HashSet<(usize, &str)> = elements_of(findings, other).map(key).collect();
            let is_covered = |finding: &Finding| {
                elements.contains(&key(finding))
                    || *fault == Some(Fault::Structure) && structure.reaches(key(finding), &elements)
            };
            rule.left_out == 0 && elements_of(findings, rule).all(is_covered)
        });
        absorbed.push(covering.map(|other| other.rank));
    }
    absorbed
}

fn elements_of<'a>(findings: &'a Findings, rule: &RankedRule<'_>) -> impl Iterator<Item = &'a Finding> {
    let index = |number: u64| usize::try_from(number).ok()?.checked_sub(1);
    rule.seen.iter().filter_map(move |seen| findings.items.get(index(seen.number)?))
}

/// An element: its page and its selector.
type ElementKey<'a> = (usize, &'a str);

fn key(finding: &Finding) -> ElementKey<'_> {
    (finding.page, &finding.selector)
}

/// Parents and children among the elements with faults of structure.
#[derive(Debug, Default)]
struct Nesting<'a> {
    parents: HashMap<ElementKey<'a>, Vec<ElementKey<'a>>>,
    children: HashMap<ElementKey<'a>, Vec<ElementKey<'a>>>,
}

impl<'a> Nesting<'a> {
    fn new(findings: impl Iterator<Item = &'a Finding>) -> Self {
        let mut pages: BTreeMap<usize, BTreeMap<&'a str, &'a str>> = BTreeMap::new();
        for finding in findings {
            pages.entry(finding.page).or_default().insert(&finding.selector, finding.html.trim());
        }
        let mut nesting = Self::default();
        for (page, elements) in pages {
            for (child, html) in &elements {
                // A selector of axe-core ends in a step from the parent, unless something shorter identifies the
                // element.
                let above = child.rsplit_once(" > ").map(|(above, _)| above);
                if let Some((parent, _)) = above.and_then(|above| elements.get_key_value(above)) {
                    nesting.add(page, parent, child);
                }
                // With equal source, it would not be known which of two elements is within the other.
                let is_unique = elements.values().filter(|other| *other == html).count() == 1;
                if elements.len() <= MAX_COMPARED && is_unique && !html.is_empty() {
                    let around = |(_, source): &(&&str, &&str)| source.len() > html.len() && source.contains(*html);
                    for (parent, _) in elements.iter().filter(around) {
                        nesting.add(page, parent, child);
                    }
                }
            }
        }
        nesting
    }

    fn add(&mut self, page: usize, parent: &'a str, child: &'a str) {
        self.parents.entry((page, child)).or_default().push((page, parent));
        self.children.entry((page, parent)).or_default().push((page, child));
    }

    /// Returns whether one of the elements is at most two steps above the element, or at most two below.
    fn reaches(&self, from: ElementKey<'a>, elements: &HashSet<ElementKey<'a>>) -> bool {
        [&self.parents, &self.children].into_iter().any(|step| {
            let near = step.get(&from).into_iter().flatten();
            let far = near.clone().filter_map(|key| step.get(key)).flatten();
            near.chain(far).any(|key| elements.contains(key))
        })
    }
}
