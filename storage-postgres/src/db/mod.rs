//! The database as such: connections, the one place where steps are run, migrations, hints and errors.

pub(crate) mod columns;
mod config;
pub(crate) mod error;
mod examine;
mod hints;
pub(crate) mod ids;
mod migrate;
mod misplaced;
mod pool_usage;
mod pooler;
pub(crate) mod session;
mod settings;
pub(crate) mod skipped;
pub(crate) mod store;
pub(crate) mod together;
pub(crate) mod transaction;

pub use self::{
    config::PostgresConfig,
    error::ConnectError,
    examine::Examination,
    pool_usage::PoolUsage,
    pooler::{PoolerFault, Relocation},
    store::PostgresStore,
};
