//! What the browser keeps while its person is at the provider.

use a11ycheck_core::domain::PlainSecret;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

/// A visit to the provider: the secrets by which its answer is recognised, which are in a cookie of this browser and nowhere else, and where its
/// person wants to be afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Visit {
    /// Comes back with the answer: it belongs to this browser.
    pub(super) state: PlainSecret,
    /// Comes back in the ID token: it belongs to this sign-in.
    pub(super) nonce: PlainSecret,
    /// Shows the provider that who sends the code is who asked for it (RFC 7636, 4.1: 43 characters at least).
    pub(super) verifier: PlainSecret,
    /// A path below the root.
    pub(crate) next: String,
}

/// The longest path that is remembered.
const MOST: usize = 1_000;

impl Visit {
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

    /// Returns whether an answer is one to this visit.
    pub(crate) fn is_answered_by(&self, state: &str) -> bool {
        // Of hashes, so that the time of the comparison tells nothing.
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
    fn a_visit_is_read_back_and_answered_by_its_own_state_alone() {
        let visit = Visit::begin("/teams/x?a=b&c=ü");
        assert_eq!(Visit::read(&visit.written()), Some(visit.clone()));
        assert!(visit.is_answered_by(visit.state.reveal()) && !visit.is_answered_by(""));
        assert!(!visit.is_answered_by(Visit::begin("").state.reveal()));
        for wrong in ["", "...", "a.b.c.d", &visit.written()[1..], &format!("{}.x", visit.written())] {
            assert_eq!(Visit::read(wrong), None, "{wrong}");
        }
        assert_eq!(Visit::begin(&"/".repeat(2_000)).next, "");
    }
}
