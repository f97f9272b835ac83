//! A fetcher of single files, which uses whichever of the two network stacks the site accepts.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use a11ycheck_core::{
    catalog::failure_of,
    domain::{Failure, FailureCause, FailureFacts},
};
use reqwest::{
    Client, Proxy,
    header::{self, HeaderMap},
    redirect,
};
use rustls::ClientConfig;
use tokio::time::{Duration, Instant, timeout_at};
use url::Url;

use super::{
    answer::{Answer, FetchError, FetchFailure, Fetched, TIME},
    browser::BrowserClient,
};
use crate::{
    RequestHeaders,
    browser::BrowserPool,
    guard::{Guard, REFUSAL_MARK},
    permits::Permits,
    tls,
    visit::{Scope, at_redirect_target, network_failure, obstacle, parse_retry_after, unreachable_site, with_cause},
};

/// The number of redirects that are followed: the five of RFC 9309 §2.3.1.2.
const MAX_REDIRECTS: u32 = 5;

/// The fetcher of one scan.
#[derive(Debug)]
pub(in crate::crawl) struct Fetcher<'a> {
    client: Client,
    browser: BrowserClient<'a>,
    guard: Guard,
    headers: Option<Arc<RequestHeaders>>,
    /// The hosts, with ports, with which our client could not establish a secure connection.
    for_browser: Mutex<HashSet<(String, u16)>>,
}

impl<'a> Fetcher<'a> {
    /// Creates a fetcher whose requests go through `guard`. If the browser is needed, it is one of `browsers`, and its
    /// tab has one of `permits` during a request. Requests to their origin have `headers` in addition.
    pub(in crate::crawl) fn new(
        guard: Guard,
        tls: ClientConfig,
        browsers: &'a BrowserPool,
        permits: &'a Permits,
        headers: Option<Arc<RequestHeaders>>,
    ) -> Result<Self, FetchError> {
        let client = Client::builder()
            .proxy(Proxy::all(format!("http://{}", guard.address()))?)
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .referer(false)
            .http1_only()
            .retry(reqwest::retry::never())
            .user_agent(browsers.settings().agent.of_crawler())
            .build()?;
        let browser = BrowserClient::new(browsers, permits, headers.clone());
        Ok(Self { client, browser, guard, headers, for_browser: Mutex::default() })
    }

    /// Fetches the first `max_bytes` of a file, and follows redirects within `scope`. A response with an error status
    /// is not an error.
    pub(in crate::crawl) async fn get(
        &self,
        url: &Url,
        scope: &dyn Scope,
        max_bytes: usize,
    ) -> Result<Fetched, FetchFailure> {
        let mut deadline = Instant::now() + TIME;
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let answer = match self.ask(&url, max_bytes, &mut deadline).await {
                Ok(answer) => answer,
                Err(error) => return Err(FetchFailure::new(url, error)),
            };
            match answer.redirect() {
                None => {
                    let Answer { url, status, headers, body } = answer;
                    return Ok(Fetched { url, status, body, retry_after: retry_after(&headers) });
                }
                Some(Ok(target)) if scope.contains(&target) => url = target,
                Some(_) => return Err(FetchFailure::new(url, FetchError::LeadsAway)),
            }
        }
        Err(FetchFailure::new(url, FetchError::LeadsAway))
    }

    /// Returns the failure for the site's owner if `asked` could not be fetched.
    pub(in crate::crawl) async fn explain(&self, asked: &Url, failed: &FetchFailure) -> Failure {
        let failure = match (obstacle(failed.url.as_str(), self.guard.log()), &failed.error) {
            (Some(failure), _) => failure,
            (None, FetchError::TimedOut) => failure_of(FailureCause::NoAnswerInTime, FailureFacts::default()),
            (None, FetchError::Browser(name)) => self.dated(network_failure(name, &failed.url), &failed.url).await,
            (None, _) => unreachable_site(),
        };
        at_redirect_target(failure, asked, &failed.url)
    }

    /// Adds whether a certificate has expired or is not valid yet, which the browser does not report, from the error of
    /// our own client.
    pub(in crate::crawl) async fn dated(&self, failure: Failure, url: &Url) -> Failure {
        if failure.cause() != Some(FailureCause::CertificateNotValidNow) {
            return failure;
        }
        let Ok(file) = url.join("/robots.txt") else { return failure };
        let answer = self.ask_client(&file, 0, Instant::now() + TIME).await;
        let cause = match &answer {
            Err(FetchError::Network(error)) => tls::cause(error),
            _ => None,
        };
        match cause {
            Some(cause @ (FailureCause::CertificateExpired | FailureCause::CertificateNotYetValid)) => {
                with_cause(&failure, cause)
            }
            _ => failure,
        }
    }

    async fn ask(&self, url: &Url, max_bytes: usize, deadline: &mut Instant) -> Result<Answer, FetchError> {
        let Some(site) = url.host_str().map(str::to_owned).zip(url.port_or_known_default()) else {
            return Err(FetchError::LeadsAway);
        };
        if url.scheme() != "https" {
            return self.ask_client(url, max_bytes, *deadline).await;
        }
        if !self.for_browser().contains(&site) {
            match self.ask_client(url, max_bytes, *deadline).await {
                // A connection was made, but no response came.
                Err(FetchError::Network(error)) if self.guard.log().obstacle(&site.0, site.1).is_none() => {
                    let error: &dyn std::error::Error = &error;
                    tracing::debug!(url = url.as_str(), error, "the browser is to ask instead");
                }
                other => return other,
            }
        }
        let answer = self.browser.ask(url, max_bytes, &self.guard, deadline).await?;
        self.for_browser().insert(site);
        Ok(answer)
    }

    async fn ask_client(&self, url: &Url, max_bytes: usize, deadline: Instant) -> Result<Answer, FetchError> {
        let ask = async {
            let headers = self.headers.as_ref().and_then(|headers| headers.of(url)).cloned().unwrap_or_default();
            let mut response = self.client.get(url.clone()).headers(headers).send().await?;
            // The guard removes the mark from what sites send over plain HTTP; over TLS the guard can't respond.
            if url.scheme() == "http" && response.headers().contains_key(REFUSAL_MARK) {
                return Err(FetchError::Refused);
            }
            let headers = std::mem::take(response.headers_mut());
            let mut answer = Answer { url: url.clone(), status: response.status(), headers, body: Vec::new() };
            if answer.redirect().is_some() {
                return Ok(answer);
            }
            let body = &mut answer.body;
            while body.len() < max_bytes
                && let Some(chunk) = response.chunk().await?
            {
                body.extend_from_slice(&chunk[..chunk.len().min(max_bytes - body.len())]);
            }
            Ok(answer)
        };
        timeout_at(deadline, ask).await.unwrap_or(Err(FetchError::TimedOut))
    }

    fn for_browser(&self) -> std::sync::MutexGuard<'_, HashSet<(String, u16)>> {
        self.for_browser.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    parse_retry_after(headers.get(header::RETRY_AFTER)?.to_str().ok()?)
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::net::{AddressPolicy, StaticResolver};
    use rustls::{RootCertStore, ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
    use tokio::{
        io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
        net::TcpListener,
    };
    use tokio_rustls::TlsAcceptor;

    use super::*;
    use crate::{
        browser::BrowserSettings,
        crawl::site::Start,
        guard::{Egress, Reach},
    };

    /// Opens a guard that allows 127.0.0.1 and knows two names for it.
    async fn guard() -> Guard {
        let policy = AddressPolicy::builder().allow_network("127.0.0.1/32".parse().unwrap()).build();
        let here = [[127, 0, 0, 1].into()];
        let resolver = StaticResolver::new().with("a.test", here).with("b.test", here);
        let reach = Reach::of_policy(policy);
        Guard::open(Egress::Judged { reach, resolver: Arc::new(resolver), proxy: None }, 10_000_000).await.unwrap()
    }

    /// Responds to one request and returns its head.
    async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: &str) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") && stream.read_buf(&mut head).await.unwrap() > 0 {}
        // A client that has read enough may have closed the connection.
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.shutdown().await;
        String::from_utf8(head).unwrap()
    }

    /// Starts a server on a port of its own that sends these responses, one per connection, and returns the port.
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

    /// Requests an address with our client alone.
    async fn get_with(tls: ClientConfig, url: &str, max_bytes: usize) -> Result<Fetched, FetchError> {
        let url = Url::parse(url).unwrap();
        let (no_browser, permits) = (BrowserPool::new(BrowserSettings::without_browser()), Permits::new(1, 1));
        let fetcher = Fetcher::new(guard().await, tls, &no_browser, &permits, None).unwrap();
        fetcher.get(&url, &Start::of(&url), max_bytes).await.map_err(|failed| failed.error)
    }

    async fn get(url: &str, max_bytes: usize) -> Result<Fetched, FetchError> {
        get_with(tls::config(&[]).unwrap(), url, max_bytes).await
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
    async fn no_redirect_leads_off_the_site_or_on_without_end() {
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
                // A client that does not trust the certificate closes the connection.
                if let Ok(stream) = acceptor.accept(stream).await {
                    return answer(stream, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
                }
            }
        });
        let url = Url::parse(&format!("https://a.test:{port}/robots.txt")).unwrap();
        let unknown = get(url.as_str(), 100).await;
        assert!(matches!(unknown, Err(FetchError::NoBrowser(_))), "only the browser may know better: {unknown:?}");
        let mut roots = RootCertStore::empty();
        roots.add(certified.cert.der().clone()).unwrap();
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let fetched = get_with(tls, url.as_str(), 100).await.unwrap();
        assert_eq!(fetched.body, b"ok");
        let head = serve.await.unwrap();
        assert!(head.contains(" (compatible; a11ycheck/"), "{head}");
    }
}
