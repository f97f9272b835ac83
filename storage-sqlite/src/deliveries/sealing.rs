//! The keys that seal the secrets in the tables.

use std::collections::BTreeMap;

use a11ycheck_core::{
    id::EndpointId,
    sealing::{KeyId, Sealed, SealingContext},
    store::{SealedValue, SealingStore, StoreError, UnsealedValue},
};
use async_trait::async_trait;
use sqlx_macros::FromRow;

use crate::{
    SqliteStore,
    db::{error::Corrupt, ids::Id},
    deliveries::{
        endpoints::write_secrets,
        rows::{SecretsRow, secrets_columns},
    },
};

#[async_trait]
impl SealingStore for SqliteStore {
    async fn sealed_by_key(&self) -> Result<BTreeMap<KeyId, u64>, StoreError> {
        self.read(async |mut db| {
            let counts: Vec<(String, i64)> = sqlx::query_as(
                "SELECT key, count(*) FROM (
                     SELECT sealed_with AS key FROM endpoints
                     UNION ALL
                     SELECT sealed_previous_with FROM endpoints WHERE sealed_previous_with IS NOT NULL
                 ) AS secrets GROUP BY key",
            )
            .fetch_all(&mut *db)
            .await?;
            let counts = counts.into_iter().map(|(key, count)| {
                let key = key.parse().map_err(|error| Corrupt::new("endpoints sealed with", &key, Box::new(error)))?;
                Ok((key, count.unsigned_abs()))
            });
            Ok(counts.collect::<Result<_, Corrupt>>()?)
        })
        .await
    }

    async fn sealed_otherwise(&self, key: KeyId, limit: u32) -> Result<Vec<SealedValue>, StoreError> {
        self.read(async |mut db| {
            // All endpoints are read: there are five of each team at most.
            let rows: Vec<(String, Vec<u8>)> = sqlx::query_as(
                "SELECT id, sealed_secret FROM endpoints WHERE sealed_with <> ?1
                 UNION ALL
                 SELECT id, sealed_previous FROM endpoints WHERE sealed_previous_with <> ?1
                 LIMIT ?2",
            )
            .bind(Id(key))
            .bind(i64::from(limit))
            .fetch_all(&mut *db)
            .await?;
            let values = rows.into_iter().map(|(id, bytes)| {
                let corrupt = |error| Corrupt::new("endpoints", &id, error);
                let endpoint: EndpointId =
                    id.parse().map_err(|error| Corrupt::new("endpoints", &id, Box::new(error)))?;
                let sealed = Sealed::from_bytes(&bytes).map_err(|error| corrupt(Box::new(error)))?;
                Ok(SealedValue { context: SealingContext::webhook_secret(endpoint), sealed })
            });
            Ok(values.collect::<Result<_, Corrupt>>()?)
        })
        .await
    }

    async fn reseal(&self, values: Vec<(SealedValue, Sealed)>) -> Result<u64, StoreError> {
        self.write(async |mut tx| {
            let mut resealed = 0;
            for (old, new) in &values {
                let owner = old.context.owner();
                let row: Option<OwnerRow> =
                    sqlx::query_as(concat!("SELECT e.id, ", secrets_columns!(), " FROM endpoints e WHERE e.id = ?1"))
                        .bind(owner)
                        .fetch_optional(tx.db())
                        .await?;
                let Some(row) = row else { continue };
                let id: EndpointId =
                    row.id.parse().map_err(|error| Corrupt::new("endpoints", &row.id, Box::new(error)))?;
                let mut secrets = row.secrets.secrets().map_err(|source| Corrupt::new("endpoints", id, source))?;
                if secrets.reseal(&old.sealed, new) {
                    write_secrets(tx.db(), id, &secrets).await?;
                    resealed += 1;
                }
            }
            Ok(resealed)
        })
        .await
    }

    /// Returns no values: no release of this store has kept a secret in the clear.
    async fn unsealed(&self, _: u32) -> Result<Vec<UnsealedValue>, StoreError> {
        Ok(Vec::new())
    }

    async fn seal(&self, _: Vec<(UnsealedValue, Sealed)>) -> Result<u64, StoreError> {
        Ok(0)
    }
}

#[derive(FromRow)]
struct OwnerRow {
    id: String,
    #[sqlx(flatten)]
    secrets: SecretsRow,
}
