//! The keys of tests whose secrets outlive a process.

use a11ycheck_core::sealing::{Keyring, SealingKey};

/// Returns the same ring each time: all nodes of a test seal with it, and so are the secrets of the fixtures of releases.
pub fn ring() -> Keyring {
    Keyring::new(SealingKey::parse("a11ykey_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").unwrap())
}
