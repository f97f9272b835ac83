//! The crawler's own requests: robots.txt and sitemaps.
//!
//! They go through a guard like everything that the browser sends, so that one place judges addresses, connects to what
//! was judged, and counts bytes.

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

/// Fetches files for one scan.
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

#[cfg(test)]
mod tests {
    use a11ycheck_core::net::{AddressPolicy, StaticResolver};
    use rustls::{RootCertStore, ServerConfig, pki_types::PrivateKeyDer};
    use tokio::{
        io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
        net::TcpListener,
    };
    use tokio_rustls::TlsAcceptor;

    use super::*;
    use crate::{
        crawl::site::Start,
        guard::{Egress, Guard},
    };

    /// A guard that opens 127.0.0.1 and knows two names for it.
    async fn guard() -> Guard {
        let policy = AddressPolicy::builder().allow_network("127.0.0.1/32".parse().unwrap()).build();
        let here = [[127, 0, 0, 1].into()];
        let resolver = StaticResolver::new().with("a.test", here).with("b.test", here);
        Guard::open(Egress::Judged { policy, resolver: Arc::new(resolver) }, 10_000_000).await.unwrap()
    }

    /// Answers one request and returns its head.
    async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: &str) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") && stream.read_buf(&mut head).await.unwrap() > 0 {}
        // A client that has read enough may be gone.
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.shutdown().await;
        String::from_utf8(head).unwrap()
    }

    /// A server on a port of its own that gives these answers, one per connection.
    async fn server(answers: &'static [&'static str]) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            for text in answers {
                let stream = listener.accept().await.unwrap().0;
                answer(stream, text).await;
            }
        });
        port
    }

    async fn get(url: &str, max_bytes: usize) -> Result<Fetched, FetchError> {
        let (guard, url) = (guard().await, Url::parse(url).unwrap());
        let fetcher = Fetcher::new(guard.address(), tls_config().unwrap()).unwrap();
        fetcher.get(&url, &Start::of(&url), max_bytes).await
    }

    #[tokio::test]
    async fn redirects_within_the_site_are_followed_and_an_error_status_is_an_answer() {
        let port = server(&[
            "HTTP/1.1 301 Moved\r\nLocation: /there\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 429 Busy\r\nRetry-After: 7\r\nConnection: close\r\n\r\nlater",
        ])
        .await;
        let fetched = get(&format!("http://a.test:{port}/robots.txt"), 100).await.unwrap();
        assert_eq!((fetched.url.path(), fetched.body.as_slice()), ("/there", &b"later"[..]));
        assert!(fetched.is_busy());
        assert_eq!(fetched.retry_after, Some(Duration::from_secs(7)));
    }

    #[tokio::test]
    async fn no_redirect_leads_off_the_site_or_on_for_ever() {
        let away = server(&["HTTP/1.1 302 Away\r\nLocation: http://b.test/\r\nConnection: close\r\n\r\n"]).await;
        let circle = server(&["HTTP/1.1 302 On\r\nLocation: /\r\nConnection: close\r\n\r\n"; 6]).await;
        for port in [away, circle] {
            let fetched = get(&format!("http://a.test:{port}/"), 100).await;
            assert!(matches!(fetched, Err(FetchError::LeadsAway)), "{fetched:?}");
        }
    }

    #[tokio::test]
    async fn addresses_are_judged_and_a_site_that_is_not_there_is_no_answer() {
        for refused in ["http://127.0.0.2/", "http://10.0.0.1/", "http://unknown.test/", "http://127.0.0.1:9/"] {
            let fetched = get(refused, 100).await;
            assert!(matches!(fetched, Err(FetchError::Refused)), "{refused}: {fetched:?}");
            let fetched = get(&refused.replace("http:", "https:"), 100).await;
            assert!(matches!(fetched, Err(FetchError::Network(_))), "{refused}: {fetched:?}");
        }
    }

    #[tokio::test]
    async fn no_more_is_read_than_was_asked_for() {
        let port = server(&["HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n0123456789"]).await;
        assert_eq!(get(&format!("http://a.test:{port}/"), 4).await.unwrap().body, b"0123");
    }

    #[tokio::test]
    async fn a_secure_site_is_read_if_its_certificate_is_good_and_only_then() {
        let certified = rcgen::generate_simple_self_signed(["a.test".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(ring::default_provider());
        let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certified.cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(server));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let serve = tokio::spawn(async move {
            loop {
                let stream = listener.accept().await.unwrap().0;
                // The client that does not know the certificate breaks off.
                if let Ok(stream) = acceptor.accept(stream).await {
                    return answer(stream, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
                }
            }
        });
        let url = Url::parse(&format!("https://a.test:{port}/robots.txt")).unwrap();
        let unknown = get(url.as_str(), 100).await;
        assert!(matches!(unknown, Err(FetchError::Network(_))), "{unknown:?}");
        let mut roots = RootCertStore::empty();
        roots.add(certified.cert.der().clone()).unwrap();
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let guard = guard().await;
        let fetcher = Fetcher::new(guard.address(), tls).unwrap();
        let fetched = fetcher.get(&url, &Start::of(&url), 100).await.unwrap();
        assert_eq!(fetched.body, b"ok");
        let head = serve.await.unwrap();
        assert!(head.contains(" (compatible; a11ycheck/"), "{head}");
    }
}
