//! What an operator can set.

use std::{path::PathBuf, sync::Arc, time::Duration};

use a11ycheck_core::net::{AddressPolicy, Resolver, UpstreamProxy, default_resolver};
use rustls::pki_types::CertificateDer;
use url::Url;

use crate::{ChromiumError, Sandbox, agent::Agent, axe::AxeSource, browser::BrowserSettings, places::Places};

/// The least that [`ChromiumConfig::with_tab_memory`] takes: a browser and a page of nothing need about half of it each.
const LEAST_TAB_MEMORY: u64 = 256 * 1024 * 1024;

/// How a [`ChromiumScanner`](crate::ChromiumScanner) works. Only the address policy has no default.
#[derive(Debug, Clone)]
pub struct ChromiumConfig {
    pub(crate) policy: AddressPolicy,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) tabs: usize,
    pub(crate) cores: usize,
    pub(crate) pages_at_once: usize,
    pub(crate) robots: RobotsPolicy,
    pub(crate) evidence: Evidence,
    pub(crate) page_timeout: Duration,
    pub(crate) scan_timeout: Duration,
    pub(crate) proxy: Option<UpstreamProxy>,
    pub(crate) authorities: Vec<CertificateDer<'static>>,
    tab_memory: u64,
    sandbox: Option<Sandbox>,
    contact: Option<Url>,
    browser: Option<PathBuf>,
    axe: Option<PathBuf>,
}

impl ChromiumConfig {
    /// Everything as by default, and every connection judged by `policy`.
    pub fn new(policy: AddressPolicy) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            policy,
            resolver: default_resolver(),
            tabs: 2 * cores,
            cores,
            pages_at_once: 2,
            robots: RobotsPolicy::Honour,
            evidence: Evidence::Taken,
            page_timeout: Duration::from_secs(60),
            scan_timeout: Duration::from_secs(30 * 60),
            proxy: None,
            authorities: Vec::new(),
            tab_memory: 1536 * 1024 * 1024,
            sandbox: None,
            contact: None,
            browser: None,
            axe: None,
        }
    }

    /// The browser to start. By default the one that `A11YCHECK_CHROMIUM` names, else `chromium-headless-shell`,
    /// `chromium` or Google Chrome, as found in `PATH` or in the usual places of programs.
    pub fn with_browser(self, path: impl Into<PathBuf>) -> Self {
        Self { browser: Some(path.into()), ..self }
    }

    /// The `axe.min.js` to run. By default the one that `A11YCHECK_AXE` names, else the first of the right version that lies
    /// beside this program or in `../share/a11ycheck`, in `a11ycheck` or `javascript/axe-core` or `nodejs/axe-core` of the
    /// folders of shared data (`XDG_DATA_HOME`, `XDG_DATA_DIRS`, `/usr/local/share`, `/usr/share`), or in
    /// `node_modules/axe-core` of the current folder or one above it.
    pub fn with_axe(self, path: impl Into<PathBuf>) -> Self {
        Self { axe: Some(path.into()), ..self }
    }

    /// Trusts sites of these authorities too (certificates in DER): for an intranet with an authority of its own. They count for the browser,
    /// which must be a Chromium on Linux and needs NSS's `certutil` beside it, and for the crawler. Whether the browser takes
    /// them is tried at its start.
    pub fn with_ca_certificates(self, certificates: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { authorities: certificates.into_iter().map(CertificateDer::from).collect(), ..self }
    }

    /// The operator's proxy, through which the browser and the crawler reach sites. By default none is used, not even one of the environment.
    pub fn with_upstream_proxy(self, proxy: UpstreamProxy) -> Self {
        Self { proxy: Some(proxy), ..self }
    }

    /// A page that tells owners of checked sites who visits them and how to let it in. The user agent names it. By default the user
    /// agent says in words that sites know it as `a11ycheck`.
    pub fn with_contact(self, page: Url) -> Self {
        Self { contact: Some(page), ..self }
    }

    /// What turns names into addresses for the browser and the crawler. By default [`default_resolver`]. Each scan has a share
    /// of it: at most 8 look-ups at a time.
    pub fn with_resolver(self, resolver: Arc<dyn Resolver>) -> Self {
        Self { resolver, ..self }
    }

    /// Pages that are open at a time, over all scans; at least 1. By default two for each processor core: axe-core works on
    /// as many pages as there are cores, while the others load and settle, which is mostly waiting. Scans share them evenly;
    /// each has at least one.
    pub fn with_tabs(self, tabs: usize) -> Self {
        Self { tabs: tabs.max(1), ..self }
    }

    /// Pages of one site that a scan loads at a time; at least 1. By default 2: small sites are not built for more.
    pub fn with_pages_at_once(self, pages: usize) -> Self {
        Self { pages_at_once: pages.max(1), ..self }
    }

    /// Whether sites may close pages to the scanner. By default they may.
    pub fn with_robots(self, robots: RobotsPolicy) -> Self {
        Self { robots, ..self }
    }

    /// Whether what fails is pictured. By default it is.
    pub fn with_evidence(self, evidence: Evidence) -> Self {
        Self { evidence, ..self }
    }

    /// Bytes of memory that a page may take, at least 256 MiB: in its own processes, whatever it takes them for (scripts, buffers,
    /// WebAssembly, pictures), and as much again in the browser's, where what it stores lies (`IndexedDB`, caches, blobs). A page
    /// that takes more is ended, fails with `too_large`, and is not tried again. By default 1.5 GiB. The browser is looked at
    /// four times a second, so a page can take more for a moment: a limit of the system's own (a control group) belongs above it.
    pub fn with_tab_memory(self, bytes: u64) -> Self {
        Self { tab_memory: bytes.max(LEAST_TAB_MEMORY), ..self }
    }

    /// Whether the browser runs in its sandbox. By default it does, unless the environment variable `A11YCHECK_NO_SANDBOX` is
    /// `true`. As root a browser runs only without it, and so none is started until this says [`Sandbox::Off`].
    pub fn with_sandbox(self, sandbox: Sandbox) -> Self {
        Self { sandbox: Some(sandbox), ..self }
    }

    /// The longest that one try of a page may take in all; half of it, at most 30 s, for loading: a page that is all there by then
    /// is checked as it stands. Of what is left, at most half, and 12 s, is for answers to its scripts. Further tries are made
    /// only when the tab died, the site was too busy, or the page waited for a part that never came. By default 60 s.
    pub fn with_page_timeout(self, timeout: Duration) -> Self {
        Self { page_timeout: timeout, ..self }
    }

    /// The longest that one scan may take once a browser runs; pages that were not reached by then are left out. By
    /// default 30 minutes. A scan of few pages has less: the time of one page for each, and a minute.
    pub fn with_scan_timeout(self, timeout: Duration) -> Self {
        Self { scan_timeout: timeout, ..self }
    }

    /// What every browser is started with: settles what the configuration leaves open.
    ///
    /// # Errors
    /// [`ChromiumError::BrowserNotFound`], [`ChromiumError::BrowserMissing`] and [`ChromiumError::RootWithSandbox`].
    pub(crate) fn browser_settings(&self) -> Result<BrowserSettings, ChromiumError> {
        Ok(BrowserSettings {
            program: self.find_browser()?,
            sandbox: self.find_sandbox()?,
            certificates: self.authorities.clone(),
            tab_memory: self.tab_memory,
            agent: Agent::new(self.contact.clone()),
        })
    }

    /// Finds the browser's program.
    fn find_browser(&self) -> Result<PathBuf, ChromiumError> {
        if let Some(path) = self.browser.clone().or_else(|| path_from_env("A11YCHECK_CHROMIUM")) {
            return if path.is_file() { Ok(path) } else { Err(ChromiumError::BrowserMissing(path)) };
        }
        let places = Places::here().browsers();
        match places.first() {
            Some(program) => Ok(program),
            None => Err(ChromiumError::BrowserNotFound { folders: places.folders, files: places.files }),
        }
    }

    /// Returns whether the browser runs in its sandbox; an error where it should and can't.
    fn find_sandbox(&self) -> Result<Sandbox, ChromiumError> {
        let is_root = rustix::process::geteuid().is_root();
        let sandbox = self.sandbox.unwrap_or_else(|| match std::env::var_os("A11YCHECK_NO_SANDBOX") {
            Some(value) if value == "true" => Sandbox::Off,
            _ => Sandbox::On,
        });
        if is_root && sandbox == Sandbox::On { Err(ChromiumError::RootWithSandbox) } else { Ok(sandbox) }
    }

    /// Finds axe-core and reads it.
    pub(crate) fn find_axe(&self) -> Result<AxeSource, ChromiumError> {
        let found = match self.axe.clone().or_else(|| path_from_env("A11YCHECK_AXE")) {
            Some(path) => AxeSource::read(&path),
            None => AxeSource::first(Places::here().axe()),
        };
        found.map_err(ChromiumError::from)
    }
}

/// What a site's `robots.txt` counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RobotsPolicy {
    /// What it closes to the user agent `a11ycheck`, or to all where that is not named, is not visited (RFC 9309); a
    /// `Crawl-delay` of up to 10 s is kept. Where it can't be read because of an error of the server, nothing is.
    #[default]
    Honour,
    /// It closes nothing and delays nothing; only the sitemaps that it names are used. For operators who check sites of
    /// their own.
    Ignore,
}

/// Whether a scan takes pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Evidence {
    /// Of elements that fail, one for each template, up to 5 for each rule on a page and 20 in a scan, 300 in all and 10 MiB;
    /// and of the first page. They are taken when axe-core has finished with the page, and change nothing of what it finds.
    #[default]
    Taken,
    /// None: for operators who must not keep what pages show.
    LeftOut,
}

/// An empty variable counts as not set.
fn path_from_env(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
