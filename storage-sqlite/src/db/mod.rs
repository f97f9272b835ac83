//! The database as such: the file and who may open it, the one place where steps are run, migrations, and errors.

pub(crate) mod columns;
mod config;
pub(crate) mod error;
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

pub use self::{config::SqliteConfig, error::OpenError, store::SqliteStore};
