//! The tests that every [`Store`] passes: each sentence of the [`store`](a11ycheck_core::store) traits has a case of like name.
//!
//! They use nothing but the traits, and time moves only by the clock that they hold, so that a store is tested as the
//! service uses it, at the edge of every interval, without a sleep. A store that passes may stand in for any other.
//!
//! # Running them for a store
//! With this crate among the dev-dependencies, the whole test file is this:
//!
//! ```text
//! use a11ycheck_core::clock::ManualClock;
//! use a11ycheck_storage_testkit::StoreFactory;
//!
//! struct OwnStores;
//!
//! #[async_trait::async_trait]
//! impl StoreFactory for OwnStores {
//!     type Store = OwnStore;
//!
//!     async fn empty(&self, clock: ManualClock) -> OwnStore {
//!         OwnStore::create(clock).await.unwrap()
//!     }
//! }
//!
//! a11ycheck_storage_testkit::store_conformance!(OwnStores);
//! ```
//!
//! [`store_conformance!`](crate::store_conformance) makes one `#[test]` of every case, in a module per area, so that
//! `cargo test leases::` runs one area and a failure has the name of the promise that was broken. Each case has a store
//! and a tokio runtime of several threads to itself; cases run side by side.
//!
//! # Scanners
//! have a suite of their own: [`ScannerFactory`], [`scanner_conformance!`](crate::scanner_conformance).
//!
//! # Adding a promise
//! Write it into the trait's doc, a case of like name into the file of its area, and the name into the list in
//! `suite/macros.rs`. The compiler names a case that is not in the list: nothing uses it.

#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

mod factory;
mod scanner;
mod suite;

#[cfg(doc)]
use a11ycheck_core::Store;

pub use self::{
    factory::StoreFactory,
    scanner::{ScannerFactory, TestPage, TestSite},
};
#[doc(hidden)]
pub use self::{scanner::run_scanner_case, suite::run};
