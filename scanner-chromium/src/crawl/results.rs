//! The results of a scan so far.

use a11ycheck_core::{
    domain::{Findings, PageOutcome, ScreenshotId, Tool, page_address},
    scanner::{ProgressSink, RuleOutcomes, ScanOutput, Screenshot, ScreenshotFormat},
};

use crate::{
    axe::add_page,
    evidence::{Album, Screen},
    platform::{Signals, detect},
    visit::Checked,
};

/// The pages that are done, in the order in which they were added, with what was found on them.
pub(super) struct Results<'a> {
    findings: Findings,
    /// What the rules came to, for each page of the findings.
    outcomes: Vec<RuleOutcomes>,
    album: Album,
    screen: Option<Screenshot>,
    signals: Signals,
    progress: &'a dyn ProgressSink,
}

impl<'a> Results<'a> {
    pub(super) fn new(engine: Tool, progress: &'a dyn ProgressSink) -> Self {
        let findings = Findings::new(engine).with_ran([]);
        let (album, signals) = (Album::default(), Signals::default());
        Self { findings, outcomes: Vec::new(), album, screen: None, signals, progress }
    }

    /// Adds a page that was checked. If it is the start page, its picture is that of the findings.
    pub(super) fn add_checked(&mut self, checked: Checked, is_start: bool) {
        let Checked { url, collected, signals, screen, .. } = checked;
        self.signals.add(signals.unwrap_or_default());
        let before = self.findings.items.len();
        let outcomes = add_page(&mut self.findings, &mut self.album, page_address(&url).as_str(), collected);
        self.outcomes.push(outcomes);
        if is_start {
            if let Some(Screen { width, height, webp: bytes, .. }) = screen {
                self.findings.screen = Some((width, height));
                let (id, format) = (ScreenshotId(0), ScreenshotFormat::WebP);
                self.screen = Some(Screenshot::new(id, format, width, height, bytes));
            }
        } else if let (Some(page), Some(picture)) = (self.findings.pages.last_mut(), screen) {
            page.picture = self.album.add_page(picture);
        }
        if let Some(page) = self.findings.pages.last() {
            let left_out: u64 = page.left_out.values().map(|count| u64::from(*count)).sum();
            let listed = u64::try_from(self.findings.items.len() - before).unwrap_or(u64::MAX);
            self.progress.page_done(page, listed.saturating_add(left_out));
        }
    }

    /// Adds a page that was not checked, or a dead link.
    pub(super) fn add_unchecked(&mut self, page: PageOutcome) {
        self.progress.page_done(&page, 0);
        self.findings.pages.push(page);
        self.outcomes.push(RuleOutcomes::default());
    }

    /// Notes that pages are missing because too many in a row were not ready in time.
    pub(super) const fn set_stopped_by_timeouts(&mut self, is_stopped: bool) {
        self.findings.stopped_by_timeouts = is_stopped;
    }

    pub(super) const fn has_pages(&self) -> bool {
        !self.findings.pages.is_empty()
    }

    /// Returns the number of pages, dead links included.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.findings.pages.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn progress(&self) -> &'a dyn ProgressSink {
        self.progress
    }

    /// Returns all results, and what the site is built with.
    pub(super) fn close(mut self) -> ScanOutput {
        self.findings.stack = detect(&self.signals);
        let screenshots = self.album.close(&mut self.findings);
        let output = ScanOutput::new(self.findings).with_screenshots(screenshots).with_screen(self.screen);
        output.with_rule_outcomes(self.outcomes)
    }
}
