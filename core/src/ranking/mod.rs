//! What a check found, put in order without words: the rules that were broken in the order in which they should be fixed, their pages and
//! the places to fix. It is the same in all languages, so that an [`Extract`] of it can be kept beside the findings.

mod extract;
mod faults;
mod places;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
};

pub(crate) use self::places::{Counted, Measured, Place, counted, measured, measured_on, most_effective, places};
pub use self::{extract::Extract, places::PlaceKey};
use self::{faults::absorbed, places::seen};
use crate::domain::{Area, Finding, Findings, Impact, PageOutcome, RuleFacts, RuleId, RuleKind};

/// The greatest number of outlines on the picture of the first page.
pub(crate) const MAX_SCREEN_BOXES: usize = 100;

/// The rules that a check broke, and the elements that stand for others.
#[derive(Debug)]
pub(crate) struct Ranked<'a> {
    /// All that the check found; of an extract, without the elements that fail.
    pub(crate) findings: &'a Findings,
    /// The rules in the order in which they should be fixed: problems, then recommendations; each by
    /// [weight](RankedRule::weight), then by count, then by the rule's id. Elements of a rule without facts are not included.
    pub(crate) rules: Vec<RankedRule<'a>>,
    /// The areas of elements with problems on the picture of the first page, by rule, each area once: at most
    /// [`MAX_SCREEN_BOXES`].
    pub(crate) boxes: Vec<(u64, Area)>,
    /// The number of the first element that no program could decide about.
    pub(crate) first_undecided: u64,
    elements: Elements<'a>,
}

/// The source from which elements that fail are read.
#[derive(Debug)]
enum Elements<'a> {
    All(&'a [Finding]),
    Kept(&'a BTreeMap<u64, Finding>),
}

/// A rule that a check broke.
#[derive(Debug)]
pub(crate) struct RankedRule<'a> {
    pub(crate) rule: &'a RuleId,
    pub(crate) facts: &'a RuleFacts,
    pub(crate) kind: RuleKind,
    /// The rank among all rules, from 1.
    pub(crate) rank: u64,
    /// The rank of the rule whose repair clears all of these elements.
    pub(crate) goes_away_with: Option<u64>,
    /// The elements, in the order of the findings.
    pub(crate) seen: Vec<Seen>,
    /// The number of elements that count as well but are not listed, because their pages had more of them than are kept.
    pub(crate) left_out: u64,
    /// The pages with such elements, in the order of the check.
    pub(crate) pages: Vec<RulePage>,
}

/// An element that breaks a rule, without its texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    /// The number of the element within the check, from 1.
    pub(crate) number: u64,
    /// The index of its page in [`Findings::pages`].
    pub(crate) page: usize,
    /// The key of the place to fix that it belongs to, among those of the same rule.
    pub(crate) place: u64,
    /// True if the previous completed check did not have it.
    pub(crate) is_new: bool,
    /// True if what axe-core measured on it makes its place.
    pub(crate) is_measured: bool,
}

/// The number of elements that break a rule on one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RulePage {
    /// The index of the page in [`Findings::pages`].
    pub(crate) page: usize,
    pub(crate) listed: u64,
    pub(crate) left_out: u64,
}

impl RulePage {
    pub(crate) const fn count(&self) -> u64 {
        self.listed + self.left_out
    }
}

impl<'a> Ranked<'a> {
    /// Returns the rules that a check broke.
    pub(crate) fn of(findings: &'a Findings) -> Self {
        let rules = ranked(findings);
        let boxes = screen_boxes(findings, &rules);
        let (elements, first_undecided) = (Elements::All(&findings.items), findings.items.len() as u64 + 1);
        Self { findings, rules, boxes, first_undecided, elements }
    }

    /// Returns the element that fails with this number; of an extract, those that stand for others alone are there.
    pub(crate) fn element(&self, number: u64) -> Option<&'a Finding> {
        match self.elements {
            Elements::All(items) => items.get(usize::try_from(number).ok()?.checked_sub(1)?),
            Elements::Kept(kept) => kept.get(&number),
        }
    }

    /// Returns the elements of a rule that stand for its places, at most `most` of them, each with what is counted of its place.
    pub(crate) fn places(&self, counted: &[Counted], most: usize) -> Vec<Place<'a>> {
        let place = |counted: &Counted| Some(Place::new(*counted, self.element(counted.shown)?));
        counted.iter().take(most).filter_map(place).collect()
    }

    /// Returns at most `most` of the elements of a rule, beginning with one of each place, so that a header repeated on every page
    /// does not hide the rest, and with the places that have new elements.
    pub(crate) fn examples(&self, rule: &RankedRule<'_>, counted: &[Counted], most: usize) -> Vec<(u64, &'a Finding)> {
        let mut numbers: Vec<u64> = counted.iter().map(|place| place.shown).take(most).collect();
        let shown: HashSet<u64> = numbers.iter().copied().collect();
        let others = rule.seen.iter().map(|seen| seen.number).filter(|number| !shown.contains(number));
        numbers.extend(others.take(most - numbers.len()));
        numbers.into_iter().filter_map(|number| Some((number, self.element(number)?))).collect()
    }
}

impl RankedRule<'_> {
    /// Returns the number of all elements that break the rule.
    pub(crate) const fn count(&self) -> u64 {
        self.seen.len() as u64 + self.left_out
    }

    /// Returns the weight by which rules are ordered, as a fraction whose denominator all rules of a check share: that of
    /// the severity (10, 6, 3 or 1) times the number of pages with such elements (decision 0017).
    fn weight(&self) -> u64 {
        weight_of(self.facts.impact) * self.pages.len() as u64
    }
}

/// Returns the weight of a severity in the order of fixing (decision 0017).
pub(crate) const fn weight_of(severity: Impact) -> u64 {
    match severity {
        Impact::Critical => 10,
        Impact::Serious => 6,
        Impact::Moderate => 3,
        Impact::Minor => 1,
    }
}

/// Returns the rules that a check broke, in the order in which they should be fixed.
pub(crate) fn ranked(findings: &Findings) -> Vec<RankedRule<'_>> {
    let mut by_rule: BTreeMap<&RuleId, Vec<(u64, &Finding)>> = BTreeMap::new();
    let mut numbers = 1..;
    // On each page axe-core lists one rule after another, so a run of elements is looked up at once.
    for run in findings.items.chunk_by(|one, next| one.rule == next.rule) {
        let Some(first) = run.first() else { continue };
        by_rule
            .entry(&first.rule)
            .or_default()
            .extend(run.iter().zip(numbers.by_ref()).map(|(finding, number)| (number, finding)));
    }
    let page_url = |page: usize| findings.pages.get(page).map_or("", |page| &page.url);
    let by_rule = by_rule.into_iter().map(|(rule, elements)| (rule, seen(rule, &elements, page_url).collect()));
    let mut rules = in_order(findings, by_rule);
    let absorbed = absorbed(findings, &rules);
    for (rule, goes_away_with) in rules.iter_mut().zip(absorbed) {
        rule.goes_away_with = goes_away_with;
    }
    rules
}

/// Returns rules with their elements, given by the ids of the rules, in the order in which they should be fixed.
fn in_order<'a>(findings: &'a Findings, by_rule: impl Iterator<Item = (&'a RuleId, Vec<Seen>)>) -> Vec<RankedRule<'a>> {
    let standard = findings.standard.effective();
    let known = by_rule.filter_map(|(rule, seen)| {
        let facts = findings.rules.get(rule)?;
        let pages = pages(findings, rule, &seen);
        let (kind, left_out) = (facts.kind_in(standard), pages.iter().map(|page| page.left_out).sum());
        Some(RankedRule { rule, facts, kind, rank: 0, goes_away_with: None, seen, left_out, pages })
    });
    let mut rules: Vec<RankedRule<'a>> = known.collect();
    // The sort is stable.
    rules.sort_by_key(|rule| (rule.kind, Reverse(rule.weight()), Reverse(rule.count())));
    for (rank, rule) in (1..).zip(&mut rules) {
        rule.rank = rank;
    }
    rules
}

fn pages(findings: &Findings, rule: &RuleId, seen: &[Seen]) -> Vec<RulePage> {
    let left_out = |page: &PageOutcome| page.left_out.get(rule).map(|count| u64::from(*count));
    let outcomes = findings.pages.iter().enumerate();
    let mut pages: BTreeMap<usize, RulePage> = outcomes
        .filter_map(|(page, outcome)| Some((page, RulePage { page, listed: 0, left_out: left_out(outcome)? })))
        .collect();
    // Elements of the same page are adjacent.
    for run in seen.chunk_by(|one, next| one.page == next.page) {
        let Some(Seen { page, .. }) = run.first() else { continue };
        let on_page = pages.entry(*page).or_insert(RulePage { page: *page, listed: 0, left_out: 0 });
        on_page.listed += run.len() as u64;
    }
    pages.into_values().collect()
}

/// Returns the places of elements with problems on the picture of the first page.
fn screen_boxes(findings: &Findings, rules: &[RankedRule<'_>]) -> Vec<(u64, Area)> {
    let Some((width, height)) = findings.screen else { return Vec::new() };
    let problems = rules.iter().filter(|rule| rule.kind == RuleKind::Problem);
    let on_page = problems.flat_map(|rule| &rule.seen).filter(|seen| seen.page == 0);
    let area = |seen: &Seen| {
        let finding = findings.items.get(usize::try_from(seen.number).ok()?.checked_sub(1)?)?;
        Some((seen.number, finding.area?))
    };
    let mut boxes: Vec<(u64, Area)> = Vec::new();
    for (number, area) in on_page.filter_map(area) {
        // What begins beyond the picture is not on it.
        if area.x < width && area.y < height && !boxes.iter().any(|(_, other)| *other == area) {
            boxes.push((number, area));
        }
        if boxes.len() == MAX_SCREEN_BOXES {
            break;
        }
    }
    boxes
}

/// Returns for each element the index of its place among those of its rule, in the order in which they first appear.
fn place_indices(seen: &[Seen]) -> impl Iterator<Item = usize> {
    let mut known: HashMap<u64, usize> = HashMap::new();
    seen.iter().map(move |seen| {
        let next = known.len();
        *known.entry(seen.place).or_insert(next)
    })
}
