//! Sends webhooks over HTTP.

use std::{error::Error as StdError, io, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::{Client, Response};
use rustls::pki_types::CertificateDer;
use tokio::time::{Instant, timeout_at};

use super::{
    WebhookRequest, WebhookSender,
    clients::{Clients, Target},
    target::{self, TargetError},
    tls::Tls,
    tunnel::{self, Tunnelled},
};
use crate::{
    domain::{AttemptFailure, AttemptResult, Excerpt, FailureCause},
    net::{AddressPolicy, PolicyError, ProxyError, ResolveError, Resolver, Route, UpstreamProxy},
};

/// Sends webhooks over HTTP/1.1, with TLS.
///
/// Each attempt judges where the address leads now, and connects to nothing else: the IP addresses of a name are pinned,
/// and a connection that was kept alive is used again only if the same addresses were judged. Proxies of the environment
/// are not used (the operator's [`UpstreamProxy`] is), redirects are not followed, and cookies are not kept.
///
/// A receiver proves its identity with a certificate of an authority that the system trusts.
#[derive(Debug)]
pub struct HttpSender {
    policy: AddressPolicy,
    resolver: Arc<dyn Resolver>,
    proxy: Option<UpstreamProxy>,
    timeout: Duration,
    tls: Tls,
    clients: Clients,
}

/// A response whose head has arrived.
enum Answer {
    Direct(Response),
    Tunnelled(Tunnelled),
}

impl HttpSender {
    /// The time limit of an attempt: look-up, connection, TLS, request and response together (contract §14).
    pub const TIMEOUT: Duration = Duration::from_secs(10);
    /// The number of bytes of a response after which no more is read, and its connection is not used again.
    const MAX_ANSWER: usize = 4 * 1024;

    /// Returns a sender that connects only where this policy permits it.
    pub fn new(policy: AddressPolicy, resolver: Arc<dyn Resolver>) -> Self {
        Self { policy, resolver, proxy: None, timeout: Self::TIMEOUT, tls: Tls::default(), clients: Clients::default() }
    }

    /// Sets another time limit for attempts. The contract's is [`TIMEOUT`](Self::TIMEOUT).
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Connects through the operator's proxy, according to its settings. Such connections are not kept alive.
    #[must_use]
    pub fn with_upstream_proxy(self, proxy: UpstreamProxy) -> Self {
        Self { proxy: Some(proxy), ..self }
    }

    /// Also trusts receivers with certificates of these authorities (given in DER): for an intranet with its own authority.
    #[must_use]
    pub fn with_root_certificates(self, certificates: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { tls: Tls::new(certificates.into_iter().map(CertificateDer::from).collect()), ..self }
    }

    /// Sends the request, and waits for the head of the response.
    async fn answer(&self, request: WebhookRequest, deadline: Instant) -> Result<Answer, AttemptFailure> {
        let is_tls = request.url.scheme() == "https";
        // Only the host of an address is logged: many services recognise their callers by the path alone.
        let host = request.url.host_str().unwrap_or_default().to_owned();
        let judged = target::judge(&self.policy, &*self.resolver, self.proxy.as_ref(), &request.url).await;
        let route = judged.map_err(|error| {
            tracing::debug!(host, error = &error as &dyn StdError, "An endpoint's address leads nowhere");
            refused(&error)
        })?;
        let addresses = match (&route, &self.proxy) {
            (Route::Direct(judged), _) => judged.addresses(),
            (Route::Proxied(_) | Route::Named { .. }, Some(proxy)) => {
                let stream = proxy.connect(&route, deadline).await.map_err(|error| {
                    tracing::debug!(
                        host,
                        error = &error as &dyn StdError,
                        "An endpoint was not reached through the proxy"
                    );
                    not_passed(&error)
                })?;
                let tls =
                    if is_tls { Some(self.tls.verified().await.map_err(|error| unusable(&error))?) } else { None };
                return tunnel::send(stream, tls, request).await.map(Answer::Tunnelled);
            }
            // Without a proxy, there is no route through one.
            (Route::Proxied(_) | Route::Named { .. }, None) => return Err(AttemptFailure::ProxyUnreachable),
        };
        let WebhookRequest { url, headers, body } = request;
        let client = self.client(Target::new(is_tls, &host, addresses), is_tls).await?;
        let request = headers.into_iter().fold(client.post(url), |request, (name, value)| request.header(name, value));
        let sent = request.body(body).send().await.map_err(|error| {
            let error = error.without_url();
            tracing::debug!(host, error = &error as &dyn StdError, "An endpoint did not answer");
            failed(&error)
        });
        sent.map(Answer::Direct)
    }

    async fn client(&self, target: Target, is_tls: bool) -> Result<Client, AttemptFailure> {
        if let Some(client) = self.clients.kept(&target) {
            return Ok(client);
        }
        let tls = if is_tls { self.tls.verified().await } else { Tls::unused() };
        let tls = tls.map_err(|error| unusable(&error))?;
        self.clients.make(target, tls, self.timeout).map_err(|error| unusable(&error))
    }
}

#[async_trait]
impl WebhookSender for HttpSender {
    async fn send(&self, request: WebhookRequest) -> AttemptResult {
        let deadline = Instant::now() + self.timeout;
        let mut answer = match timeout_at(deadline, self.answer(request, deadline)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(failure)) => return AttemptResult::Failed(failure),
            Err(_) => return AttemptResult::Failed(AttemptFailure::Timeout),
        };
        let status = answer.status();
        let mut body = Vec::new();
        let reading = async {
            // Whatever ends a response early, its status was received and counts.
            while body.len() <= Self::MAX_ANSWER
                && let Some(chunk) = answer.chunk().await
            {
                body.extend_from_slice(&chunk);
            }
        };
        if timeout_at(deadline, reading).await.is_err() {
            tracing::debug!(status, "An endpoint's answer has no end");
        }
        AttemptResult::Answered { status, excerpt: Excerpt::of(&body) }
    }
}

impl Answer {
    fn status(&self) -> u16 {
        match self {
            Self::Direct(response) => response.status().as_u16(),
            Self::Tunnelled(answer) => answer.status(),
        }
    }

    /// Returns the next piece of the body; `None` at its end, or if it broke off.
    async fn chunk(&mut self) -> Option<Bytes> {
        match self {
            Self::Direct(response) => response.chunk().await.ok().flatten(),
            Self::Tunnelled(answer) => answer.chunk().await,
        }
    }
}

fn unusable(error: &(dyn StdError + 'static)) -> AttemptFailure {
    tracing::error!(error, "Webhooks can't be sent: TLS does not work on this machine");
    AttemptFailure::Tls
}

fn not_passed(error: &ProxyError) -> AttemptFailure {
    match (error.cause(), error) {
        (Some(FailureCause::ProxyLogin), _) => AttemptFailure::ProxyLogin,
        (Some(FailureCause::ProxyRefused), _) => AttemptFailure::ProxyRefused,
        (Some(_), _) => AttemptFailure::ProxyUnreachable,
        (None, ProxyError::TimedOut) => AttemptFailure::Timeout,
        (None, _) => AttemptFailure::Connect,
    }
}

fn refused(error: &TargetError) -> AttemptFailure {
    match error {
        TargetError::NotHttps | TargetError::Policy(PolicyError::Refused(_) | PolicyError::RefusedAnswer(_)) => {
            AttemptFailure::RefusedAddress
        }
        TargetError::Policy(PolicyError::Resolve(ResolveError::TimedOut)) => AttemptFailure::Timeout,
        TargetError::Policy(PolicyError::Resolve(_)) => AttemptFailure::Dns,
    }
}

fn failed(error: &reqwest::Error) -> AttemptFailure {
    if error.is_timeout() {
        AttemptFailure::Timeout
    } else if error.is_connect() {
        if is_of_tls(error) { AttemptFailure::Tls } else { AttemptFailure::Connect }
    } else {
        AttemptFailure::BrokenOff
    }
}

/// Returns whether a TLS error is among the causes.
fn is_of_tls(error: &(dyn StdError + 'static)) -> bool {
    // An I/O error hides its inner error from the chain of causes.
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    error.is::<rustls::Error>() || inner.is_some_and(|inner| is_of_tls(inner)) || error.source().is_some_and(is_of_tls)
}
