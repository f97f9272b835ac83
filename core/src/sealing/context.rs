//! The context to which a sealed value is bound.

use crate::id::{EndpointId, PersonId};

/// The purpose of a secret, and its owner. The cipher authenticates both, so that a value sealed for one owner is of no use
/// in place of another's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SealingContext {
    purpose: Purpose,
    owner: String,
}

/// The purpose of a secret. Its name is authenticated with the secret, so a name never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Purpose {
    WebhookSecret,
    SecondFactor,
}

impl Purpose {
    const fn name(self) -> &'static str {
        match self {
            Self::WebhookSecret => "webhook-secret",
            Self::SecondFactor => "second-factor",
        }
    }
}

impl SealingContext {
    /// Returns the context of a secret with which deliveries to the endpoint are signed.
    pub fn webhook_secret(endpoint: EndpointId) -> Self {
        Self { purpose: Purpose::WebhookSecret, owner: endpoint.to_string() }
    }

    /// Returns the context of the secret that the app of a person has, whose codes are the second factor of the sign-in.
    pub fn second_factor(person: PersonId) -> Self {
        Self { purpose: Purpose::SecondFactor, owner: person.to_string() }
    }

    /// Returns the purpose of the secret: `webhook-secret` or `second-factor`.
    pub const fn purpose(&self) -> &'static str {
        self.purpose.name()
    }

    /// Returns the id of the secret's owner.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Returns the bytes that the cipher authenticates. No purpose contains a zero byte, so no two contexts have the same bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        [self.purpose().as_bytes(), &[0], self.owner.as_bytes()].concat()
    }
}
