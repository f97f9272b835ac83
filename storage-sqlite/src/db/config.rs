//! The configuration of the store: where the file is, and how it is used.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

/// The place of the file, and how much of the machine to use. Everything but the place has a default that suits a server
/// of a few thousand sites.
#[derive(Debug, Clone)]
pub struct SqliteConfig {
    path: PathBuf,
    readers: u32,
    step_timeout: Duration,
    file_system: FileSystemCheck,
    synchronous: SqliteSynchronous,
}

/// The choice to look at the file system, or to trust it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileSystemCheck {
    Made,
    LeftOut,
}

/// `A11Y`, in the header of each file: so SQLite's own tools, and we, know whose it is.
pub(crate) const APPLICATION_ID: i32 = 0x4131_3159;

/// The time that a step waits for another process to end its own. `admin` writes for milliseconds; a backup does not stop
/// writers.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

impl SqliteConfig {
    /// Creates a configuration for the database in a file, which is made when it is missing; its folder must be there.
    ///
    /// Beside it, SQLite keeps `-wal` and `-shm`, which belong to it as long as they exist, and the lock is `-lock`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            readers: 4,
            step_timeout: Duration::from_secs(20),
            file_system: FileSystemCheck::Made,
            // A commit is on the disk when it is acknowledged.
            synchronous: SqliteSynchronous::Full,
        }
    }

    /// Sets how many steps may read at the same time; at least 1. Each is a connection with a thread and a cache of its own.
    /// One more connection writes.
    #[must_use]
    pub const fn with_readers(mut self, readers: u32) -> Self {
        self.readers = if readers == 0 { 1 } else { readers };
        self
    }

    /// Sets how long a step may take, including the time that it waits for others, before it fails with
    /// [`StoreError::Unavailable`](a11ycheck_core::store::StoreError::Unavailable).
    #[must_use]
    pub const fn with_step_timeout(mut self, timeout: Duration) -> Self {
        self.step_timeout = timeout;
        self
    }

    /// Does not look at the file system on which the file is: for one that is refused although it is the machine's own,
    /// such as an encrypted folder behind FUSE. On a file system over a network the data will be damaged sooner or later.
    #[must_use]
    pub const fn without_file_system_check(mut self) -> Self {
        self.file_system = FileSystemCheck::LeftOut;
        self
    }

    /// Does not wait until the disk has what is written (`synchronous=OFF`): for tests and benchmarks, whose data are worth
    /// nothing afterwards. The end of the process loses nothing; a loss of power may damage the file.
    #[must_use]
    pub const fn without_sync(mut self) -> Self {
        self.synchronous = SqliteSynchronous::Off;
        self
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) const fn readers(&self) -> u32 {
        self.readers
    }

    pub(crate) const fn step_timeout(&self) -> Duration {
        self.step_timeout
    }

    /// Returns the number under which SQLite reports how it waits for the disk.
    pub(crate) const fn synchronous(&self) -> i64 {
        match self.synchronous {
            SqliteSynchronous::Off => 0,
            SqliteSynchronous::Normal => 1,
            SqliteSynchronous::Full => 2,
            SqliteSynchronous::Extra => 3,
        }
    }

    pub(crate) const fn file_system(&self) -> FileSystemCheck {
        self.file_system
    }

    /// Returns the path of a file beside the database's, whose name ends so.
    pub(crate) fn beside(&self, end: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(end);
        path.into()
    }

    /// Returns how to make the connection that writes.
    pub(crate) fn writer(&self) -> SqliteConnectOptions {
        self.options()
            .create_if_missing(true)
            // Both take effect before the first table is made, and are in the file from then on.
            .auto_vacuum(SqliteAutoVacuum::Incremental)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(self.synchronous)
            // What a long reader made grow is given back at the next checkpoint.
            .pragma("journal_size_limit", "67108864")
    }

    /// Returns how to make a connection that reads. It could not write if a statement tried to.
    pub(crate) fn reader(&self) -> SqliteConnectOptions {
        self.options().create_if_missing(false).pragma("query_only", "ON")
    }

    /// Returns how to make a connection beside a server's, for what takes longer than a step. It makes no file.
    pub(crate) fn beside_server(&self) -> SqliteConnectOptions {
        self.options().create_if_missing(false)
    }

    fn options(&self) -> SqliteConnectOptions {
        SqliteConnectOptions::new()
            .filename(&self.path)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIMEOUT)
            .statement_cache_capacity(256)
            .pragma("temp_store", "MEMORY")
            // The schema is a file that others may have written: functions in it are not to be trusted.
            .pragma("trusted_schema", "OFF")
            .pragma("cell_size_check", "ON")
    }
}
