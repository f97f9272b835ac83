//! The settings that all servers of one database share; here there is only one server.

use std::collections::{BTreeMap, btree_map::Entry};

use a11ycheck_core::{
    domain::SharedSetting,
    store::{SettingsStore, StoreError},
};
use async_trait::async_trait;

use crate::MemoryStore;

#[async_trait]
impl SettingsStore for MemoryStore {
    async fn settings(&self) -> Result<BTreeMap<SharedSetting, String>, StoreError> {
        self.step(|state, _| {
            let known = |(name, value): (&String, &String)| Some((name.parse().ok()?, value.clone()));
            Ok(state.settings.iter().filter_map(known).collect())
        })
    }

    async fn settle_setting(&self, setting: SharedSetting, value: &str) -> Result<String, StoreError> {
        self.step(|state, _| {
            Ok(match state.settings.entry(setting.as_str().to_owned()) {
                Entry::Occupied(entry) => entry.get().clone(),
                Entry::Vacant(entry) => entry.insert(value.to_owned()).clone(),
            })
        })
    }

    async fn replace_setting(&self, setting: SharedSetting, value: &str) -> Result<Option<String>, StoreError> {
        self.step(|state, _| Ok(state.settings.insert(setting.as_str().to_owned(), value.to_owned())))
    }

    async fn remove_setting(&self, setting: SharedSetting) -> Result<Option<String>, StoreError> {
        self.step(|state, _| Ok(state.settings.remove(setting.as_str())))
    }
}
