//! A tab that goes from page to page of one scan: how it is opened, what it shows, and how it is left.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use a11ycheck_core::domain::FailureCause;
use tokio::time::{Duration, Instant};

use super::{
    errors::PageError,
    events::PageEvents,
    navigate::{loaded, trouble},
    unresponsive::Unresponsive,
};
use crate::{
    browser::{Browser, Death, MemoryMarks, Tab, TabError, TabSettings, Workers},
    cdp::commands::{GetFrameTree, Navigate, PressureLevel, SetBlockedUrls, SimulatePressure},
};

/// The time limit of the return to `about:blank`. A tab that takes longer is not worth keeping.
pub(super) const LEAVE_TIME: Duration = Duration::from_secs(5);
/// The time limit for a tab to report what it shows, after something failed in it.
const ASK_TIME: Duration = Duration::from_secs(1);
/// The number of pages after which a tab is replaced: the heaps of its process grow with each heavy page, and never
/// shrink.
const PAGES_PER_TAB: u32 = 20;

/// A tab that visits pages, one at a time.
#[derive(Debug)]
pub(super) struct Visitor {
    pub(super) tab: Tab,
    pub(super) events: Arc<PageEvents>,
    /// The number of pages that were completed in it.
    done: u32,
    /// True if the latest of them is still open.
    lingers: bool,
    /// The number of addresses that the tab fails at once.
    blocked: AtomicUsize,
    /// The workers that the tab had when the latest page was opened.
    workers: Mutex<Workers>,
}

/// The way in which a visitor waits for its next page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// At `about:blank`, where nothing of the previous page can disturb the next.
    Away,
    /// On the page, which ends when the next one is opened.
    Lingering,
}

impl Visitor {
    /// Opens a tab. It is closed again even if the caller stops waiting half-way.
    pub(super) async fn open(browser: Arc<Browser>, settings: TabSettings) -> Result<Self, TabError> {
        let opening = tokio::spawn(async move {
            let events = Arc::new(PageEvents::new());
            let tab = Tab::open(browser, &settings, Arc::clone(&events) as _).await?;
            Ok(Self { tab, events, done: 0, lingers: false, blocked: AtomicUsize::new(0), workers: Mutex::default() })
        });
        // The task neither panics nor is aborted, unless the runtime ends, and then nothing waits here.
        opening.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }

    /// Returns whether its browser still runs.
    pub(super) fn is_alive(&self) -> bool {
        self.tab.browser().is_alive()
    }

    /// Returns the memory counters before a page is opened.
    pub(super) fn memory_marks(&self) -> MemoryMarks {
        self.tab.browser().memory_marks()
    }

    /// Returns the error for a tab that has died since `before`.
    pub(super) async fn why_ended(&self, before: MemoryMarks) -> PageError {
        match self.tab.browser().why_ended(self.tab.main_frame(), before).await {
            Death::OverLimit => PageError::because_of(FailureCause::TooMuchMemory),
            Death::WantOfMemory => PageError::OutOfMemory,
            Death::Suspected => PageError::Suspected,
            Death::MadeRoom => PageError::MadeRoom,
            Death::Unknown => PageError::Crashed,
        }
    }

    /// Returns whether the previous page is still open.
    pub(super) const fn lingers(&self) -> bool {
        self.lingers
    }

    /// Makes the tab fail at once the requests that keep documents waiting without a response.
    pub(super) async fn block(&self, unresponsive: &Unresponsive, deadline: Instant) -> Result<(), PageError> {
        let addresses = unresponsive.blocked();
        if self.blocked.swap(addresses.len(), Ordering::Relaxed) != addresses.len() {
            self.tab.session().call(SetBlockedUrls { urls: &addresses }, deadline).await?;
        }
        Ok(())
    }

    /// Notes that a page is about to be opened, for [`has_workers`](Self::has_workers).
    pub(super) fn begin_page(&self) {
        *self.workers.lock().unwrap_or_else(PoisonError::into_inner) = self.tab.workers();
    }

    /// Returns whether a worker, of the latest page or one that an earlier page has left, may have a part in the page.
    pub(super) fn has_workers(&self) -> bool {
        let before = *self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        !self.tab.workers().are_none_since(before)
    }

    /// Returns whether the tab shows this document, after an action in it with this outcome. An action that fails
    /// because another document replaces this one may fail before the event of that arrives, if the other document
    /// needs no request.
    pub(super) async fn is_shown_after<T, E>(&self, outcome: &Result<T, E>, loader: &str) -> bool {
        if outcome.is_err() && self.is_shown(loader) {
            // Its result arrives after all events so far. Without a result, no replacement is known.
            let asked = self.tab.session().call(GetFrameTree {}, Instant::now() + ASK_TIME);
            if let Err(error) = asked.await {
                tracing::debug!(%error, "what a tab shows is not known");
            }
        }
        self.is_shown(loader)
    }

    /// Returns whether the tab shows this document, and no other is on its way.
    pub(super) fn is_shown(&self, loader: &str) -> bool {
        self.events.peek(|state| state.loader == loader && state.navigating.is_none())
    }

    /// Does these steps with the page, unless its visit ends first.
    pub(super) async fn unless_trouble<T>(
        &self,
        steps: impl Future<Output = Result<T, PageError>>,
    ) -> Result<T, PageError> {
        tokio::select! {
            biased;
            error = trouble(&self.events) => Err(error),
            outcome = steps => outcome,
        }
    }

    /// Finishes with the page, and gets ready for the next; `None` if the tab does not leave the page, or has visited
    /// its number of pages.
    pub(super) async fn rest(mut self, rest: Rest) -> Option<Self> {
        self.done += 1;
        if self.done >= PAGES_PER_TAB {
            return None;
        }
        let deadline = Instant::now() + LEAVE_TIME;
        self.lingers = rest == Rest::Lingering;
        if rest == Rest::Away {
            self.leave(deadline).await.ok()?;
        }
        // The next page needs its scripts and its window, whatever became of the pictures of this one.
        self.tab.unfreeze(deadline).await.ok()?;
        self.tab.show(deadline).await.ok()?;
        // The page's remains, including images and responses, are freed now: this saves a quarter of the memory, in no
        // measurable time.
        let purge = SimulatePressure { level: PressureLevel::Critical };
        if let Err(error) = self.tab.session().call(purge, deadline).await {
            tracing::debug!(%error, "what a page left behind was not cleared away");
        }
        Some(self)
    }

    /// Goes to `about:blank`, where nothing of the page is left.
    pub(super) async fn leave(&self, deadline: Instant) -> Result<(), PageError> {
        self.events.reset(self.tab.main_frame(), None);
        self.tab.session().call(Navigate { url: "about:blank" }, deadline).await?;
        loaded(&self.events, Instant::now(), deadline).await.map(drop)
    }
}
