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
    db::{
        columns::{BoxedError, named},
        error::Corrupt,
        ids::Id,
    },
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
                     UNION ALL
                     SELECT sealed_with FROM second_factors
                 ) AS secrets GROUP BY key",
            )
            .fetch_all(&mut *db)
            .await?;
            let counts = counts.into_iter().map(|(key, count)| {
                let key = key.parse().map_err(|error| Corrupt::new("secrets sealed with", &key, Box::new(error)))?;
                Ok((key, count.unsigned_abs()))
            });
            Ok(counts.collect::<Result<_, Corrupt>>()?)
        })
        .await
    }

    async fn sealed_otherwise(&self, key: KeyId, limit: u32) -> Result<Vec<SealedValue>, StoreError> {
        self.read(async |mut db| {
            // All endpoints are read, of which there are five of each team at most, and all second factors.
            let rows: Vec<(bool, String, Vec<u8>)> = sqlx::query_as(
                "SELECT FALSE, id, sealed_secret FROM endpoints WHERE sealed_with <> ?1
                 UNION ALL
                 SELECT FALSE, id, sealed_previous FROM endpoints WHERE sealed_previous_with <> ?1
                 UNION ALL
                 SELECT TRUE, person_id, secret FROM second_factors WHERE sealed_with <> ?1
                 LIMIT ?2",
            )
            .bind(Id(key))
            .bind(i64::from(limit))
            .fetch_all(&mut *db)
            .await?;
            let values = rows.into_iter().map(|(is_of_person, id, bytes)| {
                let table = if is_of_person { "second_factors" } else { "endpoints" };
                named(table, id.clone(), value(is_of_person, &id, &bytes))
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
                let of_person = sqlx::query(
                    "UPDATE second_factors SET secret = ?3, sealed_with = ?4 WHERE person_id = ?1 AND secret = ?2",
                )
                .bind(owner)
                .bind(old.sealed.to_bytes())
                .bind(new.to_bytes())
                .bind(Id(new.key()))
                .execute(tx.db())
                .await?;
                resealed += of_person.rows_affected();
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

fn value(is_of_person: bool, id: &str, sealed: &[u8]) -> Result<SealedValue, BoxedError> {
    let context = if is_of_person {
        SealingContext::second_factor(id.parse()?)
    } else {
        SealingContext::webhook_secret(id.parse()?)
    };
    Ok(SealedValue { context, sealed: Sealed::from_bytes(sealed)? })
}

#[derive(FromRow)]
struct OwnerRow {
    id: String,
    #[sqlx(flatten)]
    secrets: SecretsRow,
}
