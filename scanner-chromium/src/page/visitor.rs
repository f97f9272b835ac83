//! A tab that goes from page to page of one scan.

use std::sync::Arc;

use serde_json::json;
use tokio::time::{Duration, Instant};
use url::Url;

use super::{
    axe,
    errors::PageError,
    events::PageEvents,
    navigate::{self, Scope},
    platform, settle,
};
use crate::{
    axe_map::Collected,
    axe_source::AxeSource,
    browser::{Browser, Tab, TabError, TabSettings},
    guard::GuardLog,
    platform::Signals,
};

/// For the way back to `about:blank`. A tab that takes longer is not worth keeping.
const LEAVE_TIME: Duration = Duration::from_secs(5);

/// Visits pages, one at a time.
#[derive(Debug)]
pub(crate) struct Visitor {
    tab: Tab,
    events: Arc<PageEvents>,
}

/// One visit.
pub(crate) struct Task<'a> {
    /// The address to open.
    pub(crate) url: &'a Url,
    /// Which addresses it may lead to.
    pub(crate) scope: &'a dyn Scope,
    /// What the guard of the tab knows.
    pub(crate) log: &'a GuardLog,
    /// What to run.
    pub(crate) axe: &'a AxeSource,
    /// What else to look at.
    pub(crate) look: Look,
    /// When the page must have loaded.
    pub(crate) load_by: Instant,
    /// When all must be done.
    pub(crate) done_by: Instant,
}

/// What a visit is to find out, besides what axe-core does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Nothing.
    Page,
    /// What the site is built with.
    Platform,
}

/// A page that was checked.
#[derive(Debug)]
pub(crate) struct Checked {
    /// Where it turned out to be, without fragment.
    pub(crate) url: Url,
    /// What was found.
    pub(crate) collected: Collected,
    /// What it shows of the software behind it, if that was looked for.
    pub(crate) signals: Option<Signals>,
}

impl Visitor {
    /// Opens a tab. It is closed again even if the caller stops waiting half-way.
    pub(crate) async fn open(browser: Arc<Browser>, settings: TabSettings) -> Result<Self, TabError> {
        let opening = tokio::spawn(async move {
            let events = Arc::new(PageEvents::new());
            let tab = Tab::open(browser, &settings, Arc::clone(&events) as _).await?;
            Ok(Self { tab, events })
        });
        // The task neither panics nor is aborted, unless the runtime ends, and then nobody waits here.
        opening.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }

    /// Whether its browser still runs.
    pub(crate) fn is_alive(&self) -> bool {
        self.tab.browser().is_alive()
    }

    /// Checks one page. After an error the visitor is dropped, unless [`PageError::leaves_tab_at_rest`].
    pub(crate) async fn check(&self, task: Task<'_>) -> Result<Checked, PageError> {
        self.events.reset(self.tab.main_frame());
        self.tab.browser().count_page();
        tokio::select! {
            checked = self.try_check(task) => checked,
            trouble = navigate::trouble(&self.events) => Err(trouble),
        }
    }

    async fn try_check(&self, task: Task<'_>) -> Result<Checked, PageError> {
        let Task { url, scope, log, axe, look, load_by, done_by } = task;
        let Self { tab, events } = self;
        navigate::open(tab, events, url, log, load_by).await?;
        loop {
            navigate::loaded(events, load_by).await?;
            let url = navigate::examine(events, log, scope)?;
            let loader = events.peek(|state| state.loader.clone());
            settle::quiet(events, done_by).await;
            // A page may lead on to another by script; that one is the page then.
            let is_same = || events.peek(|state| state.loader == loader && state.navigating.is_none());
            if !is_same() {
                continue;
            }
            let collected = match axe::drawn(tab, done_by).await {
                Ok(()) => axe::run(tab, axe, done_by).await,
                Err(error) => Err(error),
            };
            let signals = match look {
                Look::Platform if is_same() => Some(platform::signals(tab, events, &url, done_by).await),
                _ => None,
            };
            if is_same() {
                return collected.map(|collected| Checked { url, collected, signals });
            }
        }
    }

    /// Leaves the page, ready for the next; `None` when the tab does not come loose.
    pub(crate) async fn rest(self) -> Option<Self> {
        self.events.reset(self.tab.main_frame());
        let deadline = Instant::now() + LEAVE_TIME;
        let leave = self.tab.session().run("Page.navigate", json!({ "url": "about:blank" }), deadline);
        leave.await.ok()?;
        navigate::loaded(&self.events, deadline).await.ok()?;
        Some(self)
    }
}
