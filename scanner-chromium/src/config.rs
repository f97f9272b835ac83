//! The settings of the operator.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use a11ycheck_core::net::{AddressPolicy, Resolver, UpstreamProxy, default_resolver};
use rustls::pki_types::CertificateDer;
use url::Url;

use crate::{
    ChromiumError, RequestHeaders, Sandbox, Viewport,
    agent::Agent,
    axe::AxeSource,
    browser::{BrowserSettings, Sound},
    places::Places,
    probes::Conditions,
};

/// The lower bound of [`ChromiumConfig::with_tab_memory`], in bytes: a browser and an empty page need about half of it
/// each.
const LEAST_TAB_MEMORY: u64 = 256 * 1024 * 1024;

/// The settings of a [`ChromiumScanner`](crate::ChromiumScanner). Only the address policy has no default.
#[derive(Debug, Clone)]
pub struct ChromiumConfig {
    pub(crate) policy: AddressPolicy,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) tabs: usize,
    pub(crate) cores: usize,
    pub(crate) pages_at_once: usize,
    pub(crate) robots: RobotsPolicy,
    pub(crate) evidence: Evidence,
    pub(crate) viewport: Viewport,
    pub(crate) headers: Option<Arc<RequestHeaders>>,
    pub(crate) probes: bool,
    pub(crate) moving_probes: MovingProbes,
    pub(crate) enhanced_contrast: bool,
    pub(crate) measured_contrast: bool,
    pub(crate) opening: Opening,
    pub(crate) reuse: Reuse,
    pub(crate) page_timeout: Duration,
    pub(crate) scan_timeout: Duration,
    pub(crate) proxy: Option<UpstreamProxy>,
    pub(crate) authorities: Vec<CertificateDer<'static>>,
    tab_memory: u64,
    sandbox: Option<Sandbox>,
    contact: Option<Url>,
    browser: Option<PathBuf>,
    axe: Option<PathBuf>,
    axe_source: Option<&'static str>,
}

impl ChromiumConfig {
    /// Returns the default settings, with every connection judged by `policy`.
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
            viewport: Viewport::DESKTOP,
            headers: None,
            probes: true,
            moving_probes: MovingProbes::Off,
            enhanced_contrast: false,
            measured_contrast: false,
            opening: Opening::Off,
            reuse: Reuse::Off,
            page_timeout: Duration::from_secs(60),
            scan_timeout: Duration::from_secs(30 * 60),
            proxy: None,
            authorities: Vec::new(),
            tab_memory: 1536 * 1024 * 1024,
            sandbox: None,
            contact: None,
            browser: None,
            axe: None,
            axe_source: None,
        }
    }

    /// Sets the browser to start. The default is the one that `A11YCHECK_CHROMIUM` names, else
    /// `chromium-headless-shell`, `chromium` or Google Chrome, as found in `PATH` or in the usual folders of programs, else the
    /// newest that Playwright or Puppeteer keeps in its cache.
    pub fn with_browser(self, path: impl Into<PathBuf>) -> Self {
        Self { browser: Some(path.into()), ..self }
    }

    /// Sets the `axe.min.js` to run. The default is the one that `A11YCHECK_AXE` names, else the first of the right
    /// version that lies beside this program or in `../share/a11ycheck`, in `a11ycheck` or `javascript/axe-core` or
    /// `nodejs/axe-core` of the folders of shared data (`XDG_DATA_HOME`, `XDG_DATA_DIRS`, `/usr/local/share`,
    /// `/usr/share`), or in `node_modules/axe-core` of the current folder or one above it.
    pub fn with_axe(self, path: impl Into<PathBuf>) -> Self {
        Self { axe: Some(path.into()), ..self }
    }

    /// Sets the content of an `axe.min.js` to run where neither [`with_axe`](Self::with_axe) nor `A11YCHECK_AXE` names a file, for
    /// programs that have it within them. Its licence (MPL-2.0) asks them to say where its source is.
    pub fn with_axe_source(self, source: &'static str) -> Self {
        Self { axe_source: Some(source), ..self }
    }

    /// Trusts these authorities too (certificates in DER), for an intranet with an authority of its own. They count for
    /// the crawler and for the browser, which must be a Chromium on Linux and needs NSS's `certutil` beside it. Whether
    /// the browser accepts them is tested at its start.
    pub fn with_ca_certificates(self, certificates: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { authorities: certificates.into_iter().map(CertificateDer::from).collect(), ..self }
    }

    /// Sets the operator's proxy, through which the browser and the crawler reach sites. By default none is used, not
    /// even one that the environment names.
    pub fn with_upstream_proxy(self, proxy: UpstreamProxy) -> Self {
        Self { proxy: Some(proxy), ..self }
    }

    /// Sets a page that tells owners of checked sites who visits them and how to admit or block the scanner. The user
    /// agent names it. By default the user agent says in words that robots.txt and firewalls can name it as
    /// `a11ycheck`.
    pub fn with_contact(self, page: Url) -> Self {
        Self { contact: Some(page), ..self }
    }

    /// Sets the resolver of the browser and the crawler. The default is [`default_resolver`]. Each scan has a share of
    /// it: at most 8 look-ups at a time.
    pub fn with_resolver(self, resolver: Arc<dyn Resolver>) -> Self {
        Self { resolver, ..self }
    }

    /// Sets how many pages are open at a time, over all scans; at least 1. The default is two for each processor core:
    /// axe-core works on as many pages as there are cores, while the others load and settle, which is mostly waiting.
    /// Scans share them evenly; each has at least one.
    pub fn with_tabs(self, tabs: usize) -> Self {
        Self { tabs: tabs.max(1), ..self }
    }

    /// Sets how many pages of one site a scan loads at a time; at least 1. The default is 2: small sites are not built
    /// for more.
    pub fn with_pages_at_once(self, pages: usize) -> Self {
        Self { pages_at_once: pages.max(1), ..self }
    }

    /// Sets whether sites may close pages to the scanner. By default they may.
    pub fn with_robots(self, robots: RobotsPolicy) -> Self {
        Self { robots, ..self }
    }

    /// Sets whether pages are examined with probes as well as with axe-core. By default they are. Without probes, everything that is
    /// found is axe-core's own, and the settings for moving probes, enhanced and measured contrast, opening and reuse do nothing.
    pub fn with_probes(self, probes: bool) -> Self {
        Self { probes, ..self }
    }

    /// Sets the pages on which probes press keys, increase the spacing of text and make the window narrow. The default
    /// is none.
    pub fn with_moving_probes(self, moving_probes: MovingProbes) -> Self {
        Self { moving_probes, ..self }
    }

    /// Sets whether text below a contrast of 7:1 (large text: 4.5:1) is recommended to be changed: WCAG 1.4.6, which is of
    /// level AAA. By default it is not: nearly every page has such text, which meets level AA.
    pub fn with_enhanced_contrast(self, enhanced_contrast: bool) -> Self {
        Self { enhanced_contrast, ..self }
    }

    /// Sets whether the contrast of text that axe-core could not compute is measured in pictures of the page. By default it is not, and
    /// all of these texts are left to a person: pages take longer with it.
    pub fn with_measured_contrast(self, measured_contrast: bool) -> Self {
        Self { measured_contrast, ..self }
    }

    /// Sets the pages on which controls are pressed that open something, to check what appears. The default is none. It is for sites of
    /// one's own: see [`Opening`].
    pub fn with_opening(self, opening: Opening) -> Self {
        Self { opening, ..self }
    }

    /// Sets whether scans of sites leave a memory for the next ones. By default they don't: it takes one more request for each
    /// document, and for each part of a page that has no validator. They don't either with headers of a login, without probes, or
    /// with moving ones, measured contrast or opening.
    pub fn with_reuse(self, reuse: Reuse) -> Self {
        Self { reuse, ..self }
    }

    /// Returns whether scans may leave a memory: what is found on a page depends on its parts and on these settings alone, not on a
    /// login, on the pages before it or on the time that the machine has for a probe; and probes say what its outcome shares with
    /// other pages.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.probes
            && self.headers.is_none()
            && self.moving_probes == MovingProbes::Off
            && !self.measured_contrast
            && self.opening == Opening::Off
    }

    /// Sets whether pictures are taken of what fails. By default they are.
    pub fn with_evidence(self, evidence: Evidence) -> Self {
        Self { evidence, ..self }
    }

    /// Sets the size in which pages are shown. The default is [`Viewport::DESKTOP`].
    pub fn with_viewport(self, viewport: Viewport) -> Self {
        Self { viewport, ..self }
    }

    /// Sets headers that requests to one origin have in addition. By default there are none.
    pub fn with_headers(self, headers: RequestHeaders) -> Self {
        Self { headers: Some(Arc::new(headers)), ..self }
    }

    /// Sets how many bytes of memory a page may take, at least 256 MiB: in its own processes, whatever for (scripts,
    /// buffers, WebAssembly, pictures), and as much again in the browser's process, which holds what the page stores
    /// (`IndexedDB`, caches, blobs). A page that takes more is ended, fails with `too_large`, and is not tried again.
    /// The default is 1.5 GiB. Memory is measured four times a second, so a page can take more for a moment: a limit of
    /// the system's own (a control group) belongs above this one.
    pub fn with_tab_memory(self, bytes: u64) -> Self {
        Self { tab_memory: bytes.max(LEAST_TAB_MEMORY), ..self }
    }

    /// Sets whether the browser runs in its sandbox. By default it does, unless the environment variable
    /// `A11YCHECK_NO_SANDBOX` is `true`. A browser can't use its sandbox as root, so none is started there until this
    /// is [`Sandbox::Off`].
    pub fn with_sandbox(self, sandbox: Sandbox) -> Self {
        Self { sandbox: Some(sandbox), ..self }
    }

    /// Sets the time limit of one attempt at a page. Half of it, at most 30 s, is for loading: a page whose document is
    /// complete by then is checked in the state that it has. Of the rest, at most half, and at most 12 s, is for the
    /// responses to its scripts. Further attempts are made only when the tab died, the site was too busy, or the page
    /// waited for a part that never came. The default is 60 s.
    pub fn with_page_timeout(self, timeout: Duration) -> Self {
        Self { page_timeout: timeout, ..self }
    }

    /// Sets the time limit of one scan, once a browser runs; pages that were not reached by then are left out. The
    /// default is 30 minutes. A scan of few pages has less: the time of one page for each, and a minute.
    pub fn with_scan_timeout(self, timeout: Duration) -> Self {
        Self { scan_timeout: timeout, ..self }
    }

    /// Returns the settings of every browser, with the environment's values where the configuration says nothing.
    ///
    /// # Errors
    /// [`ChromiumError::BrowserNotFound`], [`ChromiumError::BrowserMissing`] and [`ChromiumError::RootWithSandbox`].
    pub(crate) fn browser_settings(&self) -> Result<BrowserSettings, ChromiumError> {
        Ok(BrowserSettings {
            program: self.find_browser()?,
            sandbox: self.find_sandbox()?,
            sound: if self.listens() { Sound::Begins } else { Sound::HeldBack },
            certificates: self.authorities.clone(),
            tab_memory: self.tab_memory,
            agent: Agent::new(self.contact.clone()),
        })
    }

    /// Returns whether sound may begin by itself on the pages of a check and is looked for, and whether listeners for
    /// clicks are looked for. That is so only if pages are moved as well, because a page with a playing player may look
    /// different, and listing all listeners of a page takes long.
    pub(crate) fn listens(&self) -> bool {
        self.probes && self.moving_probes != MovingProbes::Off
    }

    /// Returns what the probes that look once depend on.
    pub(crate) fn conditions(&self) -> Conditions {
        Conditions { enhanced_contrast: self.enhanced_contrast, listens: self.listens() }
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

    /// Returns whether the browser runs in its sandbox.
    ///
    /// # Errors
    /// [`ChromiumError::RootWithSandbox`] if it should, but runs as root.
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
            None => match self.axe_source {
                Some(source) => AxeSource::of_text(Path::new("within this program"), source.to_owned()),
                None => AxeSource::first(Places::here().axe()),
            },
        };
        found.map_err(ChromiumError::from)
    }
}

/// The effect of a site's `robots.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RobotsPolicy {
    /// Pages that it closes to the user agent `a11ycheck`, or to all user agents if that one is not named, are not
    /// visited (RFC 9309); a `Crawl-delay` of up to 10 s is kept. If it can't be read because of an error of the server,
    /// no page is visited.
    #[default]
    Honour,
    /// It closes nothing and delays nothing; only the sitemaps that it names are used. For operators who check their
    /// own sites.
    Ignore,
}

/// The pages that probes change for a moment. They press Tab and Shift+Tab, and Escape where the focus seems to be
/// trapped; they increase the spacing of text, and make the window narrow. Nothing is activated or typed, and focus,
/// scroll position, spacing and window are restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MovingProbes {
    /// No page.
    #[default]
    Off,
    /// In a scan, the first page of each folder of the site.
    OneOfEachKind,
    /// Every page. That takes up to ten seconds more for each.
    EveryPage,
}

/// The pages on which controls are pressed that open something: disclosures, menus, tabs, dialogs and carousels. axe-core and the probes
/// check what appears, and each such finding names the control. It is the last that happens on a page, so all other findings are the
/// same with and without it.
///
/// A control is pressed only if it says that it opens something, belongs to no form that it might send, leads to no address, and is
/// called by no word for sending, buying, deleting, agreeing or signing in or out, in seven languages. While controls
/// are pressed, documents and all requests but `GET` and `HEAD` are refused. If a page tries one of these, opens a
/// window or shows a dialog, nothing that was opened on it counts. Scripts of a page can still do everything that needs
/// none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Opening {
    /// No page.
    #[default]
    Off,
    /// In a scan, the first page of each folder of the site.
    OneOfEachKind,
    /// Every page. That takes up to 15 seconds more for each.
    EveryPage,
}

/// The choice whether scans of sites leave a memory, with which later scans take over the outcome of unchanged pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reuse {
    /// Scans leave a memory.
    On,
    /// Scans leave no memory, and examine every page.
    #[default]
    Off,
}

/// The pictures that a scan takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Evidence {
    /// Pictures of elements that fail, one for each template, up to 5 for each rule on a page and 20 in a scan, 300 in
    /// all and 10 MiB; and one of the first page. They are taken when axe-core has finished with the page, and don't
    /// change what it finds. Elements that [controls open](Opening) are pictured while they are open, within the same
    /// bounds.
    #[default]
    Taken,
    /// No pictures: for operators who must not keep what pages show.
    LeftOut,
}

/// Returns the path that a variable of the environment names. An empty variable counts as not set.
fn path_from_env(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
