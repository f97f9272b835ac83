//! Fields that teams add to their sites, and the values of sites.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{NewAuditRecord, SiteField, SiteValueChanges, SiteValues},
    id::{SiteFieldId, SiteId, TeamId},
    store::{
        SiteFieldError, SiteFieldStore, StoreError,
        transfer::{StoredSiteField, StoredSiteValue},
    },
};
use async_trait::async_trait;
use sqlx::SqliteConnection;

use super::rows::{FieldRow, ValueRow, by_site, field_columns, insert, put, remove, stored_choices, value_columns};
use crate::{
    SqliteStore,
    db::{columns::json, error::Failure, ids::Id},
    people::audit::append,
};

#[async_trait]
impl SiteFieldStore for SqliteStore {
    async fn site_fields(&self, team: TeamId) -> Result<Vec<SiteField>, StoreError> {
        self.read(async |mut db| fields(&mut db, team).await).await
    }

    async fn add_site_field(
        &self,
        team: TeamId,
        field: SiteField,
        audit: NewAuditRecord,
    ) -> Result<(), SiteFieldError> {
        self.write(async |mut tx| {
            let now = tx.now();
            let is_team: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM teams WHERE id = ?1)")
                .bind(Id(team))
                .fetch_one(tx.db())
                .await?;
            if !is_team {
                return Err(Failure::Refused(SiteFieldError::NotFound));
            }
            let others = fields(tx.db(), team).await?;
            field.beside(&others).map_err(|refusal| Failure::Refused(refusal.into()))?;
            insert(tx.db(), &StoredSiteField { team, field }).await?;
            append(tx.db(), audit, now).await?;
            Ok(())
        })
        .await
    }

    async fn change_site_field(
        &self,
        team: TeamId,
        field: SiteField,
        audit: NewAuditRecord,
    ) -> Result<(), SiteFieldError> {
        self.write(async |mut tx| {
            let now = tx.now();
            let all = fields(tx.db(), team).await?;
            let (own, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|other| other.id == field.id);
            if own.is_empty() {
                return Err(Failure::Refused(SiteFieldError::NotFound));
            }
            field.beside(&others).map_err(|refusal| Failure::Refused(refusal.into()))?;
            let carried: Vec<String> = sqlx::query_scalar("SELECT value FROM site_values WHERE field_id = ?1")
                .bind(Id(field.id))
                .fetch_all(tx.db())
                .await?;
            if let Some((value, sites)) = field.first_refused(carried) {
                return Err(Failure::Refused(SiteFieldError::InUse { value, sites }));
            }
            sqlx::query("UPDATE site_fields SET name = ?2, choices = ?3 WHERE id = ?1")
                .bind(Id(field.id))
                .bind(field.name.clone())
                .bind(stored_choices(&field.kind)?)
                .execute(tx.db())
                .await?;
            append(tx.db(), audit, now).await?;
            Ok(())
        })
        .await
    }

    async fn delete_site_field(
        &self,
        team: TeamId,
        id: SiteFieldId,
        audit: NewAuditRecord,
    ) -> Result<Option<u64>, StoreError> {
        self.write(async |mut tx| {
            let now = tx.now();
            let lost = sqlx::query("DELETE FROM site_values WHERE field_id = ?1 AND team_id = ?2")
                .bind(Id(id))
                .bind(Id(team))
                .execute(tx.db())
                .await?;
            let deleted = sqlx::query("DELETE FROM site_fields WHERE id = ?1 AND team_id = ?2")
                .bind(Id(id))
                .bind(Id(team))
                .execute(tx.db())
                .await?;
            if deleted.rows_affected() == 0 {
                return Ok(None);
            }
            append(tx.db(), audit, now).await?;
            Ok(Some(lost.rows_affected()))
        })
        .await
    }

    async fn site_values(&self, team: TeamId, sites: &[SiteId]) -> Result<BTreeMap<SiteId, SiteValues>, StoreError> {
        let sites: Vec<String> = sites.iter().map(ToString::to_string).collect();
        self.read(async |mut db| {
            let rows: Vec<ValueRow> = sqlx::query_as(concat!(
                "SELECT ",
                value_columns!(),
                " FROM site_values v WHERE v.site_id IN (SELECT value FROM json_each(?2)) AND v.team_id = ?1",
            ))
            .bind(Id(team))
            .bind(json(&sites)?)
            .fetch_all(&mut *db)
            .await?;
            Ok(by_site(rows)?)
        })
        .await
    }

    async fn all_site_values(&self, team: TeamId) -> Result<BTreeMap<SiteId, SiteValues>, StoreError> {
        self.read(async |mut db| {
            let rows: Vec<ValueRow> =
                sqlx::query_as(concat!("SELECT ", value_columns!(), " FROM site_values v WHERE v.team_id = ?1"))
                    .bind(Id(team))
                    .fetch_all(&mut *db)
                    .await?;
            Ok(by_site(rows)?)
        })
        .await
    }

    async fn set_site_values(
        &self,
        team: TeamId,
        site: SiteId,
        changes: &SiteValueChanges,
    ) -> Result<Option<bool>, StoreError> {
        self.write(async |mut tx| {
            let is_there: bool =
                sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM sites WHERE id = ?1 AND team_id = ?2)")
                    .bind(Id(site))
                    .bind(Id(team))
                    .fetch_one(tx.db())
                    .await?;
            if !is_there {
                return Ok(None);
            }
            let rows: Vec<ValueRow> =
                sqlx::query_as(concat!("SELECT ", value_columns!(), " FROM site_values v WHERE v.site_id = ?1"))
                    .bind(Id(site))
                    .fetch_all(tx.db())
                    .await?;
            let before = by_site(rows)?.remove(&site).unwrap_or_default();
            let after = SiteField::changed_values(&fields(tx.db(), team).await?, &before, changes);
            for (field, value) in after.iter().filter(|(field, value)| before.get(field) != Some(value)) {
                put(tx.db(), &StoredSiteValue { site, field: *field, team, value: value.clone() }).await?;
            }
            for field in before.keys().filter(|field| !after.contains_key(field)) {
                remove(tx.db(), site, *field).await?;
            }
            Ok(Some(after != before))
        })
        .await
    }
}

/// Returns the fields of a team, in their order.
async fn fields<E>(db: &mut SqliteConnection, team: TeamId) -> Result<Vec<SiteField>, Failure<E>> {
    let rows: Vec<FieldRow> =
        sqlx::query_as(concat!("SELECT ", field_columns!(), " FROM site_fields f WHERE f.team_id = ?1 ORDER BY f.id"))
            .bind(Id(team))
            .fetch_all(db)
            .await?;
    Ok(rows.into_iter().map(|row| row.stored().map(|stored| stored.field)).collect::<Result<_, _>>()?)
}
