//! What a sealed value is bound to.

use crate::id::EndpointId;

/// What a secret is for, and whose it is. The cipher authenticates both, so that a value which was sealed for one owner is of
/// no use in the place of another's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SealingContext {
    purpose: Purpose,
    owner: String,
}

/// What a secret is for. Its name is part of what is authenticated: a name never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Purpose {
    WebhookSecret,
}

impl Purpose {
    const fn name(self) -> &'static str {
        match self {
            Self::WebhookSecret => "webhook-secret",
        }
    }
}

impl SealingContext {
    /// A secret that deliveries to the endpoint are signed with.
    pub fn webhook_secret(endpoint: EndpointId) -> Self {
        Self { purpose: Purpose::WebhookSecret, owner: endpoint.to_string() }
    }

    /// What the secret is for: `webhook-secret`.
    pub const fn purpose(&self) -> &'static str {
        self.purpose.name()
    }

    /// The id of whose secret it is.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The bytes that the cipher authenticates. No purpose holds a zero byte, so that no two contexts have the same bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        [self.purpose().as_bytes(), &[0], self.owner.as_bytes()].concat()
    }
}
