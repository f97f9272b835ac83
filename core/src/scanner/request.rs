//! What goes into a scan and what comes out.

use crate::{
    domain::{Findings, ScreenshotId, SiteUrl},
    id::ScanId,
};

/// What to check.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// The check, for logs.
    pub scan: ScanId,
    /// Where to start. Pages of the same host are followed from here.
    pub start: SiteUrl,
    /// How many pages to list at most, dead links aside; at least 1.
    pub page_budget: u32,
}

impl ScanRequest {
    /// Dead links that findings list at most, beside the pages of the [`page_budget`](Self::page_budget):
    /// pages for which [`PageOutcome::is_dead_link`](crate::domain::PageOutcome::is_dead_link) holds.
    pub const MAX_DEAD_LINKS: u32 = 100;
}

/// Hears how far a scan has come.
#[cfg_attr(test, mockall::automock)]
pub trait ProgressSink: Send + Sync {
    /// `pages` pages are done, failed ones included, dead links aside. Never decreases within one scan.
    fn pages_done(&self, pages: u32);
}

/// What a scan found.
#[derive(Debug, Clone)]
pub struct ScanOutput {
    /// The findings; every [`Finding::screenshot`](crate::domain::Finding::screenshot) names one of `screenshots`.
    pub findings: Findings,
    /// The pictures of elements, each id once.
    pub screenshots: Vec<Screenshot>,
    /// The first page as a visitor sees it.
    pub screen: Option<Screenshot>,
}

impl ScanOutput {
    /// Whether there is any picture.
    pub const fn has_pictures(&self) -> bool {
        self.screen.is_some() || !self.screenshots.is_empty()
    }

    /// Leaves every picture out, because they can't be stored, which the findings say from then on.
    #[must_use]
    pub fn without_pictures(self) -> Self {
        Self { findings: self.findings.without_pictures(), screenshots: Vec::new(), screen: None }
    }
}

/// A picture taken during a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screenshot {
    /// Its number within the scan.
    pub id: ScreenshotId,
    /// How it is encoded.
    pub format: ScreenshotFormat,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// The encoded picture.
    pub bytes: Vec<u8>,
}

/// The encodings of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the formats' own names")]
pub enum ScreenshotFormat {
    Png,
    WebP,
}
