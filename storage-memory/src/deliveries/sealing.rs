//! The keys that seal the secrets of the store.

use std::collections::BTreeMap;

use a11ycheck_core::{
    sealing::{KeyId, Sealed, SealingContext},
    store::{SealedValue, SealingStore, StoreError, UnsealedValue},
};
use async_trait::async_trait;

use crate::{MemoryStore, db::state::State};

#[async_trait]
impl SealingStore for MemoryStore {
    async fn sealed_by_key(&self) -> Result<BTreeMap<KeyId, u64>, StoreError> {
        self.step(|state, _| {
            let mut counts = BTreeMap::new();
            for value in sealed(state) {
                *counts.entry(value.sealed.key()).or_insert(0) += 1;
            }
            Ok(counts)
        })
    }

    async fn sealed_otherwise(&self, key: KeyId, limit: u32) -> Result<Vec<SealedValue>, StoreError> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        self.step(|state, _| Ok(sealed(state).filter(|value| value.sealed.key() != key).take(limit).collect()))
    }

    async fn reseal(&self, values: Vec<(SealedValue, Sealed)>) -> Result<u64, StoreError> {
        self.step(|state, _| {
            let mut resealed = 0;
            for (old, new) in &values {
                let owner = old.context.owner();
                // Ids have their kind in them, so that at most one of the two is found.
                let endpoint = owner.parse().ok().and_then(|id| state.endpoints.get_mut(&id));
                let factor = owner.parse().ok().and_then(|id| state.people.second_factors.get_mut(&id));
                let of_factor = factor.map(|factor| &mut factor.secret).filter(|secret| **secret == old.sealed);
                resealed += u64::from(endpoint.is_some_and(|row| row.secrets.reseal(&old.sealed, new)));
                resealed += u64::from(of_factor.map(|secret| *secret = new.clone()).is_some());
            }
            Ok(resealed)
        })
    }

    /// Returns no values: no release of this store has kept a secret in the clear.
    async fn unsealed(&self, _: u32) -> Result<Vec<UnsealedValue>, StoreError> {
        Ok(Vec::new())
    }

    async fn seal(&self, _: Vec<(UnsealedValue, Sealed)>) -> Result<u64, StoreError> {
        Ok(0)
    }
}

fn sealed(state: &State) -> impl Iterator<Item = SealedValue> {
    let of_endpoints = state.endpoints.iter().flat_map(|(id, row)| {
        let context = SealingContext::webhook_secret(*id);
        row.secrets.all().map(move |sealed| SealedValue { context: context.clone(), sealed: sealed.clone() })
    });
    let of_people = state.people.second_factors.iter().map(|(person, factor)| SealedValue {
        context: SealingContext::second_factor(*person),
        sealed: factor.secret.clone(),
    });
    of_endpoints.chain(of_people)
}
