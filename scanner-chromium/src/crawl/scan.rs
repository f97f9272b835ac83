//! One scan: what the site says about itself, the start page, and the choice of the pages that follow from what was
//! found.
//!
//! This module chooses; [`Visits`] opens and checks a page.

mod exact;
mod proof;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use a11ycheck_core::{
    catalog::{failure_of, terms},
    domain::{Course, Failure, FailureCause, FailureCode, FailureFacts, Tool},
    locale::Locale,
    net::LookupShare,
    scanner::{ProgressSink, ScanOutput, ScanRequest},
};
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::time::{Duration, Instant};
use url::Url;

pub(crate) use self::exact::check_exactly;
use self::proof::{Proof, incremental};
use super::{
    actions::WithoutActions,
    fetch::{FetchError, Fetcher},
    frontier::{Frontier, Lead},
    ledger::{Ledger, leaves_site},
    login,
    memory::{self, Earlier, Hash256, Noted, Notes, PageMemory, Reused},
    missing::MissingPages,
    robots::{PRODUCT_TOKEN, Robots},
    site::{Site, Start, Way},
    survey::{Access, Survey},
};
use crate::{
    BrowserError, Reuse, RobotsPolicy,
    browser::installed_fonts,
    evidence::Room,
    guard::{Egress, Guard, GuardError, Reach},
    parts::Parts,
    probes,
    visit::{Checked, Look, PageError, Scope, Visited, Visits, timed_out},
};

/// The number of pages that are chosen before the first of them is done. It is a constant, so that the same pages are
/// chosen on any machine.
const LOOKAHEAD: u32 = 8;
/// The number of pages, after the start page, that are examined for what the site is built with.
const PLATFORM_PAGES: u32 = 2;
/// The time for robots.txt, sitemaps and the waits that a busy site asks for, in addition to that for all pages.
const SURVEY_TIME: Duration = Duration::from_secs(60);
/// The number of bytes that a scan may move: some for every scan, and more for each page, several times what pages
/// weigh on average. One heavy page may use what light ones leave.
const BYTES_PER_SCAN: u64 = 200 * 1024 * 1024;
const BYTES_PER_PAGE: u64 = 10 * 1024 * 1024;
/// The number of names that a scan may look up at a time, so that names without an answer hold up no other scan.
const LOOKUPS_PER_SCAN: usize = 8;
/// The number of bytes that robots.txt and sitemaps may take in addition.
const SURVEY_BYTES: u64 = 64 * 1024 * 1024;
/// The number of bytes that requests for parts of pages may move in addition; what comes back is bounded more closely.
const NOTES_BYTES: u64 = 96 * 1024 * 1024;

/// The reason why a scan has no result.
#[derive(Debug)]
pub(crate) enum CrawlError {
    /// The start page could not be checked.
    Start(Failure),
    /// The start page could not be checked, but may be later: the site is too busy, or its server fails.
    Troubled { failure: Failure, retry_after: Option<Duration> },
    /// No browser or guard could be started; nothing of the site was requested.
    NoBrowser(BrowserError),
    /// The browser was lost during the scan, and no other could be started.
    LostBrowser(BrowserError),
    /// The crawler's own requests could not be set up.
    Fetcher(FetchError),
}

impl From<BrowserError> for CrawlError {
    fn from(error: BrowserError) -> Self {
        Self::LostBrowser(error)
    }
}

impl From<FetchError> for CrawlError {
    fn from(error: FetchError) -> Self {
        Self::Fetcher(error)
    }
}

/// A scan under way. Dropping it closes its tabs and its guards.
pub(crate) struct Crawl<'a> {
    request: &'a ScanRequest,
    robots: RobotsPolicy,
    /// The rules of its guards.
    egress: Egress,
    /// The decision which of the operator's networks it reaches, by where its documents come from.
    reach: Reach,
    visits: Visits<'a>,
    /// The fetcher, which has a guard of its own: the log of the visits' guard must contain only what the browser asked
    /// for.
    fetcher: Fetcher<'a>,
    /// The notes about pages for the next scan; `None` if scans leave no memory.
    notes: Option<Notes>,
    /// The user agent of its requests.
    user_agent: String,
    /// The fonts with which pages are drawn, if anything is noted of them.
    fonts: String,
    /// The room for pictures that is left.
    room: Room,
    parts: &'a Parts,
    done_by: Instant,
}

impl<'a> Crawl<'a> {
    /// Gets a browser and opens the guards.
    pub(crate) async fn begin(parts: &'a Parts, request: &'a ScanRequest) -> Result<Self, CrawlError> {
        let (start, pages, done_by) = (request.start.url(), request.page_budget, end_of(parts, request));
        let site = SiteTask { start, pages, room: Room::default(), done_by };
        Self::begin_at(parts, request, site).await
    }

    /// Does the same for a site of a scan.
    async fn begin_at(parts: &'a Parts, request: &'a ScanRequest, site: SiteTask<'_>) -> Result<Self, CrawlError> {
        let SiteTask { start, pages, room, done_by } = site;
        let config = &parts.config;
        let browser = parts.browsers.for_new_scan().await.map_err(CrawlError::NoBrowser)?;
        let reach = Reach::of_check(config.policy.clone(), start);
        let resolver = Arc::new(LookupShare::of(Arc::clone(&config.resolver), LOOKUPS_PER_SCAN));
        let egress = Egress::Judged { reach: reach.clone(), resolver, proxy: config.proxy.clone() };
        let max_bytes = BYTES_PER_SCAN + BYTES_PER_PAGE * u64::from(pages);
        let guard = Guard::open(egress.clone(), max_bytes).await.map_err(no_way_out)?;
        let survey_guard = Guard::open(egress.clone(), SURVEY_BYTES).await.map_err(no_way_out)?;
        let fetcher =
            Fetcher::new(survey_guard, parts.tls.clone(), &parts.browsers, &parts.permits, config.headers.clone())?;
        let user_agent = browser.user_agent().to_owned();
        let visits = Visits::begin(parts, request, browser, guard, room.clone(), done_by);
        let mut fonts = String::new();
        let notes = match config.reuse {
            Reuse::On if request.pages.is_none() && config.is_repeatable() => {
                let guard = Guard::open(egress.clone(), NOTES_BYTES).await.map_err(no_way_out)?;
                fonts = fonts_for(request).await;
                Some(Notes::new(guard, parts.tls.clone(), &user_agent, Arc::clone(visits.pace()), done_by)?)
            }
            Reuse::On | Reuse::Off => None,
        };
        let robots = config.robots;
        Ok(Self { request, robots, egress, reach, visits, fetcher, notes, user_agent, fonts, room, parts, done_by })
    }

    /// Visits the start page and the pages to which it and the site's sitemaps lead.
    pub(crate) async fn run(self, progress: &dyn ProgressSink) -> Result<ScanOutput, CrawlError> {
        let start = self.request.start.url();
        let scope = Start::of(start);
        let robots = self.robots_for(start, &scope).await?;
        let way: Arc<dyn Scope> = Arc::new(Way::new(scope.clone(), self.reach.clone()));
        let expected = self.key(self.parts.axe.version(), &self.visits.browser_product());
        let earlier = self.earlier(&expected);
        let reusable = incremental(earlier.as_ref(), self.request);
        // The rules are those of this origin: other pages are asked for once it is known where the site is.
        let is_known =
            |url: &Url| url.origin() == start.origin() && robots.as_ref().is_ok_and(|robots| robots.allows(url));
        let (first, sampled) = self.look_at_start(&scope, &way, reusable, is_known).await?;
        let first = match first {
            Some(Ok(checked)) => checked,
            Some(Err(error)) => return Err(self.at_start(start, error).await),
            None => return Err(CrawlError::Start(timed_out())),
        };
        if login::was_sent_to_login(start, &first) {
            let message = "A login page stands in place of the page that was asked for.";
            return Err(CrawlError::Start(Failure::new(FailureCode::LoginRequired, message)));
        }
        if !self.visits.log().was_asked_for(first.url.host_str().unwrap_or_default(), port(&first.url)) {
            return Err(BrowserError::GuardNotInForce.into());
        }
        let robots = match robots {
            Ok(robots) if start.origin() == first.url.origin() => allowing(robots, &first.url)?,
            // Each origin has rules of its own; those of the origin of the start page apply to all of the site.
            _ => self.robots_for(&first.url, &scope).await?.map_err(|failure| {
                // The connection failed: the site has closed nothing.
                let message = terms(Locale::En).robots_unreadable(&failure.message);
                let facts = failure.facts().of_robots();
                CrawlError::Start(failure.with_message(message).with_facts(facts))
            })?,
        };
        let missing = MissingPages::of(self.request.scan, &self.visits, &self.fetcher, self.done_by);
        if let Some(wall) = missing.stands_for_start(&first, &scope, &way, &robots).await? {
            return Err(self.at_start(start, PageError::walled(wall)).await);
        }
        let budget = self.request.page_budget;
        let listed = if budget > 1 { self.survey(&scope).sitemap_pages(&first.url, &robots).await } else { Vec::new() };
        let site = Site::of(&first.url);
        // A page may be reached through the owner's other names, such as that of a common login. The owner has named
        // the start page, but none of the pages that follow: a visit to them must not do anything.
        let way = WithoutActions(Way::new(Start::of(&first.url), self.reach.clone()));
        let way: Arc<dyn Scope> = Arc::new(way);
        if login::shows_only_login(start, &first) {
            let others = login::others(&first, &listed, &site, &robots);
            if !self.shows_more(&first, &others, &site, &way).await? {
                let message = "The start page shows a login form, and nothing that can be seen without a login.";
                return Err(CrawlError::Start(Failure::new(FailureCode::LoginRequired, message)));
            }
        }
        missing.begin(&first, robots.clone());
        let engine = self.engine(&first);
        let key = self.key(&engine.version, engine.browser.as_deref().unwrap_or_default());
        let earlier = earlier.filter(|_| key == expected);
        let proof = self.prove(earlier, sampled, &robots, &missing, &site, &way).await?;
        let mut ledger = Ledger::new(Frontier::new(site.clone(), robots), budget, progress, engine, self.room.clone());
        ledger.settle(&Lead::start(start.clone()), Ok(first));
        ledger.add_sitemap(&listed);
        let has_reused = self.follow_links(&mut ledger, &proof, &missing, &site, &way).await?;
        let course = if has_reused { Course::Incremental } else { proof.course };
        Ok(ledger.close(self.notes.as_ref().map(|_| (key, course))))
    }

    /// Returns the rules for `url`, if they allow a visit to it. The inner error is the reason why they could not be
    /// fetched.
    async fn robots_for(&self, url: &Url, scope: &Start) -> Result<Result<Robots, Failure>, CrawlError> {
        let access = self.survey(scope).robots(url).await;
        if self.robots == RobotsPolicy::Ignore {
            return Ok(Ok(if let Access::Known(robots) = access { robots.opened() } else { Robots::allow_all() }));
        }
        match access {
            Access::Known(robots) => {
                if let Some(delay) = robots.delay {
                    self.visits.pace().slow_down(delay);
                }
                allowing(robots, url).map(Ok)
            }
            Access::Closed { status, retry_after } => {
                let failure = failure_of(FailureCause::RobotsStatus, FailureFacts::of_status(status));
                Err(CrawlError::Troubled { failure, retry_after })
            }
            Access::Unreachable(failure) => Ok(Err(failure)),
        }
    }

    fn survey<'b>(&'b self, scope: &'b Start) -> Survey<'b> {
        Survey { fetcher: &self.fetcher, pace: self.visits.pace(), scope, done_by: self.done_by }
    }

    /// Returns whether one of these pages shows more of the site than its login page does.
    async fn shows_more(
        &self,
        login: &Checked,
        others: &[Url],
        site: &Site,
        way: &Arc<dyn Scope>,
    ) -> Result<bool, BrowserError> {
        for url in others {
            if let Some(Ok(found)) = self.visits.visit(url, site, way, Look::Peek).await?
                && login::shows_more(login, &found)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the hash of everything but its parts on which the outcome of a page depends in this scan.
    fn key(&self, axe: &str, browser: &str) -> Hash256 {
        let Self { request, parts, user_agent, fonts, .. } = self;
        memory::key(&parts.config, request.standard, axe, browser, user_agent, fonts)
    }

    /// Returns the previous check, if it remembers anything that counts with this key.
    fn earlier(&self, key: &Hash256) -> Option<Earlier> {
        let check = self.request.earlier.as_ref().filter(|_| self.notes.is_some())?;
        Earlier::of(Arc::clone(check), key)
    }

    /// Returns whether a page of the previous check seems unchanged, when it is its turn at the site.
    async fn is_unchanged(&self, earlier: &Earlier, notes: &Notes, page: &PageMemory, way: &dyn Scope) -> bool {
        let Some(_loading) = self.visits.turn().await else { return false };
        // Documents are judged before they are requested, as in visits, so that the guard knows their hosts.
        for document in page.documents() {
            let _ = way.contains(document);
        }
        earlier.is_unchanged(page, notes).await
    }

    /// Returns what the previous check remembers of a page, if its outcome is still that.
    async fn reused<'p>(&self, proof: &'p Proof, asked: &Url, look: Look, way: &dyn Scope) -> Option<Reused<'p>> {
        let earlier = proof.earlier.as_ref().filter(|_| proof.may_reuse)?;
        let (notes, memory) = (self.notes.as_ref()?, earlier.page(asked, look)?);
        let url = earlier.address(memory)?;
        let is_confirmed = proof.confirmed.contains(asked.as_str());
        if !is_confirmed && !self.is_unchanged(earlier, notes, memory, way).await {
            return None;
        }
        let (outcome, items, undecided) = earlier.found(memory);
        self.visits.count_kept(outcome, &items, &undecided);
        Some(Reused { memory, url, is_confirmed })
    }

    /// Visits the pages that the ledger chooses until the budget or the time is used up, or takes their outcome over. Returns whether
    /// any was taken over.
    async fn follow_links(
        &self,
        ledger: &mut Ledger<'_>,
        proof: &Proof,
        missing: &MissingPages<'_>,
        site: &Site,
        way: &Arc<dyn Scope>,
    ) -> Result<bool, CrawlError> {
        let earlier = proof.earlier.as_ref();
        let mut has_reused = false;
        let mut visits = FuturesUnordered::new();
        // Results wait here until those of all earlier pages are in, and pages are chosen after each of them: the
        // choice then depends on the site alone, not on which page loaded first.
        let mut results = BTreeMap::new();
        let mut chosen = VecDeque::new();
        let (mut taken, mut settled) = (0_u32, 0_u32);
        loop {
            while taken - settled < LOOKAHEAD
                && let Some(lead) = ledger.next(taken - settled)
            {
                chosen.push_back((taken, lead));
                taken += 1;
            }
            if let Some((lead, outcome)) = results.remove(&settled) {
                settled += 1;
                match (outcome, earlier) {
                    (Outcome::Reused(reused, look), Some(earlier)) => {
                        has_reused = true;
                        ledger.settle_reused(&lead, &reused, look, earlier);
                    }
                    (Outcome::Visited(visited, noted), _) => ledger.settle_noted(&lead, *visited, noted),
                    (Outcome::Reused(..), None) | (Outcome::NotInTime, _) => {}
                }
                if ledger.is_stopped() {
                    tracing::info!(scan = %self.request.scan, "too many pages in a row were not ready in time: the scan ends early");
                    // Visits under way end here, and their tabs with them.
                    ledger.stop(taken - settled);
                    return Ok(has_reused);
                }
                continue;
            }
            while visits.len() < self.visits.at_once()
                && Instant::now() < self.done_by
                && let Some((number, lead)) = chosen.pop_front()
            {
                let look = if number < PLATFORM_PAGES { Look::Platform } else { Look::Page };
                visits.push(async move {
                    if let Some(reused) = self.reused(proof, &lead.url, look, &**way).await {
                        return (number, lead, Ok(Outcome::Reused(reused, look)));
                    }
                    let result = match self.visits.visit(&lead.url, site, way, look).await {
                        Ok(visited) => missing.unless_missing(visited, site, way).await,
                        Err(error) => Err(error),
                    };
                    let outcome = match result {
                        Ok(Some(visited)) => {
                            let noted = match &visited {
                                Ok(checked) => self.noted(&lead.url, checked, earlier).await,
                                Err(_) => None,
                            };
                            Ok(Outcome::Visited(Box::new(visited), noted))
                        }
                        Ok(None) => Ok(Outcome::NotInTime),
                        Err(error) => Err(error),
                    };
                    (number, lead, outcome)
                });
            }
            let Some((number, lead, outcome)) = visits.next().await else { return Ok(has_reused) };
            results.insert(number, (lead, outcome?));
        }
    }

    /// Notes a page for the next scan, if that may use it.
    async fn noted(&self, asked: &Url, checked: &Checked, earlier: Option<&Earlier>) -> Option<Noted> {
        let notes = self.notes.as_ref().filter(|_| Notes::may_be_noted(asked, checked))?;
        let _loading = if notes.has_asked(asked) { None } else { Some(self.visits.turn().await?) };
        notes.of(asked, checked, earlier).await
    }

    /// Returns the error of a scan whose start page could not be checked.
    async fn at_start(&self, start: &Url, error: PageError) -> CrawlError {
        CrawlError::Start(match error {
            PageError::Busy { failure, retry_after } | PageError::Unwell { failure, retry_after } => {
                return CrawlError::Troubled { failure, retry_after };
            }
            PageError::Failed(failure) | PageError::HeldUp(failure) => {
                let target = failure.redirected_to().and_then(|target| Url::parse(target).ok());
                self.fetcher.dated(failure, target.as_ref().unwrap_or(start)).await
            }
            PageError::LeavesSite { to, .. } => {
                let away = leaves_site(&to);
                match self.egress.refusal(&to).await {
                    Some(refusal) => {
                        let message = format!("{} {refusal}", away.message);
                        failure_of(FailureCause::LeadsToRefusedHost, away.facts()).with_message(message)
                    }
                    None => away,
                }
            }
            PageError::Crashed | PageError::OutOfMemory | PageError::Suspected | PageError::MadeRoom => {
                Failure::new(FailureCode::BrowserCrashed, "The page brought the browser down.")
            }
        })
    }

    fn engine(&self, checked: &Checked) -> Tool {
        Tool::axe_core(checked.collected.version.clone(), self.visits.browser_product()).with_probes(probes::VERSION)
    }
}

/// The outcome of a page that was chosen to be checked.
enum Outcome<'e> {
    Visited(Box<Visited>, Option<Noted>),
    /// The page keeps its outcome. The look is the one that was wanted of it.
    Reused(Reused<'e>, Look),
    NotInTime,
}

/// The part of a scan that is one site.
#[derive(Debug, Clone)]
struct SiteTask<'a> {
    /// The address of the first page.
    start: &'a Url,
    /// The most pages to visit.
    pages: u32,
    /// The room for pictures.
    room: Room,
    done_by: Instant,
}

/// Returns the end of the time of a scan that begins now.
fn end_of(parts: &Parts, request: &ScanRequest) -> Instant {
    let all_pages = parts.config.page_timeout.saturating_mul(request.page_budget.max(1));
    Instant::now() + parts.config.scan_timeout.min(all_pages.saturating_add(SURVEY_TIME))
}

/// Returns a text that identifies the fonts of this machine. If they can't be listed, it is one that no other scan has,
/// so that no outcome is taken over, neither by this scan nor from it.
async fn fonts_for(request: &ScanRequest) -> String {
    match installed_fonts().await {
        Ok(digest) => format!("{digest:?}"),
        Err(error) => {
            tracing::warn!(scan = %request.scan, %error, "The installed fonts could not be listed: every page is examined");
            request.scan.to_string()
        }
    }
}

fn no_way_out(error: GuardError) -> CrawlError {
    CrawlError::NoBrowser(error.into())
}

/// Returns the rules if they allow `url`; else the error of a page that can't be checked.
fn allowing(robots: Robots, url: &Url) -> Result<Robots, CrawlError> {
    if robots.allows(url) {
        return Ok(robots);
    }
    let closed = failure_of(FailureCause::RobotsDisallow, FailureFacts::of_agent(PRODUCT_TOKEN));
    Err(CrawlError::Start(closed))
}

fn port(url: &Url) -> u16 {
    url.port_or_known_default().unwrap_or_default()
}
