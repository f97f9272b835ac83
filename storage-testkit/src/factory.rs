//! The interface between the suite and a store that is to be tested.

use a11ycheck_core::{clock::ManualClock, store::Store};
use async_trait::async_trait;

/// Makes stores to be tested.
#[async_trait]
pub trait StoreFactory: Send + Sync {
    /// The type that is tested.
    type Store: Store;

    /// Makes a new and empty store, apart from every other, whose [`now`](a11ycheck_core::store::StoreClock::now) is
    /// the time of `clock`.
    ///
    /// # Panics
    /// Panics if there can be none: a missing database is a failure that names the command that starts one, never a
    /// silent skip.
    async fn empty(&self, clock: ManualClock) -> Self::Store;
}
