//! Looking at a file without changing it: whose it is, how far its tables are, whether it is sound.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use a11ycheck_core::{sealing::KeyId, store::StoreError};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};

use crate::{
    SqliteConfig, SqliteStore,
    db::{
        config::APPLICATION_ID,
        error::{is_no_database, store_error},
        file_system::unsafe_kind,
        lock::{Holder, holder},
        migrate::newest,
    },
};

/// The file, or what else was found, at the place of a database.
#[derive(Debug)]
#[non_exhaustive]
pub struct Examination {
    /// The server that works on the file.
    pub server: Option<ServingProcess>,
    /// The file system of the folder, if SQLite is not safe on it.
    pub unsafe_file_system: Option<&'static str>,
    /// The last migration of this release: a file that is behind is brought up to date when it is opened.
    pub newest: i64,
    /// The file; `None` if there is none yet.
    pub file: Option<Result<ExaminedFile, ExamineError>>,
}

/// The server that works on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServingProcess {
    /// Its process id; `None` if its lock does not say.
    pub pid: Option<u32>,
}

/// A sound file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExaminedFile {
    /// Its size, with the log beside it, in bytes.
    pub bytes: u64,
    /// Its content.
    pub contents: Contents,
}

/// The content of a file, as far as somebody needs to know who keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The last migration that ran on it.
    pub schema: i64,
    /// The number of its teams.
    pub teams: u64,
    /// The keys that its secrets are sealed with, each with the number of secrets. They are not in the file.
    pub keys: BTreeMap<KeyId, u64>,
}

/// The reason why a file can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExamineError {
    /// It can't be read.
    #[error("{} can't be read", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It belongs to another program, or is no database.
    #[error("{} is not a database of a11ycheck", .0.display())]
    Foreign(PathBuf),
    /// It has no tables.
    #[error("{} is empty", .0.display())]
    Empty(PathBuf),
    /// It is damaged.
    #[error("{} is damaged: {found}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The first of SQLite's findings.
        found: String,
    },
    /// SQLite failed.
    #[error("{} can't be looked at", file.display())]
    Store {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: StoreError,
    },
}

impl SqliteStore {
    /// Looks at the file of a configuration and at what is around it, and changes nothing. The whole file is read, which takes
    /// seconds for each gigabyte; a server may work on it meanwhile.
    ///
    /// # Errors
    /// Returns an error if the folder or the lock can't be read. A fault of the file is part of the [`Examination`].
    pub async fn examine(config: &SqliteConfig) -> io::Result<Examination> {
        let path = config.path();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let server = match holder(config)? {
            Holder::Nobody => None,
            Holder::Process(pid) => Some(ServingProcess { pid }),
        };
        let unsafe_file_system = unsafe_kind(folder)?;
        let file = match path.metadata() {
            Ok(file) => Some(file.len()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let file = match file {
            None => None,
            Some(bytes) => {
                let log = config.beside("-wal").metadata().map_or(0, |log| log.len());
                let found = examined(config.beside_server().read_only(true), path).await;
                Some(found.map(|contents| ExaminedFile { bytes: bytes + log, contents }))
            }
        };
        Ok(Examination { server, unsafe_file_system, newest: newest(), file })
    }
}

/// Looks at a file that nobody else has open.
pub(crate) async fn contents(file: &Path) -> Result<Contents, ExamineError> {
    // Immutable: SQLite then makes no files beside it.
    examined(SqliteConnectOptions::new().filename(file).immutable(true), file).await
}

/// Returns the last migration of a file that others may have made, without reading all of it.
pub(crate) async fn schema_of(file: &Path) -> Result<i64, ExamineError> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    let mut connection = open(&options, file).await?;
    let schema = schema(&mut connection, file).await;
    // It was only read.
    connection.close().await.ok();
    schema
}

async fn examined(options: SqliteConnectOptions, file: &Path) -> Result<Contents, ExamineError> {
    // That reading all of it takes long is no news.
    let mut connection = open(&options.disable_statement_logging(), file).await?;
    let contents = async {
        let schema = schema(&mut connection, file).await?;
        let failed = |error| in_words(file, error);
        let found: Vec<String> =
            sqlx::query_scalar("PRAGMA quick_check(1)").fetch_all(&mut connection).await.map_err(failed)?;
        if found != ["ok"] {
            return Err(ExamineError::Damaged { file: file.to_owned(), found: found.join("; ") });
        }
        let teams: i64 =
            sqlx::query_scalar("SELECT count(*) FROM teams").fetch_one(&mut connection).await.map_err(failed)?;
        let sealed: Vec<(String, i64)> = sqlx::query_as(
            "SELECT key, count(*) FROM (
                 SELECT sealed_with AS key FROM endpoints
                 UNION ALL
                 SELECT sealed_previous_with FROM endpoints WHERE sealed_previous_with IS NOT NULL
             ) AS secrets GROUP BY key",
        )
        .fetch_all(&mut connection)
        .await
        .map_err(failed)?;
        let keys = sealed.into_iter().map(|(key, count)| match key.parse() {
            Ok(key) => Ok((key, count.unsigned_abs())),
            Err(_) => Err(ExamineError::Damaged { file: file.to_owned(), found: format!("`{key}` is no id of a key") }),
        });
        Ok(Contents { schema, teams: teams.unsigned_abs(), keys: keys.collect::<Result<_, _>>()? })
    };
    let contents = contents.await;
    connection.close().await.ok();
    contents
}

async fn open(options: &SqliteConnectOptions, file: &Path) -> Result<SqliteConnection, ExamineError> {
    let unreadable = |source| ExamineError::Unreadable { file: file.to_owned(), source };
    // SQLite's own message does not tell one that is missing from one that may not be read. It is opened by SQLite alone, whose
    // locks would end when another handle of this process is closed.
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(unreadable(io::ErrorKind::IsADirectory.into()));
    }
    if metadata.len() == 0 {
        return Err(ExamineError::Empty(file.to_owned()));
    }
    SqliteConnection::connect_with(options).await.map_err(|error| in_words(file, error))
}

/// Returns the last migration that ran on a database of ours.
async fn schema(connection: &mut SqliteConnection, file: &Path) -> Result<i64, ExamineError> {
    let failed = |error| in_words(file, error);
    let (id, tables, has_migrations): (i32, i64, bool) = sqlx::query_as(
        "SELECT (SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema),
                EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'migrations')",
    )
    .fetch_one(&mut *connection)
    .await
    .map_err(failed)?;
    match (id, tables, has_migrations) {
        (APPLICATION_ID, _, true) => {
            let newest: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM migrations")
                .fetch_one(connection)
                .await
                .map_err(failed)?;
            newest.ok_or_else(|| ExamineError::Empty(file.to_owned()))
        }
        // Of a start that was ended before it made any.
        (APPLICATION_ID | 0, 0, _) | (APPLICATION_ID, ..) => Err(ExamineError::Empty(file.to_owned())),
        _ => Err(ExamineError::Foreign(file.to_owned())),
    }
}

fn in_words(file: &Path, error: sqlx::Error) -> ExamineError {
    if is_no_database(&error) {
        return ExamineError::Foreign(file.to_owned());
    }
    match store_error(error) {
        StoreError::Corrupt { what, .. } => {
            ExamineError::Damaged { file: file.to_owned(), found: format!("{what} can't be read") }
        }
        source => ExamineError::Store { file: file.to_owned(), source },
    }
}
