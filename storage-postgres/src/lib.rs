//! A store for a11ycheck in PostgreSQL: durable, and shared by any number of machines. PostgreSQL is also what coordinates
//! them: there is no leader and no queue beside it, and the time is the database's.
//!
//! ```no_run
//! use a11ycheck_core::{domain::PlanCatalog, store::TeamStore as _};
//! use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let config = PostgresConfig::new("postgres://a11ycheck:secret@db.internal/apps?sslmode=verify-full");
//! let store = PostgresStore::connect(config).await?;
//! store.put_plans(PlanCatalog::shipped().plans()).await?;
//! assert_eq!(store.plans().await?.len(), 4);
//! # Ok(())
//! # }
//! ```
//!
//! [`PostgresStore::connect`] brings the tables up to date first; they lie in a schema of their own
//! ([`PostgresConfig::with_schema`]), so that the database can be that of a host application. [`PostgresStore`] says what
//! becomes of a step when the database is in trouble.
//!
//! # Map
//! One module per trait of [`store`](a11ycheck_core::store), named as in the memory store. The rules are core's: a step locks
//! rows, reads them (`rows`, `webhook_rows`), asks the domain, and writes its answer. `plans` writes plans; `claim`, `enqueue`, `moves`
//! and `retention` are what happens to checks; `outbox`, `due` and `deliveries` are what happens to events, and `delivery_figures` what
//! operators see of it; `delete_team` is a transaction of many steps; `hints`
//! is how nodes wake each other; `passed_over` keeps a row that can't be read from holding up a queue; `store` runs steps,
//! each in a `session`; `pooler` is what a pooler must do, and `misplaced` finds tables that one led astray; `uploads` and `objects` are files outside the tables; `sealing` is which key seals which secret; `error` has the SQLSTATEs; `migrations/` has the tables, each with its reasons.
//!
//! # Features
//! `object-store` (on by default): `PostgresConfig::with_files` keeps pictures and documents in an object store.
//!
//! # What it needs
//! PostgreSQL 14 or later, with the right to create a schema in the database, or to create tables in one that is there.
//! No extension. The server's clock should be kept by NTP: the schedule follows it.

mod claim;
mod config;
mod delete_team;
mod deliveries;
mod delivery_figures;
mod documents;
mod due;
mod enqueue;
mod error;
mod files;
mod give_back;
mod hints;
mod migrate;
mod misplaced;
mod moves;
#[cfg_attr(not(feature = "object-store"), path = "no_objects.rs")]
mod objects;
mod outbox;
mod passed_over;
mod plans;
mod pool_usage;
mod pooler;
mod queue;
mod rate_limits;
mod retention;
mod rows;
mod scans;
mod sealing;
mod session;
mod settings;
mod sites;
mod store;
mod teams;
mod uploads;
mod webhook_rows;
mod webhooks;

#[cfg(feature = "object-store")]
pub use self::objects::FilesError;
pub use self::{
    config::PostgresConfig,
    error::ConnectError,
    pool_usage::PoolUsage,
    pooler::{PoolerFault, Relocation},
    store::PostgresStore,
};
