//! The settings that all servers of one database share.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::SharedSetting,
    store::{SettingsStore, StoreError},
};
use async_trait::async_trait;

use crate::PostgresStore;

#[async_trait]
impl SettingsStore for PostgresStore {
    async fn settings(&self) -> Result<BTreeMap<SharedSetting, String>, StoreError> {
        self.step(|| async {
            let rows: Vec<(String, String)> =
                sqlx::query_as("SELECT name, value FROM settings").fetch_all(&mut *self.session().await?).await?;
            // A name that is unknown here belongs to a later release.
            Ok(rows.into_iter().filter_map(|(name, value)| Some((name.parse().ok()?, value))).collect())
        })
        .await
    }

    async fn settle_setting(&self, setting: SharedSetting, value: &str) -> Result<String, StoreError> {
        self.step(|| async {
            // `DO NOTHING` returns no row, and a value that another transaction stored meanwhile is not in this
            // statement's snapshot: only the update returns the value that is there in every case.
            let settled = sqlx::query_scalar(
                "INSERT INTO settings AS s (name, value) VALUES ($1, $2)
                 ON CONFLICT (name) DO UPDATE SET value = s.value
                 RETURNING value",
            )
            .bind(setting.as_str())
            .bind(value)
            .fetch_one(&mut *self.session().await?)
            .await?;
            Ok(settled)
        })
        .await
    }

    async fn replace_setting(&self, setting: SharedSetting, value: &str) -> Result<Option<String>, StoreError> {
        self.step(|| async {
            let replaced = sqlx::query_scalar(
                "WITH before AS MATERIALIZED (
                     SELECT value FROM settings WHERE name = $1 FOR UPDATE
                 ), put AS (
                     -- Counted, so that the row is read before it is written.
                     INSERT INTO settings (name, value) SELECT $1, $2 FROM (SELECT count(*) FROM before) AS is_read
                     ON CONFLICT (name) DO UPDATE SET value = excluded.value
                 )
                 SELECT value FROM before",
            )
            .bind(setting.as_str())
            .bind(value)
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(replaced)
        })
        .await
    }

    async fn remove_setting(&self, setting: SharedSetting) -> Result<Option<String>, StoreError> {
        self.step(|| async {
            let removed = sqlx::query_scalar("DELETE FROM settings WHERE name = $1 RETURNING value")
                .bind(setting.as_str())
                .fetch_optional(&mut *self.session().await?)
                .await?;
            Ok(removed)
        })
        .await
    }
}
