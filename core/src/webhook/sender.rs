//! The interface to the part that makes attempts.

use async_trait::async_trait;
use bytes::Bytes;
use url::Url;

use crate::domain::AttemptResult;

/// One attempt, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebhookRequest {
    /// The address as the team gave it, judged when the endpoint was created and not since.
    pub url: Url,
    /// The names and values of headers, in ASCII.
    pub headers: Vec<(String, String)>,
    /// The signed bytes, to be sent exactly as they are.
    pub body: Bytes,
}

impl WebhookRequest {
    /// Returns a request with these headers that sends `body` to `url`.
    pub fn new(url: Url, headers: Vec<(String, String)>, body: impl Into<Bytes>) -> Self {
        Self { url, headers, body: body.into() }
    }
}

/// Makes attempts: sends a request, and returns the response.
///
/// `HttpSender` (feature `delivery`) is one. Write another to send through a gateway, or to test what follows an attempt.
#[async_trait]
pub trait WebhookSender: Send + Sync + std::fmt::Debug {
    /// Sends the request as a POST, once, and returns the receiver's response.
    ///
    /// The address comes from a user: an implementation judges where it leads by the service's
    /// [policy](crate::net::AddressPolicy), now, and connects only to an address that was judged. Redirects are not
    /// followed: they are the response.
    ///
    /// # Bounds
    /// A receiver has 10 s to respond (contract §13.6), including the time to connect; only the beginning of the response
    /// is read. A call that takes much longer is given up.
    async fn send(&self, request: WebhookRequest) -> AttemptResult;
}
