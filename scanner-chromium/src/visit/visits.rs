//! The visits of one scan: when a page is opened, in which tab, and how often it is attempted.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use a11ycheck_core::{
    catalog::failure_of,
    domain::{Failure, FailureCause, FailureCode, FailureFacts, Finding, PageOutcome, without_query},
    id::ScanId,
    scanner::ScanRequest,
};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    errors::PageError,
    pace::Pace,
    page::{Captures, Checked, Look, PageVisit},
    scope::Scope,
    unresponsive::Unresponsive,
    visitor::{Rest, Visitor},
};
use crate::{
    BrowserError,
    axe::AxeOptions,
    browser::{Browser, TabSettings},
    evidence::{Pictured, Room, cut_out},
    guard::{Guard, GuardLog},
    parts::Parts,
    permits::{Permit, ScanPermits},
};

/// The number of attempts at one page. A page that kills its tab twice will do it again.
const TRIES: u32 = 2;
/// The number of attempts at one page that repeatedly has to make room in the search for another one.
const EVICTIONS: u32 = 5;
/// The number of attempts at one page for which the site is too busy.
const BUSY_TRIES: u32 = 3;

/// The result of a page that was opened.
pub(crate) type Visited = Result<Checked, PageError>;

/// The choice of the tab for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Any,
    New,
}

/// The visits of one scan, one or several at a time. Dropping it closes the scan's tabs and its guard.
pub(crate) struct Visits<'a> {
    scan: ScanId,
    axe_options: AxeOptions,
    parts: &'a Parts,
    guard: Guard,
    pace: Arc<Pace>,
    permits: ScanPermits<'a>,
    /// The tabs at rest, at most as many as the scan has visits at a time.
    resting: Mutex<Vec<Visitor>>,
    /// The browser that the latest visit used.
    browser: Mutex<Arc<Browser>>,
    pictured: Pictured,
    /// The same for elements that appear when controls are pressed. They have bounds of their own.
    pictured_opened: Pictured,
    moved_kinds: Mutex<HashSet<String>>,
    /// The requests of the scan's pages without a response.
    unresponsive: Arc<Unresponsive>,
    done_by: Instant,
}

impl<'a> Visits<'a> {
    /// Begins the visits of a scan that ends at `done_by`: its pages are opened in `browser`, and whatever they load
    /// comes through `guard`. `room` is that of its pictures.
    pub(crate) fn begin(
        parts: &'a Parts,
        request: &ScanRequest,
        browser: Arc<Browser>,
        guard: Guard,
        room: Room,
        done_by: Instant,
    ) -> Self {
        Self {
            scan: request.scan,
            axe_options: AxeOptions::of(request.standard.effective()),
            parts,
            guard,
            pace: Arc::new(Pace::new()),
            permits: parts.permits.begin_scan(parts.config.pages_at_once),
            resting: Mutex::default(),
            browser: Mutex::new(browser),
            pictured: Pictured::after(request.known.clone(), room.clone()),
            pictured_opened: Pictured::after(request.known.clone(), room),
            moved_kinds: Mutex::default(),
            unresponsive: Arc::default(),
            done_by,
        }
    }

    /// Returns the pace of the requests to the site.
    pub(crate) const fn pace(&self) -> &Arc<Pace> {
        &self.pace
    }

    /// Waits until something of the site may be requested without a tab: as long as a visit would have to. `None` if the scan's time
    /// was over before.
    pub(crate) async fn turn(&self) -> Option<Permit<'_>> {
        let turn = async {
            let loading = self.permits.loading().await;
            self.pace.turn().await;
            loading
        };
        timeout_at(self.done_by, turn).await.ok()
    }

    /// Counts the pictures of a page of the previous check towards those that are taken: its elements and itself keep them.
    pub(crate) fn count_kept(&self, page: &PageOutcome, items: &[&Finding], undecided: &[&Finding]) {
        let ((items, opened), (undecided, opened_undecided)) = (divided(items), divided(undecided));
        self.pictured.keep(&page.url, &items, &undecided, page.picture.is_some());
        self.pictured_opened.keep(&page.url, &opened, &opened_undecided, false);
    }

    /// Returns the record of the guard through which pages load.
    pub(crate) fn log(&self) -> &GuardLog {
        self.guard.log()
    }

    /// Returns the name and version of the browser that the latest visit used.
    pub(crate) fn browser_product(&self) -> String {
        self.browser().product().to_owned()
    }

    /// Returns how many pages the scan may have open at a time; at least one.
    pub(crate) fn at_once(&self) -> usize {
        self.permits.share_of_tabs()
    }

    /// Checks one page when it is the scan's turn at the site; again if its tab or browser dies, the site is too busy,
    /// or the page waited for something that later attempts fail at once. `None` if the scan's time was over before.
    pub(crate) async fn visit(
        &self,
        url: &Url,
        scope: &dyn Scope,
        way: &Arc<dyn Scope>,
        look: Look,
    ) -> Result<Option<Visited>, BrowserError> {
        let (mut crashes, mut starved, mut busy_responses, mut evictions, mut hold_ups, mut suspicions) =
            (0, 0, 0, 0, 0, 0);
        let mut choice = Choice::Any;
        let mut latest = None;
        loop {
            let Some((visited, before)) = self.visit_in(choice, url, scope, way, look).await? else {
                return Ok(latest);
            };
            match &visited {
                Err(error) if before == Rest::Lingering && error.may_be_of_the_page_before() => {
                    tracing::debug!(url = url.as_str(), ?error, "perhaps the page before is to blame");
                    choice = Choice::New;
                }
                Err(error @ (PageError::Crashed | PageError::OutOfMemory)) => {
                    crashes += 1;
                    starved += u32::from(matches!(error, PageError::OutOfMemory));
                    tracing::warn!(scan = %self.scan, url = without_query(url.as_str()), crashes, ?error, "a tab died during a check");
                    if crashes >= TRIES {
                        let failure = if starved == crashes { too_much_memory() } else { twice_down() };
                        return Ok(Some(Err(PageError::Failed(failure))));
                    }
                }
                // Another page may have freed the memory at the same moment, but hardly twice.
                Err(PageError::Suspected) => {
                    suspicions += 1;
                    if suspicions >= TRIES {
                        return Ok(Some(Err(PageError::because_of(FailureCause::TooMuchMemory))));
                    }
                }
                Err(PageError::MadeRoom) => {
                    evictions += 1;
                    if evictions >= EVICTIONS {
                        return Ok(Some(visited));
                    }
                }
                Err(PageError::HeldUp(failure)) => {
                    hold_ups += 1;
                    tracing::debug!(url = url.as_str(), hold_ups, %failure, "what the page waited for fails from now on");
                    if hold_ups >= TRIES {
                        return Ok(Some(visited));
                    }
                }
                Err(PageError::Busy { .. }) => {
                    busy_responses += 1;
                    tracing::debug!(url = url.as_str(), busy_responses, "the site is too busy");
                    if busy_responses >= BUSY_TRIES {
                        return Ok(Some(visited));
                    }
                }
                _ => return Ok(Some(visited)),
            }
            latest = Some(visited);
        }
    }

    /// Does the same with a single attempt, whatever its result.
    pub(crate) async fn visit_once(
        &self,
        url: &Url,
        scope: &dyn Scope,
        way: &Arc<dyn Scope>,
        look: Look,
    ) -> Result<Option<Visited>, BrowserError> {
        let visited = self.visit_in(Choice::Any, url, scope, way, look).await?;
        Ok(visited.map(|(visited, _)| visited))
    }

    /// Makes one attempt, and returns its result and how its tab had waited for it.
    async fn visit_in(
        &self,
        choice: Choice,
        url: &Url,
        scope: &dyn Scope,
        way: &Arc<dyn Scope>,
        look: Look,
    ) -> Result<Option<(Visited, Rest)>, BrowserError> {
        let Ok(loading) = timeout_at(self.done_by, self.permits.loading()).await else { return Ok(None) };
        if timeout_at(self.done_by, self.pace.turn()).await.is_err() {
            return Ok(None);
        }
        let Ok(open) = timeout_at(self.done_by, self.permits.tab()).await else { return Ok(None) };
        let Ok(visitor) = timeout_at(self.done_by, self.visitor(choice)).await else { return Ok(None) };
        let Some(visitor) = visitor? else { return Ok(Some((Err(PageError::Crashed), Rest::Away))) };
        let before = if visitor.lingers() { Rest::Lingering } else { Rest::Away };
        let page = PageVisit {
            url,
            scope,
            way,
            look,
            visitor: &visitor,
            log: self.guard.log(),
            unresponsive: &self.unresponsive,
            pictured: &self.pictured,
            pictured_opened: &self.pictured_opened,
            moved_kinds: &self.moved_kinds,
            pace: &self.pace,
            permits: &self.permits,
            axe: &self.parts.axe,
            axe_options: &self.axe_options,
            config: &self.parts.config,
            scan_done_by: self.done_by,
        };
        let memory = visitor.memory_marks();
        let visited = match page.check(loading).await {
            Err(PageError::Crashed) => Err(visitor.why_ended(memory).await),
            visited => visited,
        };
        let (visited, captures, rest) = match visited {
            Ok((checked, captures, rest)) => (Ok(checked), captures, rest),
            Err(error) => (Err(error), Captures::default(), Rest::Away),
        };
        // If the next page has to wait, this one is not left running.
        let rest = if self.pace.is_unhindered() { rest } else { Rest::Away };
        if visited.as_ref().err().is_none_or(PageError::leaves_tab_at_rest)
            && let Some(visitor) = visitor.rest(rest).await
        {
            let mut resting = self.resting();
            if resting.len() < self.permits.share_of_tabs() {
                resting.push(visitor);
            }
        }
        drop(open);
        let visited = match visited {
            Ok(Checked { wall: Some(wall), .. }) => Err(PageError::walled(wall)),
            Ok(checked) => Ok(self.with_pictures(checked, captures).await),
            Err(error) => Err(error),
        };
        Ok(Some((visited, before)))
    }

    /// Adds the pictures of what failed to the page; they are cut out of the captures.
    async fn with_pictures(&self, mut checked: Checked, captures: Captures) -> Checked {
        if captures.is_empty() {
            return checked;
        }
        let _permit = self.permits.cutting().await;
        let Captures { first, opened } = captures;
        let cutting = || (cut_out(first), opened.into_iter().map(cut_out).collect::<Vec<_>>());
        match tokio::task::spawn_blocking(cutting).await {
            Ok((first, opened)) => {
                checked.collected.add_pictures(first);
                checked.collected.add_opened_pictures(opened);
            }
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "pictures of a page could not be cut out");
            }
        }
        checked
    }

    /// Returns a tab at rest, or a new one; `None` if no tab could be opened, as when the browser has just died.
    async fn visitor(&self, choice: Choice) -> Result<Option<Visitor>, BrowserError> {
        {
            let mut resting = self.resting();
            resting.retain(Visitor::is_alive);
            // A new tab takes the place of one at rest.
            if let Some(visitor) = resting.pop()
                && choice == Choice::Any
            {
                return Ok(Some(visitor));
            }
        }
        let mut browser = Arc::clone(&self.browser());
        if !browser.is_alive() {
            browser = self.parts.browsers.replacement().await?;
            *self.browser() = Arc::clone(&browser);
        }
        let settings = TabSettings { proxy: self.guard.address(), viewport: self.parts.config.viewport };
        match Visitor::open(browser, settings).await {
            Ok(visitor) => Ok(Some(visitor)),
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(scan = %self.scan, error, "no tab could be opened");
                Ok(None)
            }
        }
    }

    fn resting(&self) -> std::sync::MutexGuard<'_, Vec<Visitor>> {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn browser(&self) -> std::sync::MutexGuard<'_, Arc<Browser>> {
        self.browser.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Divides findings into those about what a page shows by itself, and those about what appeared when a control was
/// pressed.
fn divided<'f>(findings: &[&'f Finding]) -> (Vec<&'f Finding>, Vec<&'f Finding>) {
    findings.iter().copied().partition(|finding| finding.opened_by.is_none())
}

fn twice_down() -> Failure {
    Failure::new(FailureCode::BrowserCrashed, "The page brought the browser down, twice.")
}

/// Returns the failure for want of memory, which is not worth a retry: that would take the machine to its limit again.
fn too_much_memory() -> Failure {
    failure_of(FailureCause::TooMuchMemory, FailureFacts::default())
}
