//! What a scan has found so far.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{Engine, Failure, FailureCode, Findings, PageOutcome},
    scanner::ProgressSink,
};
use url::Url;

use super::{address::folded, frontier::Frontier};
use crate::{
    axe_map::add_page,
    page::{Checked, PageError},
    platform::{Signals, detect},
};

/// Links that may turn out to be no page of their own, beyond the budget. Each costs a request.
const MAX_DROPPED: u32 = 100;
/// Pages that a site may be too busy for, over and over, before it is left in peace.
const MAX_TURNED_AWAY: u32 = 3;

/// What was visited so far, and what is left to visit.
pub(super) struct Ledger<'a> {
    frontier: Frontier,
    findings: Findings,
    signals: Signals,
    progress: &'a dyn ProgressSink,
    /// Pages that the findings may have.
    budget: u32,
    /// Addresses that were no page of their own.
    dropped: u32,
    /// Pages that the site was too busy for.
    turned_away: u32,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(frontier: Frontier, budget: u32, progress: &'a dyn ProgressSink, engine: Engine) -> Self {
        let findings = Findings {
            engine,
            pages: Vec::new(),
            rules: BTreeMap::new(),
            items: Vec::new(),
            needs_review: BTreeMap::new(),
            stack: Vec::new(),
            screen: None,
        };
        let signals = Signals::default();
        Self { frontier, findings, signals, progress, budget, dropped: 0, turned_away: 0 }
    }

    /// Adds what the site's sitemaps name.
    pub(super) fn add_sitemap(&mut self, pages: &[Url]) {
        self.frontier.add_sitemap(pages);
    }

    /// The page to visit next, and its distance from the start page, while `under_way` visits are not settled yet.
    /// `None` where their results may use up the budget, or where there is nothing to visit as yet.
    pub(super) fn next(&mut self, under_way: u32) -> Option<(Url, u32)> {
        let has_room = self.pages().saturating_add(under_way) < self.budget
            && self.dropped < self.budget.saturating_add(MAX_DROPPED)
            && self.turned_away < MAX_TURNED_AWAY;
        if has_room { self.frontier.next() } else { None }
    }

    /// Books the result of a visit to `url`, `depth` links from the start page.
    pub(super) fn settle(&mut self, url: &Url, depth: u32, result: Result<Checked, PageError>) {
        match result {
            Ok(Checked { url, mut collected, signals }) => {
                self.frontier.add_links(&std::mem::take(&mut collected.links), depth);
                let canonical = collected.canonical.take().and_then(|canonical| Url::parse(&canonical).ok());
                if !self.frontier.reach(&url, canonical.as_ref()) {
                    self.dropped += 1;
                    return;
                }
                self.signals.add(signals.unwrap_or_default());
                add_page(&mut self.findings, folded(&url).as_str(), collected);
            }
            Err(PageError::LeavesSite(to)) => {
                tracing::debug!(url = url.as_str(), to = to.as_str(), "a link leads to another site");
                self.dropped += 1;
                return;
            }
            Err(PageError::Failed(failure)) if failure.code == FailureCode::NotHtml => {
                self.dropped += 1;
                return;
            }
            Err(PageError::Failed(failure)) => self.add_failed(url, failure),
            Err(PageError::Busy { failure, .. }) => {
                self.turned_away += 1;
                self.add_failed(url, failure);
            }
            Err(PageError::Crashed) => {
                let message = "The page brought the browser down.";
                self.add_failed(url, Failure::new(FailureCode::BrowserCrashed, message));
            }
        }
        self.progress.pages_done(self.pages());
    }

    /// All of it, and what the site is built with.
    pub(super) fn close(self) -> Findings {
        Findings { stack: detect(&self.signals), ..self.findings }
    }

    fn pages(&self) -> u32 {
        u32::try_from(self.findings.pages.len()).unwrap_or(u32::MAX)
    }

    fn add_failed(&mut self, url: &Url, failure: Failure) {
        self.findings.pages.push(PageOutcome::failed(folded(url).as_str(), "", failure));
    }
}
