//! The store: a connection that writes, others that read, and the one place where a step that reads is run.

use std::{
    fmt, io,
    path::Path,
    sync::{Arc, Mutex as StdMutex, PoisonError},
    time::Duration,
};

use a11ycheck_core::{
    clock::{Clock, SystemClock},
    store::{Hints, StoreClock, StoreError},
};
use async_trait::async_trait;
use chrono::{DateTime, SubsecRound as _, Utc};
use sqlx::{
    Connection as _, Sqlite, SqliteConnection, SqlitePool, Transaction,
    pool::PoolConnection,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions},
};
use tokio::sync::Mutex;

use crate::{
    OpenError, SqliteConfig,
    db::{
        config::FileSystemCheck,
        error::Failure,
        file_system::unsafe_kind,
        lock::ServerLock,
        migrate::{migrate, refuse_foreign},
        skipped::Unreadable,
        transaction::Writer,
    },
    teams::counters::Counters,
};

/// A store that keeps everything in one SQLite file. Clones share their connections.
///
/// # Promises
/// Keeps every promise of [`Store`](a11ycheck_core::store::Store), for one process that serves the file and any number
/// that administer it.
///
/// A step that was acknowledged is on the disk (`synchronous=FULL`, unless [`SqliteConfig::without_sync`] says otherwise):
/// neither the end of the process nor a loss of power undoes it. The one exception are the counters of requests, which are in memory and end with the process: after a restart, a
/// client may make as many requests as if its minute began again.
///
/// # Concurrency
/// One step writes at a time, in the order in which they come; steps that only read don't wait for it, and it does not wait
/// for them.
///
/// # Time
/// The machine's clock counts.
///
/// # Trouble
/// Whatever may pass is [`StoreError::Unavailable`]: a full disk, an error of the disk, another process that writes for too
/// long. A step that failed this way has changed nothing, unless its time ran out during the commit: then the step happened
/// as a whole or not at all. The next step tries again, so that nothing need be restarted when there is room again.
#[derive(Clone)]
pub struct SqliteStore {
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
}

struct Shared {
    config: SqliteConfig,
    writer: Arc<Mutex<Writer>>,
    readers: SqlitePool,
    hints: Hints,
    unreadable: Unreadable,
    counters: Counters,
    /// Taken when the store is closed. Last, so that it outlives the connections.
    lock: StdMutex<Option<ServerLock>>,
}

impl SqliteStore {
    /// Opens the file to serve it, makes it if it is missing, and brings the tables up to date.
    ///
    /// # Errors
    /// [`OpenError::InUse`] if another process serves it; and the others. Nothing that failed is half done.
    pub async fn open(config: SqliteConfig) -> Result<Self, OpenError> {
        refuse_file_system(&config)?;
        let lock = ServerLock::take(&config)?;
        refuse_foreign(config.path()).await?;
        create(config.path()).map_err(|error| OpenError::unreachable(config.path(), error))?;
        Self::connect(config, Some(lock)).await
    }

    /// Opens an existing file beside the process that serves it, to administer the data; and brings the tables up to date,
    /// which that process does not notice.
    ///
    /// The serving process reads every change at once. Its loops find new work only when they next look for it, since
    /// hints do not leave a process. It has a clock and counters of requests of its own.
    ///
    /// # Errors
    /// [`OpenError::Missing`] if there is no such file; and the others, except for [`OpenError::InUse`].
    pub async fn open_beside(config: SqliteConfig) -> Result<Self, OpenError> {
        if !config.path().try_exists().map_err(|error| OpenError::unreachable(config.path(), error))? {
            return Err(OpenError::Missing(config.path().to_owned()));
        }
        refuse_file_system(&config)?;
        refuse_foreign(config.path()).await?;
        Self::connect(config, None).await
    }

    async fn connect(config: SqliteConfig, lock: Option<ServerLock>) -> Result<Self, OpenError> {
        let unreachable = |error: sqlx::Error| OpenError::unreachable(config.path(), error);
        let options = config.writer();
        let mut connection = SqliteConnection::connect_with(&options).await.map_err(unreachable)?;
        refuse_other_settings(&mut connection, config.synchronous()).await.map_err(unreachable)?;
        migrate(&mut connection).await?;
        let readers = readers(&config, config.reader());
        // Now, and not at the first request.
        readers.acquire().await.map_err(unreachable)?;
        let shared = Shared {
            writer: Arc::new(Mutex::new(Writer::new(options, connection))),
            readers,
            hints: Hints::default(),
            unreadable: Unreadable::default(),
            counters: Counters::default(),
            lock: StdMutex::new(lock),
            config,
        };
        Ok(Self { shared: Arc::new(shared), clock: Arc::new(SystemClock) })
    }

    /// Uses `clock` instead of the machine's: for tests. Its instants are truncated to microseconds.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Waits until all steps have ended, closes the file, and lets another process serve it. Later steps fail.
    pub async fn close(&self) {
        self.shared.readers.close().await;
        if let Err(error) = self.shared.writer.lock().await.close().await {
            // Nothing is lost: acknowledged steps are in the log beside the file, from which the next process reads
            // them.
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "The database could not be closed in good order");
        }
        drop(self.shared.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        self.config().path()
    }

    pub(crate) fn config(&self) -> &SqliteConfig {
        &self.shared.config
    }

    pub(crate) fn writer(&self) -> &Arc<Mutex<Writer>> {
        &self.shared.writer
    }

    pub(crate) fn hints(&self) -> &Hints {
        &self.shared.hints
    }

    /// Returns the rows of the queues that this process could not read.
    pub(crate) fn unreadable(&self) -> &Unreadable {
        &self.shared.unreadable
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    pub(crate) fn step_timeout(&self) -> Duration {
        self.config().step_timeout()
    }

    pub(crate) fn time(&self) -> DateTime<Utc> {
        self.clock.now().trunc_subsecs(6)
    }

    /// Runs one step of a trait that only reads, and bounds its time. Each statement sees what was committed before it
    /// began.
    pub(crate) async fn read<T, E, F>(&self, run: impl FnOnce(PoolConnection<Sqlite>) -> F + Send) -> Result<T, E>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: Future<Output = Result<T, Failure<E>>> + Send,
    {
        let limit = self.step_timeout();
        let step = async { run(self.shared.readers.acquire().await?).await };
        let outcome = tokio::time::timeout(limit, step).await;
        outcome.unwrap_or(Err(Failure::TooSlow(limit))).map_err(Failure::into_error)
    }
}

impl SqliteStore {
    /// Runs a step that only reads as one transaction, for as long as it takes: all its statements see the file as the first
    /// one did.
    pub(crate) async fn read_at_length<T, E, F>(
        &self,
        run: impl FnOnce(Transaction<'static, Sqlite>) -> F + Send,
    ) -> Result<T, E>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: Future<Output = Result<T, Failure<E>>> + Send,
    {
        let step = async { run(self.shared.readers.begin().await?).await };
        step.await.map_err(Failure::into_error)
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore")
            .field("path", &self.config().path())
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl StoreClock for SqliteStore {
    async fn now(&self) -> Result<DateTime<Utc>, StoreError> {
        Ok(self.time())
    }
}

pub(crate) fn refuse_file_system(config: &SqliteConfig) -> Result<(), OpenError> {
    if config.file_system() == FileSystemCheck::LeftOut {
        return Ok(());
    }
    // Of the folder: the file may not be there yet, and may not be opened by anything but SQLite, whose locks would end
    // when it is closed.
    let folder = config.path().parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let kind = unsafe_kind(folder).map_err(|error| OpenError::unreachable(config.path(), error))?;
    kind.map_or(Ok(()), |kind| Err(OpenError::FileSystem { path: config.path().to_owned(), kind }))
}

/// Makes an empty file that only its owner reads, if there is none: it will hold what teams' sites look like, and hashes of
/// their tokens. SQLite gives the files beside it the same rights.
fn create(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Reads back the settings on which promises rest: SQLite ignores those that it can't make.
async fn refuse_other_settings(connection: &mut SqliteConnection, wanted: i64) -> Result<(), sqlx::Error> {
    let (journal, synchronous, foreign_keys): (String, i64, i64) = sqlx::query_as(
        "SELECT journal_mode, synchronous, foreign_keys
         FROM pragma_journal_mode, pragma_synchronous, pragma_foreign_keys",
    )
    .fetch_one(connection)
    .await?;
    if (journal.as_str(), synchronous, foreign_keys) == ("wal", wanted, 1) {
        Ok(())
    } else {
        let found = format!(
            "its settings can't be made: journal_mode={journal}, synchronous={synchronous}, foreign_keys={foreign_keys}"
        );
        Err(sqlx::Error::Configuration(found.into()))
    }
}

fn readers(config: &SqliteConfig, options: SqliteConnectOptions) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(config.readers())
        .acquire_timeout(config.step_timeout())
        .max_lifetime(None)
        .idle_timeout(None)
        // A connection to a file does not break by itself.
        .test_before_acquire(false)
        .connect_lazy_with(options)
}
