//! What a scan has found so far.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::{
    catalog::failure_of,
    domain::{
        Engine, Failure, FailureCause, FailureCode, FailureFacts, Findings, PageOutcome, ScreenshotId, page_address,
    },
    scanner::{ProgressSink, ScanOutput, ScanRequest, Screenshot, ScreenshotFormat},
};
use url::Url;

use super::{
    frontier::{Frontier, Lead},
    survey::Listed,
};
use crate::{
    axe::add_page,
    evidence::{Album, Screen},
    platform::{Signals, detect},
    visit::{Checked, PageError},
};

/// Links that may turn out to be no page of their own, beyond the budget. Each costs a request.
const MAX_DROPPED: u32 = 100;
/// Pages that a site may be too busy for, over and over, before it is left in peace.
const MAX_TURNED_AWAY: u32 = 3;
/// Pages in a row that may not be ready in time, before no further page is asked for. Each costs a minute.
const MAX_TIME_OUTS: u32 = 10;

/// What was visited so far, and what is left to visit.
pub(super) struct Ledger<'a> {
    frontier: Frontier,
    findings: Findings,
    album: Album,
    screen: Option<Screenshot>,
    signals: Signals,
    progress: &'a dyn ProgressSink,
    /// Pages that the findings may have, dead links aside.
    budget: u32,
    /// Dead links that the findings have.
    dead: u32,
    /// Addresses that were no page of their own, or dead and too many to be listed.
    dropped: u32,
    /// Pages that the site was too busy for.
    turned_away: u32,
    /// Pages that were not ready in time, one after the other, up to the latest.
    time_outs: u32,
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
            ran: Some(BTreeSet::new()),
            pictures_not_stored: false,
            stopped_by_timeouts: false,
        };
        let signals = Signals::default();
        let (album, screen) = (Album::default(), None);
        Self {
            frontier,
            findings,
            album,
            screen,
            signals,
            progress,
            budget,
            dead: 0,
            dropped: 0,
            turned_away: 0,
            time_outs: 0,
        }
    }

    /// Adds what the site's sitemaps name.
    pub(super) fn add_sitemap(&mut self, pages: &[Listed]) {
        self.frontier.add_sitemap(pages);
    }

    /// The page to visit next, while `under_way` visits are not settled yet. `None` where their results may use up the budget,
    /// or where there is nothing to visit as yet.
    pub(super) fn next(&mut self, under_way: u32) -> Option<Lead> {
        let has_room = self.pages().saturating_add(under_way) < self.budget
            && self.dropped < self.budget.saturating_add(MAX_DROPPED)
            && self.turned_away < MAX_TURNED_AWAY
            && !self.is_stopped();
        if has_room { self.frontier.next() } else { None }
    }

    /// Whether so many pages in a row were not ready in time that the others are left alone.
    pub(super) const fn is_stopped(&self) -> bool {
        self.time_outs >= MAX_TIME_OUTS
    }

    /// Ends a stopped check, with `waiting` chosen pages that are not settled.
    pub(super) fn stop(&mut self, waiting: u32) {
        self.time_outs = 0;
        self.findings.stopped_by_timeouts = waiting > 0 || self.next(0).is_some();
    }

    /// Books the result of a visit to the page that `lead` leads to.
    pub(super) fn settle(&mut self, lead: &Lead, result: Result<Checked, PageError>) {
        let url = &lead.url;
        let is_time_out = match &result {
            Err(PageError::Failed(failure) | PageError::HeldUp(failure)) => failure.code == FailureCode::Timeout,
            _ => false,
        };
        self.time_outs = if is_time_out { self.time_outs + 1 } else { 0 };
        match result {
            Ok(Checked { url, mut collected, signals, screen, .. }) => {
                self.frontier.add_links(&std::mem::take(&mut collected.links), &url, lead);
                let canonical = collected.canonical.take().and_then(|canonical| Url::parse(&canonical).ok());
                if !self.frontier.reach(&url, canonical.as_ref()) {
                    self.dropped += 1;
                    return;
                }
                self.signals.add(signals.unwrap_or_default());
                if let Some(Screen { width, height, webp: bytes }) = screen {
                    self.findings.screen = Some((width, height));
                    let (id, format) = (ScreenshotId(0), ScreenshotFormat::WebP);
                    self.screen = Some(Screenshot { id, format, width, height, bytes });
                }
                add_page(&mut self.findings, &mut self.album, page_address(&url).as_str(), collected);
            }
            Err(PageError::LeavesSite { to, is_redirect: true }) => {
                tracing::debug!(url = url.as_str(), to = to.as_str(), "a link leads to another site");
                self.dropped += 1;
                return;
            }
            Err(PageError::Failed(failure)) if failure.code == FailureCode::NotHtml => {
                self.dropped += 1;
                return;
            }
            // 4xx, and redirects in a circle.
            Err(PageError::Failed(failure)) if failure.code == FailureCode::HttpStatus => {
                self.add_dead(lead, failure);
                return;
            }
            // There was a page, and its visitors get no further.
            Err(PageError::LeavesSite { to, is_redirect: false }) => self.add_failed(url, leaves_site(&to)),
            Err(PageError::Failed(failure) | PageError::HeldUp(failure) | PageError::Unwell { failure, .. }) => {
                self.add_failed(url, failure);
            }
            Err(PageError::Busy { failure, .. }) => {
                self.turned_away += 1;
                self.add_failed(url, failure);
            }
            Err(PageError::Crashed | PageError::OutOfMemory | PageError::MadeRoom) => {
                let message = "The page brought the browser down.";
                self.add_failed(url, Failure::new(FailureCode::BrowserCrashed, message));
            }
        }
        self.progress.pages_done(self.pages());
    }

    /// All of it, and what the site is built with.
    pub(super) fn close(self) -> ScanOutput {
        let findings = Findings { stack: detect(&self.signals), ..self.findings };
        ScanOutput { findings, screenshots: self.album.close(), screen: self.screen }
    }

    fn pages(&self) -> u32 {
        u32::try_from(self.findings.pages.len()).unwrap_or(u32::MAX) - self.dead
    }

    fn add_failed(&mut self, url: &Url, failure: Failure) {
        self.findings.pages.push(PageOutcome::failed(page_address(url), "", failure));
    }

    fn add_dead(&mut self, lead: &Lead, failure: Failure) {
        let url = page_address(&lead.url);
        let from = lead.linked_from.as_deref().unwrap_or_default();
        tracing::debug!(url = url.as_str(), from, "a link is dead");
        if self.dead < ScanRequest::MAX_DEAD_LINKS {
            self.dead += 1;
            self.findings.pages.push(PageOutcome::dead_link(url, from, failure));
        } else {
            self.dropped += 1;
        }
    }
}

/// A page that leads to another web site.
pub(super) fn leaves_site(to: &Url) -> Failure {
    failure_of(FailureCause::LeadsToHost, to.host_str().map(FailureFacts::of_host).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use proptest::prelude::*;

    use super::*;
    use crate::{
        crawl::{robots::Robots, site::Site},
        visit::walls::Sight,
    };

    #[derive(Debug, Default)]
    struct Count(AtomicU32);

    impl ProgressSink for Count {
        fn pages_done(&self, pages: u32) {
            self.0.store(pages, Ordering::SeqCst);
        }
    }

    fn url(path: &str) -> Url {
        Url::parse(&format!("https://a.example/{path}")).unwrap()
    }

    fn ledger(budget: u32, progress: &Count) -> Ledger<'_> {
        let frontier = Frontier::new(Site::of(&url("")), Robots::allow_all());
        let engine = Engine::axe_core("4.14", "Chrome");
        Ledger::new(frontier, budget, progress, engine)
    }

    fn checked(url: Url, links: impl IntoIterator<Item = String>) -> Result<Checked, PageError> {
        let collected = serde_json::json!({
            "version": "4.14", "title": "", "hasPassword": false, "showsOnlyLogin": false, "canonical": null,
            "fragment": "",
            "links": links.into_iter().collect::<Vec<_>>(), "violations": [], "incomplete": [], "ran": [],
        });
        let collected = serde_json::from_value(collected).unwrap();
        Ok(Checked { url, collected, signals: None, screen: None, sight: Sight::default(), wall: None })
    }

    fn many_links(from: u32) -> impl Iterator<Item = String> {
        (from..from + 200).map(|id| url(&format!("p/{id}")).into())
    }

    fn busy() -> Result<Checked, PageError> {
        let failure = Failure::new(FailureCode::HttpStatus, "The web server answered with error status 503.");
        Err(PageError::Busy { failure, retry_after: None })
    }

    #[test]
    fn a_site_that_stays_busy_is_left_in_peace() {
        let count = Count::default();
        let mut ledger = ledger(50, &count);
        ledger.settle(&Lead::start(url("")), checked(url(""), many_links(0)));
        for _ in 0..MAX_TURNED_AWAY {
            let lead = ledger.next(0).unwrap();
            ledger.settle(&lead, busy());
        }
        assert_eq!(ledger.next(0), None);
        assert_eq!(ledger.close().findings.pages.len(), 4, "the start page, and what was tried");
    }

    fn timed_out() -> Result<Checked, PageError> {
        Err(PageError::Failed(Failure::new(FailureCode::Timeout, "The page never finished loading.")))
    }

    #[test]
    fn a_site_that_hangs_is_stopped_after_ten_pages_in_a_row_and_says_so() {
        let count = Count::default();
        let mut ledger = ledger(50, &count);
        ledger.settle(&Lead::start(url("")), checked(url(""), many_links(0)));
        // One that answers in between begins the count again.
        for hanging in [MAX_TIME_OUTS - 1, MAX_TIME_OUTS] {
            for _ in 0..hanging {
                assert!(!ledger.is_stopped());
                let lead = ledger.next(0).unwrap();
                ledger.settle(&lead, timed_out());
            }
            if hanging < MAX_TIME_OUTS {
                let lead = ledger.next(0).unwrap();
                ledger.settle(&lead, checked(lead.url.clone(), []));
            }
        }
        assert!(ledger.is_stopped() && ledger.next(0).is_none());
        ledger.stop(0);
        let findings = ledger.close().findings;
        assert_eq!(findings.pages.len(), 1 + 9 + 1 + 10);
        assert!(findings.stopped_by_timeouts);
    }

    #[test]
    fn a_check_that_has_reached_all_pages_was_not_stopped() {
        for waiting in [0, 1] {
            let count = Count::default();
            let mut ledger = ledger(1 + MAX_TIME_OUTS, &count);
            ledger.settle(&Lead::start(url("")), checked(url(""), many_links(0)));
            for _ in 0..MAX_TIME_OUTS {
                let lead = ledger.next(0).unwrap();
                ledger.settle(&lead, timed_out());
            }
            ledger.stop(waiting);
            assert_eq!(ledger.close().findings.stopped_by_timeouts, waiting > 0, "the budget is used up");
        }
    }

    fn gone() -> Result<Checked, PageError> {
        Err(PageError::Failed(Failure::new(FailureCode::HttpStatus, "The web server answered with error status 404.")))
    }

    #[test]
    fn dead_links_cost_no_page_and_a_site_of_nothing_else_ends() {
        let count = Count::default();
        let mut ledger = ledger(5, &count);
        let links = (0..3_000).map(|id| url(&format!("p/{id}")).into());
        ledger.settle(&Lead::start(url("")), checked(url(""), links));
        let mut asked = 0;
        while let Some(lead) = ledger.next(0) {
            asked += 1;
            ledger.settle(&lead, gone());
        }
        assert_eq!(asked, ScanRequest::MAX_DEAD_LINKS + 5 + MAX_DROPPED);
        let findings = ledger.close().findings;
        assert_eq!((findings.pages_scanned(), count.0.into_inner()), (1, 1));
        let dead: Vec<_> = findings.pages.iter().filter(|page| page.is_dead_link()).collect();
        assert_eq!(dead.len(), ScanRequest::MAX_DEAD_LINKS as usize);
        assert!(dead.iter().all(|page| page.linked_from.as_deref() == Some("https://a.example/")));
    }

    #[test]
    fn a_page_that_led_away_is_listed_and_a_redirect_that_did_is_no_page() {
        let count = Count::default();
        let mut ledger = ledger(50, &count);
        ledger.settle(&Lead::start(url("")), checked(url(""), many_links(0)));
        for is_redirect in [true, false] {
            let lead = ledger.next(0).unwrap();
            let to = Url::parse("https://b.example/x").unwrap();
            ledger.settle(&lead, Err(PageError::LeavesSite { to, is_redirect }));
        }
        let pages = ledger.close().findings.pages;
        let failures: Vec<_> = pages.iter().filter_map(|page| page.error.as_ref()).collect();
        assert_eq!((pages.len(), failures.len(), failures[0].code), (2, 1, FailureCode::RedirectedAway));
        assert!(failures[0].message.contains("b.example"), "{}", failures[0]);
    }

    #[test]
    fn a_site_of_files_and_redirects_ends_too() {
        let count = Count::default();
        let mut ledger = ledger(5, &count);
        ledger.settle(&Lead::start(url("")), checked(url(""), many_links(0)));
        let mut asked = 0;
        while let Some(lead) = ledger.next(0) {
            asked += 1;
            ledger.settle(&lead, Err(PageError::LeavesSite { to: url("elsewhere"), is_redirect: true }));
        }
        assert_eq!(asked, 5 + MAX_DROPPED);
    }

    proptest! {
        #[test]
        fn the_budget_is_never_exceeded_and_always_used_up_while_there_are_pages(
            budget in 1_u32..12, lookahead in 1_u32..6, outcomes in prop::collection::vec(0_u8..5, 60),
        ) {
            let count = Count::default();
            let mut ledger = ledger(budget, &count);
            ledger.settle(&Lead::start(url("")), checked(url(""), many_links(0)));
            let mut under_way = std::collections::VecDeque::new();
            let mut outcomes = outcomes.into_iter().chain(std::iter::repeat(0));
            loop {
                while under_way.len() < lookahead as usize
                    && let Some(page) = ledger.next(u32::try_from(under_way.len()).unwrap())
                {
                    under_way.push_back(page);
                }
                let Some(lead) = under_way.pop_front() else { break };
                let result = match outcomes.next().unwrap() {
                    0 => checked(lead.url.clone(), many_links(1_000)),
                    1 => Err(PageError::LeavesSite { to: url("x"), is_redirect: true }),
                    2 => Err(PageError::Failed(Failure::new(FailureCode::NotHtml, "No page."))),
                    3 => gone(),
                    // A redirect to the start page.
                    _ => checked(url(""), []),
                };
                ledger.settle(&lead, result);
            }
            let findings = ledger.close().findings;
            prop_assert_eq!(findings.pages_scanned(), budget as usize);
            prop_assert_eq!(count.0.into_inner() as usize, budget as usize);
        }
    }
}
