//! The settings that all servers of one database share.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::StoreError;
use crate::domain::SharedSetting;

/// Keeps the settings that all servers of one database share: one text under each name.
///
/// The meaning of a text is not the store's concern: it is read back as it was given. Values under names that this release
/// does not know are kept and not returned.
#[async_trait]
pub trait SettingsStore {
    /// Returns the settings that have a value.
    async fn settings(&self) -> Result<BTreeMap<SharedSetting, String>, StoreError>;

    /// Stores `value` if the setting has none, and returns the value that the setting then has.
    ///
    /// # Concurrency
    /// Any number of callers at once get the same value: that of the first of them.
    async fn settle_setting(&self, setting: SharedSetting, value: &str) -> Result<String, StoreError>;

    /// Stores `value` in place of the one that the setting has, if any, and returns that one.
    async fn replace_setting(&self, setting: SharedSetting, value: &str) -> Result<Option<String>, StoreError>;

    /// Removes the value of a setting, if it has one, and returns it.
    async fn remove_setting(&self, setting: SharedSetting) -> Result<Option<String>, StoreError>;
}
