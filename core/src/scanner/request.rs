//! The input and the output of a scan.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use chrono::{DateTime, Utc};

use super::PageList;
use crate::{
    domain::{
        Course, Depth, Finding, Findings, Fingerprint, Key, Memo, PageCounts, PageOutcome, RuleId, ScreenshotId,
        ScreenshotRef, SiteUrl, StandardId,
    },
    id::ScanId,
};

/// The task of a scan.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ScanRequest {
    /// The check, for logs.
    pub scan: ScanId,
    /// The address of the first page. Unless [`pages`](Self::pages) says which pages are checked, pages of the same host
    /// are followed from there.
    pub start: SiteUrl,
    /// The most pages to list, dead links aside; at least 1.
    pub page_budget: u32,
    /// Exactly the pages to check, in the order in which the findings list them; no link is followed then. `None` if pages
    /// are to be found from [`start`](Self::start) on.
    pub pages: Option<PageList>,
    /// The elements of the previous completed check, if there is one: a report shows those that it did not have before
    /// others, so they should have pictures.
    pub known: Option<Arc<KnownElements>>,
    /// The standard against which pages are checked. Its [`rules_on`](crate::domain::Standard::rules_on) run beside those that
    /// run by default, and the rules of other standards do not.
    pub standard: StandardId,
    /// The previous completed check, if it left a memo. A scanner that remembers nothing ignores it.
    pub earlier: Option<Arc<EarlierCheck>>,
}

impl ScanRequest {
    /// The most dead links that findings list, beside the pages of the [`page_budget`](Self::page_budget): pages for which
    /// [`PageOutcome::is_dead_link`](crate::domain::PageOutcome::is_dead_link) holds.
    pub const MAX_DEAD_LINKS: u32 = 100;

    /// Returns a request to check at most `page_budget` pages from `start` on, against the default standard.
    pub const fn new(scan: ScanId, start: SiteUrl, page_budget: u32) -> Self {
        Self { scan, start, page_budget, pages: None, known: None, standard: StandardId::Wcag21Aa, earlier: None }
    }

    /// Returns a request to check exactly these pages, of one host or of several, against the default standard.
    pub fn of_pages(scan: ScanId, pages: PageList) -> Self {
        let page_budget = u32::try_from(pages.as_slice().len()).unwrap_or(u32::MAX);
        let request = Self::new(scan, pages.start(), page_budget);
        Self { pages: Some(pages), ..request }
    }

    /// Sets the standard against which pages are checked.
    #[must_use]
    pub fn with_standard(self, standard: StandardId) -> Self {
        Self { standard, ..self }
    }

    /// Sets the elements of the previous completed check, if there is one.
    #[must_use]
    pub fn with_known(self, known: impl Into<Option<Arc<KnownElements>>>) -> Self {
        Self { known: known.into(), ..self }
    }

    /// Sets the previous completed check, if it left a memo.
    #[must_use]
    pub fn with_earlier(self, earlier: impl Into<Option<Arc<EarlierCheck>>>) -> Self {
        Self { earlier: earlier.into(), ..self }
    }
}

/// The previous completed check of a site, for a scanner that takes over what has not changed since (decision 0062).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EarlierCheck {
    /// The instant at which it completed.
    pub finished_at: DateTime<Utc>,
    /// The findings.
    pub findings: Findings,
    /// The memo. Its document was made by the scanner, perhaps by another version of it.
    pub memo: Memo,
    /// The depth of the present check, which says whether outcomes may be taken over. In a full check, a scanner may
    /// still compare the outcome of pages that seem unchanged with the earlier one.
    pub depth: Depth,
}

impl EarlierCheck {
    /// Returns a check that completed at this instant, with its findings and its memo, and the depth of the present
    /// check.
    pub const fn new(finished_at: DateTime<Utc>, findings: Findings, memo: Memo, depth: Depth) -> Self {
        Self { finished_at, findings, memo, depth }
    }

    /// Returns the pictures of its elements and pages: number, width and height.
    pub(super) fn pictures(&self) -> HashSet<(u32, u32, u32)> {
        let Findings { pages, items, undecided, .. } = &self.findings;
        let of_elements = items.iter().chain(undecided).filter_map(|finding| finding.screenshot);
        let pictures = pages.iter().filter_map(|page| page.picture).chain(of_elements);
        pictures.map(|ScreenshotRef { id, width, height, .. }| (id.0, width, height)).collect()
    }
}

/// The elements that a check found, by their keys. An element costs less than 100 bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownElements {
    keys: HashSet<u64>,
}

impl KnownElements {
    /// Returns the elements of these findings; those of earlier releases have their keys made again.
    pub fn of(findings: &Findings) -> Self {
        let mut keys = HashSet::new();
        for item in &findings.items {
            if item.fingerprint.version == Fingerprint::VERSION {
                keys.extend(of_page(&item.fingerprint));
            } else if let Some(page) = findings.pages.get(item.page) {
                keys.extend(of_page(&Fingerprint::of(&item.rule, &page.url, &item.selector, &item.html)));
            }
        }
        Self { keys }
    }

    /// Returns whether an element may be one of these. The comparison of two checks is stricter: of several that are
    /// equal, some may be new to it.
    pub fn may_have(&self, finding: &Finding) -> bool {
        of_page(&finding.fingerprint).any(|key| self.keys.contains(&key))
    }
}

/// Returns the keys that recognise an element on its page.
fn of_page(fingerprint: &Fingerprint) -> impl Iterator<Item = u64> {
    let Fingerprint { tight, loose, outline, content, .. } = fingerprint;
    [Some(tight), Some(loose), outline.as_ref(), content.as_ref()].into_iter().flatten().map(Key::bits)
}

/// Receives reports on the progress of a scan.
#[cfg_attr(test, mockall::automock)]
pub trait ProgressSink: Send + Sync {
    /// Reports the numbers of pages done and found. The number of those done never decreases within one scan.
    fn progress(&self, pages: PageCounts);

    /// Reports the outcome of a page as soon as it is known, with the number of elements that fail on it,
    /// recommendations included. A page of a crawl may yet turn out to be left out of the findings.
    fn page_done(&self, page: &PageOutcome, elements: u64) {
        let _ = (page, elements);
    }
}

/// The result of a scan.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ScanOutput {
    /// The findings; every [`Finding::screenshot`](crate::domain::Finding::screenshot) and
    /// [`PageOutcome::picture`](crate::domain::PageOutcome::picture) names one of `screenshots`.
    pub findings: Findings,
    /// The pictures of elements and of pages, each id once.
    pub screenshots: Vec<Screenshot>,
    /// The first page as a visitor sees it.
    pub screen: Option<Screenshot>,
    /// The outcomes of rules on each page of the findings, in the order of the pages; empty if the scanner does not
    /// report them. No store keeps them.
    pub rule_outcomes: Vec<RuleOutcomes>,
    /// The pictures of [`ScanRequest::earlier`] that elements and pages still have: the findings refer to them like to those of
    /// `screenshots`, with whose numbers theirs are distinct.
    pub kept_pictures: Vec<KeptPicture>,
    /// The memory for the next check of the site; `None` if the scanner leaves none.
    pub remembered: Option<Remembered>,
}

/// A picture of the previous check that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptPicture {
    /// Its number in the present check.
    pub id: ScreenshotId,
    /// Its number in the previous check.
    pub was: ScreenshotId,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

/// The memory that a scan leaves for the next scan of its site.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remembered {
    /// The course of the scan.
    pub course: Course,
    /// The document: at most [`Memo::MAX_DOCUMENT`] bytes, which only the scanner reads.
    pub document: Vec<u8>,
}

impl Remembered {
    /// Returns the document of a scan that took this course.
    pub const fn new(course: Course, document: Vec<u8>) -> Self {
        Self { course, document }
    }
}

/// The rules that have found nothing on one page. Rules with elements that fail, or that the engine could not judge,
/// are in neither set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleOutcomes {
    /// The rules to which elements of the page belong, all of which pass.
    pub passed: BTreeSet<RuleId>,
    /// The rules to which no element of the page belongs.
    pub inapplicable: BTreeSet<RuleId>,
}

impl ScanOutput {
    /// The number of bytes of the pictures that a check keeps of the previous one; the one that exceeds it is the last.
    pub(crate) const MAX_KEPT_BYTES: usize = 16 * 1024 * 1024;

    /// Returns a result without pictures.
    pub const fn new(findings: Findings) -> Self {
        Self {
            findings,
            screenshots: Vec::new(),
            screen: None,
            rule_outcomes: Vec::new(),
            kept_pictures: Vec::new(),
            remembered: None,
        }
    }

    /// Sets the pictures of elements and of pages.
    #[must_use]
    pub fn with_screenshots(self, screenshots: Vec<Screenshot>) -> Self {
        Self { screenshots, ..self }
    }

    /// Sets the picture of the first page, if one was taken.
    #[must_use]
    pub fn with_screen(self, screen: impl Into<Option<Screenshot>>) -> Self {
        Self { screen: screen.into(), ..self }
    }

    /// Sets what the rules came to on each page of the findings.
    #[must_use]
    pub fn with_rule_outcomes(self, rule_outcomes: Vec<RuleOutcomes>) -> Self {
        Self { rule_outcomes, ..self }
    }

    /// Sets the pictures of the previous check that are kept.
    #[must_use]
    pub fn with_kept_pictures(self, kept_pictures: Vec<KeptPicture>) -> Self {
        Self { kept_pictures, ..self }
    }

    /// Sets what the next check may use.
    #[must_use]
    pub fn with_remembered(self, remembered: impl Into<Option<Remembered>>) -> Self {
        Self { remembered: remembered.into(), ..self }
    }

    /// Replaces a kept picture by its bytes, or removes the references to it if they were lost.
    pub(crate) fn settle_kept(&mut self, kept: KeptPicture, found: Option<Screenshot>) {
        self.kept_pictures.retain(|other| other.id != kept.id);
        match found.filter(|found| (found.width, found.height) == (kept.width, kept.height)) {
            Some(found) => self.screenshots.push(Screenshot { id: kept.id, ..found }),
            None => self.findings.remove_picture(kept.id),
        }
    }

    /// Returns whether there is any picture.
    pub const fn has_pictures(&self) -> bool {
        self.screen.is_some() || !self.screenshots.is_empty() || !self.kept_pictures.is_empty()
    }

    /// Removes every picture, because they can't be stored, and notes that in the findings. No page is remembered then: the next check
    /// is to take the pictures.
    #[must_use]
    pub fn without_pictures(self) -> Self {
        let remembered = self.remembered.map(|remembered| Remembered::new(remembered.course, Vec::new()));
        Self { rule_outcomes: self.rule_outcomes, remembered, ..Self::new(self.findings.without_pictures()) }
    }
}

/// A picture taken during a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Screenshot {
    /// The number of the picture within the scan.
    pub id: ScreenshotId,
    /// The encoding.
    pub format: ScreenshotFormat,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The encoded picture.
    pub bytes: Vec<u8>,
}

impl Screenshot {
    /// Returns a picture of this size in pixels.
    pub const fn new(id: ScreenshotId, format: ScreenshotFormat, width: u32, height: u32, bytes: Vec<u8>) -> Self {
        Self { id, format, width, height, bytes }
    }
}

/// The encodings of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the formats' own names")]
pub enum ScreenshotFormat {
    Png,
    WebP,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Tool;

    #[test]
    fn an_element_is_known_by_any_of_its_keys_and_an_unlike_one_is_not() {
        let finding =
            |page: &str, selector: &str, html: &str| Finding::new(RuleId::new("list"), 0, page, selector, html, "");
        let page = "https://a.example/";
        let mut old = finding(page, "#menu > ul", "<ul class=menu>");
        // Keys of another version can't be compared.
        old.fingerprint.version = 1;
        let other = finding(page, "#list", "<ul class=list>");
        let findings =
            Findings::new(Tool::axe_core("", "")).with_pages([PageOutcome::checked(page, "")]).with_items([old, other]);
        let known = KnownElements::of(&findings);
        assert!(known.may_have(&finding(page, "#menu > ul", "<ul class=menu>")));
        assert!(known.may_have(&finding(page, "#list", "<ol>")), "by its selector");
        assert!(known.may_have(&finding(page, "#moved", "<ul class=list>")), "by its source");
        assert!(!known.may_have(&finding(page, "#fresh", "<ol class=fresh>")));
        assert!(!known.may_have(&finding("https://a.example/b", "#list", "<ul class=list>")));
    }
}
