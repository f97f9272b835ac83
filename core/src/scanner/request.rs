//! The input and the output of a scan.

use crate::{
    domain::{Findings, PageCounts, ScreenshotId, SiteUrl, StandardId},
    id::ScanId,
};

/// The task of a scan.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ScanRequest {
    /// The check, for logs.
    pub scan: ScanId,
    /// The address of the first page. From there, pages of the same host are followed.
    pub start: SiteUrl,
    /// The most pages to list, dead links aside; at least 1.
    pub page_budget: u32,
    /// The standard against which pages are checked. Its [`rules_on`](crate::domain::Standard::rules_on) run beside those that
    /// run by default, and the rules of other standards do not.
    pub standard: StandardId,
}

impl ScanRequest {
    /// The most dead links that findings list, beside the pages of the [`page_budget`](Self::page_budget): pages for which
    /// [`PageOutcome::is_dead_link`](crate::domain::PageOutcome::is_dead_link) holds.
    pub const MAX_DEAD_LINKS: u32 = 100;

    /// Returns a request to check at most `page_budget` pages from `start` on, against the default standard.
    pub const fn new(scan: ScanId, start: SiteUrl, page_budget: u32) -> Self {
        Self { scan, start, page_budget, standard: StandardId::Wcag21Aa }
    }

    /// Sets the standard against which pages are checked.
    #[must_use]
    pub fn with_standard(self, standard: StandardId) -> Self {
        Self { standard, ..self }
    }
}

/// Receives reports on the progress of a scan.
#[cfg_attr(test, mockall::automock)]
pub trait ProgressSink: Send + Sync {
    /// Reports the numbers of pages done and found. The number of those done never decreases within one scan.
    fn progress(&self, pages: PageCounts);
}

/// The result of a scan.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ScanOutput {
    /// The findings; every [`Finding::screenshot`](crate::domain::Finding::screenshot) names one of `screenshots`.
    pub findings: Findings,
    /// The pictures of elements, each id once.
    pub screenshots: Vec<Screenshot>,
    /// The first page as a visitor sees it.
    pub screen: Option<Screenshot>,
}

impl ScanOutput {
    /// Returns a result without pictures.
    pub const fn new(findings: Findings) -> Self {
        Self { findings, screenshots: Vec::new(), screen: None }
    }

    /// Sets the pictures of elements.
    #[must_use]
    pub fn with_screenshots(self, screenshots: Vec<Screenshot>) -> Self {
        Self { screenshots, ..self }
    }

    /// Sets the picture of the first page, if one was taken.
    #[must_use]
    pub fn with_screen(self, screen: impl Into<Option<Screenshot>>) -> Self {
        Self { screen: screen.into(), ..self }
    }

    /// Returns whether there is any picture.
    pub const fn has_pictures(&self) -> bool {
        self.screen.is_some() || !self.screenshots.is_empty()
    }

    /// Removes every picture, because they can't be stored, and notes that in the findings.
    #[must_use]
    pub fn without_pictures(self) -> Self {
        Self { findings: self.findings.without_pictures(), screenshots: Vec::new(), screen: None }
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
