//! The one browser that all scans share, and its successors.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    sync::{Mutex, OnceCell},
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

use super::{
    authorities::{Authorities, AuthoritiesError},
    canary,
    death::{Death, Deaths, MemoryMarks},
    flags::Sandbox,
    fonts,
    process::Process,
    profile::Profile,
    settings::BrowserSettings,
    tabs::{Tabs, Verdict},
    watch::Watch,
};
use crate::{
    Fonts,
    cdp::{CdpError, Connection, EventSink, Reaction, SessionEnd},
    guard::{Guard, GuardError},
};

/// What a start takes on a busy machine, many times over.
const START_TIME: Duration = Duration::from_secs(60);

/// Pages after which a browser is replaced, between scans: whatever it leaks goes with it.
const PAGES_PER_BROWSER: u32 = 500;

/// Why there is no browser.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// The folder for its profile and its temporary files could not be made.
    #[error("no folder could be made for the browser in {}", folder.display())]
    Folder {
        /// Where it was to be: the system's temporary folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program could not be started.
    #[error("{} could not be started", program.display())]
    Spawn {
        /// What was started.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program started, and ended or fell silent before it was ready.
    #[error("{} did not become ready{complaints}", program.display())]
    NotReady {
        /// What was started.
        program: PathBuf,
        /// The last lines that it wrote, or nothing.
        complaints: String,
        /// What was waited for.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The program started, and fell silent later.
    #[error("the browser did not answer")]
    NoAnswer {
        /// What was waited for.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The listener that keeps the browser's own traffic inside could not be opened.
    #[error("the egress guard could not be opened")]
    Guard(#[from] GuardError),
    /// The browser reaches out past the guard: it must not be used.
    #[error("the browser does not send its traffic through the egress guard")]
    GuardNotInForce,
    /// It does not trust the operator's own authorities.
    #[error("the browser does not trust the authorities of --ca-certificates")]
    Authorities(#[from] AuthoritiesError),
    /// [`ChromiumScanner::close`](crate::ChromiumScanner::close) was called.
    #[error("the scanner was closed")]
    Closed,
}

/// Gives out the current browser, and starts one when there is none.
#[derive(Debug)]
pub(crate) struct BrowserPool {
    settings: BrowserSettings,
    /// Made with the first browser, where there are any.
    authorities: OnceCell<Authorities>,
    current: Mutex<Option<Arc<Browser>>>,
    /// One per process; fires when it is gone.
    gone: std::sync::Mutex<Vec<CancellationToken>>,
    /// Ends every process.
    closed: CancellationToken,
    fonts_logged: AtomicBool,
    unlocked_logged: AtomicBool,
}

impl BrowserPool {
    pub(crate) fn new(settings: BrowserSettings) -> Self {
        Self {
            settings,
            authorities: OnceCell::new(),
            current: Mutex::default(),
            gone: std::sync::Mutex::default(),
            closed: CancellationToken::new(),
            fonts_logged: AtomicBool::new(false),
            unlocked_logged: AtomicBool::new(false),
        }
    }

    /// What its browsers are started with.
    pub(crate) const fn settings(&self) -> &BrowserSettings {
        &self.settings
    }

    /// A browser for a new scan: the current one, or its successor when it died or served its time.
    pub(crate) async fn for_new_scan(&self) -> Result<Arc<Browser>, BrowserError> {
        self.usable(|browser| browser.pages.load(Ordering::Relaxed) < PAGES_PER_BROWSER).await
    }

    /// A browser for a scan that lost its own.
    pub(crate) async fn replacement(&self) -> Result<Arc<Browser>, BrowserError> {
        self.usable(|_| true).await
    }

    async fn usable(&self, is_fit: impl Fn(&Browser) -> bool) -> Result<Arc<Browser>, BrowserError> {
        // Held while a browser starts: whoever comes meanwhile wants that one.
        let mut current = self.current.lock().await;
        if self.closed.is_cancelled() {
            return Err(BrowserError::Closed);
        }
        if let Some(browser) = current.as_ref().filter(|browser| browser.is_alive() && is_fit(browser)) {
            return Ok(Arc::clone(browser));
        }
        // Scans that still use the old one keep it alive until they are done.
        if let Some(old) = current.take() {
            let reason = if old.is_alive() { "served_its_time" } else { "died" };
            metrics::counter!("a11ycheck_browser_restarts_total", "reason" => reason).increment(1);
        }
        let browser = match self.start().await {
            Ok(browser) => Arc::new(browser),
            Err(error) => {
                metrics::counter!("a11ycheck_browser_start_failures_total").increment(1);
                return Err(error);
            }
        };
        *current = Some(Arc::clone(&browser));
        Ok(browser)
    }

    /// Bytes that the current browser and its helpers have in memory; `None` where none runs, or one is being started.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.current.try_lock().ok()?.as_ref().filter(|browser| browser.is_alive())?.process.memory()
    }

    /// The process id of the current browser, if one runs.
    pub(crate) async fn pid(&self) -> Option<u32> {
        let browser = self.current.lock().await.clone().filter(|browser| browser.is_alive())?;
        browser.pid().await
    }

    /// Kills every browser and waits until they and their folders are gone. None is started again.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        // Whoever starts a browser at this moment holds the lock, and gives up because it is killed.
        self.current.lock().await.take();
        let gone = std::mem::take(&mut *self.gone());
        for gone in gone {
            gone.cancelled().await;
        }
    }

    async fn start(&self) -> Result<Browser, BrowserError> {
        let BrowserSettings { program, sandbox, certificates, .. } = &self.settings;
        let program = program.clone();
        if *sandbox == Sandbox::Off && !self.unlocked_logged.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the browser runs without its sandbox, as --no-sandbox or A11YCHECK_NO_SANDBOX asks: a page that breaks into it has \
                 all that this user has"
            );
        }
        let authorities = match certificates.as_slice() {
            [] => None,
            certificates => Some(self.authorities.get_or_try_init(|| Authorities::prepare(certificates)).await?),
        };
        let guard = Guard::refuse_all().await?;
        let profile =
            Profile::create().map_err(|source| BrowserError::Folder { folder: std::env::temp_dir(), source })?;
        let stop = self.closed.clone();
        let process = match Process::spawn(&program, profile, guard.address(), *sandbox, authorities, stop) {
            Ok(process) => process,
            Err(source) => return Err(BrowserError::Spawn { program, source }),
        };
        {
            let mut gone = self.gone();
            gone.retain(|gone| !gone.is_cancelled());
            gone.push(process.gone());
        }
        let browser = Browser::prepare(&self.settings, process, guard, authorities).await?;
        self.log_fonts(&browser).await;
        Ok(browser)
    }

    /// Names the fonts in the log, of the first browser: they are the same for all that follow.
    async fn log_fonts(&self, browser: &Browser) {
        if self.fonts_logged.swap(true, Ordering::Relaxed) {
            return;
        }
        match browser.fonts().await {
            Ok(fonts) if fonts.is_empty() => tracing::warn!(
                %fonts,
                "the browser has no font: text has no size and no contrast, so checks miss problems and report others that \
                 nobody has; install one, such as fonts-dejavu-core"
            ),
            Ok(fonts) => tracing::info!(%fonts, "pages are drawn with the fonts of this machine"),
            Err(error) => tracing::warn!(%error, "the browser did not say which fonts it draws pages with"),
        }
    }

    fn gone(&self) -> std::sync::MutexGuard<'_, Vec<CancellationToken>> {
        self.gone.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A browser that runs and whose traffic is known to go through the guard.
#[derive(Debug)]
pub(crate) struct Browser {
    process: Process,
    product: String,
    user_agent: String,
    pages: AtomicU32,
    deaths: Arc<Deaths>,
    tabs: Arc<Tabs>,
    /// Refuses everything: the browser's own traffic ends here, and so does what belongs to no scan.
    _guard: Guard,
}

impl Browser {
    async fn prepare(
        settings: &BrowserSettings,
        process: Process,
        guard: Guard,
        authorities: Option<&Authorities>,
    ) -> Result<Self, BrowserError> {
        let deadline = Instant::now() + START_TIME;
        let deaths = Arc::new(Deaths::new(process.heap_notices()));
        match greet(&process, &guard, &deaths, authorities, deadline).await {
            Ok(Version { product, user_agent }) => {
                process.offer_to_the_kernel();
                tracing::info!(browser = product, "a browser started");
                let user_agent = settings.agent.of_browser(&user_agent);
                // Debian's and Google's builds of the shell name themselves differently from the browser they are.
                let product = product.replace("HeadlessChrome/", "Chromium ").replace("Chrome/", "Chromium ");
                let tabs = Arc::new(Tabs::default());
                let connection = process.connection().clone();
                let (watched, died) = (Arc::clone(&tabs), Arc::clone(&deaths));
                // Ends with the connection.
                tokio::spawn(Watch { connection, tabs: watched, deaths: died, limit: settings.tab_memory }.run());
                Ok(Self { process, product, user_agent, pages: AtomicU32::new(0), deaths, tabs, _guard: guard })
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

    /// Name and version, for example `Chromium 156.0.8078.79`.
    pub(crate) fn product(&self) -> &str {
        &self.product
    }

    pub(super) fn user_agent(&self) -> &str {
        &self.user_agent
    }

    /// What it draws text with.
    pub(crate) async fn fonts(&self) -> Result<Fonts, BrowserError> {
        let drawn = fonts::drawn(self.connection(), Instant::now() + START_TIME).await;
        let drawn = drawn.map_err(|source| BrowserError::NoAnswer { source: Box::new(source) })?;
        Ok(Fonts { families: crate::fonts::families().await, drawn })
    }

    /// Asks it for a sign of life; one that gives none is ended.
    pub(crate) async fn answers(&self) -> Result<(), BrowserError> {
        let deadline = Instant::now() + START_TIME;
        let answer = self.connection().call::<Value>("Browser.getVersion", json!({}), deadline).await;
        answer.map(drop).map_err(|source| {
            self.kill();
            BrowserError::NoAnswer { source: Box::new(source) }
        })
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.connection().is_open()
    }

    /// Ends it; what waits for it fails at once.
    pub(crate) fn kill(&self) {
        self.process.kill();
    }

    /// What is known of memory now, to be asked about a tab that dies later.
    pub(crate) fn memory_marks(&self) -> MemoryMarks {
        self.deaths.marks()
    }

    /// Why a tab has ended since `before`.
    pub(crate) async fn why_ended(&self, target: &str, before: MemoryMarks) -> Death {
        match self.tabs.verdict(target).await {
            Some(Verdict::OverLimit) => Death::OverLimit,
            Some(Verdict::MadeRoom) => Death::MadeRoom,
            None if self.is_alive() => self.deaths.why(target, before).await,
            None => Death::Unknown,
        }
    }

    /// The tabs that are open in it.
    pub(super) const fn tabs(&self) -> &Arc<Tabs> {
        &self.tabs
    }

    /// Counts a page towards the browser's time of service.
    pub(crate) fn count_page(&self) {
        self.pages.fetch_add(1, Ordering::Relaxed);
    }

    async fn pid(&self) -> Option<u32> {
        let deadline = Instant::now() + Duration::from_secs(5);
        let info: Value = self.connection().call("SystemInfo.getProcessInfo", json!({}), deadline).await.ok()?;
        let processes = info["processInfo"].as_array()?;
        let browser = processes.iter().find(|process| process["type"] == "browser")?;
        u32::try_from(browser["id"].as_u64()?).ok()
    }
}

#[derive(Deserialize)]
struct Version {
    product: String,
    #[serde(rename = "userAgent")]
    user_agent: String,
}

pub(super) enum StartError {
    Protocol(CdpError),
    GuardNotInForce,
    Authorities(AuthoritiesError),
}

impl From<AuthoritiesError> for StartError {
    fn from(error: AuthoritiesError) -> Self {
        Self::Authorities(error)
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
    deaths: &Arc<Deaths>,
    authorities: Option<&Authorities>,
    deadline: Instant,
) -> Result<Version, StartError> {
    let connection = process.connection();
    let version = connection.call("Browser.getVersion", json!({}), deadline).await?;
    connection.on_browser_events(Arc::new(TargetWatch { deaths: Arc::clone(deaths) }));
    let discover = json!({ "discover": true });
    connection.call::<Value>("Target.setDiscoverTargets", discover, deadline).await?;
    canary::require_guard(connection, guard, deadline).await?;
    if let Some(authorities) = authorities {
        authorities.require(connection, deadline).await?;
    }
    Ok(version)
}

/// Closes every window that a page opens, and notes how tabs die.
struct TargetWatch {
    deaths: Arc<Deaths>,
}

impl EventSink for TargetWatch {
    fn event(&self, method: &str, params: &Value) -> Option<Reaction> {
        if method == "Target.targetCrashed"
            && let (Some(target), Some(status)) = (params["targetId"].as_str(), params["status"].as_str())
        {
            self.deaths.note(target, status);
        }
        let target = &params["targetInfo"];
        // Tabs that we open have no opener; windows of pages have one, `noopener` or not.
        let is_popup = method == "Target.targetCreated" && target["type"] == "page" && target["openerId"].is_string();
        is_popup.then(|| Reaction { method: "Target.closeTarget", params: json!({ "targetId": target["targetId"] }) })
    }

    fn ended(&self, _: SessionEnd) {}
}
