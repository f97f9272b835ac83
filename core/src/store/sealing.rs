//! Secrets that a store holds sealed, whatever they are for.

use std::{collections::BTreeMap, fmt};

use async_trait::async_trait;
use zeroize::Zeroizing;

use super::StoreError;
use crate::sealing::{KeyId, Sealed, SealingContext};

/// A secret as a store holds it, with the context that it is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedValue {
    /// The purpose and the owner of the secret.
    pub context: SealingContext,
    /// The secret.
    pub sealed: Sealed,
}

/// A secret from a release that did not seal yet. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct UnsealedValue {
    /// The purpose and the owner of the secret.
    pub context: SealingContext,
    /// The secret in the clear.
    pub text: Zeroizing<String>,
}

impl fmt::Debug for UnsealedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsealedValue").field("context", &self.context).finish_non_exhaustive()
    }
}

/// Knows the keys that seal the secrets in the store, and lets them be sealed with another one.
///
/// A store has no key. The secrets that it is given are sealed; only those that an earlier release wrote may not be.
#[async_trait]
pub trait SealingStore {
    /// Returns the number of secrets that each key seals. A key that seals none is not included.
    async fn sealed_by_key(&self) -> Result<BTreeMap<KeyId, u64>, StoreError>;

    /// Returns at most `limit` secrets that are sealed with another key than `key`; fewer than `limit` means that there are
    /// no more.
    ///
    /// # Ordering
    /// Any.
    async fn sealed_otherwise(&self, key: KeyId, limit: u32) -> Result<Vec<SealedValue>, StoreError>;

    /// Replaces each of these secrets by the same secret, sealed with another key. Returns how many were replaced.
    ///
    /// # Concurrency
    /// A secret that was replaced or deleted since it was read is left as it is, and not counted. One that was moved since,
    /// because another secret of the endpoint took its place, is replaced where it is now.
    async fn reseal(&self, values: Vec<(SealedValue, Sealed)>) -> Result<u64, StoreError>;

    /// Returns at most `limit` secrets that are not sealed; fewer than `limit` means that there are no more.
    ///
    /// # Ordering
    /// Any.
    async fn unsealed(&self, limit: u32) -> Result<Vec<UnsealedValue>, StoreError>;

    /// Replaces each of these secrets by the same secret, sealed; nothing of it remains in the clear. Returns how many were
    /// replaced.
    ///
    /// # Concurrency
    /// As for [`reseal`](Self::reseal): of several callers that seal the same secret, the first one's counts.
    async fn seal(&self, values: Vec<(UnsealedValue, Sealed)>) -> Result<u64, StoreError>;
}
