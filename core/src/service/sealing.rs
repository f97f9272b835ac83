//! The key that seals the secrets in the store: checked when a service is built, changed by a rotation.

use std::collections::BTreeMap;

use super::Operator;
use crate::{
    domain::SharedSetting,
    sealing::{InvalidKeyId, KeyId, Keyring, OpenError},
    store::{Store, StoreError},
};

/// The reason why secrets can't be sealed or opened with the given keys. Nothing was changed, except by earlier batches of
/// a rotation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealingError {
    /// The service was given no key, and the store holds secrets.
    #[error("the store holds secrets, and the service has no key to them")]
    NoKeys,
    /// Secrets are sealed with a key that is not in the ring.
    #[error("{secrets} stored secrets are sealed with {key}, which is not among the available keys ({})", listed(held))]
    MissingKey {
        /// The key that is missing.
        key: KeyId,
        /// The number of secrets that it seals.
        secrets: u64,
        /// The keys in the ring, the one that seals first.
        held: Vec<KeyId>,
    },
    /// Other servers of the store seal with another key.
    #[error("the servers of this database seal with {shared}, and this one would seal with {own}")]
    OtherKey {
        /// The key that is stored as the one with which all servers seal.
        shared: KeyId,
        /// The first key of this server's ring.
        own: KeyId,
    },
    /// A secret was not opened: its row is damaged, or was moved from another owner.
    #[error("the stored secret of {owner} can't be opened: replace it by a new one")]
    Open {
        /// The owner of the secret.
        owner: String,
        /// The reason why it was not opened.
        source: OpenError,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The keys that seal the secrets in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SealingStatus {
    /// The key with which all servers of the store seal; `None` before the first one has started.
    pub shared: Option<KeyId>,
    /// The number of secrets that each key seals.
    pub secrets: BTreeMap<KeyId, u64>,
    /// True if there are secrets in the clear, which the next start of a server seals.
    pub has_unsealed: bool,
}

/// The result of a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rotation {
    /// The key that sealed before, if any did.
    pub from: Option<KeyId>,
    /// The key that seals now.
    pub to: KeyId,
    /// The number of secrets that were sealed with another key, and are sealed with this one now.
    pub resealed: u64,
}

/// The number of secrets that are sealed in one step.
const BATCH: u32 = 200;

impl Operator {
    /// Returns the keys that seal the secrets in the store. Needs no key.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn sealing_status(&self) -> Result<SealingStatus, StoreError> {
        let store = self.service().store();
        Ok(SealingStatus {
            shared: shared_key(store).await?,
            secrets: store.sealed_by_key().await?,
            has_unsealed: !store.unsealed(1).await?.is_empty(),
        })
    }

    /// Makes the first key of `ring` the one with which all servers of the store seal, and seals all stored secrets with it.
    ///
    /// Every server must already hold the new key, as one that opens; from now, a server whose ring does not begin with it
    /// does not start. Running servers seal with the key that they started with until they are restarted; so a rotation is
    /// repeated after that. A rotation that broke off is repeated, too, and continues where it ended.
    ///
    /// # Errors
    /// [`SealingError::MissingKey`], before anything is changed, if the ring does not open all stored secrets;
    /// [`SealingError::Open`], [`SealingError::Store`].
    pub async fn rotate_sealing_key(&self, ring: &Keyring) -> Result<Rotation, SealingError> {
        let store = self.service().store();
        require_all_keys(store, ring).await?;
        let from = shared_key(store).await?;
        let to = ring.current();
        store.replace_setting(SharedSetting::SealingKey, &to.to_string()).await?;
        let mut resealed = seal_unsealed(store, ring).await?;
        loop {
            let values = store.sealed_otherwise(to, BATCH).await?;
            let is_last = values.len() < BATCH as usize;
            let mut batch = Vec::with_capacity(values.len());
            for value in values {
                let opened = ring
                    .open(&value.context, &value.sealed)
                    .map_err(|source| SealingError::Open { owner: value.context.owner().to_owned(), source })?;
                let sealed = ring.seal(&value.context, &opened);
                batch.push((value, sealed));
            }
            if !batch.is_empty() {
                resealed += store.reseal(batch).await?;
            }
            if is_last {
                return Ok(Rotation { from, to, resealed });
            }
        }
    }
}

/// Checks whether a service may run with this ring over this store, stores its key as the one with which all servers seal
/// if none is stored yet, and seals the secrets that an earlier release left in the clear.
pub(super) async fn begin(store: &dyn Store, ring: Option<&Keyring>) -> Result<(), SealingError> {
    let Some(ring) = ring else {
        let has_secrets = !store.sealed_by_key().await?.is_empty() || !store.unsealed(1).await?.is_empty();
        return if has_secrets { Err(SealingError::NoKeys) } else { Ok(()) };
    };
    require_all_keys(store, ring).await?;
    let own = ring.current();
    let shared = parsed(&store.settle_setting(SharedSetting::SealingKey, &own.to_string()).await?)?;
    if shared != own {
        return Err(SealingError::OtherKey { shared, own });
    }
    seal_unsealed(store, ring).await?;
    Ok(())
}

/// Seals the secrets that are stored in the clear. Returns how many there were.
pub(crate) async fn seal_unsealed(store: &dyn Store, ring: &Keyring) -> Result<u64, StoreError> {
    let mut sealed = 0;
    loop {
        let values = store.unsealed(BATCH).await?;
        let is_last = values.len() < BATCH as usize;
        let batch: Vec<_> = values
            .into_iter()
            .map(|value| {
                let sealed = ring.seal(&value.context, value.text.as_bytes());
                (value, sealed)
            })
            .collect();
        if !batch.is_empty() {
            sealed += store.seal(batch).await?;
        }
        if is_last {
            break;
        }
    }
    if sealed > 0 {
        tracing::info!(sealed, key = %ring.current(), "Sealed secrets that were stored in the clear");
    }
    Ok(sealed)
}

/// Checks that the ring opens everything that is sealed.
pub(crate) async fn require_all_keys(store: &dyn Store, ring: &Keyring) -> Result<(), SealingError> {
    let counts = store.sealed_by_key().await?;
    match counts.into_iter().find(|(key, _)| !ring.has(*key)) {
        Some((key, secrets)) => Err(SealingError::MissingKey { key, secrets, held: ring.ids() }),
        None => Ok(()),
    }
}

async fn shared_key(store: &dyn Store) -> Result<Option<KeyId>, StoreError> {
    let settings = store.settings().await?;
    settings.get(&SharedSetting::SealingKey).map(|value| parsed(value)).transpose()
}

fn parsed(value: &str) -> Result<KeyId, StoreError> {
    value.parse().map_err(|error: InvalidKeyId| StoreError::Corrupt {
        what: format!("setting {}", SharedSetting::SealingKey),
        source: Box::new(error),
    })
}

fn listed(keys: &[KeyId]) -> String {
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
