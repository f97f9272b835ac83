//! The one browser that all scans share, and its successors.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::{Mutex, OnceCell};
use tokio_util::sync::CancellationToken;

use super::{
    BrowserError, BrowserSettings, Sandbox, authorities::Authorities, instance::Browser, process::Process,
    profile::Profile,
};
use crate::guard::Guard;

/// The number of pages after which a browser is replaced, between scans: what it has leaked is freed with it.
const PAGES_PER_BROWSER: u32 = 500;

/// The holder of the current browser, which starts one when there is none.
#[derive(Debug)]
pub(crate) struct BrowserPool {
    settings: BrowserSettings,
    /// The operator's authorities, if there are any; prepared with the first browser.
    authorities: OnceCell<Authorities>,
    current: Mutex<Option<Arc<Browser>>>,
    /// A token for each process; it fires when the process is reaped and its folder deleted.
    gone: std::sync::Mutex<Vec<CancellationToken>>,
    /// Ends every process when it fires.
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

    /// Returns the settings with which its browsers are started.
    pub(crate) const fn settings(&self) -> &BrowserSettings {
        &self.settings
    }

    /// Returns a browser for a new scan: the current one, or its successor if it died or has opened its number of
    /// pages.
    pub(crate) async fn for_new_scan(&self) -> Result<Arc<Browser>, BrowserError> {
        self.usable(|browser| browser.pages() < PAGES_PER_BROWSER).await
    }

    /// Returns a browser for a scan that lost its own.
    pub(crate) async fn replacement(&self) -> Result<Arc<Browser>, BrowserError> {
        self.usable(|_| true).await
    }

    async fn usable(&self, is_fit: impl Fn(&Browser) -> bool) -> Result<Arc<Browser>, BrowserError> {
        // The lock is held while a browser starts: callers that come meanwhile want that one.
        let mut current = self.current.lock().await;
        if self.closed.is_cancelled() {
            return Err(BrowserError::Closed);
        }
        if let Some(browser) = current.as_ref().filter(|browser| browser.is_alive() && is_fit(browser)) {
            return Ok(Arc::clone(browser));
        }
        // Scans that still use the old browser keep it alive until they are done.
        if let Some(old) = current.take() {
            let reason = if old.is_alive() { "served_its_time" } else { "died" };
            metrics::counter!("a11ycheck_browser_restarts_total", "reason" => reason).increment(1);
        }
        let mut started = self.start().await;
        if let Err(error) = &started
            && error.is_sudden_end()
            && !self.closed.is_cancelled()
        {
            // A browser may fall over as it starts, with a segmentation fault for instance. What is wrong every time is reported by the second.
            tracing::warn!(
                error = error as &dyn std::error::Error,
                "a browser ended as it started: it is started once more"
            );
            started = self.start().await;
        }
        let browser = match started {
            Ok(browser) => Arc::new(browser),
            Err(error) => {
                metrics::counter!("a11ycheck_browser_start_failures_total").increment(1);
                return Err(error);
            }
        };
        *current = Some(Arc::clone(&browser));
        Ok(browser)
    }

    /// Returns how many bytes of memory the current browser and its helper processes use; `None` if none runs, or one
    /// is being started.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.current.try_lock().ok()?.as_ref().filter(|browser| browser.is_alive())?.memory()
    }

    /// Returns the process id of the current browser, if one runs.
    pub(crate) async fn pid(&self) -> Option<u32> {
        let browser = self.current.lock().await.clone().filter(|browser| browser.is_alive())?;
        browser.pid().await
    }

    /// Kills every browser and waits until the processes have ended and their folders are deleted. None is started
    /// again.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        // A caller that is starting a browser at this moment holds the lock, and gives up because that browser is
        // killed.
        self.current.lock().await.take();
        let gone = std::mem::take(&mut *self.gone());
        for gone in gone {
            gone.cancelled().await;
        }
    }

    async fn start(&self) -> Result<Browser, BrowserError> {
        let BrowserSettings { program, sandbox, sound, certificates, .. } = &self.settings;
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
            Profile::create().await.map_err(|source| BrowserError::Folder { folder: std::env::temp_dir(), source })?;
        let stop = self.closed.clone();
        let process = match Process::spawn(&program, profile, guard.address(), (*sandbox, *sound), authorities, stop) {
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

    /// Logs the fonts, for the first browser only: they are the same for all that follow.
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
