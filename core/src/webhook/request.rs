//! The request of one attempt.

use std::fmt;

use a11ycheck_signing as signing;

use super::WebhookRequest;
use crate::{domain::EndpointSecret, store::ClaimedDelivery};

/// What the names of the three headers begin with: the contract's neutral `Svc-`, or the operator's brand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderPrefix(String);

/// A text that no header's name can begin with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the beginning of a header's name: letters, digits and hyphens, 40 at most")]
pub struct InvalidPrefix(String);

impl HeaderPrefix {
    /// Characters that a prefix has at most.
    const MAX_LENGTH: usize = 40;

    /// A prefix of letters, digits and hyphens; the hyphen at its end is part of it.
    ///
    /// # Errors
    /// [`InvalidPrefix`].
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidPrefix> {
        let text = text.into();
        let is_valid = (1..=Self::MAX_LENGTH).contains(&text.len())
            && text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if is_valid { Ok(Self(text)) } else { Err(InvalidPrefix(text)) }
    }

    /// A header's name.
    pub fn header(&self, name: &str) -> String {
        format!("{}{name}", self.0)
    }
}

impl fmt::Display for HeaderPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Default for HeaderPrefix {
    fn default() -> Self {
        Self("Svc-".to_owned())
    }
}

/// The request of an attempt: the event's bytes, signed anew with the instant at which the attempt began, so that a receiver
/// takes a retry of any age for what it is.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_makes_header_names_and_nothing_else() {
        assert_eq!(HeaderPrefix::default().header("Event"), "Svc-Event");
        assert_eq!(HeaderPrefix::new("Acme-A11y-").unwrap().header("Signature"), "Acme-A11y-Signature");
        for text in ["", "-", "Svc_", "Svc: ", "Svc\r\n", "ü-", &"a".repeat(41)] {
            assert!(HeaderPrefix::new(text).is_err(), "{text:?}");
        }
    }
}
