//! A store for a11ycheck that lives in the memory of one process: for tests, demos and small embedders.
//!
//! [`MemoryStore`] keeps every promise of [`Store`](a11ycheck_core::store::Store) but one: it does not survive the
//! process. Nothing is written to a disk, and when the last clone of a store is dropped, its data are gone.
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
//! It holds what it is given: sites within the plans' numbers, checks and deliveries until they are purged
//! ([`purge_scans`](a11ycheck_core::store::ScanStore::purge_scans),
//! [`purge_deliveries`](a11ycheck_core::store::WebhookStore::purge_deliveries)). Counters of addresses are forgotten when
//! their window ends.
//!
//! # Map
//! One folder for each subject, as in the PostgreSQL store; in each, `store` (beside it, `queue`, `rate_limits`, `sealing`)
//! implements a trait of [`store`](a11ycheck_core::store), and `rows` is what the state holds of it. `db` has the state and the
//! lock that steps run under.

mod db;
mod deliveries;
mod files;
mod scans;
mod sites;
mod teams;

pub use self::db::MemoryStore;
