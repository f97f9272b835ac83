//! Conversion of rows to fields and values.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{SiteField, SiteFieldKind, SiteValues},
    id::{SiteFieldId, SiteId},
    store::transfer::{StoredSiteField, StoredSiteValue},
};
use sqlx::SqliteConnection;
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, from_json, json, named},
    error::{Corrupt, Failure},
    ids::Id,
};

/// The columns of [`FieldRow`], of a field `f`.
macro_rules! field_columns {
    () => {
        "f.id, f.team_id, f.name, f.choices"
    };
}

/// The columns of [`ValueRow`], of a value `v`.
macro_rules! value_columns {
    () => {
        "v.site_id, v.field_id, v.team_id, v.value"
    };
}

pub(crate) use {field_columns, value_columns};

#[derive(FromRow)]
pub(crate) struct FieldRow {
    id: String,
    team_id: String,
    name: String,
    choices: Option<String>,
}

impl FieldRow {
    pub(crate) fn stored(self) -> Result<StoredSiteField, Corrupt> {
        named("site_fields", self.id.clone(), self.read())
    }

    fn read(self) -> Result<StoredSiteField, BoxedError> {
        let kind = match self.choices {
            Some(choices) => SiteFieldKind::Choice(from_json(&choices)?),
            None => SiteFieldKind::Text,
        };
        let field = SiteField { id: self.id.parse()?, name: self.name, kind };
        Ok(StoredSiteField { team: self.team_id.parse()?, field })
    }
}

#[derive(FromRow)]
pub(crate) struct ValueRow {
    site_id: String,
    field_id: String,
    team_id: String,
    value: String,
}

impl ValueRow {
    pub(crate) fn stored(self) -> Result<StoredSiteValue, Corrupt> {
        named("site_values", format!("{} {}", self.site_id, self.field_id), self.read())
    }

    fn read(self) -> Result<StoredSiteValue, BoxedError> {
        let (site, field) = (self.site_id.parse()?, self.field_id.parse()?);
        Ok(StoredSiteValue { site, field, team: self.team_id.parse()?, value: self.value })
    }
}

/// Returns values by site.
pub(crate) fn by_site(rows: Vec<ValueRow>) -> Result<BTreeMap<SiteId, SiteValues>, Corrupt> {
    let mut sites: BTreeMap<SiteId, SiteValues> = BTreeMap::new();
    for row in rows {
        let StoredSiteValue { site, field, value, team: _ } = row.stored()?;
        sites.entry(site).or_default().insert(field, value);
    }
    Ok(sites)
}

/// Returns the choices of a field as a column holds them.
pub(crate) fn stored_choices(kind: &SiteFieldKind) -> Result<Option<String>, Corrupt> {
    match kind {
        SiteFieldKind::Text => Ok(None),
        SiteFieldKind::Choice(choices) => json(choices).map(Some),
    }
}

/// Adds a field.
pub(crate) async fn insert<E>(
    db: &mut SqliteConnection,
    StoredSiteField { team, field }: &StoredSiteField,
) -> Result<(), Failure<E>> {
    sqlx::query("INSERT INTO site_fields (id, team_id, name, choices) VALUES (?1, ?2, ?3, ?4)")
        .bind(Id(field.id))
        .bind(Id(*team))
        .bind(field.name.clone())
        .bind(stored_choices(&field.kind)?)
        .execute(db)
        .await?;
    Ok(())
}

/// Adds a value, or puts it in the place of another.
pub(crate) async fn put<E>(db: &mut SqliteConnection, value: &StoredSiteValue) -> Result<(), Failure<E>> {
    sqlx::query(
        "INSERT INTO site_values (site_id, field_id, team_id, value) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (site_id, field_id) DO UPDATE SET value = excluded.value",
    )
    .bind(Id(value.site))
    .bind(Id(value.field))
    .bind(Id(value.team))
    .bind(value.value.clone())
    .execute(db)
    .await?;
    Ok(())
}

/// Removes a value.
pub(crate) async fn remove<E>(db: &mut SqliteConnection, site: SiteId, field: SiteFieldId) -> Result<(), Failure<E>> {
    sqlx::query("DELETE FROM site_values WHERE site_id = ?1 AND field_id = ?2")
        .bind(Id(site))
        .bind(Id(field))
        .execute(db)
        .await?;
    Ok(())
}
