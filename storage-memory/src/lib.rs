//! A store for a11ycheck that lives in the memory of one process: for tests, demos and small embedders.
//!
//! [`MemoryStore`] keeps every promise of [`Store`](a11ycheck_core::store::Store) except that the data do not survive
//! the process. Nothing is written to a disk, and when the last clone of a store is dropped, its data are lost.
//!
//! ```
//! use a11ycheck_core::{domain::PlanCatalog, store::TeamStore as _};
//! use a11ycheck_storage_memory::MemoryStore;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let store = MemoryStore::new();
//! store.put_plans(PlanCatalog::shipped().plans()).await?;
//! assert_eq!(store.plans().await?.len(), 4);
//! # Ok(()) })
//! # }
//! ```
//!
//! # Bounds
//! It keeps what it is given: sites up to the plans' numbers, and checks, deliveries and entries of the log until they
//! are purged ([`purge_scans`](a11ycheck_core::store::ScanStore::purge_scans),
//! [`purge_deliveries`](a11ycheck_core::store::WebhookStore::purge_deliveries),
//! [`purge_scan_events`](a11ycheck_core::store::EventLog::purge_scan_events)). Counters of addresses are deleted when
//! their window ends.
//!
//! # Map
//! One folder for each subject, as in the PostgreSQL store; in each, `store` (beside it, `queue`, `event_log`,
//! `rate_limits`, `sealing`) implements a trait of [`store`](a11ycheck_core::store). `db` has the state, with the rows
//! of each subject, and the lock under which steps run. `transfer` moves everything to another store, and from one.

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

pub use self::db::MemoryStore;
