//! What makes attempts.

use async_trait::async_trait;
use bytes::Bytes;
use url::Url;

use crate::domain::AttemptResult;

/// One attempt, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRequest {
    /// Where to: the address as the team gave it, judged when the endpoint was created and not since.
    pub url: Url,
    /// Names and values of headers, in ASCII.
    pub headers: Vec<(String, String)>,
    /// What was signed: to be sent byte for byte.
    pub body: Bytes,
}

/// Makes attempts: sends a request, and tells the answer.
///
/// `HttpSender` (feature `delivery`) is one. Write another to go through a gateway, or to test what follows an attempt.
#[async_trait]
pub trait WebhookSender: Send + Sync + std::fmt::Debug {
    /// Sends the request as a POST, once, and tells how the receiver answered.
    ///
    /// The address comes from a user: where it leads is to be judged by the service's
    /// [policy](crate::net::AddressPolicy), now, and the connection must go to an address that was judged. Redirects are
    /// not followed: they are the answer.
    ///
    /// # Bounds
    /// A receiver has 10 s to answer (contract, "Delivery rules"), the way to it included; of what it answers only the
    /// beginning is read. A call that takes much longer is given up.
    async fn send(&self, request: WebhookRequest) -> AttemptResult;
}
