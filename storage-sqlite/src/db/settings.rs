//! The settings that go with the data.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::SharedSetting,
    store::{SettingsStore, StoreError},
};
use async_trait::async_trait;
use sqlx::SqliteConnection;

use crate::SqliteStore;

#[async_trait]
impl SettingsStore for SqliteStore {
    async fn settings(&self) -> Result<BTreeMap<SharedSetting, String>, StoreError> {
        self.read(async |mut db| {
            let rows: Vec<(String, String)> =
                sqlx::query_as("SELECT name, value FROM settings").fetch_all(&mut *db).await?;
            // A name that is unknown here belongs to a later release.
            Ok(rows.into_iter().filter_map(|(name, value)| Some((name.parse().ok()?, value))).collect())
        })
        .await
    }

    async fn settle_setting(&self, setting: SharedSetting, value: &str) -> Result<String, StoreError> {
        self.write(async |mut tx| {
            if let Some(settled) = stored(tx.db(), setting).await? {
                return Ok(settled);
            }
            put(tx.db(), setting, value).await?;
            Ok(value.to_owned())
        })
        .await
    }

    async fn replace_setting(&self, setting: SharedSetting, value: &str) -> Result<Option<String>, StoreError> {
        self.write(async |mut tx| {
            let replaced = stored(tx.db(), setting).await?;
            put(tx.db(), setting, value).await?;
            Ok(replaced)
        })
        .await
    }

    async fn remove_setting(&self, setting: SharedSetting) -> Result<Option<String>, StoreError> {
        self.write(async |mut tx| {
            let removed = sqlx::query_scalar("DELETE FROM settings WHERE name = ?1 RETURNING value")
                .bind(setting.as_str())
                .fetch_optional(tx.db())
                .await?;
            Ok(removed)
        })
        .await
    }
}

async fn stored(db: &mut SqliteConnection, setting: SharedSetting) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT value FROM settings WHERE name = ?1").bind(setting.as_str()).fetch_optional(db).await
}

async fn put(db: &mut SqliteConnection, setting: SharedSetting, value: &str) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )
    .bind(setting.as_str())
    .bind(value)
    .execute(db)
    .await
    .map(drop)
}
