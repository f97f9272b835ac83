//! The request of one attempt.

use a11ycheck_signing as signing;

use super::{HeaderPrefix, WebhookRequest};
use crate::{domain::EndpointSecret, store::ClaimedDelivery};

/// Returns the request of an attempt: the event's bytes, signed again with the instant at which the attempt began, so that
/// a receiver accepts a retry at any age.
pub(crate) fn signed(
    delivery: &ClaimedDelivery,
    secrets: &[EndpointSecret],
    prefix: &HeaderPrefix,
    user_agent: &str,
) -> WebhookRequest {
    let secrets: Vec<&str> = secrets.iter().map(EndpointSecret::reveal).collect();
    let signature = signing::sign_with(&secrets, delivery.started_at.timestamp(), &delivery.body);
    WebhookRequest {
        url: delivery.url.url().clone(),
        headers: vec![
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("User-Agent".to_owned(), user_agent.to_owned()),
            (prefix.header("Event"), delivery.kind.to_string()),
            (prefix.header("Delivery"), delivery.claim.delivery.to_string()),
            (prefix.header("Signature"), signature),
        ],
        body: delivery.body.clone(),
    }
}
