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
//! One folder for each subject, named as in the memory store; in each, `store` (beside it, `queue`, `rate_limits`, `sealing`)
//! implements a trait of [`store`](a11ycheck_core::store), and `rows` says what its rows stand for. The rules are core's: a step
//! locks rows, reads them, asks the domain, and writes its answer.
//!
//! - `teams`: plans, teams, tokens, brands and counters of requests; `deletion` is a transaction of many steps.
//! - `sites`.
//! - `scans`: `claim`, `enqueue`, `moves` and `retention` are what happens to checks; `results` is what they found.
//! - `deliveries`: `endpoints`; `outbox`, `claim` and `attempts` are what happens to events; `sealing` is which key seals which
//!   secret.
//! - `files`: `uploads` and `objects` are files outside the tables.
//! - `db`: `store` runs steps, each in a `session`, and `transaction` those of several statements; `ids` binds ids; `hints` is
//!   how nodes wake each other; `passed_over` keeps a row that can't be read from holding up a queue; `pooler` is what a pooler
//!   must do, and `misplaced` finds tables that one led astray; `error` has the SQLSTATEs; `migrate` runs `migrations/`, which
//!   has the tables, each with its reasons.
//! - `twins`: the rules of core that statements repeat.
//!
//! # Features
//! `object-store` (on by default): `PostgresConfig::with_files` keeps pictures and documents in an object store.
//!
//! # What it needs
//! PostgreSQL 14 or later, with the right to create a schema in the database, or to create tables in one that is there.
//! No extension. The server's clock should be kept by NTP: the schedule follows it.

mod db;
mod deliveries;
mod files;
mod scans;
mod sites;
mod teams;
mod twins;

pub use self::db::{ConnectError, PoolUsage, PoolerFault, PostgresConfig, PostgresStore, Relocation};
#[cfg(feature = "object-store")]
pub use self::files::objects::FilesError;
