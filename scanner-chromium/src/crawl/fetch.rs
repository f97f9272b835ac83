//! The crawler's own requests: robots.txt and sitemaps.
//!
//! They go through the scan's guard like everything that the browser sends, so that one place judges addresses, connects
//! to what was judged, and counts the bytes of the scan.

use std::{net::SocketAddr, sync::Arc};

use reqwest::{
    Client, Proxy, Response, StatusCode,
    header::{self, HeaderMap},
    redirect,
};
use rustls::{ClientConfig, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::time::{Duration, timeout};
use url::Url;

use super::robots::PRODUCT_TOKEN;
use crate::{
    guard::REFUSAL_MARK,
    page::{Scope, parse_retry_after},
};

/// For one file, redirects included.
const TIME: Duration = Duration::from_secs(10);
/// Redirects that are followed: the five of RFC 9309 §2.3.1.2.
const MAX_REDIRECTS: u32 = 5;

/// Why a file did not come.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// No answer, or it broke off; the cause is the client's.
    #[error("the web server could not be reached, or it broke off")]
    Network(#[from] reqwest::Error),
    /// The guard let nothing pass.
    #[error("the address is refused or could not be reached")]
    Refused,
    /// Not within the time for a file.
    #[error("the web server did not answer in time")]
    TimedOut,
    /// Too many redirects, one out of the site, or one that leads nowhere.
    #[error("the address leads away")]
    LeadsAway,
}

/// A file, or what stands in its place.
#[derive(Debug)]
pub(super) struct Fetched {
    /// Where it was found.
    pub(super) url: Url,
    pub(super) status: StatusCode,
    /// Its beginning, up to the limit that was asked for.
    pub(super) body: Vec<u8>,
    /// How long the site asks to be left alone.
    pub(super) retry_after: Option<Duration>,
}

impl Fetched {
    /// Whether the site is too busy to answer now.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
    }
}

/// How certificates of sites are checked: by the system's own list of authorities.
///
/// # Errors
/// When the system has none.
pub(crate) fn tls_config() -> Result<ClientConfig, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    Ok(builder.with_safe_default_protocol_versions()?.with_platform_verifier()?.with_no_client_auth())
}

/// Fetches files of one site.
#[derive(Debug)]
pub(super) struct Fetcher(Client);

impl Fetcher {
    /// A fetcher whose requests go through the guard at `proxy`.
    pub(super) fn new(proxy: SocketAddr, tls: ClientConfig) -> Result<Self, FetchError> {
        let version = env!("CARGO_PKG_VERSION");
        let client = Client::builder()
            .proxy(Proxy::all(format!("http://{proxy}"))?)
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .referer(false)
            .http1_only()
            .retry(reqwest::retry::never())
            .user_agent(format!("Mozilla/5.0 (compatible; {PRODUCT_TOKEN}/{version})"))
            .build()?;
        Ok(Self(client))
    }

    /// Fetches the first `max_bytes` of a file, wherever in `scope` redirects lead to. An error status is an answer.
    pub(super) async fn get(&self, url: &Url, scope: &dyn Scope, max_bytes: usize) -> Result<Fetched, FetchError> {
        timeout(TIME, self.follow(url, scope, max_bytes)).await.unwrap_or(Err(FetchError::TimedOut))
    }

    async fn follow(&self, url: &Url, scope: &dyn Scope, max_bytes: usize) -> Result<Fetched, FetchError> {
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.0.get(url.clone()).send().await?;
            // The guard takes the mark from what sites send over plain HTTP; over TLS it does not answer.
            if url.scheme() == "http" && response.headers().contains_key(REFUSAL_MARK) {
                return Err(FetchError::Refused);
            }
            if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
                return whole(url, response, max_bytes).await;
            }
            let location = response.headers().get(header::LOCATION).and_then(|location| location.to_str().ok());
            let target = location.and_then(|location| url.join(location).ok());
            url = target
                .filter(|target| matches!(target.scheme(), "http" | "https") && scope.contains(target))
                .ok_or(FetchError::LeadsAway)?;
        }
        Err(FetchError::LeadsAway)
    }
}

async fn whole(url: Url, mut response: Response, max_bytes: usize) -> Result<Fetched, FetchError> {
    let status = response.status();
    let retry_after = retry_after(response.headers());
    let mut body = Vec::new();
    while body.len() < max_bytes
        && let Some(chunk) = response.chunk().await?
    {
        body.extend_from_slice(&chunk[..chunk.len().min(max_bytes - body.len())]);
    }
    Ok(Fetched { url, status, body, retry_after })
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    parse_retry_after(headers.get(header::RETRY_AFTER)?.to_str().ok()?)
}
