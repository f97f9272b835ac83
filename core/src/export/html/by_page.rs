//! The second part of the file: each page with its rules and elements.

use std::{cmp::Reverse, collections::BTreeMap};

use crate::{
    domain::Finding,
    locale::Locale,
    report::{Prepared, PreparedPage, Thing, measured_on},
};

/// The pages with findings.
pub(super) struct ByPage<'a> {
    /// Those that are listed, the ones with the most problems first, then as they were checked: at most
    /// [`ByPage::MAX_PAGES`].
    pub(super) pages: Vec<PageEntry<'a>>,
    /// The number of those that are not.
    pub(super) further: u64,
}

/// A page with the rules that it breaks.
pub(super) struct PageEntry<'a> {
    pub(super) url: &'a str,
    pub(super) title: &'a str,
    /// The number of its problem elements.
    pub(super) issues: u64,
    /// The rules in the order of fixing, recommendations last.
    pub(super) rules: Vec<RuleOnPage<'a>>,
}

/// A rule with its elements on one page.
pub(super) struct RuleOnPage<'a> {
    /// The index of the rule in [`Prepared::rules`].
    pub(super) rule: usize,
    /// The number of elements on the page.
    pub(super) count: u64,
    /// Those that are listed: at most [`ByPage::MAX_OF_RULE`].
    pub(super) elements: &'a [(u64, &'a Finding)],
}

impl RuleOnPage<'_> {
    /// Returns the number of elements that are not listed.
    pub(super) const fn further(&self) -> u64 {
        self.count.saturating_sub(self.elements.len() as u64)
    }
}

impl<'a> ByPage<'a> {
    /// The most pages.
    pub(super) const MAX_PAGES: usize = 500;
    /// The most elements of one rule on one page.
    pub(super) const MAX_OF_RULE: usize = 10;
    /// The most elements of all pages together. Where there are more, each rule has fewer on each page, so that no page is
    /// without.
    pub(super) const MAX_ELEMENTS: usize = 3_000;

    pub(super) fn new(prepared: &'a Prepared<'a>) -> Self {
        let mut rules_of: BTreeMap<usize, Vec<RuleOnPage<'a>>> = BTreeMap::new();
        for (number, rule) in prepared.rules.iter().enumerate() {
            // Elements of the same page are adjacent.
            let mut runs: BTreeMap<usize, &[(u64, &Finding)]> = rule
                .elements
                .chunk_by(|(_, one), (_, next)| one.page == next.page)
                .filter_map(|run| Some((run.first()?.1.page, run)))
                .collect();
            for on_page in &rule.pages {
                let elements = runs.remove(&on_page.page).unwrap_or_default();
                let entry = RuleOnPage { rule: number, count: on_page.count(), elements };
                rules_of.entry(on_page.page).or_default().push(entry);
            }
        }
        let pages = prepared.pages().enumerate();
        let mut pages: Vec<PageEntry<'a>> = pages
            .filter_map(|(number, PreparedPage { outcome, issues, .. })| {
                let rules = rules_of.remove(&number)?;
                Some(PageEntry { url: &outcome.url, title: &outcome.title, issues, rules })
            })
            .collect();
        pages.sort_by_key(|page| Reverse(page.issues));
        let further = pages.split_off(pages.len().min(Self::MAX_PAGES)).len() as u64;
        bound(&mut pages);
        Self { pages, further }
    }
}

/// Leaves as many elements of each rule on each page as fit the bound, and the same number everywhere.
fn bound(pages: &mut [PageEntry<'_>]) {
    let total = |pages: &[PageEntry<'_>], of_rule: usize| {
        let rules = pages.iter().flat_map(|page| &page.rules);
        rules.map(|rule| rule.elements.len().min(of_rule)).sum::<usize>()
    };
    let fits = (1..=ByPage::MAX_OF_RULE).rev().find(|of_rule| total(pages, *of_rule) <= ByPage::MAX_ELEMENTS);
    let (of_rule, mut left) = (fits.unwrap_or(1), ByPage::MAX_ELEMENTS);
    for rule in pages.iter_mut().flat_map(|page| &mut page.rules) {
        let shown = rule.elements.len().min(of_rule).min(left);
        rule.elements = &rule.elements[..shown];
        left -= shown;
    }
}

/// Returns what an element is: what was measured, if that makes its place, or else the element in words. Hostile text.
pub(super) fn what(finding: &Finding, locale: Locale) -> String {
    let measured = measured_on(finding).map(|measured| measured.to_string());
    measured.unwrap_or_else(|| Thing::of(&finding.html).in_words(locale))
}
