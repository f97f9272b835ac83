//! What a request of the crawler's own gives.

use reqwest::{
    StatusCode,
    header::{self, HeaderMap},
};
use tokio::time::Duration;
use url::Url;

use crate::{BrowserError, browser::TabError, cdp::CdpError};

/// For one file, redirects included.
pub(super) const TIME: Duration = Duration::from_secs(10);

/// Why a file did not come.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// No answer, or it broke off; the cause is the client's.
    #[error("the web server could not be reached, or it broke off")]
    Network(#[from] reqwest::Error),
    /// The browser could not get it either; the name of the reason is the browser's.
    #[error("the web server could not be reached by the browser either ({0})")]
    Browser(String),
    /// The guard let nothing pass.
    #[error("the address is refused or could not be reached")]
    Refused,
    /// Not within the time for a file.
    #[error("the web server did not answer in time")]
    TimedOut,
    /// Too many redirects, one out of the site, or one that leads nowhere.
    #[error("the address leads away")]
    LeadsAway,
    /// The browser was needed, and there is none.
    #[error("there is no browser to ask")]
    NoBrowser(#[source] Box<BrowserError>),
    /// The browser was needed, and has no tab for it.
    #[error("the browser opened no tab to ask in")]
    Tab(#[from] TabError),
    /// The browser was needed, and its tab was lost.
    #[error("the tab that asked was lost")]
    TabLost,
    /// The browser was needed, and does not do as it is told.
    #[error("the browser did not ask as it was told to")]
    Protocol(#[from] CdpError),
}

/// Which address of a file's way did not answer, and why.
#[derive(Debug, thiserror::Error)]
#[error("{url} did not answer")]
pub(in crate::crawl) struct FetchFailure {
    /// The file, or where redirects led.
    pub(in crate::crawl) url: Box<Url>,
    #[source]
    pub(in crate::crawl) error: FetchError,
}

impl FetchFailure {
    pub(in crate::crawl) fn new(url: Url, error: FetchError) -> Self {
        Self { url: Box::new(url), error }
    }
}

/// A file, or what stands in its place.
#[derive(Debug)]
pub(in crate::crawl) struct Fetched {
    /// Where it was found.
    pub(in crate::crawl) url: Url,
    pub(in crate::crawl) status: StatusCode,
    /// Its beginning, up to the limit that was asked for.
    pub(in crate::crawl) body: Vec<u8>,
    /// How long the site asks to be left alone.
    pub(in crate::crawl) retry_after: Option<Duration>,
}

impl Fetched {
    /// Whether the site is too busy to answer now.
    pub(in crate::crawl) fn is_busy(&self) -> bool {
        matches!(self.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
    }
}

/// The answer of one address, without its body where that is a redirect.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) url: Url,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// Where it leads, if it is a redirect; `Err` where that is nowhere.
    pub(super) fn redirect(&self) -> Option<Result<Url, FetchError>> {
        if !matches!(self.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let location = self.headers.get(header::LOCATION).and_then(|location| location.to_str().ok());
        let target = location.and_then(|location| self.url.join(location).ok());
        Some(target.filter(|target| matches!(target.scheme(), "http" | "https")).ok_or(FetchError::LeadsAway))
    }
}
