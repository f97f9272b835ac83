//! Examines what checks need on this machine, for operators: all of it, where starting stops at the first thing that is
//! missing.

use std::path::PathBuf;

use crate::{ChromiumConfig, ChromiumError, Fonts, Sandbox, browser::BrowserPool, tls};

/// The result of an examination, part by part.
#[derive(Debug)]
pub struct Examination {
    /// The browser, which was started and ended for this.
    pub browser: Result<FoundBrowser, ChromiumError>,
    /// The installed axe-core.
    pub axe: Result<FoundAxe, ChromiumError>,
    /// The system's certificate authorities: whether they could be read.
    pub authorities: Result<(), ChromiumError>,
}

/// A browser that runs and whose traffic was shown to pass through the guard.
#[derive(Debug)]
pub struct FoundBrowser {
    /// Its program.
    pub program: PathBuf,
    /// Its name and version, for example `Chromium 156.0.8078.79`.
    pub version: String,
    /// The state of its sandbox.
    pub sandbox: Sandbox,
    /// The fonts with which it draws text.
    pub fonts: Fonts,
}

/// axe-core of a version that the scanner knows.
#[derive(Debug)]
pub struct FoundAxe {
    /// Its script.
    pub script: PathBuf,
    /// Its version.
    pub version: String,
}

impl ChromiumConfig {
    /// Finds the browser and axe-core, and starts the browser once to see that it runs.
    ///
    /// Must be called within a tokio runtime with I/O and time.
    pub async fn examine(&self) -> Examination {
        let axe = self.find_axe();
        Examination {
            browser: self.examine_browser().await,
            axe: axe.map(|axe| FoundAxe { script: axe.path().to_owned(), version: axe.version().to_owned() }),
            authorities: tls::config(&self.authorities).map(drop).map_err(ChromiumError::Certificates),
        }
    }

    async fn examine_browser(&self) -> Result<FoundBrowser, ChromiumError> {
        let settings = self.browser_settings()?;
        let (program, sandbox) = (settings.program.clone(), settings.sandbox);
        let browsers = BrowserPool::new(settings);
        let found = async {
            let browser = browsers.for_new_scan().await?;
            let version = browser.product().to_owned();
            Ok::<_, ChromiumError>(FoundBrowser { program, version, sandbox, fonts: browser.fonts().await? })
        };
        let found = found.await;
        browsers.close().await;
        found
    }
}
