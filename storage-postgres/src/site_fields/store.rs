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
use sqlx::PgConnection;

use super::rows::{FieldRow, ValueRow, by_site, field_columns, insert, insert_values, stored_choices, value_columns};
use crate::{
    PostgresStore,
    db::{error::Failure, ids::Id},
    people::{audit::append, sessions::now},
};

#[async_trait]
impl SiteFieldStore for PostgresStore {
    async fn site_fields(&self, team: TeamId) -> Result<Vec<SiteField>, StoreError> {
        self.step(|| async {
            let mut db = self.session().await?;
            fields(&mut db, team).await
        })
        .await
    }

    async fn add_site_field(
        &self,
        team: TeamId,
        field: SiteField,
        audit: NewAuditRecord,
    ) -> Result<(), SiteFieldError> {
        self.transaction(async |mut tx| {
            if !lock_team(tx.db(), team).await? {
                return Err(Failure::Refused(SiteFieldError::NotFound));
            }
            let others = fields(tx.db(), team).await?;
            field.beside(&others).map_err(|refusal| Failure::Refused(refusal.into()))?;
            insert(tx.db(), &[StoredSiteField { team, field: field.clone() }]).await?;
            let now = now(&mut tx).await?;
            append(tx.db(), &audit, now).await?;
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
        self.transaction(async |mut tx| {
            let is_there = lock_team(tx.db(), team).await?;
            let all = fields(tx.db(), team).await?;
            let (own, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|other| other.id == field.id);
            if !is_there || own.is_empty() {
                return Err(Failure::Refused(SiteFieldError::NotFound));
            }
            field.beside(&others).map_err(|refusal| Failure::Refused(refusal.into()))?;
            let carried: Vec<String> = sqlx::query_scalar("SELECT value FROM site_values WHERE field_id = $1")
                .bind(Id(field.id))
                .fetch_all(tx.db())
                .await?;
            if let Some((value, sites)) = field.first_refused(carried) {
                return Err(Failure::Refused(SiteFieldError::InUse { value, sites }));
            }
            sqlx::query("UPDATE site_fields SET name = $2, choices = $3 WHERE id = $1")
                .bind(Id(field.id))
                .bind(&field.name)
                .bind(stored_choices(&field.kind))
                .execute(tx.db())
                .await?;
            let now = now(&mut tx).await?;
            append(tx.db(), &audit, now).await?;
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
        self.transaction(async |mut tx| {
            if !lock_team(tx.db(), team).await? {
                return Ok(None);
            }
            let lost = sqlx::query("DELETE FROM site_values WHERE field_id = $1 AND team_id = $2")
                .bind(Id(id))
                .bind(Id(team))
                .execute(tx.db())
                .await?;
            let deleted = sqlx::query("DELETE FROM site_fields WHERE id = $1 AND team_id = $2")
                .bind(Id(id))
                .bind(Id(team))
                .execute(tx.db())
                .await?;
            if deleted.rows_affected() == 0 {
                return Ok(None);
            }
            let now = now(&mut tx).await?;
            append(tx.db(), &audit, now).await?;
            Ok(Some(lost.rows_affected()))
        })
        .await
    }

    async fn site_values(&self, team: TeamId, sites: &[SiteId]) -> Result<BTreeMap<SiteId, SiteValues>, StoreError> {
        let sites: Vec<Id<SiteId>> = sites.iter().copied().map(Id).collect();
        self.step(|| async {
            let mut db = self.session().await?;
            let rows: Vec<ValueRow> = sqlx::query_as(concat!(
                "SELECT ",
                value_columns!(),
                " FROM site_values v WHERE v.site_id = ANY ($2) AND v.team_id = $1",
            ))
            .bind(Id(team))
            .bind(&sites)
            .fetch_all(&mut *db)
            .await?;
            Ok(by_site(rows)?)
        })
        .await
    }

    async fn all_site_values(&self, team: TeamId) -> Result<BTreeMap<SiteId, SiteValues>, StoreError> {
        self.step(|| async {
            let mut db = self.session().await?;
            let rows: Vec<ValueRow> =
                sqlx::query_as(concat!("SELECT ", value_columns!(), " FROM site_values v WHERE v.team_id = $1"))
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
        self.transaction(async |mut tx| {
            // Locked, so that no field is changed meanwhile; sites of the team don't wait for one another.
            sqlx::query("SELECT FROM teams WHERE id = $1 FOR SHARE").bind(Id(team)).execute(tx.db()).await?;
            let found = sqlx::query("SELECT FROM sites WHERE team_id = $1 AND id = $2 FOR NO KEY UPDATE")
                .bind(Id(team))
                .bind(Id(site))
                .fetch_optional(tx.db())
                .await?;
            if found.is_none() {
                return Ok(None);
            }
            let rows: Vec<ValueRow> =
                sqlx::query_as(concat!("SELECT ", value_columns!(), " FROM site_values v WHERE v.site_id = $1"))
                    .bind(Id(site))
                    .fetch_all(tx.db())
                    .await?;
            let before = by_site(rows)?.remove(&site).unwrap_or_default();
            let after = SiteField::changed_values(&fields(tx.db(), team).await?, &before, changes);
            let gone = before.iter().filter(|(field, value)| after.get(field) != Some(value));
            let gone: Vec<Id<SiteFieldId>> = gone.map(|(field, _)| Id(*field)).collect();
            sqlx::query("DELETE FROM site_values WHERE site_id = $1 AND field_id = ANY ($2)")
                .bind(Id(site))
                .bind(&gone)
                .execute(tx.db())
                .await?;
            let new = after.iter().filter(|(field, value)| before.get(field) != Some(value));
            let new = new.map(|(field, value)| StoredSiteValue { site, field: *field, team, value: value.clone() });
            insert_values(tx.db(), &new.collect::<Vec<_>>()).await?;
            Ok(Some(after != before))
        })
        .await
    }
}

/// Locks a team, so that its fields are compared after every other change of them. Returns `false` if there is none.
async fn lock_team(db: &mut PgConnection, team: TeamId) -> Result<bool, sqlx::Error> {
    let found =
        sqlx::query("SELECT FROM teams WHERE id = $1 FOR NO KEY UPDATE").bind(Id(team)).fetch_optional(db).await?;
    Ok(found.is_some())
}

/// Returns the fields of a team, in their order.
async fn fields<E>(db: &mut PgConnection, team: TeamId) -> Result<Vec<SiteField>, Failure<E>> {
    let rows: Vec<FieldRow> =
        sqlx::query_as(concat!("SELECT ", field_columns!(), " FROM site_fields f WHERE f.team_id = $1 ORDER BY f.id"))
            .bind(Id(team))
            .fetch_all(db)
            .await?;
    Ok(rows.into_iter().map(|row| row.stored().map(|stored| stored.field)).collect::<Result<_, _>>()?)
}
