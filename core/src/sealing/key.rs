//! Keys and their ids.

use std::{fmt, str::FromStr};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// A key with which secrets are sealed: 256 random bits. Its text is `a11ykey_` and 43 characters of unpadded URL-safe base64.
///
/// The bits are overwritten when it is dropped. `Debug` shows the id only, and there is no `Display`.
#[derive(Clone)]
pub struct SealingKey {
    bytes: Zeroizing<[u8; Self::LENGTH]>,
    id: KeyId,
}

/// The error for a text that is not a sealing key. It does not show the text, which may be most of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a sealing key: one is `a11ykey_` and 43 letters, digits, hyphens and underscores")]
pub struct InvalidKey;

impl SealingKey {
    /// The prefix of the text of every key.
    pub const PREFIX: &'static str = "a11ykey_";
    const LENGTH: usize = 32;

    /// Returns a new key, from the operating system's random numbers.
    pub fn generate() -> Self {
        Self::new(Zeroizing::new(rand::random()))
    }

    /// Reads the text of a key.
    ///
    /// # Errors
    /// [`InvalidKey`] for any other text.
    pub fn parse(text: &str) -> Result<Self, InvalidKey> {
        let encoded = text.strip_prefix(Self::PREFIX).ok_or(InvalidKey)?;
        let decoded = Zeroizing::new(BASE64_URL_SAFE_NO_PAD.decode(encoded).map_err(|_| InvalidKey)?);
        let bytes: [u8; Self::LENGTH] = decoded.as_slice().try_into().map_err(|_| InvalidKey)?;
        Ok(Self::new(Zeroizing::new(bytes)))
    }

    /// Returns the text of the key, which may be written only to a file that nobody but the server can read.
    pub fn reveal(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(Self::PREFIX.len() + Self::LENGTH.div_ceil(3) * 4));
        text.push_str(Self::PREFIX);
        BASE64_URL_SAFE_NO_PAD.encode_string(&self.bytes[..], &mut text);
        text
    }

    /// Returns the name of the key, which is not secret.
    pub const fn id(&self) -> KeyId {
        self.id
    }

    pub(super) fn bytes(&self) -> &[u8; Self::LENGTH] {
        &self.bytes
    }

    fn new(bytes: Zeroizing<[u8; Self::LENGTH]>) -> Self {
        let id = KeyId::of(&bytes);
        Self { bytes, id }
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealingKey({})", self.id)
    }
}

/// The name of a key: 64 bits of a hash of it. It is stored beside what the key seals, shown to operators, and not secret.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; Self::LENGTH]);

/// The error for a text that is not a key id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a sealing key: one is `key_` and 16 lower-case hexadecimal digits")]
pub struct InvalidKeyId;

impl KeyId {
    /// The prefix of the text of every id.
    pub const PREFIX: &'static str = "key_";
    pub(super) const LENGTH: usize = 8;
    /// Separates this hash of a key from any other use of the key.
    const DOMAIN: &'static [u8] = b"a11ycheck sealing key id v1\0";

    fn of(key: &[u8; SealingKey::LENGTH]) -> Self {
        let hash: [u8; 32] = Sha256::new().chain_update(Self::DOMAIN).chain_update(key).finalize().into();
        let mut id = [0; Self::LENGTH];
        id.copy_from_slice(&hash[..Self::LENGTH]);
        Self(id)
    }

    pub(super) const fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    pub(super) const fn as_bytes(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:016x}", Self::PREFIX, u64::from_be_bytes(self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for KeyId {
    type Err = InvalidKeyId;

    /// Accepts exactly what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, InvalidKeyId> {
        let digits = text.strip_prefix(Self::PREFIX).ok_or(InvalidKeyId)?;
        let number = u64::from_str_radix(digits, 16).map_err(|_| InvalidKeyId)?;
        Some(Self(number.to_be_bytes())).filter(|id| id.to_string() == text).ok_or(InvalidKeyId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_from_its_text_and_keeps_its_id() {
        let key = SealingKey::generate();
        let again = SealingKey::parse(&key.reveal()).unwrap();
        assert_eq!((again.bytes(), again.id()), (key.bytes(), key.id()));
        assert_ne!(key.id(), SealingKey::generate().id());
        assert_eq!(key.id().to_string().parse(), Ok(key.id()));
    }

    #[test]
    fn the_id_of_a_key_never_changes_since_stored_values_name_it() {
        let key = SealingKey::parse("a11ykey_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").unwrap();
        assert_eq!(key.id().to_string(), "key_603b46db489a5537");
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_shown() {
        let whole = SealingKey::generate().reveal();
        let (short, long) = (&whole[..whole.len() - 1], format!("{}A", *whole));
        for text in [
            "",
            "a11ykey_",
            &whole["a11ykey_".len()..],
            short,
            &long,
            "a11ykey_+///////////////////////////////////////////",
        ] {
            let refused = SealingKey::parse(text).unwrap_err();
            assert!(text.len() < 20 || !refused.to_string().contains(&text[9..]), "{refused}");
        }
        for text in ["", "key_", "key_0", "key_00000000000000FF", "key_+000000000000000", "0000000000000000"] {
            assert_eq!(text.parse::<KeyId>(), Err(InvalidKeyId), "{text}");
        }
    }

    #[test]
    fn a_key_does_not_show_itself_in_logs() {
        let key = SealingKey::generate();
        let shown = format!("{key:?}");
        assert!(!shown.contains(&key.reveal()[8..]) && shown.contains(&key.id().to_string()), "{shown}");
    }
}
