//! API tokens.

use std::{collections::BTreeSet, fmt};

use chrono::{DateTime, NaiveDate, Utc};
use rand::RngExt as _;
use sha2::{Digest as _, Sha256};

use super::{UnknownWord, stored_word::stored_words};
use crate::id::{TeamId, TokenId};

/// A token as its holder sends it. It exists in plain text only here: between its creation and the response that shows
/// it, or between a request and [`hash`](Self::hash). `Debug` does not show it, and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct PlainToken(String);

impl PlainToken {
    /// The beginning of every token.
    pub const PREFIX: &'static str = "a11y_";
    /// The number of random characters after the prefix, each one of 64: 240 bits.
    const RANDOM_CHARACTERS: usize = 40;
    const ALPHABET: &'static [u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    /// Generates a token from the operating system's random numbers.
    pub fn generate() -> Self {
        let mut rng = rand::rng();
        let random = (0..Self::RANDOM_CHARACTERS).map(|_| char::from(Self::ALPHABET[rng.random_range(0..64)]));
        Self(Self::PREFIX.chars().chain(random).collect())
    }

    /// Takes a token from a request. Any text is accepted; only its hash decides whether it is valid.
    pub fn presented(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the hash that a store keeps and looks up. A token has 240 random bits, so a plain hash suffices, and the
    /// timing of a look-up by hash reveals nothing about any token but the one that was sent.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// Returns the token itself, to be shown once.
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
    /// Returns the bytes that are stored.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Restores a hash from its stored bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

/// An ability of a token. Abilities are independent: `write` does not include `read` (contract §2.2, decision 0003).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Ability {
    /// Permits every GET request.
    Read,
    /// Permits adding and deleting sites, and starting checks.
    Write,
    /// An ability of a later release, which permits nothing in this one.
    Unknown(UnknownWord),
}

stored_words!(Ability {
    Read = "read",
    Write = "write",
});

/// A token of a team, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    /// The id of the token.
    pub id: TokenId,
    /// The team that owns it.
    pub team: TeamId,
    /// The name that its holder gave it.
    pub name: String,
    /// The abilities.
    pub abilities: BTreeSet<Ability>,
    /// The instant at which it was created.
    pub created_at: DateTime<Utc>,
    /// The person or program that made it, in words, as the person was called then; `None` where that is not known.
    pub created_by: Option<String>,
    /// The day, in UTC, on which it was last used; `None` before that.
    pub last_used_on: Option<NaiveDate>,
}

/// A token that is to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// The id of the token.
    pub id: TokenId,
    /// The name that its holder gave it.
    pub name: String,
    /// The abilities.
    pub abilities: BTreeSet<Ability>,
    /// The hash under which it is stored and looked up.
    pub hash: TokenHash,
    /// The person or program that makes it, in words; `None` where that is not known.
    pub created_by: Option<String>,
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
