//! A check prepared once for one language: reports, files and exports are written from it, so that they agree on the
//! order of rules, on their texts and on their numbers.
//!
//! It borrows from the findings and the catalogue. An element costs a reference and its number, so that a check with
//! hundreds of thousands of elements needs hardly more memory than its findings.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

use super::{
    CoverView,
    faults::absorbed,
    places::{Place, places},
};
use crate::{
    catalog::{self, Basis, Description, describe, terms, tip},
    domain::{
        Acceptances, Cover, CoverKind, Failure, Finding, Findings, Impact, PageOutcome, PlatformKey, RuleFacts, RuleId,
        RuleKind, SiteDetails, Standard, leading_platform,
    },
    locale::Locale,
};

/// A check in one language.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    pub(crate) findings: &'a Findings,
    pub(crate) accepted: &'a Acceptances,
    pub(crate) locale: Locale,
    /// The platform that tips follow: what the owner says about the site outweighs what was recognised on the pages.
    pub(crate) platform: Option<&'a PlatformKey>,
    /// The rules that are broken, in the order in which they should be fixed: problems, then recommendations; each by
    /// [weight](PreparedRule::weight), then by count, then by the rule's id. Elements of a rule without facts are not
    /// included.
    pub(crate) rules: Vec<PreparedRule<'a>>,
}

/// A rule with the elements that break it and the texts about it.
#[derive(Debug)]
pub(crate) struct PreparedRule<'a> {
    pub(crate) rule: &'a RuleId,
    pub(crate) facts: &'a RuleFacts,
    pub(crate) kind: RuleKind,
    /// The rank among all rules, from 1.
    pub(crate) rank: u64,
    /// The rank of the rule whose repair clears all of these elements.
    pub(crate) goes_away_with: Option<u64>,
    /// The elements with their numbers within the check, from 1, in the order of the findings.
    pub(crate) elements: Vec<(u64, &'a Finding)>,
    /// The number of elements that count as well but are not listed, because their pages had more of them than are
    /// kept.
    pub(crate) left_out: u64,
    pub(crate) texts: Description<'a>,
    pub(crate) platform_tip: Option<&'static str>,
    /// The numbers of WCAG success criteria.
    pub(crate) wcag: Vec<String>,
    /// The clauses of EN 301 549.
    pub(crate) en301549: Vec<String>,
    /// The pages with such elements, in the order of the check.
    pub(crate) pages: Vec<RulePage>,
    /// The places to fix: those with new elements first, then those with more elements.
    pub(crate) places: Vec<Place<'a>>,
}

/// The number of elements that break a rule on one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RulePage {
    /// The index of the page in [`Findings::pages`].
    pub(crate) page: usize,
    pub(crate) listed: u64,
    pub(crate) left_out: u64,
}

/// A page that was visited, or a dead link.
#[derive(Debug)]
pub(crate) struct PreparedPage<'a> {
    pub(crate) outcome: &'a PageOutcome,
    /// The number of problem elements of the page, including those that are left out.
    pub(crate) issues: u64,
    /// The number of elements that fail on the page, recommendations included, and are not listed.
    pub(crate) left_out: u64,
    /// The reason why the page could not be checked, with the message in the language of the report.
    pub(crate) error: Option<Cow<'a, Failure>>,
    pub(crate) cover: Option<CoverView>,
}

/// A rule with elements that the engine could not judge.
#[derive(Debug)]
pub(crate) struct PreparedUndecided<'a> {
    pub(crate) rule: &'a RuleId,
    pub(crate) title: &'a str,
    pub(crate) has_card: bool,
    pub(crate) count: u32,
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(site: &'a SiteDetails, findings: &'a Findings, locale: Locale) -> Self {
        Self::with_accepted(site, findings, Acceptances::NONE, locale)
    }

    /// Returns the check where some of its elements are accepted: they stay in the order and the numbers of all.
    pub(crate) fn with_accepted(
        site: &'a SiteDetails,
        findings: &'a Findings,
        accepted: &'a Acceptances,
        locale: Locale,
    ) -> Self {
        let platform = site.tip_platform().or_else(|| leading_platform(&findings.stack));
        Self { findings, accepted, locale, platform, rules: ranked(findings, accepted, platform, locale) }
    }

    /// Returns each page in prepared form. A check has hundreds of pages at most, and only some files list them, so
    /// they are prepared on demand.
    pub(crate) fn pages(&self) -> impl Iterator<Item = PreparedPage<'a>> {
        let mut issues = vec![0; self.findings.pages.len()];
        for rule in self.rules.iter().filter(|rule| rule.kind == RuleKind::Problem) {
            for on_page in &rule.pages {
                if let Some(count) = issues.get_mut(on_page.page) {
                    *count += on_page.listed;
                }
            }
        }
        let (findings, locale) = (self.findings, self.locale);
        findings.pages.iter().zip(issues).map(move |(outcome, listed)| {
            // A rule may have left-out elements only, and is then in no list of rules.
            let problems = outcome.left_out.iter().filter(|(rule, _)| findings.kind_of(rule) == RuleKind::Problem);
            PreparedPage {
                outcome,
                issues: listed + problems.map(|(_, count)| u64::from(*count)).sum::<u64>(),
                left_out: outcome.left_out.values().map(|count| u64::from(*count)).sum(),
                error: outcome.error.as_ref().map(|error| in_language(error, locale)),
                cover: outcome.cover.map(|cover| cover_view(&cover, locale)),
            }
        })
    }

    /// Returns the rules with undecided elements, by their ids.
    pub(crate) fn undecided(&self) -> impl Iterator<Item = PreparedUndecided<'a>> {
        let (findings, locale) = (self.findings, self.locale);
        let undecided = findings.needs_review.iter().filter(|(_, count)| **count > 0);
        undecided.map(move |(rule, count)| {
            let texts = findings.rules.get(rule).map(|facts| describe(rule, facts, locale));
            PreparedUndecided {
                rule,
                title: texts.as_ref().map_or(rule.as_str(), |texts| texts.title),
                has_card: texts.is_some_and(|texts| texts.has_card),
                count: *count,
            }
        })
    }

    /// Returns the places of all problems.
    pub(crate) fn problem_places(&self) -> impl Iterator<Item = &Place<'a>> {
        self.rules.iter().filter(|rule| rule.kind == RuleKind::Problem).flat_map(|rule| &rule.places)
    }

    /// Returns the address of a page; empty if the check has no such page.
    pub(crate) fn page_url(&self, page: usize) -> &'a str {
        self.findings.pages.get(page).map_or("", |page| &page.url)
    }
}

impl<'a> PreparedRule<'a> {
    /// Returns the number of all elements that break the rule.
    pub(crate) const fn count(&self) -> u64 {
        self.elements.len() as u64 + self.left_out
    }

    /// Returns the elements that are listed.
    pub(crate) fn findings(&self) -> impl Iterator<Item = &'a Finding> {
        self.elements.iter().map(|(_, finding)| *finding)
    }

    /// Returns at most `most` of the elements, beginning with one of each place, so that a header repeated on every page
    /// does not hide the rest, and with the places that have new elements.
    pub(crate) fn examples(&self, most: usize) -> Vec<(u64, &'a Finding)> {
        let mut examples: Vec<_> = self.places.iter().map(|place| place.shown).take(most).collect();
        let shown: HashSet<u64> = examples.iter().map(|(number, _)| *number).collect();
        let others = self.elements.iter().copied().filter(|(number, _)| !shown.contains(number));
        examples.extend(others.take(most - examples.len()));
        examples
    }

    /// Returns the weight by which rules are ordered, as a fraction whose denominator all rules of a check share: that of
    /// the severity (10, 6, 3 or 1) times the number of pages with such elements (decision 0017).
    fn weight(&self) -> u64 {
        weight_of(self.facts.impact) * self.pages.len() as u64
    }
}

/// Returns the weight of a severity in the order of fixing (decision 0017).
pub(super) const fn weight_of(severity: Impact) -> u64 {
    match severity {
        Impact::Critical => 10,
        Impact::Serious => 6,
        Impact::Moderate => 3,
        Impact::Minor => 1,
    }
}

impl RulePage {
    pub(crate) const fn count(&self) -> u64 {
        self.listed + self.left_out
    }
}

fn ranked<'a>(
    findings: &'a Findings,
    accepted: &Acceptances,
    platform: Option<&PlatformKey>,
    locale: Locale,
) -> Vec<PreparedRule<'a>> {
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
    let standard = findings.standard.effective();
    let known = by_rule.into_iter().filter_map(|(rule, elements)| {
        let facts = findings.rules.get(rule)?;
        let pages = pages(findings, rule, &elements);
        Some(PreparedRule {
            rule,
            facts,
            kind: facts.kind_in(standard),
            rank: 0,
            goes_away_with: None,
            left_out: pages.iter().map(|page| page.left_out).sum(),
            texts: describe(rule, facts, locale),
            platform_tip: platform.and_then(|platform| tip(rule.as_str(), platform.as_str(), locale)),
            wcag: facts.wcag(),
            en301549: en301549(rule, facts, standard),
            places: places(rule, &elements, accepted, |page| findings.pages.get(page).map_or("", |page| &page.url)),
            elements,
            pages,
        })
    });
    let mut rules: Vec<PreparedRule<'_>> = known.collect();
    // The sort is stable, and the map yields the rules in the order of their ids.
    rules.sort_by_key(|rule| (rule.kind, Reverse(rule.weight()), Reverse(rule.count())));
    for (rank, rule) in (1..).zip(&mut rules) {
        rule.rank = rank;
    }
    let absorbed = absorbed(&rules);
    for (rule, goes_away_with) in rules.iter_mut().zip(absorbed) {
        rule.goes_away_with = goes_away_with;
    }
    rules
}

fn pages(findings: &Findings, rule: &RuleId, elements: &[(u64, &Finding)]) -> Vec<RulePage> {
    let left_out = |page: &PageOutcome| page.left_out.get(rule).map(|count| u64::from(*count));
    let outcomes = findings.pages.iter().enumerate();
    let mut pages: BTreeMap<usize, RulePage> = outcomes
        .filter_map(|(page, outcome)| Some((page, RulePage { page, listed: 0, left_out: left_out(outcome)? })))
        .collect();
    // Elements of the same page are adjacent.
    for run in elements.chunk_by(|(_, one), (_, next)| one.page == next.page) {
        let Some((_, Finding { page, .. })) = run.first() else { continue };
        let on_page = pages.entry(*page).or_insert(RulePage { page: *page, listed: 0, left_out: 0 });
        on_page.listed += run.len() as u64;
    }
    pages.into_values().collect()
}

/// Returns the clauses of a rule in the standard of the check. Tags serve for rules that the catalogue does not know.
fn en301549(rule: &RuleId, facts: &RuleFacts, standard: &Standard) -> Vec<String> {
    match catalog::rule(rule.as_str()) {
        // A deprecated rule shows nothing of what its criteria ask.
        Some(entry) if entry.basis == Basis::Deprecated => Vec::new(),
        Some(entry) => standard.clauses_of(&entry.wcag),
        None => facts.en301549(),
    }
}

/// Returns the failure with its message in this language. The English message stays as it was stored, since it may say
/// more than any code.
fn in_language(failure: &Failure, locale: Locale) -> Cow<'_, Failure> {
    if locale == Locale::En {
        return Cow::Borrowed(failure);
    }
    let message = terms(locale).failure(failure).into_owned();
    // Cause and facts are read from the stored message if nothing else was stored.
    Cow::Owned(failure.clone().understood().with_message(message))
}

fn cover_view(cover: &Cover, locale: Locale) -> CoverView {
    // A kind of a later release becomes a layer in this one, in words and for programs.
    let kind = if CoverKind::KNOWN.contains(&cover.kind) { cover.kind } else { CoverKind::Overlay };
    CoverView { kind, percent: cover.percent, message: terms(locale).cover(cover) }
}
