//! The authentication request that a browser keeps while its person is at the provider.

use a11ycheck_core::domain::PlainSecret;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

/// An authentication request to the provider (OpenID Connect Core 1.0, 3.1.2.1): the secrets with which its response is
/// recognised, and the page to which the sign-in leads. It is kept in a cookie of the browser that began it, and
/// nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuthRequest {
    /// Comes back with the response, and proves that this browser began the request.
    pub(super) state: PlainSecret,
    /// Comes back in the ID token, and proves that the token was issued for this request.
    pub(super) nonce: PlainSecret,
    /// Proves to the provider that the code is exchanged by the client that requested it (RFC 7636, 4.1: at least 43
    /// characters).
    pub(super) verifier: PlainSecret,
    /// A path below the root.
    pub(crate) next: String,
}

/// The greatest length of [`AuthRequest::next`], in bytes. A longer path is dropped.
const MOST: usize = 1_000;

impl AuthRequest {
    pub(super) fn begin(next: &str) -> Self {
        let next = if next.len() <= MOST { next } else { "" }.to_owned();
        let [state, nonce, verifier] = std::array::from_fn(|_| PlainSecret::generate());
        Self { state, nonce, verifier, next }
    }

    /// Returns the value of the cookie.
    pub(crate) fn written(&self) -> String {
        let next = URL_SAFE_NO_PAD.encode(&self.next);
        [self.state.reveal(), self.nonce.reveal(), self.verifier.reveal(), &next].join(".")
    }

    /// Reads the value of a cookie; `None` for anything else.
    pub(crate) fn read(cookie: &str) -> Option<Self> {
        let parts: Vec<_> = cookie.split('.').collect();
        let [state, nonce, verifier, next] = parts[..] else { return None };
        let [state, nonce, verifier] = [state, nonce, verifier].map(PlainSecret::presented);
        let next = String::from_utf8(URL_SAFE_NO_PAD.decode(next).ok()?).ok()?;
        let is_whole = [&state, &nonce, &verifier].into_iter().all(|secret| secret.reveal().len() == 43);
        is_whole.then_some(Self { state, nonce, verifier, next })
    }

    /// Returns whether a response with this `state` belongs to this request.
    pub(crate) fn is_answered_by(&self, state: &str) -> bool {
        // Hashes are compared, so that the time of the comparison reveals nothing about the secret.
        PlainSecret::presented(state).hash() == self.state.hash()
    }

    /// Returns what the provider compares the verifier with (RFC 7636, 4.2).
    pub(super) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier.reveal()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_back_and_answered_by_its_own_state_alone() {
        let auth_request = AuthRequest::begin("/teams/x?a=b&c=ü");
        assert_eq!(AuthRequest::read(&auth_request.written()), Some(auth_request.clone()));
        assert!(auth_request.is_answered_by(auth_request.state.reveal()) && !auth_request.is_answered_by(""));
        assert!(!auth_request.is_answered_by(AuthRequest::begin("").state.reveal()));
        for wrong in ["", "...", "a.b.c.d", &auth_request.written()[1..], &format!("{}.x", auth_request.written())] {
            assert_eq!(AuthRequest::read(wrong), None, "{wrong}");
        }
        assert_eq!(AuthRequest::begin(&"/".repeat(2_000)).next, "");
    }
}
