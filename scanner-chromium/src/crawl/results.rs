//! The results of a scan so far.

use std::collections::BTreeSet;

use a11ycheck_core::{
    domain::{Course, Finding, Findings, PageOutcome, RuleId, ScreenshotId, Tool, page_address},
    scanner::{ProgressSink, Remembered, RuleOutcomes, ScanOutput, Screenshot, ScreenshotFormat},
};

use super::{
    across::{Across, PageBlocks, is_across},
    memory::{self, Earlier, Hash256, Noted, PageMemory, Reused, pictures_of},
};
use crate::{
    axe::{add_page, add_reasons},
    evidence::{Album, Room, Screen},
    platform::{Signals, detect},
    visit::{Checked, Look},
};

/// The pages that are done, in the order in which they were added, with what was found on them.
pub(super) struct Results<'a> {
    findings: Findings,
    /// The outcomes of rules on each page of the findings, in the order of the pages.
    outcomes: Vec<RuleOutcomes>,
    album: Album,
    screen: Option<Screenshot>,
    signals: Signals,
    /// The pages that are remembered for the next scan.
    remembered: Vec<PageMemory>,
    /// The blocks of the pages, which are compared at the end.
    across: Across,
    progress: &'a dyn ProgressSink,
}

impl<'a> Results<'a> {
    /// Returns results without pages. They say in `room` which pictures they have room for.
    pub(super) fn new(engine: Tool, progress: &'a dyn ProgressSink, room: Room) -> Self {
        let findings = Findings::new(engine).with_ran([]);
        let (album, signals, across) = (Album::with_room(room), Signals::default(), Across::default());
        Self { findings, outcomes: Vec::new(), album, screen: None, signals, remembered: Vec::new(), across, progress }
    }

    /// Adds a page that was checked, and remembers it if it was noted. If it is the start page, its picture is that of the findings.
    pub(super) fn add_checked(&mut self, checked: Checked, is_start: bool, noted: Option<Noted>) {
        let Checked { url, collected, signals, screen, .. } = checked;
        self.signals.add(signals.unwrap_or_default());
        let before = self.findings.items.len();
        let page = self.findings.pages.len();
        let blocks = collected.shared.as_ref().and_then(|shared| {
            if is_start {
                self.across.begin(page, &shared.source, &collected.links);
            }
            self.across.add(page, PageBlocks::of(shared))
        });
        let sums = add_page(&mut self.findings, &mut self.album, page_address(&url).as_str(), collected);
        self.outcomes.push(sums.outcomes.clone());
        let outcome = &self.findings.pages[page];
        let memory = noted.zip(blocks).and_then(|(noted, blocks)| noted.remembered(page, outcome, sums, blocks));
        self.remembered.extend(memory);
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

    /// Adds a page whose outcome is that of the previous check, where this look was wanted.
    pub(super) fn add_reused(&mut self, reused: &Reused<'_>, look: Look, earlier: &Earlier) {
        let Reused { memory, is_confirmed, .. } = *reused;
        let check = earlier.check();
        let was = |item: &&Finding| item.page == memory.page && !is_across(&item.rule);
        let page = self.findings.pages.len();
        let mut outcome = check.findings.pages[memory.page].clone();
        outcome.looked_at = (!is_confirmed).then(|| outcome.looked_at.unwrap_or(check.finished_at));
        outcome.picture = outcome.picture.and_then(|picture| self.album.keep(picture));
        let of_rules: BTreeSet<&RuleId> = check.findings.items.iter().filter(was).map(|item| &item.rule).collect();
        let failed = of_rules.into_iter().chain(outcome.left_out.keys());
        let ran: BTreeSet<RuleId> = failed.chain(memory.needs_review.keys()).cloned().collect();
        for rule in &ran {
            if let Some(facts) = check.findings.rules.get(rule) {
                self.findings.rules.entry(rule.clone()).or_insert_with(|| facts.clone());
            }
        }
        let mut take = |item: &Finding| {
            let mut item = item.clone();
            (item.page, item.is_new) = (page, false);
            item.screenshot = item.screenshot.and_then(|picture| self.album.keep(picture));
            item
        };
        let items: Vec<Finding> = check.findings.items.iter().filter(was).map(&mut take).collect();
        let room = Findings::MAX_ALL_UNDECIDED.saturating_sub(self.findings.undecided.len());
        let undecided: Vec<Finding> = check.findings.undecided.iter().filter(was).take(room).map(take).collect();
        let left_out: u64 = outcome.left_out.values().map(|count| u64::from(*count)).sum();
        self.progress.page_done(&outcome, left_out + items.len() as u64);
        self.findings.items.extend(items);
        self.findings.undecided.extend(undecided);
        for (rule, count) in &memory.needs_review {
            *self.findings.needs_review.entry(rule.clone()).or_default() += count;
        }
        for (rule, reasons) in &memory.reasons {
            add_reasons(self.findings.undecided_reasons.entry(rule.clone()).or_default(), reasons);
        }
        let RuleOutcomes { passed, inapplicable } = &memory.outcomes;
        self.findings.ran.get_or_insert_default().extend(ran.into_iter().chain(passed | inapplicable));
        self.findings.pages.push(outcome);
        self.outcomes.push(memory.outcomes.clone());
        if look == Look::Platform {
            self.signals.add(Signals::of_marks(memory.marks.as_deref().unwrap_or_default()));
        }
        // Findings of the probes that compare pages are not taken over: they depend on the other pages, and are made
        // again.
        let blocks = self.across.add(page, memory.blocks.clone());
        self.remembered.extend(blocks.map(|blocks| PageMemory { page, blocks, ..memory.clone() }));
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

    /// Returns all results, with the platform of the site and the findings of comparing the pages. They include the
    /// memory for the next scan, if this scan leaves one.
    pub(super) fn close(self, memory: Option<(Hash256, Course)>) -> ScanOutput {
        let (mut output, across) = self.close_apart(memory);
        across.add_to(&mut output);
        output
    }

    /// Returns the results without the findings of comparing the pages, and the pages that are still to be compared.
    pub(super) fn close_apart(mut self, memory: Option<(Hash256, Course)>) -> (ScanOutput, Across) {
        self.findings.stack = detect(&self.signals);
        let kept = self.album.kept();
        let screenshots = self.album.close(&mut self.findings);
        let output = ScanOutput::new(self.findings).with_screenshots(screenshots).with_screen(self.screen);
        // Of a longer list, what a page has depends on the pages before it.
        let has_all = output.findings.undecided.len() < Findings::MAX_ALL_UNDECIDED;
        let pages = if has_all { self.remembered } else { Vec::new() };
        let remembered = memory.map(|(key, course)| {
            let counted = |page: PageMemory| PageMemory { pictures: pictures_of(&output.findings, page.page), ..page };
            Remembered::new(course, memory::write(&key, &pages.into_iter().map(counted).collect::<Vec<_>>()))
        });
        let output = output.with_rule_outcomes(self.outcomes).with_kept_pictures(kept).with_remembered(remembered);
        (output, self.across)
    }
}
