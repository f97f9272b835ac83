//! The key of tests whose secrets outlive a process.

use a11ycheck_core::sealing::{Keyring, SealingKey};

/// The text of the key: for servers that are started as processes, in `A11YCHECK_SEALING_KEYS`.
pub const SEALING_KEY: &str = "a11ykey_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

/// Returns the ring with this key: all nodes of a test seal with it, and the secrets of the fixtures of releases are
/// sealed with it.
pub fn ring() -> Keyring {
    Keyring::new(SealingKey::parse(SEALING_KEY).unwrap())
}
