//! A store for a11ycheck in PostgreSQL: durable, and shared by any number of machines. PostgreSQL also coordinates
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
//! [`PostgresStore::connect`] brings the tables up to date first; they are in a schema of their own
//! ([`PostgresConfig::with_schema`]), so that the database can be that of a host application. [`PostgresStore`] says
//! what happens to a step when the database fails.
//!
//! # Map
//! One folder for each subject, named as in the memory store; in each, `store` (beside it, `queue`, `event_log`,
//! `rate_limits`, `sealing`) implements a trait of [`store`](a11ycheck_core::store), and `rows` converts its rows. The
//! rules are core's: a step locks rows, reads them, asks the domain, and writes its decision.
//!
//! - `teams`: plans, teams, tokens, brands and counters of requests; `deletion` is a transaction of many statements.
//! - `sites`.
//! - `scans`: `claim`, `enqueue`, `moves` and `retention` are the life of checks, `event_log` is the log of it, and
//!   `results` are their results.
//! - `deliveries`: `endpoints`; `outbox`, `claim` and `attempts` are the life of deliveries; `sealing` has the keys
//!   that seal secrets.
//! - `files`: `uploads` and `objects` are files outside the tables.
//! - `db`: `store` runs steps, each in a `session`, and `transaction` those of several statements; `ids` binds ids;
//!   `hints` lets nodes wake each other; `skipped` keeps a row that can't be read from holding up a queue; `pooler`
//!   has the requirements for a pooler, and `misplaced` finds tables that one made in the wrong schema; `error` has the
//!   SQLSTATEs; `migrate` runs `migrations/`, which has the tables, each with its reasons.
//! - `twins`: the rules of core that statements repeat.
//!
//! # Features
//! `object-store` (on by default): `PostgresConfig::with_files` keeps pictures and documents in an object store.
//!
//! # What it needs
//! PostgreSQL 14 or later, with the right to create a schema in the database, or to create tables in an existing one.
//! No extension. The server's clock should be kept by NTP: the schedule follows it.
//!
//! # What it does to the process
//! Nothing, with one exception. For `sslmode=verify-ca`, which verifies a certificate but not the name in it, sqlx 0.9
//! takes the process's rustls provider. If none is installed, rustls installs *ring* for the whole process at the first
//! connection; if another crate of the program has turned on rustls's `aws_lc_rs` (as reqwest's default features do),
//! it can't choose between the two, and panics. A program that needs `verify-ca` installs the provider that it wants
//! before it connects. `verify-full` and all other modes name their provider themselves, and should be preferred for
//! that reason too.

mod assessments;
mod assignments;
mod batches;
mod db;
mod deliveries;
mod files;
mod mails;
mod people;
mod reviews;
mod scans;
mod shares;
mod site_fields;
mod sites;
mod teams;
mod transfer;
mod twins;

pub use self::db::{ConnectError, Examination, PoolUsage, PoolerFault, PostgresConfig, PostgresStore, Relocation};
#[cfg(feature = "object-store")]
pub use self::files::objects::FilesError;
