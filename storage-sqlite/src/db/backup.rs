//! Backups: a copy of the file while a server works on it, and the way back.
//!
//! Both directions copy with `VACUUM INTO`: it reads in one transaction, so that the copy is the data of one instant; it stops
//! no writer, and none makes it begin again, as SQLite's online backup does; and what the file has deleted is left out.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use a11ycheck_core::store::StoreError;
use chrono::{DateTime, Utc};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use tempfile::NamedTempFile;

use crate::{
    OpenError, SqliteConfig, SqliteStore,
    db::{
        error::store_error,
        examine::{Contents, ExamineError, contents, schema_of},
        lock::ServerLock,
        migrate::newest,
        store::refuse_file_system,
    },
};

/// The treatment of a file that has the name of a backup already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// It stays, and no backup is made.
    Kept,
    /// It is replaced, in one step, by the finished backup.
    Replaced,
}

/// A backup that was made and read again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backup {
    /// The size of the file, in bytes.
    pub bytes: u64,
    /// Its content.
    pub contents: Contents,
}

/// A backup that is in place again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restored {
    /// The size of the file, in bytes.
    pub bytes: u64,
    /// Its content.
    pub contents: Contents,
    /// The file that was there before, under its new name; `None` if there was none.
    pub kept: Option<PathBuf>,
}

/// The reason why there is no backup. Whatever was under its name is still there, and nothing else is left.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// There is no database that could be copied.
    #[error("there is nothing to back up")]
    Unusable(#[source] ExamineError),
    /// There is a file of that name.
    #[error("{} is there already: give another name, or ask for it to be replaced", .0.display())]
    Taken(PathBuf),
    /// That file is the database itself.
    #[error("{} is the database itself: give the backup another name", .0.display())]
    Itself(PathBuf),
    /// The file can't be written.
    #[error("the backup can't be written to {}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The database can't be read to its end, or there is no room for the copy.
    #[error("the data can't be copied to {}: is there room for them?", file.display())]
    Copy {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: StoreError,
    },
    /// The copy was read again, and is not sound.
    #[error("the copy is not sound, and was removed")]
    Unsound(#[source] ExamineError),
}

/// The reason why a backup was not put in place. The data are as they were.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The place of the data can't be used: [`OpenError::InUse`] if a server works on it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file is no backup that can be used.
    #[error("{} can't be restored", file.display())]
    Unusable {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: ExamineError,
    },
    /// The backup is of a later release.
    #[error(
        "{} was made by a later release: its tables are at step {found}, and this one knows {known}. Restore it with that release",
        file.display()
    )]
    Newer {
        /// The file.
        file: PathBuf,
        /// The last migration that ran on it.
        found: i64,
        /// The last migration of this release.
        known: i64,
    },
    /// The file is the database itself.
    #[error("{} is the database itself: name a backup of it", .0.display())]
    Itself(PathBuf),
    /// Another process has the database open.
    #[error("another program works on {}: let it end, and restore then", .0.display())]
    Busy(PathBuf),
    /// A file can't be written.
    #[error("{} can't be written", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The backup can't be read to its end, or there is no room for it.
    #[error("{} can't be copied into place: is there room for it?", file.display())]
    Copy {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: StoreError,
    },
}

impl SqliteStore {
    /// Writes the data of one instant into a file that only its owner can read, and reads it again to its end. Those who write
    /// meanwhile don't wait, and the tables stay at the step at which they are. Secrets are in it as they are stored, sealed; the keys to them are not.
    ///
    /// The log beside the database (`-wal`) grows by what is written meanwhile, and is given back afterwards.
    ///
    /// # Atomicity
    /// The file appears under its name when it is whole, sound and on the disk. If the process dies before, a file with a name that
    /// begins with `.a11ycheck-` may be left beside it.
    ///
    /// # Errors
    /// [`BackupError`].
    pub async fn back_up(config: &SqliteConfig, file: &Path, existing: ExistingFile) -> Result<Backup, BackupError> {
        let failed = |source| BackupError::Write { file: file.to_owned(), source };
        schema_of(config.path()).await.map_err(BackupError::Unusable)?;
        if is_same(file, config.path()) {
            return Err(BackupError::Itself(file.to_owned()));
        }
        if existing == ExistingFile::Kept && file.symlink_metadata().is_ok() {
            return Err(BackupError::Taken(file.to_owned()));
        }
        let folder = folder_of(file);
        let copied = temporary(folder).map_err(failed)?;
        let copy = |source| BackupError::Copy { file: file.to_owned(), source };
        copy_into(config.beside_server(), copied.path()).await.map_err(copy)?;
        let contents = contents(copied.path()).await.map_err(BackupError::Unsound)?;
        let (name, folder) = (file.to_owned(), folder.to_owned());
        let kept = tokio::task::spawn_blocking(move || {
            copied.as_file().sync_all()?;
            let bytes = copied.as_file().metadata()?.len();
            match existing {
                ExistingFile::Kept => copied.persist_noclobber(name)?,
                ExistingFile::Replaced => copied.persist(name)?,
            };
            sync(&folder)?;
            Ok(bytes)
        });
        match kept.await.map_err(io::Error::other).flatten() {
            Ok(bytes) => Ok(Backup { bytes, contents }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(BackupError::Taken(file.to_owned())),
            Err(error) => Err(failed(error)),
        }
    }

    /// Puts a backup in the place of the data, and keeps what was there: under the same name with `.before-` and `now`
    /// at its end. No server works on the data meanwhile, and none can start.
    ///
    /// The tables are brought up to date when the file is opened next.
    ///
    /// # Atomicity
    /// The old file is there until the new one takes its place, in one step. What the old one has in the log beside it is written
    /// into it before; where it is too damaged for that, the log is kept beside it.
    ///
    /// # Errors
    /// [`RestoreError`].
    pub async fn restore(config: &SqliteConfig, backup: &Path, now: DateTime<Utc>) -> Result<Restored, RestoreError> {
        refuse_file_system(config)?;
        if is_same(backup, config.path()) {
            return Err(RestoreError::Itself(backup.to_owned()));
        }
        let _lock = ServerLock::take(config)?;
        let unusable = |source| RestoreError::Unusable { file: backup.to_owned(), source };
        // Before minutes are spent on copying what can't be used.
        let found = schema_of(backup).await.map_err(unusable)?;
        let known = newest();
        if found > known {
            return Err(RestoreError::Newer { file: backup.to_owned(), found, known });
        }
        let failed = |file: &Path| {
            let file = file.to_owned();
            move |source| RestoreError::Write { file, source }
        };
        let path = config.path();
        let folder = folder_of(path);
        let copied = temporary(folder).map_err(failed(folder))?;
        let copy = |source| RestoreError::Copy { file: backup.to_owned(), source };
        copy_into(SqliteConnectOptions::new().filename(backup).read_only(true), copied.path()).await.map_err(copy)?;
        let contents = contents(copied.path()).await.map_err(unusable)?;
        let copied = tokio::task::spawn_blocking(move || copied.as_file().sync_all().map(|()| copied));
        let copied = copied.await.map_err(io::Error::other).flatten().map_err(failed(folder))?;
        let bytes = copied.as_file().metadata().map_err(failed(folder))?.len();
        let log = config.beside("-wal");
        let is_there = path.try_exists().map_err(failed(path))?;
        let kept = if is_there { Some(set_aside(config, now).await?) } else { None };
        // They belong to the old file: beside another one they would damage it.
        for stale in [&log, &config.beside("-shm")] {
            match fs::remove_file(stale) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(stale)(error)),
                Ok(()) | Err(_) => {}
            }
        }
        copied.persist(path).map_err(|error| failed(path)(error.error))?;
        sync(folder).map_err(failed(folder))?;
        for file in [path, &config.beside(ServerLock::END)] {
            give_to_owner_of(folder, file);
        }
        Ok(Restored { bytes, contents, kept })
    }
}

/// Gives the present file a second name, under which it stays. Returns that name.
async fn set_aside(config: &SqliteConfig, now: DateTime<Utc>) -> Result<PathBuf, RestoreError> {
    let (path, log) = (config.path(), config.beside("-wal"));
    let kept = config.beside(&now.format(".before-%Y%m%dT%H%M%SZ").to_string());
    let failed = |source| RestoreError::Write { file: kept.clone(), source };
    let is_written = write_log(config).await;
    let has_log = log.try_exists().map_err(failed)?;
    // The last process to close a database removes its log. A log that is still there beside a sound file belongs to
    // another process, which has the database open.
    if is_written && has_log {
        return Err(RestoreError::Busy(path.to_owned()));
    }
    if has_log {
        let mut beside = kept.clone().into_os_string();
        beside.push("-wal");
        fs::hard_link(&log, beside).map_err(failed)?;
    }
    // Some file systems have no second names; there the place is empty for a moment.
    fs::hard_link(path, &kept).or_else(|_| fs::rename(path, &kept)).map_err(failed)?;
    Ok(kept)
}

/// Writes the log beside a database into it. Returns whether that was possible: a damaged file, which is a reason to restore
/// a backup, may not be readable.
async fn write_log(config: &SqliteConfig) -> bool {
    let written = async {
        let mut connection = SqliteConnection::connect_with(&config.beside_server()).await?;
        let written = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut connection).await;
        connection.close().await?;
        written
    };
    match written.await {
        Ok(_) => true,
        Err(error) => {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "The present file can't be read to its end: it is kept with the log beside it");
            false
        }
    }
}

/// Copies a database into an empty file.
async fn copy_into(options: SqliteConnectOptions, file: &Path) -> Result<(), StoreError> {
    let copied = async {
        // That it takes long is no news.
        let mut connection = SqliteConnection::connect_with(&options.disable_statement_logging()).await?;
        // A temporary name in a folder whose path is no text can't be bound.
        let name = file.to_str().ok_or_else(|| sqlx::Error::Configuration("its path is not UTF-8".into()))?;
        let copied = sqlx::query("VACUUM INTO ?1").bind(name).execute(&mut connection).await;
        connection.close().await?;
        copied
    };
    copied.await.map(drop).map_err(store_error)
}

/// Makes an empty file that only its owner can read, which is removed unless it is kept.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".a11ycheck-").suffix(".part").tempfile_in(folder)
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes the names of a folder to the disk.
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Gives a file that root has made in the folder of another user to that user, whose server could not open it otherwise. Nobody
/// else can, nor needs to.
fn give_to_owner_of(folder: &Path, file: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, chown};

        let (Ok(folder), Ok(of_file)) = (folder.metadata(), file.metadata()) else { return };
        if folder.uid() != of_file.uid()
            && let Err(error) = chown(file, Some(folder.uid()), Some(folder.gid()))
        {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, file = %file.display(), "The owner of the folder does not own this file: give it to the server's user");
        }
    }
}
