//! A store in progress: the part that exists is tested, and the part that is missing is named.

use std::collections::BTreeMap;

use a11ycheck_core::{
    clock::{Clock as _, ManualClock},
    domain::SharedSetting,
    id::{SiteId, TeamId},
    store::{SettingsStore, SiteStore as _, StoreClock, StoreError},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_testkit::{StoreFactory, store_stubs};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A store that so far keeps nothing but settings.
#[derive(Debug)]
struct OwnStore {
    clock: ManualClock,
    settings: MemoryStore,
}

#[async_trait]
impl StoreClock for OwnStore {
    async fn now(&self) -> Result<DateTime<Utc>, StoreError> {
        Ok(self.clock.now())
    }
}

#[async_trait]
impl SettingsStore for OwnStore {
    async fn settings(&self) -> Result<BTreeMap<SharedSetting, String>, StoreError> {
        self.settings.settings().await
    }

    async fn settle_setting(&self, setting: SharedSetting, value: &str) -> Result<String, StoreError> {
        self.settings.settle_setting(setting, value).await
    }

    async fn replace_setting(&self, setting: SharedSetting, value: &str) -> Result<Option<String>, StoreError> {
        self.settings.replace_setting(setting, value).await
    }

    async fn remove_setting(&self, setting: SharedSetting) -> Result<Option<String>, StoreError> {
        self.settings.remove_setting(setting).await
    }
}

store_stubs!(OwnStore: [
    TeamStore, RateLimitStore, SiteStore, ScanStore, QueueStore, EventLog, FileStore, WebhookStore, SealingStore,
    HintStore,
]);

struct OwnStores;

#[async_trait]
impl StoreFactory for OwnStores {
    type Store = OwnStore;

    async fn empty(&self, clock: ManualClock) -> OwnStore {
        OwnStore { settings: MemoryStore::with_clock(clock.clone()), clock }
    }
}

a11ycheck_storage_testkit::store_suite!(OwnStores, only: [settings]);

#[tokio::test]
#[should_panic = "`SiteStore::site` of `OwnStore` is not written yet"]
async fn a_method_that_is_missing_is_named() {
    let store = OwnStores.empty(ManualClock::at(Utc::now())).await;
    let now = Utc::now();
    let _ = store.site(TeamId::generate(now), SiteId::generate(now)).await;
}
