//! Errors: why a file was not opened, and what SQLite's result codes mean for the caller of a step.

use std::{error::Error as StdError, fmt, path::PathBuf, time::Duration};

use a11ycheck_core::store::StoreError;
use sqlx::migrate::MigrateError;

/// The reason why a store could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Another process serves this file.
    #[error(
        "another server works on {}{}: stop it first, or give this one a data folder of its own",
        .path.display(),
        .pid.map_or_else(String::new, |pid| format!(" (its process id is {pid})"))
    )]
    InUse {
        /// The file.
        path: PathBuf,
        /// The id of that process; `None` if its lock does not say.
        pid: Option<u32>,
    },
    /// The file is on a file system on which SQLite is not safe.
    #[error(
        "{} is on {kind}, where SQLite's locks do not hold and data get damaged: put it on a disk of this machine, or use \
         PostgreSQL, which several machines can share",
        .path.display()
    )]
    FileSystem {
        /// The file.
        path: PathBuf,
        /// The file system, as a person calls it.
        kind: &'static str,
    },
    /// The file is a SQLite database of another program, or no database at all.
    #[error("{} is not a database of a11ycheck: give another path, or move that file away", .0.display())]
    Foreign(PathBuf),
    /// There is no such file, and only a server makes one.
    #[error("there is no database at {} yet: start the server once, which makes it", .0.display())]
    Missing(PathBuf),
    /// The file, its folder or its lock can't be opened.
    #[error("{} can't be opened: is its folder there, and may this user write to it?", .path.display())]
    Unreachable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The tables could not be brought up to date. Nothing was changed.
    #[error("the tables can't be brought up to date")]
    Migrate(#[source] MigrateError),
}

impl OpenError {
    pub(crate) fn unreachable(path: impl Into<PathBuf>, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Unreachable { path: path.into(), source: source.into() }
    }
}

/// The cause why a step did not succeed.
pub(crate) enum Failure<E> {
    /// The step's own refusal: nothing is wrong, and nothing was changed.
    Refused(E),
    /// SQLite failed, or the disk below it.
    Database(sqlx::Error),
    /// The step took longer than it may.
    TooSlow(Duration),
    /// The stored data make no sense.
    Corrupt(Corrupt),
}

impl<E: From<StoreError>> Failure<E> {
    /// Returns the error for the caller of the step.
    pub(crate) fn into_error(self) -> E {
        match self {
            Self::Refused(refusal) => refusal,
            Self::Database(error) => store_error(error).into(),
            Self::TooSlow(limit) => StoreError::Unavailable(Box::new(TooSlow(limit))).into(),
            Self::Corrupt(corrupt) => StoreError::from(corrupt).into(),
        }
    }
}

impl<E> From<sqlx::Error> for Failure<E> {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl<E> From<Corrupt> for Failure<E> {
    fn from(corrupt: Corrupt) -> Self {
        Self::Corrupt(corrupt)
    }
}

/// Something stored that can't be read back.
#[derive(Debug, thiserror::Error)]
#[error("stored {what} can't be read")]
pub(crate) struct Corrupt {
    /// The table and the id.
    pub(crate) what: String,
    pub(crate) source: Box<dyn StdError + Send + Sync>,
}

impl Corrupt {
    pub(crate) fn new(table: &str, id: impl fmt::Display, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { what: format!("{table} {id}"), source: source.into() }
    }
}

impl From<Corrupt> for StoreError {
    fn from(Corrupt { what, source }: Corrupt) -> Self {
        Self::Corrupt { what, source }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the step did not end within {0:?}")]
struct TooSlow(Duration);

/// A failure of SQLite, under the name that its manual gives it.
#[derive(Debug, thiserror::Error)]
#[error("SQLite reports {name}{advice}")]
struct Reported {
    name: &'static str,
    advice: &'static str,
    source: sqlx::Error,
}

/// The outcome of a step that met a result code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// Trouble that may pass, or that an operator can end.
    MayPass,
    /// An id or another key that should be new is not.
    Taken,
    /// The file is damaged.
    Damaged,
}

/// The result codes to be expected of a disk or a file in trouble, by their number: the primary ones, and those extended
/// ones that mean something else. <https://www.sqlite.org/rescode.html>.
const CODES: [(i32, &str, Meaning, &str); 14] = [
    (5, "SQLITE_BUSY", Meaning::MayPass, "; another process writes to the file for a long time"),
    (6, "SQLITE_LOCKED", Meaning::MayPass, ""),
    (7, "SQLITE_NOMEM", Meaning::MayPass, ""),
    (8, "SQLITE_READONLY", Meaning::MayPass, "; the file or its folder can't be written to"),
    (9, "SQLITE_INTERRUPT", Meaning::MayPass, ""),
    (10, "SQLITE_IOERR", Meaning::MayPass, "; the disk is in trouble, or full"),
    (11, "SQLITE_CORRUPT", Meaning::Damaged, "; restore a backup"),
    (13, "SQLITE_FULL", Meaning::MayPass, "; the disk is full"),
    (14, "SQLITE_CANTOPEN", Meaning::MayPass, ""),
    (15, "SQLITE_PROTOCOL", Meaning::MayPass, ""),
    (19, "SQLITE_CONSTRAINT", Meaning::MayPass, ""),
    (26, "SQLITE_NOTADB", Meaning::Damaged, "; restore a backup"),
    // An id that a caller says is new already exists: the stored one stays.
    (1555, "SQLITE_CONSTRAINT_PRIMARYKEY", Meaning::Taken, ""),
    (2067, "SQLITE_CONSTRAINT_UNIQUE", Meaning::Taken, ""),
];

/// Converts an error of sqlx. Everything that may pass, or that an operator can repair, is [`StoreError::Unavailable`];
/// what should be new and is not is [`StoreError::Taken`], and what is stored and can't be read is
/// [`StoreError::Corrupt`].
pub(crate) fn store_error(error: sqlx::Error) -> StoreError {
    match error {
        sqlx::Error::ColumnDecode { index, source } => {
            StoreError::Corrupt { what: format!("a row's column {index}"), source }
        }
        sqlx::Error::Database(reported) => {
            let code: Option<i32> = reported.code().and_then(|code| code.parse().ok());
            let known = |code: i32| CODES.iter().find(|(known, ..)| *known == code);
            // The lower eight bits of an extended code are its primary one.
            let found = code.and_then(|code| known(code).or_else(|| known(code & 0xff)));
            let (_, name, meaning, advice) = found.copied().unwrap_or((0, "an error", Meaning::MayPass, ""));
            let source = Box::new(Reported { name, advice, source: sqlx::Error::Database(reported) });
            match meaning {
                Meaning::MayPass => StoreError::Unavailable(source),
                Meaning::Taken => StoreError::Taken(source),
                Meaning::Damaged => StoreError::Corrupt { what: "a page of the database".to_owned(), source },
            }
        }
        other => StoreError::Unavailable(Box::new(other)),
    }
}

/// Returns whether an error says that a file is no SQLite database.
pub(crate) fn is_no_database(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(reported) if reported.code().as_deref() == Some("26"))
}

#[cfg(test)]
mod tests {
    use std::io;

    use sqlx::{Connection as _, Executor as _, SqliteConnection};

    use super::*;

    #[test]
    fn the_codes_are_in_order_and_each_once() {
        assert!(CODES.is_sorted_by(|(one, ..), (other, ..)| one < other));
    }

    #[test]
    fn a_lost_connection_is_trouble_that_may_pass() {
        for error in [
            sqlx::Error::PoolTimedOut,
            sqlx::Error::PoolClosed,
            sqlx::Error::WorkerCrashed,
            sqlx::Error::Io(io::ErrorKind::StorageFull.into()),
        ] {
            assert!(matches!(store_error(error), StoreError::Unavailable(_)));
        }
    }

    #[tokio::test]
    async fn a_full_disk_is_trouble_that_may_pass() {
        let mut db = SqliteConnection::connect(":memory:").await.unwrap();
        db.execute("PRAGMA max_page_count = 2").await.unwrap();
        db.execute("CREATE TABLE full (bytes BLOB)").await.unwrap();
        let error = db.execute("INSERT INTO full VALUES (zeroblob(100000))").await.unwrap_err();
        let StoreError::Unavailable(source) = store_error(error) else { panic!("it may pass") };
        assert_eq!(source.to_string(), "SQLite reports SQLITE_FULL; the disk is full");
    }

    #[test]
    fn an_unreadable_column_is_not_worth_another_try() {
        let error = sqlx::Error::ColumnDecode { index: "kind".to_owned(), source: "odd".into() };
        assert!(matches!(store_error(error), StoreError::Corrupt { what, .. } if what.contains("kind")));
    }
}
