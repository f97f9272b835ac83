//! Sign-in at an OpenID provider (OpenID Connect Core 1.0, authorization code flow with PKCE, RFC 7636).
//!
//! What the provider sends is hostile until its signature was verified: bodies are bounded, addresses are those of its configuration, which
//! names the issuer that the operator has named, and an ID token counts only for this client and this sign-in.

mod answers;
mod auth_request;
mod id_token;
mod provider;

use std::{collections::BTreeSet, fmt};

use async_trait::async_trait;
use bytes::Bytes;
use url::Url;
use zeroize::Zeroizing;

pub(crate) use self::{
    auth_request::AuthRequest,
    provider::{Oidc, OidcError},
};

/// An operator's settings for the provider.
#[derive(Clone)]
#[non_exhaustive]
pub struct OidcSettings {
    /// The issuer, below which the configuration of the provider is found.
    pub issuer: Url,
    /// The name under which the provider knows this installation.
    pub client_id: String,
    /// The secret that goes with it; `None` for a client without one.
    pub client_secret: Option<Zeroizing<String>>,
    /// The name of the provider on the page of the sign-in.
    pub name: String,
    /// The claim of ID tokens that lists a person's groups.
    pub groups_claim: String,
    /// The scopes that are asked for besides `openid email profile`.
    pub scopes: BTreeSet<String>,
}

impl OidcSettings {
    /// Returns the settings of a provider whose name is that of its host.
    pub fn new(issuer: Url, client_id: impl Into<String>) -> Self {
        let name = issuer.host_str().unwrap_or_default().to_owned();
        let groups_claim = "groups".to_owned();
        Self { issuer, client_id: client_id.into(), client_secret: None, name, groups_claim, scopes: BTreeSet::new() }
    }
}

impl fmt::Debug for OidcSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OidcSettings")
            .field("issuer", &self.issuer.as_str())
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

/// Sends requests to the provider: the host's own HTTP client, which decides what is trusted.
#[async_trait]
pub trait ProviderClient: Send + Sync + fmt::Debug + 'static {
    /// Sends a request, and returns the answer with at most `most` bytes of its body. Redirects are not followed, and the whole takes a
    /// bounded time.
    ///
    /// # Errors
    /// Returns the reason why there is no answer, also where its body is longer.
    async fn send(&self, request: http::Request<Bytes>, most: usize) -> Result<http::Response<Bytes>, ProviderError>;
}

/// The reason why a provider did not answer.
pub type ProviderError = Box<dyn std::error::Error + Send + Sync>;
