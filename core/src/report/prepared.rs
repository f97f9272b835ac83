//! A check prepared once for one language: reports, files and exports are written from it, so that they agree on the
//! order of rules, on their texts and on their numbers.
//!
//! It borrows from the findings and the catalogue. An element costs a reference and its number, so that a check with
//! hundreds of thousands of elements needs hardly more memory than its findings.

use std::borrow::Cow;

use super::CoverView;
use crate::{
    catalog::{self, Basis, Description, describe, terms, tip},
    domain::{
        Acceptances, Cover, CoverKind, Failure, Finding, Findings, PageOutcome, PlatformKey, RuleFacts, RuleId,
        RuleKind, SiteDetails, Standard, leading_platform,
    },
    locale::Locale,
    ranking::{Place, RankedRule, RulePage, counted, ranked},
};

/// A check in one language.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    pub(crate) findings: &'a Findings,
    pub(crate) locale: Locale,
    /// The platform that tips follow: what the owner says about the site outweighs what was recognised on the pages.
    pub(crate) platform: Option<&'a PlatformKey>,
    /// The rules that are broken, in the order in which they should be fixed: problems, then recommendations; each by
    /// weight (decision 0017), then by count, then by the rule's id. Elements of a rule without facts are not
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
        accepted: &Acceptances,
        locale: Locale,
    ) -> Self {
        let platform = platform(site, findings);
        let ranked = ranked(findings).into_iter();
        let rules = ranked.map(|rule| PreparedRule::of(rule, findings, accepted, platform, locale)).collect();
        Self { findings, locale, platform, rules }
    }

    /// Returns each page in prepared form. A check has hundreds of pages at most, and only some files list them, so
    /// they are prepared on demand.
    pub(crate) fn pages(&self) -> impl Iterator<Item = PreparedPage<'a>> {
        let of_rules = self.rules.iter().map(|rule| (rule.kind, rule.pages.as_slice()));
        pages(self.findings, of_rules, self.locale)
    }

    /// Returns the rules with undecided elements, by their ids.
    pub(crate) fn undecided(&self) -> impl Iterator<Item = PreparedUndecided<'a>> {
        undecided(self.findings, self.locale)
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

    fn of(
        ranked: RankedRule<'a>,
        findings: &'a Findings,
        accepted: &Acceptances,
        platform: Option<&PlatformKey>,
        locale: Locale,
    ) -> Self {
        let RankedRule { rule, facts, kind, rank, goes_away_with: _, seen, left_out, pages } = ranked;
        let finding = |number: u64| findings.items.get(usize::try_from(number).ok()?.checked_sub(1)?);
        let elements = seen.iter().filter_map(|seen| Some((seen.number, finding(seen.number)?))).collect();
        let places = counted(seen, accepted).into_iter();
        Self {
            rule,
            facts,
            kind,
            rank,
            elements,
            left_out,
            texts: describe(rule, facts, locale),
            platform_tip: tip_for(rule, platform, locale),
            wcag: facts.wcag(),
            en301549: en301549(rule, facts, findings.standard.effective()),
            pages,
            places: places.filter_map(|place| Some(Place::new(place, finding(place.shown)?))).collect(),
        }
    }
}

/// Returns the platform that tips follow: what the owner says about the site outweighs what was recognised on the pages.
pub(super) fn platform<'a>(site: &'a SiteDetails, findings: &'a Findings) -> Option<&'a PlatformKey> {
    site.tip_platform().or_else(|| leading_platform(&findings.stack))
}

/// Returns the tip for a rule on a platform.
pub(super) fn tip_for(rule: &RuleId, platform: Option<&PlatformKey>, locale: Locale) -> Option<&'static str> {
    platform.and_then(|platform| tip(rule.as_str(), platform.as_str(), locale))
}

/// Returns each page of a check, of whose rules the kinds and pages are given.
pub(super) fn pages<'a, 'r>(
    findings: &'a Findings,
    rules: impl Iterator<Item = (RuleKind, &'r [RulePage])>,
    locale: Locale,
) -> impl Iterator<Item = PreparedPage<'a>> {
    let mut issues = vec![0; findings.pages.len()];
    for (_, pages) in rules.filter(|(kind, _)| *kind == RuleKind::Problem) {
        for on_page in pages {
            if let Some(count) = issues.get_mut(on_page.page) {
                *count += on_page.listed;
            }
        }
    }
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
pub(super) fn undecided(findings: &Findings, locale: Locale) -> impl Iterator<Item = PreparedUndecided<'_>> {
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

/// Returns the clauses of a rule in the standard of the check. Tags serve for rules that the catalogue does not know.
pub(super) fn en301549(rule: &RuleId, facts: &RuleFacts, standard: &Standard) -> Vec<String> {
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
