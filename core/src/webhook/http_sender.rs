//! Sends webhooks over HTTP.

use std::{error::Error as StdError, io, sync::Arc, time::Duration};

use async_trait::async_trait;
use reqwest::{Client, Response};
use rustls::pki_types::CertificateDer;
use tokio::time::{Instant, timeout_at};

use super::{
    WebhookRequest, WebhookSender,
    clients::{Clients, Target},
    target::{self, TargetError},
    tls::Tls,
};
use crate::{
    domain::{AttemptFailure, AttemptResult, Excerpt},
    net::{AddressPolicy, PolicyError, ResolveError, Resolver},
};

/// Sends webhooks over HTTP/1.1, with TLS.
///
/// Each attempt judges where the address leads now, and connects to nothing else: IP addresses that a name led to are pinned,
/// and a connection that was kept alive is only used again when the same addresses were judged. Proxies of the
/// environment are not used, redirects are not followed, cookies are not kept.
///
/// A receiver proves who it is with a certificate of an authority that the system trusts.
#[derive(Debug)]
pub struct HttpSender {
    policy: AddressPolicy,
    resolver: Arc<dyn Resolver>,
    timeout: Duration,
    tls: Tls,
    clients: Clients,
}

impl HttpSender {
    /// How long an attempt may take: look-up, connection, TLS, request and answer together (contract, "Limits").
    pub const TIMEOUT: Duration = Duration::from_secs(10);
    /// After so many bytes of an answer no more is read, and its connection is not used again.
    const MAX_ANSWER: usize = 4 * 1024;

    /// A sender that goes where this policy lets it.
    pub fn new(policy: AddressPolicy, resolver: Arc<dyn Resolver>) -> Self {
        // This sender brings its own TLS settings. But with the features that this crate asks of reqwest, every client that is
        // made without such settings, anywhere in the program, wants a provider for the process; one that is there stays.
        let _there_already = rustls::crypto::ring::default_provider().install_default();
        Self { policy, resolver, timeout: Self::TIMEOUT, tls: Tls::default(), clients: Clients::default() }
    }

    /// Another time for attempts. The contract's is [`TIMEOUT`](Self::TIMEOUT).
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Trusts the receivers of these authorities too (certificates in DER): for an intranet with an authority of its own.
    #[must_use]
    pub fn with_root_certificates(self, certificates: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { tls: Tls::new(certificates.into_iter().map(CertificateDer::from).collect()), ..self }
    }

    /// Sends, and waits for the head of the answer.
    async fn answer(&self, request: WebhookRequest) -> Result<Response, AttemptFailure> {
        let WebhookRequest { url, headers, body } = request;
        // Of an address only the host is told: many services know their callers by the path alone.
        let host = url.host_str().unwrap_or_default().to_owned();
        let judged = target::judge(&self.policy, &*self.resolver, &url).await.map_err(|error| {
            tracing::debug!(host, error = &error as &dyn StdError, "An endpoint's address leads nowhere");
            refused(&error)
        })?;
        let target = Target::new(url.scheme() == "https", &host, judged.addresses());
        let client = self.client(target, url.scheme() == "https").await?;
        let request = headers.into_iter().fold(client.post(url), |request, (name, value)| request.header(name, value));
        request.body(body).send().await.map_err(|error| {
            let error = error.without_url();
            tracing::debug!(host, error = &error as &dyn StdError, "An endpoint did not answer");
            failed(&error)
        })
    }

    async fn client(&self, target: Target, is_tls: bool) -> Result<Client, AttemptFailure> {
        if let Some(client) = self.clients.kept(&target) {
            return Ok(client);
        }
        let tls = if is_tls { self.tls.verified().await } else { Tls::unused() };
        let unusable = |error: &(dyn StdError + 'static)| {
            tracing::error!(error, "Webhooks can't be sent: TLS does not work on this machine");
            AttemptFailure::Tls
        };
        let tls = tls.map_err(|error| unusable(&error))?;
        self.clients.make(target, tls, self.timeout).map_err(|error| unusable(&error))
    }
}

#[async_trait]
impl WebhookSender for HttpSender {
    async fn send(&self, request: WebhookRequest) -> AttemptResult {
        let deadline = Instant::now() + self.timeout;
        let mut response = match timeout_at(deadline, self.answer(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(failure)) => return AttemptResult::Failed(failure),
            Err(_) => return AttemptResult::Failed(AttemptFailure::Timeout),
        };
        let status = response.status().as_u16();
        let mut body = Vec::new();
        let reading = async {
            // Whatever ends an answer early, the status stands: it was received.
            while body.len() <= Self::MAX_ANSWER
                && let Ok(Some(chunk)) = response.chunk().await
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

fn refused(error: &TargetError) -> AttemptFailure {
    match error {
        TargetError::NotHttps | TargetError::Policy(PolicyError::Refused(_)) => AttemptFailure::RefusedAddress,
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

/// Whether TLS is among the causes.
fn is_of_tls(error: &(dyn StdError + 'static)) -> bool {
    // An I/O error hides the error that it was made of from the chain of causes.
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    error.is::<rustls::Error>() || inner.is_some_and(|inner| is_of_tls(inner)) || error.source().is_some_and(is_of_tls)
}

#[cfg(test)]
mod tests {}
