//! The record of a scan: its results so far, and the pages that are left.

use a11ycheck_core::{
    catalog::failure_of,
    domain::{Course, Failure, FailureCause, FailureCode, FailureFacts, PageCounts, PageOutcome, Tool, page_address},
    scanner::{ProgressSink, ScanOutput, ScanRequest},
};
use url::Url;

use super::{
    frontier::{Frontier, Lead},
    memory::{Earlier, Hash256, Noted, Reused},
    results::Results,
    survey::Listed,
};
use crate::{
    evidence::Room,
    visit::{Checked, Look, PageError},
};

/// The number of links, beyond the budget, that may turn out to be no page of their own. Each costs a request.
const MAX_DROPPED: u32 = 100;
/// The number of pages for which a site may be too busy, despite repeated attempts, before no further page is
/// requested.
pub(super) const MAX_TURNED_AWAY: u32 = 3;
/// The number of pages in a row that may not be ready in time before no further page is requested. Each costs a minute.
pub(super) const MAX_TIME_OUTS: u32 = 10;

/// The pages that were visited so far, and those that are left to visit.
pub(super) struct Ledger<'a> {
    frontier: Frontier,
    results: Results<'a>,
    /// The counts that were reported last.
    reported: PageCounts,
    /// The number of pages that were chosen and are not settled yet.
    under_way: u32,
    /// The number of pages that the findings may have, not counting dead links.
    budget: u32,
    /// The number of dead links in the findings.
    dead: u32,
    /// The number of addresses that were no page of their own, or dead but beyond those that are listed.
    dropped: u32,
    /// The number of pages for which the site was too busy.
    turned_away: u32,
    /// The number of pages in a row, up to the latest, that were not ready in time.
    time_outs: u32,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(
        frontier: Frontier,
        budget: u32,
        progress: &'a dyn ProgressSink,
        engine: Tool,
        room: Room,
    ) -> Self {
        Self {
            frontier,
            results: Results::new(engine, progress, room),
            reported: PageCounts::default(),
            under_way: 0,
            budget,
            dead: 0,
            dropped: 0,
            turned_away: 0,
            time_outs: 0,
        }
    }

    /// Adds the pages that the site's sitemaps name.
    pub(super) fn add_sitemap(&mut self, pages: &[Listed]) {
        self.frontier.add_sitemap(pages);
        self.report();
    }

    /// Returns the page to visit next, while `under_way` visits are not settled yet. `None` if their results may use up
    /// the budget, or if there is nothing to visit yet.
    pub(super) fn next(&mut self, under_way: u32) -> Option<Lead> {
        self.under_way = under_way;
        let has_room = self.pages().saturating_add(under_way) < self.budget;
        let next = if has_room && self.goes_on() { self.frontier.next() } else { None };
        self.under_way += u32::from(next.is_some());
        if next.is_none() {
            // All waiting pages may have turned out to be closed to us.
            self.report();
        }
        next
    }

    /// Returns whether further pages may be requested, as far as the site's responses decide it.
    fn goes_on(&self) -> bool {
        self.dropped < self.budget.saturating_add(MAX_DROPPED)
            && self.turned_away < MAX_TURNED_AWAY
            && !self.is_stopped()
    }

    /// Returns whether so many pages in a row were not ready in time that no others are visited.
    pub(super) const fn is_stopped(&self) -> bool {
        self.time_outs >= MAX_TIME_OUTS
    }

    /// Ends a stopped check, with `waiting` chosen pages that are not settled.
    pub(super) fn stop(&mut self, waiting: u32) {
        self.time_outs = 0;
        let is_left = waiting > 0 || self.next(0).is_some();
        self.results.set_stopped_by_timeouts(is_left);
    }

    /// Records the result of a visit to the page that `lead` leads to.
    pub(super) fn settle(&mut self, lead: &Lead, result: Result<Checked, PageError>) {
        self.settle_noted(lead, result, None);
    }

    /// Does the same with a page of which something was noted.
    pub(super) fn settle_noted(&mut self, lead: &Lead, result: Result<Checked, PageError>, noted: Option<Noted>) {
        self.under_way = self.under_way.saturating_sub(1);
        self.book(lead, result, noted);
        self.report();
    }

    /// Records that the page that `lead` leads to, found at `url`, is as it was in the previous check, where
    /// this look was wanted.
    pub(super) fn settle_reused(&mut self, lead: &Lead, reused: &Reused<'_>, look: Look, earlier: &Earlier) {
        let Reused { memory, url, .. } = reused;
        self.under_way = self.under_way.saturating_sub(1);
        self.time_outs = 0;
        self.frontier.add_links(&memory.links, url, lead);
        let canonical = memory.canonical.as_deref().and_then(|canonical| Url::parse(canonical).ok());
        if self.frontier.reach(url, canonical.as_ref()) {
            self.results.add_reused(reused, look, earlier);
        } else {
            self.dropped += 1;
        }
        self.report();
    }

    fn book(&mut self, lead: &Lead, result: Result<Checked, PageError>, noted: Option<Noted>) {
        let url = &lead.url;
        let is_time_out = match &result {
            Err(PageError::Failed(failure) | PageError::HeldUp(failure)) => failure.code == FailureCode::Timeout,
            _ => false,
        };
        self.time_outs = if is_time_out { self.time_outs + 1 } else { 0 };
        match result {
            Ok(mut checked) => {
                let Checked { url, collected, .. } = &mut checked;
                let links = std::mem::take(&mut collected.links);
                self.frontier.add_links(&links, url, lead);
                let canonical = collected.canonical.take().and_then(|canonical| Url::parse(&canonical).ok());
                if !self.frontier.reach(url, canonical.as_ref()) {
                    self.dropped += 1;
                    return;
                }
                let is_start = !self.results.has_pages();
                if is_start {
                    // The start page may link to all pages of the site, which is one of the ways to find them.
                    checked.collected.links = links;
                }
                self.results.add_checked(checked, is_start, noted);
            }
            Err(PageError::LeavesSite { to, is_redirect: true }) => {
                tracing::debug!(url = url.as_str(), to = to.as_str(), "a link leads to another site");
                self.dropped += 1;
            }
            Err(PageError::Failed(failure)) if failure.code == FailureCode::NotHtml => self.dropped += 1,
            // 4xx, and circular redirects.
            Err(PageError::Failed(failure)) if failure.code == FailureCode::HttpStatus => self.add_dead(lead, failure),
            // There was a page, but its visitors get no further.
            Err(PageError::LeavesSite { to, is_redirect: false }) => self.add_failed(url, leaves_site(&to)),
            Err(PageError::Failed(failure) | PageError::HeldUp(failure) | PageError::Unwell { failure, .. }) => {
                self.add_failed(url, failure);
            }
            Err(PageError::Busy { failure, .. }) => {
                self.turned_away += 1;
                self.add_failed(url, failure);
            }
            Err(PageError::Crashed | PageError::OutOfMemory | PageError::Suspected | PageError::MadeRoom) => {
                let message = "The page brought the browser down.";
                self.add_failed(url, Failure::new(FailureCode::BrowserCrashed, message));
            }
        }
    }

    /// Reports how many pages are done and found, if that has changed.
    fn report(&mut self) {
        let done = self.pages();
        let chosen = done.saturating_add(self.under_way);
        let room = if self.goes_on() { self.budget.saturating_sub(chosen) } else { 0 };
        let pages = PageCounts::new(done, chosen.saturating_add(self.frontier.count_waiting(room)));
        if pages != self.reported {
            self.reported = pages;
            self.results.progress().progress(pages);
        }
    }

    /// Returns all results, and what the site is built with. If the scan leaves a memory, it is part of them.
    pub(super) fn close(self, memory: Option<(Hash256, Course)>) -> ScanOutput {
        self.results.close(memory)
    }

    fn pages(&self) -> u32 {
        self.results.count() - self.dead
    }

    fn add_failed(&mut self, url: &Url, failure: Failure) {
        self.results.add_unchecked(PageOutcome::failed(page_address(url), "", failure));
    }

    fn add_dead(&mut self, lead: &Lead, failure: Failure) {
        let url = page_address(&lead.url);
        let from = lead.linked_from.as_deref().unwrap_or_default();
        tracing::debug!(url = url.as_str(), from, "a link is dead");
        if self.dead < ScanRequest::MAX_DEAD_LINKS {
            self.dead += 1;
            self.results.add_unchecked(PageOutcome::dead_link(url, from, failure));
        } else {
            self.dropped += 1;
        }
    }
}

/// Returns the failure of a page that leads to another web site.
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
        visit::{Obstacle, walls::Sight},
    };

    #[derive(Debug, Default)]
    struct Count {
        done: AtomicU32,
        found: AtomicU32,
    }

    impl Count {
        fn pages(&self) -> PageCounts {
            PageCounts::new(self.done.load(Ordering::SeqCst), self.found.load(Ordering::SeqCst))
        }
    }

    impl ProgressSink for Count {
        fn progress(&self, PageCounts { done, found, .. }: PageCounts) {
            self.done.store(done, Ordering::SeqCst);
            self.found.store(found, Ordering::SeqCst);
        }
    }

    fn url(path: &str) -> Url {
        Url::parse(&format!("https://a.example/{path}")).unwrap()
    }

    fn ledger(budget: u32, progress: &Count) -> Ledger<'_> {
        let frontier = Frontier::new(Site::of(&url("")), Robots::allow_all());
        let engine = Tool::axe_core("4.14", "Chrome");
        Ledger::new(frontier, budget, progress, engine, Room::default())
    }

    fn checked(url: Url, links: impl IntoIterator<Item = String>) -> Result<Checked, PageError> {
        let collected = serde_json::json!({
            "version": "4.14", "title": "", "hasPassword": false, "showsOnlyLogin": false, "canonical": null,
            "fragment": "",
            "links": links.into_iter().collect::<Vec<_>>(), "violations": [], "incomplete": [], "passed": [], "inapplicable": [],
        });
        let collected = serde_json::from_value(collected).unwrap();
        let parts = Err(Obstacle::Unfinished);
        let (signals, screen, wall) = (None, None, None);
        Ok(Checked { url, collected, signals, screen, sight: Sight::default(), wall, parts })
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
        assert_eq!(ledger.close(None).findings.pages.len(), 4, "the start page, and what was tried");
    }

    fn timed_out() -> Result<Checked, PageError> {
        Err(PageError::Failed(Failure::new(FailureCode::Timeout, "The page never finished loading.")))
    }

    #[test]
    fn a_site_that_hangs_is_stopped_after_ten_pages_in_a_row_and_says_so() {
        let count = Count::default();
        let mut ledger = ledger(50, &count);
        ledger.settle(&Lead::start(url("")), checked(url(""), many_links(0)));
        // A page that responds in between restarts the count.
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
        let findings = ledger.close(None).findings;
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
            assert_eq!(ledger.close(None).findings.stopped_by_timeouts, waiting > 0, "the budget is used up");
        }
    }

    #[test]
    fn the_pages_found_are_those_that_are_left_to_do_as_far_as_they_are_known() {
        let count = Count::default();
        let mut ledger = ledger(10, &count);
        let found = |done, found| assert_eq!(count.pages(), PageCounts::new(done, found));
        // The page's own address, another spelling of a known one, and files are not counted.
        let links = ["", "a", "b", "a/", "c.zip"].map(|path| url(path).into());
        ledger.settle(&Lead::start(url("")), checked(url(""), links));
        found(1, 3);
        let a = ledger.next(0).unwrap();
        let b = ledger.next(1).unwrap();
        ledger.settle(&a, checked(a.url.clone(), many_links(0)));
        found(2, 10);
        ledger.settle(&b, checked(b.url.clone(), []));
        found(3, 10);
    }

    #[test]
    fn a_link_that_leads_to_no_page_is_found_no_longer() {
        let count = Count::default();
        let mut ledger = ledger(10, &count);
        ledger.settle(&Lead::start(url("")), checked(url(""), ["a", "b"].map(|path| url(path).into())));
        for left in [2, 1] {
            let lead = ledger.next(0).unwrap();
            ledger.settle(&lead, gone());
            assert_eq!(count.pages(), PageCounts::new(1, left));
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
        let findings = ledger.close(None).findings;
        assert_eq!((findings.pages_scanned(), count.pages()), (1, PageCounts::new(1, 1)));
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
        let pages = ledger.close(None).findings.pages;
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
                    // The start page has links enough for every outcome.
                    0 => checked(lead.url.clone(), many_links(1_000).take(20)),
                    1 => Err(PageError::LeavesSite { to: url("x"), is_redirect: true }),
                    2 => Err(PageError::Failed(Failure::new(FailureCode::NotHtml, "No page."))),
                    3 => gone(),
                    // A redirect to the start page.
                    _ => checked(url(""), []),
                };
                ledger.settle(&lead, result);
            }
            let findings = ledger.close(None).findings;
            prop_assert_eq!(findings.pages_scanned(), budget as usize);
            prop_assert_eq!(count.pages(), PageCounts::new(budget, budget));
        }
    }
}
