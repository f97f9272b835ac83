//! The memory store keeps the promises of every store.

use a11ycheck_core::clock::ManualClock;
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_testkit::StoreFactory;

struct MemoryStores;

#[async_trait::async_trait]
impl StoreFactory for MemoryStores {
    type Store = MemoryStore;

    async fn empty(&self, clock: ManualClock) -> MemoryStore {
        MemoryStore::with_clock(clock)
    }
}

a11ycheck_storage_testkit::store_suite!(MemoryStores);
a11ycheck_storage_testkit::transfer_suite!(MemoryStores);
a11ycheck_storage_testkit::people_suite!(MemoryStores);
a11ycheck_storage_testkit::review_suite!(MemoryStores);
a11ycheck_storage_testkit::mail_suite!(MemoryStores);
a11ycheck_storage_testkit::share_suite!(MemoryStores);
a11ycheck_storage_testkit::site_field_suite!(MemoryStores);
