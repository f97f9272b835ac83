//! The memory store keeps the promises of every store.

use a11ycheck_core::{clock::ManualClock, conformance::StoreFactory};
use a11ycheck_storage_memory::MemoryStore;

struct MemoryStores;

#[async_trait::async_trait]
impl StoreFactory for MemoryStores {
    type Store = MemoryStore;

    async fn empty(&self, clock: ManualClock) -> MemoryStore {
        MemoryStore::with_clock(clock)
    }
}

a11ycheck_core::store_conformance!(MemoryStores);
