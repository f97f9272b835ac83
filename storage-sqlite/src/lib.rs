//! A store for a11ycheck in one SQLite file: durable on one machine, without a database server beside it.
//!
//! ```
//! use a11ycheck_core::{domain::PlanCatalog, store::TeamStore as _};
//! use a11ycheck_storage_sqlite::{SqliteConfig, SqliteStore};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("a11ycheck.db");
//! let store = SqliteStore::open(SqliteConfig::new(&path)).await?;
//! store.put_plans(PlanCatalog::shipped().plans()).await?;
//! store.close().await;
//!
//! let again = SqliteStore::open(SqliteConfig::new(&path)).await?;
//! assert_eq!(again.plans().await?.len(), 4);
//! # Ok(()) })
//! # }
//! ```
//!
//! [`SqliteStore::open`] makes the file if it is missing, and brings its tables up to date. One process at a time *serves* a
//! file: a second one is refused with the id of the first ([`OpenError::InUse`]). Programs that administer the data open it
//! beside that one with [`SqliteStore::open_beside`]. [`SqliteStore`] says what survives a crash, and what happens to a
//! step when the disk is full. [`SqliteStore::back_up`] writes a backup while the file is served, [`SqliteStore::restore`] puts it in
//! place again, and [`SqliteStore::examine`] says how a file is.
//!
//! # Map
//! One folder for each subject, named as in the PostgreSQL store; in each, `store` (beside it, `queue`, `event_log`,
//! `rate_limits`, `sealing`) implements a trait of [`store`](a11ycheck_core::store), and `rows` converts its rows. The
//! rules are core's: a step reads rows, asks the domain, and writes its decision. It needs no locks of rows, since only
//! one step writes at a time.
//!
//! - `teams`: plans, teams, tokens and brands; `counters` counts requests, in memory.
//! - `sites`.
//! - `scans`: `claim`, `enqueue`, `moves` and `retention` are the life of checks, `event_log` is the log of it, and
//!   `results` are their results.
//! - `deliveries`: `endpoints`; `outbox`, `claim` and `attempts` are the life of deliveries; `sealing` has the keys
//!   that seal secrets.
//! - `people`: persons, `sessions`, `members`, invitations and the `audit` log.
//! - `files`: pictures and documents.
//! - `transfer`: everything at once, to another store and from one.
//! - `db`: `store` opens the file and runs steps, `transaction` those that write; `lock` keeps a second server out, and
//!   `file_system` the file from where SQLite is not safe; `space` gives room back; `ids` and `columns` convert values;
//!   `backup` and `examine` are for who keeps the file;
//!   `skipped` keeps a row that can't be read from holding up a queue; `error` has SQLite's result codes; `migrate` runs
//!   `migrations/`, which has the tables, each with its reasons.
//! - `twins`: the rules of core that statements repeat.
//!
//! # What it needs
//! A file system of the machine itself: over a network, SQLite's locks and shared memory do not hold, and files get
//! damaged. Linux's NFS, SMB, 9p, Ceph, AFS and everything behind FUSE are refused ([`OpenError::FileSystem`]); on other
//! systems nothing is looked at. The machine's clock should be kept by NTP: the schedule follows it. The build compiles
//! SQLite, which takes a C compiler.

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

pub use self::db::{
    Backup, BackupError, Contents, Examination, ExamineError, ExaminedFile, ExistingFile, OpenError, RestoreError,
    Restored, ServingProcess, SqliteConfig, SqliteStore,
};
