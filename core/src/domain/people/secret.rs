//! The secrets that let a person in: of a session, of an invitation, of the first link.

use std::fmt;

use rand::RngExt as _;
use sha2::{Digest as _, Sha256};

/// A secret as its holder sends it: in a cookie, or at the end of a link. It exists in plain text only between its creation and the
/// answer that shows it, and between a request and [`hash`](Self::hash). `Debug` does not show it, and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct PlainSecret(String);

impl PlainSecret {
    /// The number of random characters, each one of 64: 258 bits.
    const CHARACTERS: usize = 43;
    const ALPHABET: &'static [u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    /// Generates a secret from the operating system's random numbers.
    pub fn generate() -> Self {
        let mut rng = rand::rng();
        Self((0..Self::CHARACTERS).map(|_| char::from(Self::ALPHABET[rng.random_range(0..64)])).collect())
    }

    /// Takes a secret from a request. Any text is accepted; only its hash decides whether it is valid.
    pub fn presented(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the hash that a store keeps and looks up; a plain one suffices, as for [tokens](crate::domain::PlainToken::hash).
    pub fn hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// Returns the secret itself, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PlainSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlainSecret(…)")
    }
}

/// The SHA-256 of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// Returns the bytes that are stored.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Restores a hash from its stored bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_256_bits_fits_into_a_link_and_does_not_show_itself_in_logs() {
        let secret = PlainSecret::generate();
        assert_eq!(secret.reveal().len(), 43);
        assert!(secret.reveal().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'));
        assert_ne!(secret, PlainSecret::generate());
        assert!(!format!("{secret:?}").contains(secret.reveal()));
        assert_eq!(PlainSecret::presented(secret.reveal()).hash(), secret.hash());
    }
}
