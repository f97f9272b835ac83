//! A running browser.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use tokio::{
    sync::OnceCell,
    time::{Duration, Instant},
};

use super::{
    AuthoritiesError, BrowserError, BrowserSettings,
    authorities::{Authorities, TrialError},
    beyond, canary,
    fonts::{Fonts, drawn, families},
    memory::{Death, Deaths, Lifetime, MemoryMarks, Tabs, Verdict, Watch},
    process::Process,
};
use crate::{
    cdp::{
        CdpError, Connection, Event, EventSink, Reaction, SessionEnd,
        commands::{CloseTarget, GetProcessInfo, GetVersion, SetDiscoverTargets, Version},
        events::{TargetCrashed, TargetCreated},
    },
    guard::Guard,
};

/// The time limit of a start: many times what one takes on a busy machine.
const START_TIME: Duration = Duration::from_secs(60);

/// A browser that runs and whose traffic was shown to pass through the guard.
#[derive(Debug)]
pub(crate) struct Browser {
    process: Process,
    product: String,
    user_agent: String,
    pages: AtomicU32,
    deaths: Arc<Deaths>,
    tabs: Arc<Tabs>,
    /// True if it paints what lies beyond the viewport. Known once somebody has asked.
    paints_beyond: OnceCell<bool>,
    /// A guard that refuses everything: the browser's own traffic ends here, and so does any that belongs to no scan.
    _guard: Guard,
}

impl Browser {
    /// Waits until the browser of this process responds, and makes sure that it can be used.
    pub(super) async fn prepare(
        settings: &BrowserSettings,
        process: Process,
        guard: Guard,
        authorities: Option<&Authorities>,
    ) -> Result<Self, BrowserError> {
        let deadline = Instant::now() + START_TIME;
        let deaths = Arc::new(Deaths::new(process.heap_notices()));
        let tabs = Arc::new(Tabs::default());
        let watch = TargetWatch { deaths: Arc::clone(&deaths), tabs: Arc::clone(&tabs) };
        match greet(&process, &guard, watch, authorities, deadline).await {
            Ok(Version { product, user_agent }) => {
                process.offer_to_the_kernel();
                tracing::info!(browser = product, "a browser started");
                let user_agent = settings.agent.of_browser(&user_agent);
                // Debian's and Google's builds of the shell report themselves under other names than the browser that
                // they are.
                let product = product.replace("HeadlessChrome/", "Chromium ").replace("Chrome/", "Chromium ");
                let connection = process.connection().clone();
                let (watched, died) = (Arc::clone(&tabs), Arc::clone(&deaths));
                // This ends with the connection.
                tokio::spawn(Watch { connection, tabs: watched, deaths: died, limit: settings.tab_memory }.run());
                Ok(Self {
                    process,
                    product,
                    user_agent,
                    pages: AtomicU32::new(0),
                    deaths,
                    tabs,
                    paints_beyond: OnceCell::new(),
                    _guard: guard,
                })
            }
            Err(StartError::GuardNotInForce) => Err(BrowserError::GuardNotInForce),
            Err(StartError::Authorities(error)) => Err(error.into()),
            Err(StartError::Protocol(source)) => {
                let complaints = process.last_words().await;
                let complaints = if complaints.is_empty() { complaints } else { format!(": {complaints}") };
                Err(BrowserError::NotReady { program: settings.program.clone(), complaints, source: Box::new(source) })
            }
        }
    }

    pub(super) const fn connection(&self) -> &Connection {
        self.process.connection()
    }

    /// Returns the name and version, for example `Chromium 156.0.8078.79`.
    pub(crate) fn product(&self) -> &str {
        &self.product
    }

    /// Returns the user agent of its tabs.
    pub(crate) fn user_agent(&self) -> &str {
        &self.user_agent
    }

    /// Returns the fonts with which it draws text.
    pub(crate) async fn fonts(&self) -> Result<Fonts, BrowserError> {
        let drawn = drawn(self.connection(), Instant::now() + START_TIME).await;
        let drawn = drawn.map_err(|source| BrowserError::NoAnswer { source: Box::new(source) })?;
        Ok(Fonts { families: families().await, drawn })
    }

    /// Returns whether it paints what lies beyond the viewport of a page, so that a picture can show it without another layout. What is
    /// not known by `deadline` counts as no, and is asked again for the next picture.
    pub(super) async fn paints_beyond(&self, deadline: Instant) -> bool {
        let asked = || async {
            let is_painted = beyond::is_painted(self.connection(), deadline).await?;
            if !is_painted {
                tracing::info!(browser = self.product, "pictures of pages take longer in this browser");
            }
            Ok::<_, CdpError>(is_painted)
        };
        match self.paints_beyond.get_or_try_init(asked).await {
            Ok(is_painted) => *is_painted,
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::debug!(error, "it is not known yet what the browser paints, and a picture takes longer");
                false
            }
        }
    }

    /// Requests a sign of life. A browser that gives none is ended.
    pub(crate) async fn answers(&self) -> Result<(), BrowserError> {
        let deadline = Instant::now() + START_TIME;
        let answer = self.connection().call(GetVersion {}, deadline).await;
        answer.map(drop).map_err(|source| {
            self.kill();
            BrowserError::NoAnswer { source: Box::new(source) }
        })
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.connection().is_open()
    }

    /// Ends the browser; everything that waits for it fails at once.
    pub(crate) fn kill(&self) {
        self.process.kill();
    }

    /// Returns the memory counters of this moment, for questions about a tab that dies later.
    pub(crate) fn memory_marks(&self) -> MemoryMarks {
        self.deaths.marks()
    }

    /// Returns the reason why a tab has ended since `before`.
    pub(crate) async fn why_ended(&self, target: &str, before: MemoryMarks) -> Death {
        match self.tabs.verdict(target).await {
            Some(Verdict::OverLimit) => Death::OverLimit,
            Some(Verdict::Suspected) => Death::Suspected,
            Some(Verdict::MadeRoom) => Death::MadeRoom,
            None if self.is_alive() => self.deaths.why(target, before).await,
            None => Death::Unknown,
        }
    }

    /// Returns the tabs that are open in it.
    pub(super) const fn tabs(&self) -> &Arc<Tabs> {
        &self.tabs
    }

    /// Returns the number of pages that were opened in it.
    pub(super) fn pages(&self) -> u32 {
        self.pages.load(Ordering::Relaxed)
    }

    /// Returns how many bytes of memory it and its helper processes use; `None` when it has ended.
    pub(super) fn memory(&self) -> Option<u64> {
        self.process.memory()
    }

    /// Counts a page towards the number after which the browser is replaced.
    pub(crate) fn count_page(&self) {
        self.pages.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the process id of the browser itself, which is not that of the program if that is a script.
    pub(super) async fn pid(&self) -> Option<u32> {
        let deadline = Instant::now() + Duration::from_secs(5);
        let processes = self.connection().call(GetProcessInfo {}, deadline).await.ok()?.process_info;
        processes.iter().find(|process| process.kind == "browser").map(|browser| browser.id)
    }
}

enum StartError {
    Protocol(CdpError),
    GuardNotInForce,
    Authorities(AuthoritiesError),
}

impl From<TrialError> for StartError {
    fn from(error: TrialError) -> Self {
        match error {
            TrialError::Protocol(error) => Self::Protocol(error),
            TrialError::Authorities(error) => Self::Authorities(error),
        }
    }
}

impl From<CdpError> for StartError {
    fn from(error: CdpError) -> Self {
        Self::Protocol(error)
    }
}

async fn greet(
    process: &Process,
    guard: &Guard,
    watch: TargetWatch,
    authorities: Option<&Authorities>,
    deadline: Instant,
) -> Result<Version, StartError> {
    let connection = process.connection();
    let version = connection.call(GetVersion {}, deadline).await?;
    connection.on_browser_events(Arc::new(watch));
    connection.call(SetDiscoverTargets { discover: true }, deadline).await?;
    if !canary::passes_guard(connection, guard, deadline).await? {
        return Err(StartError::GuardNotInForce);
    }
    if let Some(authorities) = authorities {
        authorities.require(connection, deadline).await?;
    }
    Ok(version)
}

/// A sink that closes every window that a page opens, and notes how tabs die and which of them have workers.
struct TargetWatch {
    deaths: Arc<Deaths>,
    tabs: Arc<Tabs>,
}

impl EventSink for TargetWatch {
    fn event(&self, event: Event<'_>) -> Option<Reaction> {
        if let Some(TargetCrashed { target_id, status }) = event.read() {
            self.deaths.note(&target_id, &status);
        }
        let TargetCreated { target_info: target } = event.read()?;
        if let Some(context) = &target.browser_context_id {
            match target.kind.as_str() {
                "worker" | "worklet" => self.tabs.add_worker(context, Lifetime::Page),
                "service_worker" | "shared_worker" => self.tabs.add_worker(context, Lifetime::Context),
                _ => {}
            }
        }
        // Tabs that we open have no opener; windows of pages have one, `noopener` or not.
        let is_popup = target.kind == "page" && target.opener_id.is_some();
        is_popup.then(|| Reaction::with(CloseTarget { target_id: &target.target_id }))
    }

    fn ended(&self, _: SessionEnd) {}
}
