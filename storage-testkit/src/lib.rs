//! The tests that every store and every scanner of a11ycheck passes, and tools to write and to test your own.
//!
//! A store that passes [`store_suite!`] can replace any other: each sentence of the [`store`](a11ycheck_core::store)
//! traits has a case of like name. The cases use nothing but the traits, and time advances only with the clock that
//! they hold, so that a store is tested as the service uses it, at the edge of every interval, without a sleep.
//!
//! # A store
//! With this crate among the dev-dependencies, the whole test file is this:
//!
//! ```
//! use a11ycheck_core::clock::ManualClock;
//! use a11ycheck_storage_memory::MemoryStore;
//! use a11ycheck_storage_testkit::StoreFactory;
//! use async_trait::async_trait;
//!
//! struct MemoryStores;
//!
//! #[async_trait]
//! impl StoreFactory for MemoryStores {
//!     type Store = MemoryStore;
//!
//!     async fn empty(&self, clock: ManualClock) -> MemoryStore {
//!         MemoryStore::with_clock(clock)
//!     }
//! }
//!
//! a11ycheck_storage_testkit::store_suite!(MemoryStores);
//! ```
//!
//! [`store_suite!`] makes one `#[test]` of every case, in a module per area, so that `cargo test leases::` runs one
//! area and a failure has the name of the promise that was broken. Each case has its own store and its own tokio
//! runtime of several threads; cases run side by side.
//!
//! A store need not be written in one piece. [`store_stubs!`] fills in the traits that are missing, and
//! `store_suite!(OwnStores, only: [teams, rate_limits])` runs the areas that can pass already. A store that changes a
//! few methods of another implements [`ForwardStore`], and [`forward_store!`] makes a store of it.
//!
//! A store whose content can be moved to another one ([`TransferStore`](a11ycheck_core::store::transfer::TransferStore))
//! also passes [`transfer_suite!`]; it keeps people, judgements and fields of
//! sites as well, since they are moved. [`FilledStore`] is a store with something of everything, to compare what was moved.
//!
//! A store that also keeps people ([`PeopleStore`](a11ycheck_core::store::PeopleStore)) also passes [`people_suite!`], and one that
//! keeps what they decide about findings ([`ReviewStore`](a11ycheck_core::store::ReviewStore)) passes [`review_suite!`];
//! one that keeps the mail that is to be sent ([`MailStore`](a11ycheck_core::store::MailStore)) passes [`mail_suite!`], one that keeps
//! links to reports ([`ShareStore`](a11ycheck_core::store::ShareStore)) [`share_suite!`], and one that keeps fields that teams add to
//! their sites ([`SiteFieldStore`](a11ycheck_core::store::SiteFieldStore)) [`site_field_suite!`].
//!
//! # A scanner
//! Scanners have a suite of their own, [`scanner_suite!`], on small sites that it serves on 127.0.0.1.
//!
//! # A service
//! [`TestWorld`] is a service whose store, clock, resolver and scanner a test controls.
//!
//! # How to add a promise
//! Write it into the trait's doc, a case of like name into the file of its area, and the name into the list in
//! `suite/cases.rs`. The compiler names a case that is not in the list: nothing uses it. A new method of a trait goes
//! into the list in `methods.rs`: without it, no store that forwards compiles.
//!
//! # What it is not
//! It contains no store and no scanner: it depends on core alone, so that every store can depend on it.

#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

mod factory;
mod forward;
mod methods;
mod scanner;
mod stubs;
mod suite;
mod test_world;
#[doc(hidden)]
pub mod types;

use self::forward::forwarding_trait;
pub use self::{
    factory::StoreFactory,
    forward::ForwardStore,
    scanner::{ScannerFactory, TestPage, TestSite},
    suite::FilledStore,
    test_world::TestWorld,
};
#[doc(hidden)]
pub use self::{
    scanner::run_scanner_case,
    suite::{
        run_mail_case, run_people_case, run_review_case, run_share_case, run_site_field_case, run_store_case,
        run_transfer_case,
    },
};
