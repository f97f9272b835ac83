//! The results of the crawler's own requests.

use reqwest::{
    StatusCode,
    header::{self, HeaderMap},
};
use tokio::time::Duration;
use url::Url;

use crate::{BrowserError, browser::TabError, cdp::CdpError};

/// The time limit for one file, redirects included.
pub(super) const TIME: Duration = Duration::from_secs(10);

/// The reason why a file could not be fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// There was no response, or it broke off; the cause is the client's error.
    #[error("the web server could not be reached, or it broke off")]
    Network(#[from] reqwest::Error),
    /// The browser could not get it either; this is the browser's name for the error.
    #[error("the web server could not be reached by the browser either ({0})")]
    Browser(String),
    /// The guard made no connection.
    #[error("the address is refused or could not be reached")]
    Refused,
    /// The file did not arrive in time.
    #[error("the web server did not answer in time")]
    TimedOut,
    /// There were too many redirects, or one off the site, or one without a valid address.
    #[error("the address leads away")]
    LeadsAway,
    /// The browser was needed, but none could be started.
    #[error("there is no browser to ask")]
    NoBrowser(#[source] Box<BrowserError>),
    /// The browser was needed, but could not open a tab.
    #[error("the browser opened no tab to ask in")]
    Tab(#[from] TabError),
    /// The browser was needed, but its tab was lost.
    #[error("the tab that asked was lost")]
    TabLost,
    /// The browser was needed, but a command to it failed.
    #[error("a command to the browser failed")]
    Protocol(#[from] CdpError),
}

/// The failure of one address on the way to a file.
#[derive(Debug, thiserror::Error)]
#[error("{url} did not answer")]
pub(in crate::crawl) struct FetchFailure {
    /// The address of the file, or the one that redirects led to.
    pub(in crate::crawl) url: Box<Url>,
    #[source]
    pub(in crate::crawl) error: FetchError,
}

impl FetchFailure {
    pub(in crate::crawl) fn new(url: Url, error: FetchError) -> Self {
        Self { url: Box::new(url), error }
    }
}

/// A file, or the response in its place.
#[derive(Debug)]
pub(in crate::crawl) struct Fetched {
    /// The address at which it was found.
    pub(in crate::crawl) url: Url,
    pub(in crate::crawl) status: StatusCode,
    /// Its beginning, up to the requested number of bytes.
    pub(in crate::crawl) body: Vec<u8>,
    /// The time for which the site asks not to be visited.
    pub(in crate::crawl) retry_after: Option<Duration>,
}

impl Fetched {
    /// Returns whether the site is too busy to respond now.
    pub(in crate::crawl) fn is_busy(&self) -> bool {
        matches!(self.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
    }
}

/// The response of one address. A redirect has no body here.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) url: Url,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// Returns the target of a redirect, or an error if it has no valid one; `None` if this is no redirect.
    pub(super) fn redirect(&self) -> Option<Result<Url, FetchError>> {
        if !matches!(self.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let location = self.headers.get(header::LOCATION).and_then(|location| location.to_str().ok());
        let target = location.and_then(|location| self.url.join(location).ok());
        Some(target.filter(|target| matches!(target.scheme(), "http" | "https")).ok_or(FetchError::LeadsAway))
    }
}
