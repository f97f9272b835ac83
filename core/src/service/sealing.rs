//! Which key seals the secrets in the store: judged when a service is built, changed by a rotation.

use std::collections::BTreeMap;

use super::Service;
use crate::{
    domain::SharedSetting,
    sealing::{InvalidKeyId, KeyId, Keyring, OpenError},
    store::{Store, StoreError},
};

/// Why secrets can't be sealed or opened with the keys at hand. Nothing was changed, but for what an earlier batch of a rotation
/// did.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealingError {
    /// The service was given no key, and the store holds secrets.
    #[error("the store holds secrets, and the service has no key to them")]
    NoKeys,
    /// Secrets are sealed with a key that is not in the ring.
    #[error("{secrets} stored secrets are sealed with {key}, which is not among the keys at hand ({})", listed(held))]
    MissingKey {
        /// The key that is missing.
        key: KeyId,
        /// How many secrets it seals.
        secrets: u64,
        /// The keys that are there, the one that seals first.
        held: Vec<KeyId>,
    },
    /// Other servers of the store seal with another key.
    #[error("the servers of this database seal with {shared}, and this one would seal with {own}")]
    OtherKey {
        /// The key that is stored as the one that all servers seal with.
        shared: KeyId,
        /// The first key of this one's ring.
        own: KeyId,
    },
    /// A secret was not opened: its row is damaged, or was moved from another owner.
    #[error("the stored secret of {owner} can't be opened: replace it by a new one")]
    Open {
        /// Whose secret it is.
        owner: String,
        /// Why it was not opened.
        source: OpenError,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Which keys seal what is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealingStatus {
    /// The key that all servers of the store seal with; `None` before the first one has started.
    pub shared: Option<KeyId>,
    /// How many secrets each key seals.
    pub secrets: BTreeMap<KeyId, u64>,
    /// Whether there are secrets in the clear, which the next start of a server seals.
    pub has_unsealed: bool,
}

/// What a rotation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotation {
    /// The key that sealed before, if any did.
    pub from: Option<KeyId>,
    /// The key that seals now.
    pub to: KeyId,
    /// Secrets that were sealed with another key, and are sealed with this one now.
    pub resealed: u64,
}

/// Secrets that are sealed in one step.
const BATCH: u32 = 200;

impl Service {
    /// Returns which keys seal what is stored. Takes no key.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn sealing_status(&self) -> Result<SealingStatus, StoreError> {
        let store = self.store();
        Ok(SealingStatus {
            shared: shared_key(store).await?,
            secrets: store.sealed_by_key().await?,
            has_unsealed: !store.unsealed(1).await?.is_empty(),
        })
    }

    /// Makes the first key of `ring` the one that all servers of the store seal with, and seals all that is stored with it.
    ///
    /// Every server must hold the new key already, as one that opens; from now on a server whose ring does not begin with it
    /// does not start. Servers that run seal with the key that they began with until they are started again; so a rotation
    /// is repeated when they were. One that broke off is repeated, too, and goes on where it ended.
    ///
    /// # Errors
    /// [`SealingError::MissingKey`] before anything is changed, where the ring does not open all that is stored;
    /// [`SealingError::Open`], [`SealingError::Store`].
    pub async fn rotate_sealing_key(&self, ring: &Keyring) -> Result<Rotation, SealingError> {
        let store = self.store();
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

/// Judges whether a service may run with this ring over this store, notes its key as the one that all servers seal with where
/// none is noted yet, and seals what an earlier release left in the clear.
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

/// Seals what is stored in the clear. Returns how many secrets that were.
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

/// The ring must open all that is sealed.
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
