//! The database as such: the file and who may open it, the one place where steps are run, migrations, and errors.

mod backup;
pub(crate) mod columns;
mod config;
pub(crate) mod error;
mod examine;
mod file_system;
mod hints;
pub(crate) mod ids;
mod lock;
mod migrate;
mod settings;
pub(crate) mod skipped;
mod space;
pub(crate) mod store;
pub(crate) mod transaction;

pub use self::{
    backup::{Backup, BackupError, ExistingFile, RestoreError, Restored},
    config::SqliteConfig,
    error::OpenError,
    examine::{Contents, Examination, ExamineError, ExaminedFile, ServingProcess},
    store::SqliteStore,
};
