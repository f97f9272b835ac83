//! Conversion of rows to fields and values.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{SiteField, SiteFieldKind, SiteValues},
    id::SiteId,
    store::transfer::{StoredSiteField, StoredSiteValue},
};
use sqlx::{PgConnection, QueryBuilder};
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, named},
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
    choices: Option<Vec<String>>,
}

impl FieldRow {
    pub(crate) fn stored(self) -> Result<StoredSiteField, Corrupt> {
        named("site_fields", self.id.clone(), self.read())
    }

    fn read(self) -> Result<StoredSiteField, BoxedError> {
        let kind = self.choices.map_or(SiteFieldKind::Text, SiteFieldKind::Choice);
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
pub(crate) fn stored_choices(kind: &SiteFieldKind) -> Option<&[String]> {
    match kind {
        SiteFieldKind::Text => None,
        SiteFieldKind::Choice(choices) => Some(choices),
    }
}

/// The rows of one statement: far fewer parameters than a statement may have.
const ROWS: usize = 500;

/// Adds fields.
pub(crate) async fn insert<E>(db: &mut PgConnection, fields: &[StoredSiteField]) -> Result<(), Failure<E>> {
    for rows in fields.chunks(ROWS) {
        let mut statement = QueryBuilder::new("INSERT INTO site_fields (id, team_id, name, choices) ");
        statement.push_values(rows, |mut row, StoredSiteField { team, field }| {
            row.push_bind(Id(field.id))
                .push_bind(Id(*team))
                .push_bind(&field.name)
                .push_bind(stored_choices(&field.kind));
        });
        statement.build().persistent(false).execute(&mut *db).await?;
    }
    Ok(())
}

/// Adds values, of which there are none yet.
pub(crate) async fn insert_values<E>(db: &mut PgConnection, values: &[StoredSiteValue]) -> Result<(), Failure<E>> {
    for rows in values.chunks(ROWS) {
        let mut statement = QueryBuilder::new("INSERT INTO site_values (site_id, field_id, team_id, value) ");
        statement.push_values(rows, |mut row, stored| {
            row.push_bind(Id(stored.site))
                .push_bind(Id(stored.field))
                .push_bind(Id(stored.team))
                .push_bind(&stored.value);
        });
        statement.build().persistent(false).execute(&mut *db).await?;
    }
    Ok(())
}
