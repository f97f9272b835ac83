//! API tokens.

use std::{collections::BTreeSet, fmt};

use chrono::{DateTime, Utc};
use rand::RngExt as _;
use sha2::{Digest as _, Sha256};

use super::{UnknownWord, stored_word::stored_words};
use crate::id::{TeamId, TokenId};

/// A token as its holder sends it. It exists in the clear only here: on its way to the one who asked for it, or on its
/// way into [`hash`](Self::hash). Neither `Debug` nor `Display` shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct PlainToken(String);

impl PlainToken {
    /// What every token begins with.
    pub const PREFIX: &'static str = "a11y_";
    /// Random characters after the prefix: 40 of 64 each, 240 bits.
    const RANDOM_CHARACTERS: usize = 40;
    const ALPHABET: &'static [u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    /// A new token, from the operating system's random numbers.
    pub fn generate() -> Self {
        let mut rng = rand::rng();
        let random = (0..Self::RANDOM_CHARACTERS).map(|_| char::from(Self::ALPHABET[rng.random_range(0..64)]));
        Self(Self::PREFIX.chars().chain(random).collect())
    }

    /// A token that a request carries. Anything may be one; only its hash tells.
    pub fn presented(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// What a store keeps and looks up. A token has 240 random bits, so a plain hash suffices, and a look-up by hash
    /// tells nothing by its timing about any token but the one that was sent.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The token itself, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PlainToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlainToken(…)")
    }
}

/// The SHA-256 of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// The bytes, to be stored.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Takes stored bytes back.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

/// What a token may do. Abilities are independent: `write` does not include `read` (design §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Ability {
    /// Every GET request.
    Read,
    /// Adding and deleting sites, starting checks.
    Write,
    /// An ability of a later release, which is good for nothing in this one.
    Unknown(UnknownWord),
}

stored_words!(Ability {
    Read = "read",
    Write = "write",
});

/// A token of a team, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    /// Its id.
    pub id: TokenId,
    /// Whose it is.
    pub team: TeamId,
    /// What its holder calls it.
    pub name: String,
    /// What it may do.
    pub abilities: BTreeSet<Ability>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// A token to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// Its id.
    pub id: TokenId,
    /// What its holder calls it.
    pub name: String,
    /// What it may do.
    pub abilities: BTreeSet<Ability>,
    /// What it is looked up by.
    pub hash: TokenHash,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_url_safe_and_never_the_same() {
        let token = PlainToken::generate();
        let random = token.reveal().strip_prefix("a11y_").unwrap();
        assert_eq!(random.len(), 40);
        assert!(random.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'));
        assert_ne!(token, PlainToken::generate());
    }

    #[test]
    fn a_token_does_not_show_itself_in_logs() {
        let token = PlainToken::generate();
        assert!(!format!("{token:?}").contains(token.reveal()));
    }
}
