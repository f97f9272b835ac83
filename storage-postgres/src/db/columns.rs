//! Conversions between columns and domain values. A row that can't be converted is [`Corrupt`], named by its table and
//! id.

use std::error::Error as StdError;

use a11ycheck_core::paging::PageRequest;
use serde::{
    de::DeserializeOwned,
    ser::{Error as _, Serialize},
};
use sqlx::{Column as _, Decode, Postgres, Row as _, Type, postgres::PgRow};
use sqlx_macros::FromRow;

use super::error::Corrupt;

/// Reads columns that follow each other, of rows that requests read in great numbers: to find a column by its name takes longer than to
/// read most of them.
pub(crate) struct Consecutive<'r> {
    row: &'r PgRow,
    next: usize,
}

impl<'r> Consecutive<'r> {
    /// Begins at the column of this name.
    pub(crate) fn from(row: &'r PgRow, first: &str) -> Result<Self, sqlx::Error> {
        Ok(Self { row, next: row.try_column(first)?.ordinal() })
    }

    /// Reads the next column.
    pub(crate) fn read<T: Decode<'r, Postgres> + Type<Postgres>>(&mut self) -> Result<T, sqlx::Error> {
        let value = self.row.try_get(self.next)?;
        self.next += 1;
        Ok(value)
    }
}

/// An item of a page, with the number of items in the whole list.
#[derive(FromRow)]
pub(crate) struct Counted<T> {
    #[sqlx(flatten)]
    pub(crate) item: T,
    pub(crate) total: i64,
}

/// Returns LIMIT and OFFSET of a page.
pub(crate) fn paged(page: PageRequest) -> (i64, i64) {
    // Not more than a hundred times the largest u32, so the fallback is never needed.
    (page.per_page().into(), i64::try_from(page.offset()).unwrap_or(i64::MAX))
}

/// The cause of a [`Corrupt`].
pub(crate) type BoxedError = Box<dyn StdError + Send + Sync>;

pub(crate) fn named<T>(table: &str, id: String, read: Result<T, BoxedError>) -> Result<T, Corrupt> {
    read.map_err(|source| Corrupt::new(table, id, source))
}

/// Reads a number that is at least 0 and was a `u32` when it was stored.
pub(crate) fn count(stored: i64) -> Result<u32, BoxedError> {
    Ok(u32::try_from(stored)?)
}

/// Reads a value that serde writes as one word, such as `past_due`. A word of a later release is kept as it is
/// ([`UnknownWord`](a11ycheck_core::domain::UnknownWord)).
pub(crate) fn word<T: DeserializeOwned>(stored: &str) -> Result<T, BoxedError> {
    Ok(serde_json::from_value(serde_json::Value::from(stored))?)
}

/// Returns the word that serde writes for a value, such as `past_due`.
pub(crate) fn stored_word(value: impl Serialize) -> Result<String, Corrupt> {
    let written = serde_json::to_value(value).and_then(|value| {
        let word = value.as_str().map(str::to_owned);
        word.ok_or_else(|| serde_json::Error::custom("not written as one word"))
    });
    written.map_err(|error| Corrupt::new("a value", "to be stored", error))
}
