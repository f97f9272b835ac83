//! The database as such: connections, the one place where steps are run, migrations, hints, and how it fails.

pub(crate) mod columns;
mod config;
pub(crate) mod error;
mod hints;
pub(crate) mod ids;
mod migrate;
mod misplaced;
pub(crate) mod passed_over;
mod pool_usage;
mod pooler;
mod session;
mod settings;
pub(crate) mod store;
pub(crate) mod transaction;

pub use self::{
    config::PostgresConfig,
    error::ConnectError,
    pool_usage::PoolUsage,
    pooler::{PoolerFault, Relocation},
    store::PostgresStore,
};
