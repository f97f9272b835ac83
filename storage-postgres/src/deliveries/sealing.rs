//! The keys that seal the secrets in the tables.

use std::collections::BTreeMap;

use a11ycheck_core::{
    id::{EndpointId, PersonId},
    sealing::{KeyId, Sealed, SealingContext},
    store::{SealedValue, SealingStore, StoreError, UnsealedValue},
};
use async_trait::async_trait;

use crate::{
    PostgresStore,
    db::{
        error::{Corrupt, Failure},
        ids::Id,
    },
};

#[async_trait]
impl SealingStore for PostgresStore {
    async fn sealed_by_key(&self) -> Result<BTreeMap<KeyId, u64>, StoreError> {
        self.step(|| async {
            let counts: Vec<(String, i64)> = sqlx::query_as(
                "SELECT key, count(*) FROM (
                     SELECT sealed_with AS key FROM endpoints WHERE sealed_with IS NOT NULL
                     UNION ALL
                     SELECT sealed_previous_with FROM endpoints WHERE sealed_previous_with IS NOT NULL
                     UNION ALL
                     SELECT sealed_with FROM second_factors
                 ) AS secrets GROUP BY key",
            )
            .fetch_all(&mut *self.session().await?)
            .await?;
            let counts = counts.into_iter().map(|(key, count)| {
                let key = key.parse().map_err(|error| Corrupt::new("secrets sealed with", &key, Box::new(error)))?;
                // A count is not negative.
                Ok((key, u64::try_from(count).unwrap_or(0)))
            });
            Ok(counts.collect::<Result<_, Corrupt>>()?)
        })
        .await
    }

    async fn sealed_otherwise(&self, key: KeyId, limit: u32) -> Result<Vec<SealedValue>, StoreError> {
        self.step(|| async {
            // Two ranges of an index, in its order, rather than one inequality, which would read everything that the
            // key does seal.
            let rows: Vec<(bool, String, Vec<u8>)> = sqlx::query_as(
                "(SELECT FALSE, id, sealed_secret FROM endpoints WHERE sealed_with < $1
                  ORDER BY sealed_with LIMIT $2)
                 UNION ALL
                 (SELECT FALSE, id, sealed_secret FROM endpoints WHERE sealed_with > $1
                  ORDER BY sealed_with LIMIT $2)
                 UNION ALL
                 (SELECT FALSE, id, sealed_previous FROM endpoints WHERE sealed_previous_with < $1
                  ORDER BY sealed_previous_with LIMIT $2)
                 UNION ALL
                 (SELECT FALSE, id, sealed_previous FROM endpoints WHERE sealed_previous_with > $1
                  ORDER BY sealed_previous_with LIMIT $2)
                 UNION ALL
                 (SELECT TRUE, person_id, secret FROM second_factors WHERE sealed_with < $1
                  ORDER BY sealed_with LIMIT $2)
                 UNION ALL
                 (SELECT TRUE, person_id, secret FROM second_factors WHERE sealed_with > $1
                  ORDER BY sealed_with LIMIT $2)
                 LIMIT $2",
            )
            .bind(Id(key))
            .bind(i64::from(limit))
            .fetch_all(&mut *self.session().await?)
            .await?;
            let values = rows.into_iter().map(|(is_of_person, id, bytes)| {
                let table = if is_of_person { "second_factors" } else { "endpoints" };
                let sealed = Sealed::from_bytes(&bytes).map_err(|error| Corrupt::new(table, &id, Box::new(error)))?;
                let context = if is_of_person { context_of_person(&id)? } else { context(&id)? };
                Ok(SealedValue { context, sealed })
            });
            Ok(values.collect::<Result<_, Corrupt>>()?)
        })
        .await
    }

    async fn reseal(&self, values: Vec<(SealedValue, Sealed)>) -> Result<u64, StoreError> {
        let owners: Vec<&str> = values.iter().map(|(old, _)| old.context.owner()).collect();
        let old: Vec<Vec<u8>> = values.iter().map(|(old, _)| old.sealed.to_bytes()).collect();
        let (new, keys) = columns(values.iter().map(|(_, new)| new));
        self.transaction(async |mut tx| {
            let mut resealed = 0;
            // One statement after the other: an endpoint may have a secret in either place, and an update changes a row
            // once.
            for statement in [
                "UPDATE endpoints SET sealed_secret = new, sealed_with = key
                 FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::text[]) AS resealed (owner, old, new, key)
                 WHERE id = owner AND sealed_secret = old",
                "UPDATE endpoints SET sealed_previous = new, sealed_previous_with = key
                 FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::text[]) AS resealed (owner, old, new, key)
                 WHERE id = owner AND sealed_previous = old",
                "UPDATE second_factors SET secret = new, sealed_with = key
                 FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::text[]) AS resealed (owner, old, new, key)
                 WHERE person_id = owner AND secret = old",
            ] {
                let update = sqlx::query(statement).bind(&owners).bind(&old).bind(&new).bind(&keys);
                resealed += update.execute(tx.db()).await?.rows_affected();
            }
            Ok(resealed)
        })
        .await
    }

    async fn unsealed(&self, limit: u32) -> Result<Vec<UnsealedValue>, StoreError> {
        self.step(|| async {
            let rows: Vec<(String, Option<String>, Option<String>)> = sqlx::query_as(
                "SELECT id, secret, previous_secret FROM endpoints
                 WHERE secret IS NOT NULL OR previous_secret IS NOT NULL ORDER BY id LIMIT $1",
            )
            .bind(i64::from(limit))
            .fetch_all(&mut *self.session().await?)
            .await?;
            let mut values = Vec::new();
            for (id, current, previous) in rows {
                let context = context(&id)?;
                let texts = current.into_iter().chain(previous);
                values.extend(texts.map(|text| UnsealedValue { context: context.clone(), text: text.into() }));
            }
            values.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            Ok::<_, Failure<StoreError>>(values)
        })
        .await
    }

    async fn seal(&self, values: Vec<(UnsealedValue, Sealed)>) -> Result<u64, StoreError> {
        let owners: Vec<&str> = values.iter().map(|(plain, _)| plain.context.owner()).collect();
        let texts: Vec<&str> = values.iter().map(|(plain, _)| plain.text.as_str()).collect();
        let (new, keys) = columns(values.iter().map(|(_, new)| new));
        self.transaction(async |mut tx| {
            let mut sealed = 0;
            for statement in [
                "UPDATE endpoints SET sealed_secret = new, sealed_with = key, secret = NULL
                 FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[]) AS sealed (owner, text, new, key)
                 WHERE id = owner AND secret = text",
                "UPDATE endpoints SET sealed_previous = new, sealed_previous_with = key, previous_secret = NULL
                 FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[]) AS sealed (owner, text, new, key)
                 WHERE id = owner AND previous_secret = text",
            ] {
                let update = sqlx::query(statement).bind(&owners).bind(&texts).bind(&new).bind(&keys);
                sealed += update.execute(tx.db()).await?.rows_affected();
            }
            Ok(sealed)
        })
        .await
    }
}

fn context(endpoint: &str) -> Result<SealingContext, Corrupt> {
    let id: EndpointId = endpoint.parse().map_err(|error| Corrupt::new("endpoints", endpoint, Box::new(error)))?;
    Ok(SealingContext::webhook_secret(id))
}

fn context_of_person(person: &str) -> Result<SealingContext, Corrupt> {
    let id: PersonId = person.parse().map_err(|error| Corrupt::new("second_factors", person, Box::new(error)))?;
    Ok(SealingContext::second_factor(id))
}

/// Returns the stored bytes of sealed values, and the keys that they are sealed with.
fn columns<'a>(values: impl Iterator<Item = &'a Sealed>) -> (Vec<Vec<u8>>, Vec<Id<KeyId>>) {
    values.map(|sealed| (sealed.to_bytes(), Id(sealed.key()))).unzip()
}
