//! What the provider answers, as far as it is read.

use serde::Deserialize;

/// The configuration of a provider (OpenID Connect Discovery 1.0, 3).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Configuration {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) jwks_uri: String,
    #[serde(default = "basic")]
    pub(super) token_endpoint_auth_methods_supported: Vec<String>,
}

fn basic() -> Vec<String> {
    vec!["client_secret_basic".to_owned()]
}

/// The keys of a provider (RFC 7517).
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Keys {
    /// Keys of kinds that are not known here are among them; they are not read.
    pub(super) keys: Vec<serde_json::Value>,
}

/// A key of a kind that is known here (RFC 7518, 6).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Key {
    pub(super) kty: String,
    pub(super) kid: Option<String>,
    pub(super) alg: Option<String>,
    #[serde(rename = "use")]
    pub(super) usage: Option<String>,
    pub(super) crv: Option<String>,
    pub(super) n: Option<String>,
    pub(super) e: Option<String>,
    pub(super) x: Option<String>,
    pub(super) y: Option<String>,
}

/// The answer of the token endpoint (OpenID Connect Core 1.0, 3.1.3.3).
#[derive(Deserialize)]
pub(super) struct Tokens {
    pub(super) id_token: String,
}

/// The head of a signed token (RFC 7515, 4.1).
#[derive(Debug, Deserialize)]
pub(super) struct Head {
    pub(super) alg: String,
    pub(super) kid: Option<String>,
    /// Extensions that must be understood, and are not.
    pub(super) crit: Option<serde_json::Value>,
}

/// The claims of an ID token (OpenID Connect Core 1.0, 2 and 5.1).
#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    pub(super) iss: String,
    pub(super) aud: OneOrMany,
    pub(super) azp: Option<String>,
    pub(super) exp: f64,
    pub(super) iat: f64,
    pub(super) nbf: Option<f64>,
    pub(super) nonce: Option<String>,
    pub(super) email: Option<String>,
    /// Only the truth value counts: a text `"true"` says nothing.
    pub(super) email_verified: Option<serde_json::Value>,
    pub(super) name: Option<String>,
    #[serde(flatten)]
    pub(super) others: serde_json::Map<String, serde_json::Value>,
}

/// One text or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(super) fn all(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }
}
