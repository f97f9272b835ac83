//! One scan: the visits, side by side, and their results, in order.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use a11ycheck_core::{
    domain::{Engine, Failure, FailureCode, Findings, PageOutcome},
    scanner::{ProgressSink, ScanRequest},
};
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::time::{Duration, Instant, timeout_at};
use url::Url;

use super::{
    address::folded,
    frontier::Frontier,
    site::{Site, Start},
};
use crate::{
    BrowserError,
    axe_map::add_page,
    browser::{Browser, TabSettings},
    guard::{Egress, Guard, GuardError},
    page::{Checked, PageError, Scope, Task, Visitor},
    scanner::Parts,
};

/// Tries of one page. A page that kills its tab twice will do it again.
const TRIES: u32 = 2;
/// Links that may turn out to be no page of their own, beyond the budget. Each costs a request.
const MAX_DROPPED: u32 = 100;
/// The longest that a page may take to load; the rest of its time is for axe-core.
const LOAD_TIME: Duration = Duration::from_secs(30);
/// Bytes that a scan may move: some for any, and more for each page, several times what pages weigh on average. One
/// heavy page may use what light ones leave.
const BYTES_PER_SCAN: u64 = 200 * 1024 * 1024;
const BYTES_PER_PAGE: u64 = 10 * 1024 * 1024;
/// Parts of an address that speak for a login page.
const LOGIN_PATHS: [&str; 8] =
    ["/login", "/log-in", "/signin", "/sign-in", "/sign_in", "/wp-login", "/users/sign", "/auth/"];

/// Why a scan came to nothing.
#[derive(Debug)]
pub(crate) enum CrawlError {
    /// The start page could not be checked.
    Start(Failure),
    /// No browser could be had.
    Browser(BrowserError),
}

impl From<BrowserError> for CrawlError {
    fn from(error: BrowserError) -> Self {
        Self::Browser(error)
    }
}

impl From<GuardError> for CrawlError {
    fn from(error: GuardError) -> Self {
        Self::Browser(error.into())
    }
}

/// A scan under way. Dropping it closes its tabs and its guard.
pub(crate) struct Crawl<'a> {
    parts: &'a Parts,
    request: &'a ScanRequest,
    guard: Guard,
    /// Tabs at rest. At most as many as the scan has visits at a time.
    resting: Mutex<Vec<Visitor>>,
    /// The browser that the latest visit used.
    browser: Mutex<Arc<Browser>>,
    done_by: Instant,
}

impl<'a> Crawl<'a> {
    /// Gets a browser and opens the way out.
    pub(crate) async fn begin(parts: &'a Parts, request: &'a ScanRequest) -> Result<Self, CrawlError> {
        let config = &parts.config;
        let all_pages = config.page_timeout.saturating_mul(request.page_budget.max(1));
        let done_by = Instant::now() + config.scan_timeout.min(all_pages);
        let browser = parts.browsers.for_new_scan().await?;
        let policy = config.policy.clone();
        let egress = Egress::Judged { policy, resolver: Arc::clone(&config.resolver) };
        let max_bytes = BYTES_PER_SCAN + BYTES_PER_PAGE * u64::from(request.page_budget);
        let guard = Guard::open(egress, max_bytes).await?;
        Ok(Self { parts, request, guard, resting: Mutex::default(), browser: Mutex::new(browser), done_by })
    }

    /// Visits the start page and what it leads to.
    pub(crate) async fn run(self, progress: &dyn ProgressSink) -> Result<Findings, CrawlError> {
        let start = self.request.start.url();
        let first = match self.visit(start, &Start::of(start)).await? {
            Ok(checked) => checked,
            Err(error) => return Err(CrawlError::Start(start_failure(error))),
        };
        if leads_to_login(start, &first) {
            let message = "A login page stands in place of the page that was asked for.";
            return Err(CrawlError::Start(Failure::new(FailureCode::LoginRequired, message)));
        }
        if !self.guard.log().has_heard_of(first.url.host_str().unwrap_or_default(), port(&first.url)) {
            return Err(BrowserError::GuardNotInForce.into());
        }
        let mut ledger = Ledger::new(Site::of(&first.url), progress, self.engine(&first));
        ledger.settle(start, Ok(first));
        self.follow_links(&mut ledger).await?;
        Ok(ledger.findings)
    }

    /// Visits what the ledger knows of until the budget or the time is used up.
    async fn follow_links(&self, ledger: &mut Ledger<'_>) -> Result<(), CrawlError> {
        let site = ledger.site.clone();
        let budget = self.request.page_budget;
        let mut visits = FuturesUnordered::new();
        // Results wait here until those of all pages before them are in: which pages are visited then depends on the
        // site alone, not on which answered first.
        let mut results = BTreeMap::new();
        let (mut taken, mut settled) = (0_u32, 0_u32);
        loop {
            while visits.len() < self.parts.config.tabs
                && ledger.pages() + (taken - settled) < budget
                && ledger.dropped < budget.saturating_add(MAX_DROPPED)
                && Instant::now() < self.done_by
                && let Some(url) = ledger.frontier.next()
            {
                let (number, site) = (taken, &site);
                taken += 1;
                visits.push(async move {
                    let result = self.visit(&url, site).await;
                    (number, url, result)
                });
            }
            let Some((number, url, result)) = visits.next().await else { return Ok(()) };
            results.insert(number, (url, result?));
            while let Some((url, result)) = results.remove(&settled) {
                settled += 1;
                ledger.settle(&url, result);
            }
        }
    }

    /// Checks one page, once more if its tab or browser dies.
    async fn visit(&self, url: &Url, scope: &dyn Scope) -> Result<Result<Checked, PageError>, BrowserError> {
        for attempt in 1..=TRIES {
            let Ok(place) = timeout_at(self.done_by, self.parts.places.acquire()).await else { break };
            let Some(visitor) = self.visitor().await? else { continue };
            let now = Instant::now();
            let page_timeout = self.parts.config.page_timeout;
            let done_by = self.done_by.min(now + page_timeout);
            let load_by = done_by.min(now + LOAD_TIME.min(page_timeout / 2));
            let task = Task { url, scope, log: self.guard.log(), axe: &self.parts.axe, load_by, done_by };
            let result = match timeout_at(done_by, visitor.check(task)).await {
                Ok(result) => result,
                Err(_) => Err(PageError::Failed(timed_out())),
            };
            if result.as_ref().err().is_none_or(PageError::leaves_tab_at_rest)
                && let Some(visitor) = visitor.rest().await
            {
                self.resting().push(visitor);
            }
            drop(place);
            match result {
                Err(PageError::Crashed) => {
                    tracing::warn!(scan = %self.request.scan, url = url.as_str(), attempt, "a tab died during a check");
                }
                result => return Ok(result),
            }
        }
        if Instant::now() >= self.done_by {
            return Ok(Err(PageError::Failed(timed_out())));
        }
        let message = "The page brought the browser down, twice.";
        Ok(Err(PageError::Failed(Failure::new(FailureCode::BrowserCrashed, message))))
    }

    /// A tab at rest, or a new one; `None` when the browser died on the way.
    async fn visitor(&self) -> Result<Option<Visitor>, BrowserError> {
        {
            let mut resting = self.resting();
            resting.retain(Visitor::is_alive);
            if let Some(visitor) = resting.pop() {
                return Ok(Some(visitor));
            }
        }
        let mut browser = Arc::clone(&self.browser());
        if !browser.is_alive() {
            browser = self.parts.browsers.replacement().await?;
            *self.browser() = Arc::clone(&browser);
        }
        let settings = TabSettings { proxy: self.guard.address() };
        match Visitor::open(browser, settings).await {
            Ok(visitor) => Ok(Some(visitor)),
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(scan = %self.request.scan, error, "no tab could be opened");
                Ok(None)
            }
        }
    }

    fn engine(&self, checked: &Checked) -> Engine {
        Engine { axe: checked.collected.version.clone(), browser: self.browser().product().to_owned() }
    }

    fn resting(&self) -> std::sync::MutexGuard<'_, Vec<Visitor>> {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn browser(&self) -> std::sync::MutexGuard<'_, Arc<Browser>> {
        self.browser.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was visited so far, and what is left to visit.
struct Ledger<'a> {
    site: Site,
    frontier: Frontier,
    findings: Findings,
    progress: &'a dyn ProgressSink,
    /// Addresses that were no page of their own.
    dropped: u32,
}

impl<'a> Ledger<'a> {
    fn new(site: Site, progress: &'a dyn ProgressSink, engine: Engine) -> Self {
        let findings = Findings {
            engine,
            pages: Vec::new(),
            rules: BTreeMap::new(),
            items: Vec::new(),
            needs_review: BTreeMap::new(),
            stack: Vec::new(),
            screen: None,
        };
        Self { frontier: Frontier::new(site.clone()), site, findings, progress, dropped: 0 }
    }

    fn pages(&self) -> u32 {
        u32::try_from(self.findings.pages.len()).unwrap_or(u32::MAX)
    }

    /// Books the result of a visit to `url`.
    fn settle(&mut self, url: &Url, result: Result<Checked, PageError>) {
        match result {
            Ok(Checked { url, mut collected }) => {
                self.frontier.add_links(&std::mem::take(&mut collected.links));
                if !self.frontier.reach(&url) {
                    self.dropped += 1;
                    return;
                }
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
            Err(PageError::Crashed) => {
                let message = "The page brought the browser down.";
                self.add_failed(url, Failure::new(FailureCode::BrowserCrashed, message));
            }
        }
        self.progress.pages_done(self.pages());
    }

    fn add_failed(&mut self, url: &Url, failure: Failure) {
        self.findings.pages.push(PageOutcome::failed(folded(url).as_str(), "", failure));
    }
}

fn start_failure(error: PageError) -> Failure {
    match error {
        PageError::Failed(failure) => failure,
        PageError::LeavesSite(to) => {
            let host = to.host_str().unwrap_or("an address without a host");
            Failure::new(FailureCode::RedirectedAway, format!("The address leads to another web site, {host}."))
        }
        PageError::Crashed => Failure::new(FailureCode::BrowserCrashed, "The page brought the browser down."),
    }
}

fn timed_out() -> Failure {
    Failure::new(FailureCode::Timeout, "The page could not be checked within its time.")
}

/// Whether a visitor who asked for `start` was sent to log in. An owner who gives the address of a login page means it.
fn leads_to_login(start: &Url, found: &Checked) -> bool {
    let looks_like_login = |url: &Url| {
        let path = url.path().to_ascii_lowercase();
        LOGIN_PATHS.iter().any(|login| path.contains(login))
    };
    found.collected.has_password && looks_like_login(&found.url) && !looks_like_login(start)
}

fn port(url: &Url) -> u16 {
    url.port_or_known_default().unwrap_or_default()
}
