//! A scanner for `a11ycheck` that runs axe-core in a real Chromium.
//!
//! [`ChromiumScanner`] opens the pages of a site in a headless browser, as a visitor would see them, lets axe-core check each
//! one, and returns what failed. It needs two programs that it does not bring along: a Chromium (Debian's
//! `chromium-headless-shell` or `chromium`) and axe-core 4.14 from npm. [`ChromiumConfig`] says where they are; by default
//! they are looked for in the usual places. [`ChromiumConfig::examine`] reports what is there, down to the fonts.
//!
//! ```no_run
//! use a11ycheck_core::net::AddressPolicy;
//! use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let scanner = ChromiumScanner::new(ChromiumConfig::new(AddressPolicy::default()))?;
//! # Ok(())
//! # }
//! ```
//!
//! # What is promised
//! - Whatever a page does, a scan ends within [`ChromiumConfig::with_scan_timeout`], and leaves no process, tab or file
//!   behind. A killed server leaves no browser either; the folder that it leaves is deleted when the next browser
//!   starts.
//! - A page that takes more memory than [`ChromiumConfig::with_tab_memory`] allows is ended, whatever it uses it for,
//!   and others go on. The browser runs in its sandbox unless [`ChromiumConfig::with_sandbox`] says otherwise.
//! - Everything that the browser and the crawler send passes a proxy that judges it by the
//!   [`AddressPolicy`](a11ycheck_core::net::AddressPolicy). A browser that makes connections around it is not used.
//! - A site's `robots.txt` is honoured, under the name `a11ycheck`, unless [`RobotsPolicy`] says otherwise; at most a
//!   few of its pages are requested at once, and fewer when it says that it is busy.
//! - At most as many pages as the request allows are in the result, the start page first, each once, and of a large
//!   site some of each kind. The choice depends on the site, not on which pages load first.
//! - Each document of a page, frames of other origins included, is checked in an isolated world that no script of a
//!   page reaches, and no message passes between documents: a page can't learn what its frames show, and a frame can't
//!   influence what is said of the page. Where axe-core could not run, the page or frame is listed as not checked,
//!   never as free of problems.
//! - A page that stands in place of the site's own (a bot check, a parked domain, maintenance, a request for consent
//!   without content, “not found” with a status of success) is listed with what it is, and never presented as the site.
//! - When the browser dies during a scan, another takes over, and the scan goes on.
//!
//! # Map
//! `browser` starts and ends browsers, `cdp` speaks to them, `guard` is the proxy, `visit` checks one page, `axe` runs
//! axe-core in it and `probes` what we check beside it, `opening` presses what opens on it, `evidence` takes pictures of what fails on it, `platform` recognises what the site is built with,
//! and `crawl` decides which pages are checked and in what order. Each names only those before it in the order `cdp`,
//! `guard`, `browser`, `evidence`, `platform`, `axe`, `probes`, `opening`, `visit`, `crawl`. `permits` bounds how much of this happens at a
//! time, `places` lists where the browser and axe-core may be installed, and `examination` reports what the machine
//! has.

mod agent;
mod axe;
mod browser;
mod cdp;
mod config;
mod crawl;
mod error;
mod evidence;
mod examination;
mod guard;
mod headers;
mod opening;
#[cfg(test)]
mod order;
mod parts;
mod permits;
mod places;
mod platform;
pub mod probes;
mod redaction;
mod scanner;
mod tls;
mod visit;

pub use self::{
    browser::{AuthoritiesError, BrowserError, Fonts, InvalidViewport, Sandbox, Viewport},
    config::{ChromiumConfig, Evidence, MovingProbes, Opening, Reuse, RobotsPolicy},
    crawl::Sitemap,
    error::ChromiumError,
    examination::{Examination, FoundAxe, FoundBrowser},
    guard::GuardError,
    headers::{InvalidHeader, RequestHeaders},
    scanner::ChromiumScanner,
};
