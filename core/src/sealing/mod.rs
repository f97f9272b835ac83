//! Secrets at rest: a store keeps them sealed, with a key that the store does not have.
//!
//! A [`SealingKey`] is 256 random bits; its [`KeyId`] is derived from it, so that no setting can confuse the two. A
//! [`Keyring`] seals with one key, and opens with that one and older ones. A [`Sealed`] value names its key, and is bound
//! to a [`SealingContext`]: the purpose and the owner of the secret. Moved to another owner's row, it does not open.
//!
//! ```
//! use a11ycheck_core::{id::EndpointId, sealing::{Keyring, SealingContext, SealingKey}};
//!
//! # let now = chrono::Utc::now();
//! let ring = Keyring::new(SealingKey::generate());
//! let context = SealingContext::webhook_secret(EndpointId::generate(now));
//! let sealed = ring.seal(&context, b"whsec_...");
//! assert_eq!(**ring.open(&context, &sealed)?, *b"whsec_...");
//!
//! let another = SealingContext::webhook_secret(EndpointId::generate(now));
//! assert!(ring.open(&another, &sealed).is_err());
//! # Ok::<(), a11ycheck_core::sealing::OpenError>(())
//! ```
//!
//! The cipher is XChaCha20-Poly1305: its nonces are long enough to be random, so that any number of processes may seal with
//! one key without coordination.

mod context;
mod key;
mod keyring;
mod sealed;

pub use self::{
    context::SealingContext,
    key::{InvalidKey, InvalidKeyId, KeyId, SealingKey},
    keyring::{Keyring, KeyringError, OpenError},
    sealed::{InvalidSealed, Sealed},
};
