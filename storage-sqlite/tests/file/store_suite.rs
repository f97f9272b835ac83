//! The SQLite store keeps the promises of every store.

use a11ycheck_core::clock::ManualClock;
use a11ycheck_storage_sqlite::SqliteStore;
use a11ycheck_storage_testkit::StoreFactory;

use crate::support;

struct SqliteStores;

#[async_trait::async_trait]
impl StoreFactory for SqliteStores {
    type Store = SqliteStore;

    async fn empty(&self, clock: ManualClock) -> SqliteStore {
        SqliteStore::open(support::config()).await.unwrap().with_clock(clock)
    }
}

a11ycheck_storage_testkit::store_suite!(SqliteStores);
a11ycheck_storage_testkit::transfer_suite!(SqliteStores);
a11ycheck_storage_testkit::people_suite!(SqliteStores);
a11ycheck_storage_testkit::review_suite!(SqliteStores);
a11ycheck_storage_testkit::mail_suite!(SqliteStores);
a11ycheck_storage_testkit::share_suite!(SqliteStores);
a11ycheck_storage_testkit::site_field_suite!(SqliteStores);
