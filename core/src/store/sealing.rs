//! Secrets that a store holds sealed, whatever they are for.

use std::{collections::BTreeMap, fmt};

use async_trait::async_trait;
use zeroize::Zeroizing;

use super::StoreError;
use crate::sealing::{KeyId, Sealed, SealingContext};

/// A secret as a store holds it, and what it is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedValue {
    /// What it is for, and whose it is.
    pub context: SealingContext,
    /// The secret.
    pub sealed: Sealed,
}

/// A secret that a release wrote which did not seal yet. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct UnsealedValue {
    /// What it is for, and whose it is.
    pub context: SealingContext,
    /// The secret in the clear.
    pub text: Zeroizing<String>,
}

impl fmt::Debug for UnsealedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsealedValue").field("context", &self.context).finish_non_exhaustive()
    }
}

/// Knows which keys seal what the store holds, and lets it be sealed with another one.
///
/// A store has no key. What it is given to keep is sealed; only what an earlier release of it wrote may not be.
#[async_trait]
pub trait SealingStore {
    /// Returns how many secrets each key seals. A key that seals none is not in it.
    async fn sealed_by_key(&self) -> Result<BTreeMap<KeyId, u64>, StoreError>;

    /// Returns at most `limit` secrets that another key than `key` seals; fewer than `limit` means that there are no more.
    ///
    /// # Ordering
    /// Any.
    async fn sealed_otherwise(&self, key: KeyId, limit: u32) -> Result<Vec<SealedValue>, StoreError>;

    /// Replaces each of these secrets by itself, sealed with another key. Returns how many there were.
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

    /// Replaces each of these secrets by itself, sealed; nothing of it remains in the clear. Returns how many there were.
    ///
    /// # Concurrency
    /// As for [`reseal`](Self::reseal): of several callers that seal the same secret, the first one's counts.
    async fn seal(&self, values: Vec<(UnsealedValue, Sealed)>) -> Result<u64, StoreError>;
}
