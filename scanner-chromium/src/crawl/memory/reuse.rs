//! What the previous check of a site remembers, and which of it still holds.

use std::{collections::HashMap, sync::Arc};

use a11ycheck_core::{
    domain::{Finding, Findings, PageOutcome, Tool, page_address},
    id::ScanId,
    scanner::EarlierCheck,
};
use futures_util::future::join_all;
use sha2::{Digest as _, Sha256};
use tokio::time::timeout_at;
use url::Url;

use super::{
    document::{self, Hash256, KnownPart, PageMemory},
    notes::{Noted, Notes, links_within},
};
use crate::{
    axe::add_page,
    crawl::across::{PageBlocks, is_across},
    evidence::Album,
    visit::{Checked, Look, PartKind},
};

/// The share of the remembered pages that are examined although they seem unchanged, in percent, and the least number of
/// them.
const SAMPLE_PERCENT: usize = 5;
const LEAST_SAMPLE: usize = 2;
/// The number of looks without a difference after which a page may be taken over again that once had another outcome although
/// nothing had changed.
const UNSTABLE_FOR: u32 = 3;

/// The previous check of a site, as far as it was remembered by this version of the program with these settings.
#[derive(Debug)]
pub(in crate::crawl) struct Earlier {
    check: Arc<EarlierCheck>,
    pages: HashMap<String, PageMemory>,
}

/// A page of the previous check whose outcome is still that.
#[derive(Debug, Clone)]
pub(in crate::crawl) struct Reused<'e> {
    pub(in crate::crawl) memory: &'e PageMemory,
    /// The address at which it was found.
    pub(in crate::crawl) url: Url,
    /// True if a look of this check has found the same.
    pub(in crate::crawl) is_confirmed: bool,
}

/// The outcome of a page without pictures and positions, which are not compared.
#[derive(Debug, PartialEq)]
struct Outcome<'a> {
    page: PageOutcome,
    items: Vec<Finding>,
    undecided: Vec<Finding>,
    links: Vec<&'a String>,
    canonical: Option<&'a String>,
}

impl Earlier {
    /// Returns what a check remembers that counts for a scan with this key; `None` if that is nothing.
    pub(in crate::crawl) fn of(check: Arc<EarlierCheck>, key: &Hash256) -> Option<Self> {
        let mut pages = document::read(key, &check.memo.document);
        let findings = &check.findings;
        // A page whose pictures were lost since is to get others.
        let has_all = |page: &PageMemory| {
            findings.pages.get(page.page).is_some_and(PageOutcome::is_checked)
                && pictures_of(findings, page.page) == page.pictures
        };
        pages.retain(|_, page| page.page > 0 && has_all(page));
        (!pages.is_empty() && !findings.pictures_not_stored).then_some(Self { check, pages })
    }

    /// Returns the check.
    pub(in crate::crawl) fn check(&self) -> &EarlierCheck {
        &self.check
    }

    /// Returns the page to which this address led, if its outcome may be taken over where this look is wanted.
    pub(in crate::crawl) fn page(&self, asked: &Url, look: Look) -> Option<&PageMemory> {
        let page = self.pages.get(asked.as_str())?;
        let has_all = match look {
            Look::Page => true,
            Look::Platform => page.marks.is_some(),
            Look::Start | Look::Sample | Look::Peek => false,
        };
        (has_all && page.unstable == 0).then_some(page)
    }

    /// Returns the address at which a page was found.
    pub(in crate::crawl) fn address(&self, page: &PageMemory) -> Option<Url> {
        Url::parse(&self.check.findings.pages.get(page.page)?.url).ok()
    }

    /// Returns the pages that may be taken over, in an order that nobody can know who does not know this scan.
    pub(in crate::crawl) fn drawn(&self, scan: ScanId) -> Vec<&PageMemory> {
        let mut pages: Vec<_> = self.pages.values().filter(|page| page.unstable == 0).collect();
        pages.sort_by_cached_key(|page| -> Hash256 { Sha256::digest(format!("{scan} {}", page.asked)).into() });
        pages
    }

    /// Returns what it found of a page: the page, its elements that fail, and those that wait for a person.
    pub(in crate::crawl) fn found(&self, page: &PageMemory) -> (&PageOutcome, Vec<&Finding>, Vec<&Finding>) {
        let Findings { pages, items, undecided, .. } = &self.check.findings;
        let is_own = |item: &&Finding| item.page == page.page && !is_across(&item.rule);
        let (items, undecided) = (items.iter().filter(is_own), undecided.iter().filter(is_own));
        (&pages[page.page], items.collect(), undecided.collect())
    }

    /// Returns for how many further looks a page is not to be taken over, after one that found it made from these parts.
    pub(super) fn unstable_after(&self, asked: &Url, checked: &Checked, parts: &[KnownPart]) -> u32 {
        let Some(page) = self.pages.get(asked.as_str()) else { return 0 };
        let is_same = page.is_made_from(parts).then(|| self.differences(page, checked).is_empty());
        next_unstable(page.unstable, is_same)
    }

    /// Notes that pages have another outcome although they are made from the same parts.
    pub(in crate::crawl) fn set_unstable(&mut self, asked: &[String]) {
        for asked in asked {
            if let Some(page) = self.pages.get_mut(asked) {
                page.unstable = UNSTABLE_FOR;
            }
        }
    }

    /// Returns the number of pages that are examined although they seem unchanged.
    pub(in crate::crawl) fn sample_size(&self) -> usize {
        (self.pages.len() * SAMPLE_PERCENT).div_ceil(100).max(LEAST_SAMPLE)
    }

    /// Returns whether all parts of a page are as they were. Its document is asked for first, and nothing else if that has changed.
    pub(in crate::crawl) async fn is_unchanged(&self, page: &PageMemory, notes: &Notes) -> bool {
        let Ok(asked) = Url::parse(&page.asked) else { return false };
        let is_unchanged = |part: &KnownPart| {
            let question = part.question();
            let (part, asked) = (part.clone(), asked.clone());
            async move { part.is_as_it_was(&notes.ask(&question, &asked).await) }
        };
        let unchanged = async {
            let (documents, others): (Vec<_>, Vec<_>) =
                page.parts.iter().partition(|part| part.kind == PartKind::Document);
            for document in documents {
                if !is_unchanged(document).await {
                    return false;
                }
            }
            join_all(others.into_iter().map(is_unchanged)).await.into_iter().all(|is_unchanged| is_unchanged)
        };
        timeout_at(notes.done_by(), unchanged).await.unwrap_or(false)
    }

    /// Returns in what the outcome that a look at a page found differs from the one that is remembered; empty if in nothing.
    pub(in crate::crawl) fn differences(&self, page: &PageMemory, checked: &Checked) -> Vec<&'static str> {
        let Checked { url, collected, .. } = checked;
        let mut findings = Findings::new(Tool::new("", "")).with_ran([]);
        let links: Vec<&String> = links_within(&collected.links, url).collect();
        let canonical = collected.canonical.as_ref();
        let blocks = collected.shared.as_ref().map(PageBlocks::of);
        let sums = add_page(&mut findings, &mut Album::default(), page_address(url).as_str(), collected.clone());
        let now = Outcome::of(&findings, 0, links, canonical);
        let before = Outcome::of(&self.check.findings, page.page, page.links.iter().collect(), page.canonical.as_ref());
        let (Some(now), Some(before)) = (now, before) else { return vec!["page"] };
        [
            ("page", now.page != before.page),
            ("elements", now.items != before.items),
            ("undecided elements", now.undecided != before.undecided),
            ("links", (now.links, now.canonical) != (before.links, before.canonical)),
            ("blocks", !blocks.is_some_and(|blocks| blocks.is_like(&page.blocks))),
            ("counts", (&sums.needs_review, &sums.reasons) != (&page.needs_review, &page.reasons)),
            ("rules", sums.outcomes != page.outcomes || sums.has_errors),
        ]
        .into_iter()
        .filter_map(|(what, differs)| differs.then_some(what))
        .collect()
    }

    /// Returns whether a part of a page was another one when it was looked at than when it was asked for just before.
    pub(in crate::crawl) fn has_just_changed(page: &PageMemory, noted: Option<&Noted>) -> bool {
        noted.is_some_and(|noted| page.has_changed_in(&noted.parts))
    }
}

/// Returns for how many further looks a page is not to be taken over that was not to be for `before` looks: one at equal parts has
/// found the same outcome as the one before, or has not; `None` if the parts were others.
fn next_unstable(before: u32, is_same: Option<bool>) -> u32 {
    match is_same {
        None => before,
        Some(true) => before.saturating_sub(1),
        Some(false) => UNSTABLE_FOR,
    }
}

/// Returns how many elements of a page have a picture, and one more if it has one itself.
pub(in crate::crawl) fn pictures_of(findings: &Findings, page: usize) -> usize {
    let own = findings.items.iter().chain(&findings.undecided).filter(|item| item.page == page);
    let of_page = findings.pages.get(page).and_then(|page| page.picture);
    own.filter(|item| item.screenshot.is_some()).count() + usize::from(of_page.is_some())
}

impl<'a> Outcome<'a> {
    fn of(findings: &Findings, page: usize, links: Vec<&'a String>, canonical: Option<&'a String>) -> Option<Self> {
        let own = |items: &[Finding]| -> Vec<Finding> {
            let of_page = items.iter().filter(|item| item.page == page && !is_across(&item.rule));
            let mut own: Vec<Finding> = of_page.cloned().collect();
            for item in &mut own {
                (item.page, item.area, item.screenshot, item.is_new) = (0, None, None, false);
            }
            own
        };
        let mut outcome = findings.pages.get(page)?.clone();
        (outcome.picture, outcome.looked_at) = (None, None);
        let (items, undecided) = (own(&findings.items), own(&findings.undecided));
        Some(Self { page: outcome, items, undecided, links, canonical })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_differed_without_a_change_counts_again_after_three_looks_that_did_not() {
        let mut unstable = next_unstable(0, Some(true));
        assert_eq!(unstable, 0);
        unstable = next_unstable(unstable, Some(false));
        for is_same in [Some(true), None, Some(true)] {
            unstable = next_unstable(unstable, is_same);
            assert!(unstable > 0);
        }
        assert_eq!(next_unstable(unstable, Some(false)), UNSTABLE_FOR, "it begins again");
        assert_eq!(next_unstable(unstable, Some(true)), 0);
    }
}
