//! The store that the settings name: in memory, in a file, or in a PostgreSQL.

use std::{
    fs::DirBuilder,
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use a11ycheck_core::{
    Service,
    service::{ServiceBuilder, Sharing},
    store::{Store, transfer::TransferStore},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_postgres::{ConnectError, PoolUsage, PostgresConfig, PostgresStore};
use a11ycheck_storage_sqlite::{OpenError, RestoreError, SqliteConfig, SqliteStore};

use crate::{config::ConfigError, settings::Settings};

/// The place where the settings keep the data.
#[derive(Debug)]
pub(crate) enum Place {
    /// Nowhere: they end with the process.
    Memory,
    /// In a file of this folder.
    Folder(PathBuf),
    Postgres(PostgresConfig),
}

impl Place {
    /// The database's name in its folder.
    const FILE: &'static str = "a11ycheck.db";

    /// Returns the file of the data in this folder.
    pub(crate) fn file(folder: &Path) -> SqliteConfig {
        SqliteConfig::new(folder.join(Self::FILE))
    }
}

/// The store of this process. Clones share their connections.
#[derive(Debug, Clone)]
pub(crate) enum ChosenStore {
    Memory(MemoryStore),
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
}

/// The reason why the store that the settings name can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreChoiceError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("the data folder {} can't be made: name another one with --data-dir, or make it for this user", folder.display())]
    Folder {
        folder: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(
        "another server works on {}{}, and a file has one at a time: stop that one first, or name another folder with --data-dir. \
         `admin` works beside it",
        path.display(),
        pid.map_or_else(String::new, |pid| format!(" (its process id is {pid})"))
    )]
    InUse { path: PathBuf, pid: Option<u32> },
    #[error(
        "there is no data at {}: if a server keeps its data elsewhere, name that folder with --data-dir before `admin` (a \
         service of systemd has it below /var/lib), or its PostgreSQL with --database-url; a new server makes the file when it \
         starts",
        .0.display()
    )]
    Missing(PathBuf),
    #[error(
        "--memory keeps nothing that `admin` could work on: name a folder with --data-dir, or a PostgreSQL with --database-url"
    )]
    NothingKept,
    #[error(transparent)]
    File(OpenError),
    #[error(transparent)]
    Restore(RestoreError),
    #[error(transparent)]
    Postgres(#[from] ConnectError),
}

impl From<OpenError> for StoreChoiceError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::InUse { path, pid } => Self::InUse { path, pid },
            OpenError::Missing(path) => Self::Missing(path),
            other => Self::File(other),
        }
    }
}

impl StoreChoiceError {
    /// Returns the error of a backup that was not put in place.
    pub(crate) fn of_restoring(error: RestoreError) -> Self {
        match error {
            RestoreError::Open(error) => error.into(),
            other => Self::Restore(other),
        }
    }
}

impl ChosenStore {
    /// Opens the store to serve it. What is missing of it is made: the folder, which only its owner can enter, and the
    /// tables.
    ///
    /// # Errors
    /// [`StoreChoiceError`], but for [`Missing`](StoreChoiceError::Missing) and
    /// [`NothingKept`](StoreChoiceError::NothingKept).
    pub(crate) async fn open(settings: &Settings) -> Result<Self, StoreChoiceError> {
        Ok(match settings.place()? {
            Place::Memory => Self::Memory(MemoryStore::new()),
            Place::Folder(folder) => {
                make(&folder)?;
                Self::Sqlite(SqliteStore::open(Place::file(&folder)).await?)
            }
            Place::Postgres(config) => Self::Postgres(PostgresStore::connect(config).await?),
        })
    }

    /// Opens the store for a command, beside the servers that may work on it.
    ///
    /// # Errors
    /// [`StoreChoiceError`], but for [`InUse`](StoreChoiceError::InUse) and [`Folder`](StoreChoiceError::Folder).
    pub(crate) async fn open_beside(settings: &Settings) -> Result<Self, StoreChoiceError> {
        Ok(match settings.place()? {
            Place::Memory => return Err(StoreChoiceError::NothingKept),
            Place::Folder(folder) => Self::Sqlite(SqliteStore::open_beside(Place::file(&folder)).await?),
            // No command waits for the object store, except the one that deletes a team, whose files are deleted later.
            Place::Postgres(config) => Self::Postgres(PostgresStore::connect(config.without_files_test()).await?),
        })
    }

    /// Returns the store as what all stores are.
    pub(crate) fn store(&self) -> &dyn Store {
        match self {
            Self::Memory(store) => store,
            Self::Sqlite(store) => store,
            Self::Postgres(store) => store,
        }
    }

    /// Returns the store as one whose content can be moved.
    pub(crate) fn transfer(&self) -> &dyn TransferStore {
        match self {
            Self::Memory(store) => store,
            Self::Sqlite(store) => store,
            Self::Postgres(store) => store,
        }
    }

    /// Begins a service over the store, which also keeps people.
    pub(crate) fn service(&self) -> ServiceBuilder {
        match self {
            Self::Memory(store) => Service::builder(store.clone())
                .with_people(store.clone())
                .with_judgements(store.clone())
                .with_mail(store.clone())
                .with_shared_reports(store.clone())
                .with_site_fields(store.clone()),
            Self::Sqlite(store) => Service::builder(store.clone())
                .with_people(store.clone())
                .with_judgements(store.clone())
                .with_mail(store.clone())
                .with_shared_reports(store.clone())
                .with_site_fields(store.clone()),
            Self::Postgres(store) => Service::builder(store.clone())
                .with_people(store.clone())
                .with_judgements(store.clone())
                .with_mail(store.clone())
                .with_shared_reports(store.clone())
                .with_site_fields(store.clone()),
        }
    }

    /// Returns whether the data outlive the process.
    pub(crate) const fn is_durable(&self) -> bool {
        match self {
            Self::Memory(_) => false,
            Self::Sqlite(_) | Self::Postgres(_) => true,
        }
    }

    /// Returns how many servers may work on the data.
    pub(crate) const fn sharing(&self) -> Sharing {
        match self {
            Self::Memory(_) | Self::Sqlite(_) => Sharing::OneServer,
            Self::Postgres(_) => Sharing::ManyServers,
        }
    }

    /// Returns the name of the kind of store, for logs.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Memory(_) => "memory",
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgresql",
        }
    }

    /// Returns the file that holds the data, if it is one. Its path is absolute.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Sqlite(store) => Some(absolute(store.path())),
            Self::Memory(_) | Self::Postgres(_) => None,
        }
    }

    /// Returns the use of the connections to a database server, if there is one.
    pub(crate) fn pool_usage(&self) -> Option<PoolUsage> {
        match self {
            Self::Postgres(store) => Some(store.pool_usage()),
            Self::Memory(_) | Self::Sqlite(_) => None,
        }
    }

    /// Waits until all steps have ended, and closes the connections. Later steps fail, but for those in memory.
    pub(crate) async fn close(&self) {
        match self {
            Self::Memory(_) => {}
            Self::Sqlite(store) => store.close().await,
            Self::Postgres(store) => store.close().await,
        }
    }
}

/// Makes the folder of the data, unless it is there, so that only its owner can enter it.
pub(crate) fn make(folder: &Path) -> Result<(), StoreChoiceError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|source| StoreChoiceError::Folder { folder: folder.to_owned(), source })
}

/// Returns an absolute path, which means the same wherever it is read. Symbolic links stay as they are.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    // It fails for an empty path, or where there is no current folder.
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
