//! The provider: its configuration, its keys, and codes that become ID tokens.

use std::sync::{Arc, Mutex, PoisonError};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use http::{Method, header};
use serde::de::DeserializeOwned;
use url::{Url, form_urlencoded};

use super::{
    OidcSettings, ProviderClient, ProviderError,
    answers::{Configuration, Keys, Tokens},
    auth_request::AuthRequest,
    id_token::{self, Expected, Identity, Refused},
};

/// The reason why nobody was signed in by the provider.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OidcError {
    /// The provider does not answer, or not as its configuration promises.
    #[error("the provider did not answer as it should: {what}")]
    Unavailable {
        what: &'static str,
        #[source]
        source: Option<ProviderError>,
    },
    /// The ID token is refused.
    #[error("the ID token is refused")]
    Refused(#[from] Refused),
}

/// The facts that are known of the provider.
#[derive(Debug)]
struct Known {
    configuration: Configuration,
    keys: Keys,
    at: DateTime<Utc>,
}

/// A provider of identities.
#[derive(Debug)]
pub(crate) struct Oidc {
    settings: OidcSettings,
    client: Box<dyn ProviderClient>,
    known: Mutex<Option<Arc<Known>>>,
}

/// The time after which configuration and keys are read again.
const FRESH: TimeDelta = TimeDelta::hours(1);
/// The time after which they are read again because a token has a key that is not among them.
const AGAIN: TimeDelta = TimeDelta::minutes(1);
/// The most bytes of an answer.
const MOST: usize = 512 * 1_024;

impl Oidc {
    pub(crate) fn new(settings: OidcSettings, client: impl ProviderClient) -> Self {
        Self { settings, client: Box::new(client), known: Mutex::new(None) }
    }

    /// Returns the name of the provider for people.
    pub(crate) fn name(&self) -> &str {
        &self.settings.name
    }

    /// Begins an authentication request: returns the address of the provider's own sign-in, and the request, which the
    /// browser keeps meanwhile.
    pub(crate) async fn begin(
        &self,
        back: &str,
        next: &str,
        now: DateTime<Utc>,
    ) -> Result<(String, AuthRequest), OidcError> {
        let known = self.known(now, FRESH).await?;
        let auth_request = AuthRequest::begin(next);
        let mut address = address(&known.configuration.authorization_endpoint)?;
        let mut scopes = "openid email profile".to_owned();
        self.settings.scopes.iter().for_each(|scope| scopes.extend([" ", scope]));
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("redirect_uri", back)
            .append_pair("scope", &scopes)
            .append_pair("state", auth_request.state.reveal())
            .append_pair("nonce", auth_request.nonce.reveal())
            .append_pair("code_challenge", &auth_request.challenge())
            .append_pair("code_challenge_method", "S256");
        Ok((address.into(), auth_request))
    }

    /// Returns whether an answer that names an issuer is this provider's (RFC 9207).
    pub(crate) fn is_from(&self, issuer: &str) -> bool {
        issuer.is_empty() || issuer.trim_end_matches('/') == self.issuer()
    }

    /// Exchanges the code of a response for an ID token, and returns the person who has signed in.
    pub(crate) async fn identity(
        &self,
        auth_request: &AuthRequest,
        code: &str,
        back: &str,
        now: DateTime<Utc>,
    ) -> Result<Identity, OidcError> {
        let known = self.known(now, FRESH).await?;
        let request = self.exchange(&known.configuration, auth_request, code, back)?;
        let Tokens { id_token: token } = self.answered("its tokens", request).await?;
        let expected = Expected {
            issuer: &known.configuration.issuer,
            client: &self.settings.client_id,
            nonce: auth_request.nonce.reveal(),
            groups_claim: &self.settings.groups_claim,
            now,
        };
        match id_token::verified(&token, &known.keys, expected) {
            // The provider may have a new key.
            Err(Refused::UnknownKey) => Ok(id_token::verified(&token, &self.known(now, AGAIN).await?.keys, expected)?),
            verified => Ok(verified?),
        }
    }

    /// Returns the issuer without a slash at its end, which some providers write and others don't.
    fn issuer(&self) -> &str {
        self.settings.issuer.as_str().trim_end_matches('/')
    }

    /// Returns what is known of the provider, read again where that was longer ago.
    async fn known(&self, now: DateTime<Utc>, fresh: TimeDelta) -> Result<Arc<Known>, OidcError> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| known.at + fresh > now) {
            return Ok(known);
        }
        let at = format!("{}/.well-known/openid-configuration", self.issuer());
        let configuration: Configuration = self.read("its configuration", &at).await?;
        if configuration.issuer.trim_end_matches('/') != self.issuer() {
            return Err(unavailable("its configuration names another issuer"));
        }
        let keys: Keys = self.read("its keys", &configuration.jwks_uri).await?;
        let known = Arc::new(Known { configuration, keys, at: now });
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&known));
        Ok(known)
    }

    /// Returns the request that exchanges a code for tokens.
    fn exchange(
        &self,
        configuration: &Configuration,
        auth_request: &AuthRequest,
        code: &str,
        back: &str,
    ) -> Result<http::Request<Bytes>, OidcError> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", back)
            .append_pair("code_verifier", auth_request.verifier.reveal());
        let request = http::Request::builder()
            .method(Method::POST)
            .uri(address(&configuration.token_endpoint)?.as_str())
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::ACCEPT, "application/json");
        let methods = &configuration.token_endpoint_auth_methods_supported;
        let takes_basic = methods.iter().any(|method| method == "client_secret_basic");
        let request = match &self.settings.client_secret {
            // Both are encoded as in a form before they are encoded as credentials (RFC 6749, 2.3.1).
            Some(secret) if takes_basic => {
                let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
                let credentials = format!("{}:{}", encoded(&self.settings.client_id), encoded(secret));
                request.header(header::AUTHORIZATION, format!("Basic {}", STANDARD.encode(credentials)))
            }
            Some(secret) => {
                form.append_pair("client_id", &self.settings.client_id).append_pair("client_secret", secret);
                request
            }
            None => {
                form.append_pair("client_id", &self.settings.client_id);
                request
            }
        };
        let request = request.body(Bytes::from(form.finish()));
        request.map_err(|error| failed("the address of its tokens", error.into()))
    }

    async fn read<T: DeserializeOwned>(&self, what: &'static str, at: &str) -> Result<T, OidcError> {
        let request = http::Request::builder().uri(address(at)?.as_str()).header(header::ACCEPT, "application/json");
        let request = request.body(Bytes::new()).map_err(|error| failed(what, error.into()))?;
        self.answered(what, request).await
    }

    async fn answered<T: DeserializeOwned>(
        &self,
        what: &'static str,
        request: http::Request<Bytes>,
    ) -> Result<T, OidcError> {
        let answer = self.client.send(request, MOST).await.map_err(|source| failed(what, source))?;
        if !answer.status().is_success() {
            return Err(failed(what, format!("status {}", answer.status().as_u16()).into()));
        }
        serde_json::from_slice(answer.body()).map_err(|error| failed(what, error.into()))
    }
}

/// Reads an address that the configuration names: secrets are sent there, so that it has to be secure, except on this machine.
fn address(text: &str) -> Result<Url, OidcError> {
    let url = Url::parse(text).map_err(|error| failed("an address of its configuration", error.into()))?;
    let is_here = match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if url.scheme() == "https" || (url.scheme() == "http" && is_here) {
        Ok(url)
    } else {
        Err(unavailable("its addresses have to begin with https://"))
    }
}

const fn unavailable(what: &'static str) -> OidcError {
    OidcError::Unavailable { what, source: None }
}

fn failed(what: &'static str, source: ProviderError) -> OidcError {
    OidcError::Unavailable { what, source: Some(source) }
}
