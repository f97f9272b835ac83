//! A tab that goes from page to page of one scan.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use a11ycheck_core::domain::{FailureCause, view_of};
use serde_json::json;
use tokio::time::{Duration, Instant};
use url::Url;

use super::{
    errors::PageError,
    events::{Errand, PageEvents},
    navigate::{self, Loaded},
    scope::Scope,
    settle::{self, BuildTime, Moment, Progress, Readiness},
    sight,
    unresponsive::Unresponsive,
    walls::{Sight, Wall},
};
use crate::{
    axe::{self, AxeSource, Collected},
    browser::{Browser, Death, MemoryMarks, Tab, TabError, TabSettings},
    evidence::{Capture, Screen, Shot, Wanted, pictures},
    guard::GuardLog,
    platform::{self, Signals},
    redaction::redacted,
};

/// For the way back to `about:blank`. A tab that takes longer is not worth keeping.
const LEAVE_TIME: Duration = Duration::from_secs(5);
/// For a tab to say what it shows, after something failed in it.
const ASK_TIME: Duration = Duration::from_secs(1);
/// Pages after which a tab is replaced: the heaps of its process get larger with each heavy page, and never small again.
const PAGES_PER_TAB: u32 = 20;

/// Visits pages, one at a time.
#[derive(Debug)]
pub(crate) struct Visitor {
    tab: Tab,
    events: Arc<PageEvents>,
    /// Pages that it is done with.
    done: u32,
    /// Whether the latest of them is still open.
    lingers: bool,
    /// Addresses that the tab fails at once.
    blocked: AtomicUsize,
}

/// How a visitor waits for its next page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    /// At `about:blank`, where nothing of the previous page can disturb the next.
    Away,
    /// On the page, which opening the next one ends.
    Lingering,
}

/// One visit.
pub(crate) struct Task<'a> {
    /// The address to open.
    pub(crate) url: &'a Url,
    /// Which pages are wanted.
    pub(crate) scope: &'a dyn Scope,
    /// Which addresses redirects may come by.
    pub(crate) way: &'a Arc<dyn Scope>,
    /// What the guard of the tab knows.
    pub(crate) log: &'a GuardLog,
    /// What had no answer so far in the scan of the tab.
    pub(crate) unresponsive: &'a Arc<Unresponsive>,
    /// What to run.
    pub(crate) axe: &'a AxeSource,
    /// What else to look at.
    pub(crate) look: Look,
}

/// A document that has loaded, and whose network has fallen silent.
#[derive(Debug)]
pub(crate) struct Arrived {
    url: Url,
    loader: String,
    /// From which it is watched.
    world: i64,
    how: Loaded,
    time: BuildTime,
}

/// What became of a look at a page.
#[derive(Debug)]
pub(crate) enum Looked {
    Checked(Box<Checked>),
    /// It was early, and the page has changed meanwhile.
    TooEarly,
    /// The page led on to another, which is the page then.
    LedOn,
}

/// What a visit is to find out, besides what axe-core does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Nothing.
    Page,
    /// Not even pictures: whether the page opens.
    Peek,
    /// What the site is built with.
    Platform,
    /// The same, and what the site looks like.
    Start,
}

/// A page that was checked.
#[derive(Debug)]
pub(crate) struct Checked {
    /// Where it turned out to be; its fragment is that of a view, if it has one.
    pub(crate) url: Url,
    /// What was found.
    pub(crate) collected: Collected,
    /// What it shows of the software behind it, if that was looked for.
    pub(crate) signals: Option<Signals>,
    /// The page itself, if it was to be pictured.
    pub(crate) screen: Option<Screen>,
    /// What a visitor sees of it.
    pub(crate) sight: Sight,
    /// What stands in its place, if that is certain.
    pub(crate) wall: Option<Wall>,
}

impl Visitor {
    /// Opens a tab. It is closed again even if the caller stops waiting half-way.
    pub(crate) async fn open(browser: Arc<Browser>, settings: TabSettings) -> Result<Self, TabError> {
        let opening = tokio::spawn(async move {
            let events = Arc::new(PageEvents::new());
            let tab = Tab::open(browser, &settings, Arc::clone(&events) as _).await?;
            Ok(Self { tab, events, done: 0, lingers: false, blocked: AtomicUsize::new(0) })
        });
        // The task neither panics nor is aborted, unless the runtime ends, and then nobody waits here.
        opening.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }

    /// Whether its browser still runs.
    pub(crate) fn is_alive(&self) -> bool {
        self.tab.browser().is_alive()
    }

    /// What is known of memory before a page is opened.
    pub(crate) fn memory_marks(&self) -> MemoryMarks {
        self.tab.browser().memory_marks()
    }

    /// What it means that the tab has died since `before`.
    pub(crate) async fn why_ended(&self, before: MemoryMarks) -> PageError {
        match self.tab.browser().why_ended(self.tab.main_frame(), before).await {
            Death::OverLimit => PageError::because_of(FailureCause::TooMuchMemory),
            Death::WantOfMemory => PageError::OutOfMemory,
            Death::MadeRoom => PageError::MadeRoom,
            Death::Unknown => PageError::Crashed,
        }
    }

    /// Whether the previous page is still open.
    pub(crate) const fn lingers(&self) -> bool {
        self.lingers
    }

    /// Opens the page, and waits until it has loaded, or is all there at `load_by`, and its network is quiet. After an error, here and below,
    /// the visitor is dropped, unless [`PageError::leaves_tab_at_rest`].
    pub(crate) async fn arrive(
        &self,
        task: &Task<'_>,
        load_by: Instant,
        done_by: Instant,
    ) -> Result<Arrived, PageError> {
        if self.lingers && task.url.fragment().is_some() {
            // Of a document that is still open, the browser would only show another view: what is found there could depend on
            // the one before, and no document comes that could be waited for.
            self.leave(load_by.min(Instant::now() + LEAVE_TIME)).await?;
        }
        let errand = Errand::new(task.url.clone(), Arc::clone(task.way), Arc::clone(task.unresponsive));
        self.events.reset(self.tab.main_frame(), Some(errand));
        self.tab.browser().count_page();
        self.unless_trouble(async {
            self.block(task.unresponsive, load_by).await?;
            navigate::open(&self.tab, &self.events, task.url, task.log, load_by).await?;
            self.arrived(task, load_by, done_by).await
        })
        .await
    }

    /// The same for a page to which the opened one led by script.
    pub(crate) async fn follow(
        &self,
        task: &Task<'_>,
        load_by: Instant,
        done_by: Instant,
    ) -> Result<Arrived, PageError> {
        self.unless_trouble(self.arrived(task, load_by, done_by)).await
    }

    /// Waits until the network is quiet and the page is drawn; `None`, here and below, when it led on to another meanwhile, which is the page then.
    pub(crate) async fn readiness(&self, page: &Arrived, done_by: Instant) -> Result<Option<Readiness>, PageError> {
        self.unless_trouble(async {
            settle::quiet(&self.events, page.time).await;
            let drawn = settle::drawn(&self.tab, page.world, done_by).await;
            if !self.shows_after(&drawn, page).await {
                return Ok(None);
            }
            // Its scripts may be gone from the document.
            let is_scripted = self.events.peek(|state| state.requests.is_scripted());
            let drawn = drawn?;
            Ok(Some(if drawn == Readiness::Built && is_scripted { Readiness::Moving } else { drawn }))
        })
        .await
    }

    /// Waits until a page that is drawn has built itself.
    pub(crate) async fn built(&self, page: &Arrived, done_by: Instant) -> Result<Option<Progress>, PageError> {
        self.unless_trouble(async {
            let built = settle::built(&self.tab, &self.events, page.world, page.time, done_by).await;
            if self.shows_after(&built, page).await { built.map(Some) } else { Ok(None) }
        })
        .await
    }

    /// Checks the page. `core` is dropped as soon as axe-core has run: what follows is mostly waiting.
    pub(crate) async fn check(
        &self,
        task: &Task<'_>,
        page: &Arrived,
        moment: Moment,
        core: impl Send,
        done_by: Instant,
    ) -> Result<Looked, PageError> {
        self.unless_trouble(async {
            let looked = async {
                let unchecked_frames = axe::run(&self.tab, page.world, task.axe, moment.timing(), done_by).await?;
                drop(core);
                let Some(unchecked_frames) = unchecked_frames.filter(|_| self.shows(page)) else { return Ok(None) };
                let progress = match moment {
                    Moment::Built(progress) => progress,
                    Moment::Early => settle::stayed(&self.tab, &self.events, page.world, page.time, done_by).await?,
                };
                if !self.shows(page) {
                    return Ok(None);
                }
                let collected = axe::collect(&self.tab, page.world, moment.timing(), done_by).await?;
                // A timer that came late may have asked for something since the network was last looked at.
                if progress == Progress::Done && moment == Moment::Early && settle::is_waiting(&self.events, page.time)
                {
                    return Ok(None);
                }
                Ok::<_, PageError>(collected.map(|collected| {
                    let (still_changing, unanswered) = self.lacks(page, progress);
                    collected.without_frames(unchecked_frames).while_changing(still_changing).without(unanswered)
                }))
            };
            let collected = looked.await;
            let signals = match task.look {
                Look::Platform | Look::Start if self.shows(page) && matches!(collected, Ok(Some(_))) => {
                    Some(platform::signals(&self.tab, &self.events.headers(), &page.url, done_by).await)
                }
                _ => None,
            };
            let (sight, wall) = match &collected {
                Ok(Some(_)) if self.shows(page) => {
                    sight::sight(&self.tab, &self.events, page.world, &page.url, done_by).await
                }
                _ => (Sight::default(), None),
            };
            if !self.shows_after(&collected, page).await {
                return Ok(Looked::LedOn);
            }
            Ok(match collected? {
                Some(collected) => {
                    let url = with_view(&page.url, &collected.fragment);
                    let collected = collected.with_cover(sight.cover);
                    Looked::Checked(Box::new(Checked { url, collected, signals, screen: None, sight, wall }))
                }
                None => Looked::TooEarly,
            })
        })
        .await
    }

    /// Takes the shots that `plan` wants of the page that was checked, and one of the page itself if it is the first one. Whatever happens
    /// meanwhile costs pictures and nothing else.
    pub(crate) async fn picture(
        &self,
        look: Look,
        checked: &mut Checked,
        plan: Vec<Shot>,
        deadline: Instant,
    ) -> Vec<Capture> {
        let (captures, screen) = tokio::select! {
            biased;
            _ = navigate::trouble(&self.events) => (Vec::new(), None),
            taken = pictures(&self.tab, Wanted { shots: plan, screen: look == Look::Start }, deadline) => taken,
        };
        checked.screen = screen;
        captures
    }

    async fn arrived(&self, task: &Task<'_>, load_by: Instant, done_by: Instant) -> Result<Arrived, PageError> {
        let opened = Instant::now();
        loop {
            let how = navigate::loaded(&self.events, opened, load_by).await?;
            let url = navigate::examine(&self.events, task.log, task.scope)?;
            let (loader, loaded) = self.events.peek(|state| (state.loader.clone(), state.loaded));
            let time = BuildTime::new(loaded.unwrap_or_else(Instant::now), done_by);
            let watching = settle::watch(&self.tab, done_by);
            let (watched, ()) = tokio::join!(watching, settle::quiet(&self.events, time));
            // A page may lead on to another by script; that one is the page then.
            if self.is_shown_after(&watched, &loader).await {
                return Ok(Arrived { url, loader, world: watched?, how, time });
            }
        }
    }

    /// Whether a page was still changing when it was looked at, and what it asked for without an answer.
    fn lacks(&self, page: &Arrived, progress: Progress) -> (bool, Vec<String>) {
        let unanswered: Vec<String> =
            self.events.peek(|state| state.requests.unanswered().into_iter().map(redacted).collect());
        // Where nothing is known to keep it from loading, it is still at it.
        let is_loading = page.how == Loaded::InPart && unanswered.is_empty();
        (is_loading || progress == Progress::Unfinished, unanswered)
    }

    /// Lets the tab fail at once what keeps documents waiting without an answer.
    async fn block(&self, unresponsive: &Unresponsive, deadline: Instant) -> Result<(), PageError> {
        let addresses = unresponsive.blocked();
        if self.blocked.swap(addresses.len(), Ordering::Relaxed) != addresses.len() {
            self.tab.session().run("Network.setBlockedURLs", json!({ "urls": addresses }), deadline).await?;
        }
        Ok(())
    }

    /// Whether it is still the document that the tab shows.
    fn shows(&self, page: &Arrived) -> bool {
        self.is_shown(&page.loader)
    }

    /// The same after what was done in it.
    async fn shows_after<T>(&self, outcome: &Result<T, PageError>, page: &Arrived) -> bool {
        self.is_shown_after(outcome, &page.loader).await
    }

    /// Whether the tab shows this document, after what was done in it. What fails because another one takes its place may fail
    /// before that is told, if that one needs no request.
    async fn is_shown_after<T, E>(&self, outcome: &Result<T, E>, loader: &str) -> bool {
        if outcome.is_err() && self.is_shown(loader) {
            // Its answer follows all that has happened. Without one, nothing is known to have.
            let asked = self.tab.session().run("Page.getFrameTree", json!({}), Instant::now() + ASK_TIME);
            if let Err(error) = asked.await {
                tracing::debug!(%error, "what a tab shows is not known");
            }
        }
        self.is_shown(loader)
    }

    fn is_shown(&self, loader: &str) -> bool {
        self.events.peek(|state| state.loader == loader && state.navigating.is_none())
    }

    async fn unless_trouble<T>(&self, steps: impl Future<Output = Result<T, PageError>>) -> Result<T, PageError> {
        tokio::select! {
            biased;
            trouble = navigate::trouble(&self.events) => Err(trouble),
            outcome = steps => outcome,
        }
    }

    /// Is done with the page, and ready for the next; `None` when the tab does not come loose, or has served its time.
    pub(crate) async fn rest(mut self, rest: Rest) -> Option<Self> {
        self.done += 1;
        if self.done >= PAGES_PER_TAB {
            return None;
        }
        let deadline = Instant::now() + LEAVE_TIME;
        self.lingers = rest == Rest::Lingering;
        if rest == Rest::Away {
            self.leave(deadline).await.ok()?;
        }
        // What the page leaves behind, images and answers as well, goes now: a quarter of the memory, for no time that could be
        // measured.
        let purge =
            self.tab.session().run("Memory.simulatePressureNotification", json!({ "level": "critical" }), deadline);
        if let Err(error) = purge.await {
            tracing::debug!(%error, "what a page left behind was not cleared away");
        }
        Some(self)
    }

    /// Goes to `about:blank`, where nothing of the page is left.
    async fn leave(&self, deadline: Instant) -> Result<(), PageError> {
        self.events.reset(self.tab.main_frame(), None);
        self.tab.session().run("Page.navigate", json!({ "url": "about:blank" }), deadline).await?;
        navigate::loaded(&self.events, Instant::now(), deadline).await.map(drop)
    }
}

/// The address of a document with the view that its scripts show, if they show one.
fn with_view(document: &Url, fragment: &str) -> Url {
    let mut url = document.clone();
    url.set_fragment(fragment.strip_prefix('#'));
    if view_of(&url).is_none() {
        url.set_fragment(None);
    }
    url
}
