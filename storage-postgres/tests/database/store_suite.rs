//! The PostgreSQL store keeps the promises of every store.

use a11ycheck_core::clock::ManualClock;
use a11ycheck_storage_postgres::PostgresStore;
use a11ycheck_storage_testkit::StoreFactory;

use crate::support;

struct PostgresStores;

#[async_trait::async_trait]
impl StoreFactory for PostgresStores {
    type Store = PostgresStore;

    async fn empty(&self, clock: ManualClock) -> PostgresStore {
        PostgresStore::connect(support::config().await).await.unwrap().with_clock(clock)
    }
}

a11ycheck_storage_testkit::store_suite!(PostgresStores);
a11ycheck_storage_testkit::transfer_suite!(PostgresStores);
a11ycheck_storage_testkit::people_suite!(PostgresStores);
a11ycheck_storage_testkit::review_suite!(PostgresStores);
a11ycheck_storage_testkit::mail_suite!(PostgresStores);
a11ycheck_storage_testkit::share_suite!(PostgresStores);
a11ycheck_storage_testkit::site_field_suite!(PostgresStores);
