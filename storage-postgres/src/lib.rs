//! A store for a11ycheck in PostgreSQL: durable, and shared by any number of machines.

mod claim;
mod config;
mod documents;
mod enqueue;
mod error;
mod files;
mod migrate;
mod moves;
mod queue;
mod rate_limits;
mod rows;
mod scans;
mod sites;
mod store;
mod teams;

pub use self::{config::PostgresConfig, error::ConnectError, store::PostgresStore};
