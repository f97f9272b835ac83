//! The keys of a process.

use std::{fmt, sync::Arc};

use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305,
    aead::{Aead as _, Payload},
};
use zeroize::Zeroizing;

use super::{InvalidKey, KeyId, Sealed, SealingContext, SealingKey};

/// The key that seals, and the keys that still open what they have sealed. Clones share the keys; `Debug` shows their ids.
#[derive(Clone)]
pub struct Keyring {
    /// The first one seals; there is always one. No two have the same id.
    keys: Arc<[SealingKey]>,
}

/// The reason why the text of a keyring can't be read. It shows nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyringError {
    /// The text has no key.
    #[error("there is no key in it")]
    Empty,
    /// A line is neither a key nor a comment.
    #[error("line {line}")]
    Line {
        /// The number of the line, counted from 1.
        line: usize,
        /// The error of the line.
        source: InvalidKey,
    },
}

/// The reason why a sealed value was not opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The ring does not have the key.
    #[error("the sealing key {0} is missing")]
    MissingKey(KeyId),
    /// The value was changed, or was sealed for something else.
    #[error("a value that {0} should open was changed since it was sealed, or belongs to something else")]
    NotGenuine(KeyId),
}

impl Keyring {
    /// Returns a ring with one key, which seals and opens.
    pub fn new(current: SealingKey) -> Self {
        Self { keys: [current].into() }
    }

    /// Adds a key that only opens: one that sealed earlier, or one that is to seal soon.
    #[must_use]
    pub fn with_opening_key(self, key: SealingKey) -> Self {
        if self.has(key.id()) {
            return self;
        }
        Self { keys: self.keys.iter().cloned().chain([key]).collect() }
    }

    /// Returns a ring with a new key that nobody else has: what it seals can't be opened once this process has ended. For
    /// tests, and for stores that end with the process.
    pub fn ephemeral() -> Self {
        Self::new(SealingKey::generate())
    }

    /// Reads the keys of a text: one or several in a line, with spaces or commas between them; the first one seals. Text
    /// after a `#` is a comment.
    ///
    /// # Errors
    /// A [`KeyringError`] if the text has no key, or anything but keys and comments.
    pub fn from_text(text: &str) -> Result<Self, KeyringError> {
        let mut ring: Option<Self> = None;
        for (number, line) in text.lines().enumerate() {
            let keys = line.split('#').next().unwrap_or_default();
            for key in keys.split(|c: char| c.is_whitespace() || c == ',').filter(|key| !key.is_empty()) {
                let key = SealingKey::parse(key).map_err(|source| KeyringError::Line { line: number + 1, source })?;
                ring = Some(match ring {
                    Some(ring) => ring.with_opening_key(key),
                    None => Self::new(key),
                });
            }
        }
        ring.ok_or(KeyringError::Empty)
    }

    /// Returns the id of the key that seals.
    pub fn current(&self) -> KeyId {
        self.keys[0].id()
    }

    /// Returns the ids of all keys, the one that seals first.
    pub fn ids(&self) -> Vec<KeyId> {
        self.keys.iter().map(SealingKey::id).collect()
    }

    /// Returns whether the ring opens what this key has sealed.
    pub fn has(&self, key: KeyId) -> bool {
        self.keys.iter().any(|held| held.id() == key)
    }

    /// Seals a secret, bound to its context.
    pub fn seal(&self, context: &SealingContext, secret: &[u8]) -> Sealed {
        let key = &self.keys[0];
        let nonce: [u8; Sealed::NONCE] = rand::random();
        let authenticated = authenticated(key.id(), context);
        let ciphertext = XChaCha20Poly1305::new(key.bytes().into())
            .encrypt(&nonce.into(), Payload { msg: secret, aad: &authenticated })
            // The cipher refuses only messages of more than 256 GiB, which no memory holds.
            .expect("a secret is shorter than 256 GiB");
        Sealed::new(key.id(), nonce, ciphertext)
    }

    /// Opens what was sealed in the same context. The result is overwritten when it is dropped.
    ///
    /// # Errors
    /// An [`OpenError`] if the key is missing, or the value is not genuine.
    pub fn open(&self, context: &SealingContext, sealed: &Sealed) -> Result<Zeroizing<Vec<u8>>, OpenError> {
        let id = sealed.key();
        let key = self.keys.iter().find(|key| key.id() == id).ok_or(OpenError::MissingKey(id))?;
        let authenticated = authenticated(id, context);
        let payload = Payload { msg: sealed.ciphertext(), aad: &authenticated };
        let opened = XChaCha20Poly1305::new(key.bytes().into()).decrypt(sealed.nonce().into(), payload);
        opened.map(Zeroizing::new).map_err(|_| OpenError::NotGenuine(id))
    }
}

/// Returns the data that is authenticated with the ciphertext: the form, the key and the context.
fn authenticated(key: KeyId, context: &SealingContext) -> Vec<u8> {
    [&[Sealed::FORM][..], key.as_bytes(), &context.bytes()].concat()
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keyring").field(&self.ids()).finish()
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;
    use crate::id::EndpointId;

    fn context() -> SealingContext {
        SealingContext::webhook_secret(EndpointId::generate(Utc::now()))
    }

    #[test]
    fn what_is_sealed_is_opened_with_the_key_and_in_the_context_of_its_owner_alone() {
        let (ring, mine, anothers) = (Keyring::ephemeral(), context(), context());
        let sealed = ring.seal(&mine, b"whsec_1");
        assert_eq!(ring.open(&mine, &sealed).unwrap().as_slice(), b"whsec_1");
        assert_eq!(ring.open(&anothers, &sealed).unwrap_err(), OpenError::NotGenuine(ring.current()));
        let stranger = Keyring::ephemeral();
        assert_eq!(stranger.open(&mine, &sealed).unwrap_err(), OpenError::MissingKey(ring.current()));
    }

    #[test]
    fn no_bit_of_a_sealed_value_can_be_changed() {
        let (ring, context) = (Keyring::ephemeral(), context());
        let bytes = ring.seal(&context, b"whsec_1").to_bytes();
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let opened = Sealed::from_bytes(&changed).map(|sealed| ring.open(&context, &sealed));
            assert!(!matches!(opened, Ok(Ok(_))), "bit {bit}");
        }
    }

    #[test]
    fn equal_secrets_do_not_look_equal() {
        let (ring, context) = (Keyring::ephemeral(), context());
        let [one, other] = [ring.seal(&context, b"whsec_1"), ring.seal(&context, b"whsec_1")];
        assert_ne!(one.to_bytes()[9..], other.to_bytes()[9..]);
    }

    #[test]
    fn an_older_key_opens_and_the_first_one_seals() {
        let [old, new] = [SealingKey::generate(), SealingKey::generate()];
        let context = context();
        let sealed = Keyring::new(old.clone()).seal(&context, b"whsec_1");
        let ring = Keyring::new(new.clone()).with_opening_key(old.clone()).with_opening_key(new.clone());
        assert_eq!(ring.ids(), [new.id(), old.id()]);
        assert_eq!(ring.open(&context, &sealed).unwrap().as_slice(), b"whsec_1");
        assert_eq!(ring.seal(&context, b"whsec_1").key(), new.id());
    }

    #[test]
    fn keys_are_read_from_lines_with_comments_and_a_line_that_is_none_is_named() {
        let [one, two] = [SealingKey::generate(), SealingKey::generate()];
        let text = format!("# made on 1 June\n\n{}  # current\r\n{},\n", *one.reveal(), *two.reveal());
        assert_eq!(Keyring::from_text(&text).unwrap().ids(), [one.id(), two.id()]);
        let in_one_line = format!("{},{}", *one.reveal(), *two.reveal());
        assert_eq!(Keyring::from_text(&in_one_line).unwrap().ids(), [one.id(), two.id()]);
        assert_eq!(Keyring::from_text(" \n# none\n").unwrap_err(), KeyringError::Empty);
        let refused = Keyring::from_text(&format!("{}\nhunter2", *one.reveal())).unwrap_err();
        assert_eq!(refused, KeyringError::Line { line: 2, source: InvalidKey });
    }

    /// A value of the form in which stores hold it today: whatever was stored once must open in every later version.
    #[test]
    fn a_value_that_an_earlier_version_sealed_is_opened() {
        let key = SealingKey::parse("a11ykey_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").unwrap();
        let endpoint = "whe_01M3V8M1C0Q3Z9D8W7S6N5B4A2".parse().unwrap();
        // Made by another implementation of XChaCha20-Poly1305.
        let stored = hex("01603b46db489a55376465666768696a6b6c6d6e6f707172737475767778797a7b\
             0b1b8ad59c71ecfae65ded53c3613eb5fff753493d355762e03b7be2d0");
        let opened =
            Keyring::new(key).open(&SealingContext::webhook_secret(endpoint), &Sealed::from_bytes(&stored).unwrap());
        assert_eq!(opened.unwrap().as_slice(), b"whsec_example");
    }

    fn hex(text: &str) -> Vec<u8> {
        (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
    }
}
