//! The settings that all servers of one database share.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use a11ycheck_core::{domain::SharedSetting, store::Store};
use tokio::task::JoinSet;

use crate::{StoreFactory, suite::world::World};

const ADDRESS: &str = "https://a11y.example.com/v1";

pub(crate) async fn a_setting_that_nobody_stored_has_no_value<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    assert_eq!(world.store.settings().await.unwrap(), [].into());
    assert_eq!(world.store.remove_setting(SharedSetting::BaseUrl).await.unwrap(), None);
    assert_eq!(world.store.settings().await.unwrap(), [].into());
}

pub(crate) async fn the_first_value_settled_stays_and_later_ones_get_it<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    let settle = |value| world.store.settle_setting(SharedSetting::BaseUrl, value);
    assert_eq!(settle(ADDRESS).await.unwrap(), ADDRESS);
    assert_eq!(settle("https://other.example.com/v1").await.unwrap(), ADDRESS);
    assert_eq!(settle(ADDRESS).await.unwrap(), ADDRESS);
    assert_eq!(world.store.settings().await.unwrap(), [(SharedSetting::BaseUrl, ADDRESS.to_owned())].into());
}

pub(crate) async fn each_setting_has_a_value_of_its_own_that_reads_as_it_was_given<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    let values = ["", " two  spaces ", "Zażółć gęślą jaźń \u{1f511}\n", &"x".repeat(100_000)].map(str::to_owned);
    let expected: BTreeMap<SharedSetting, String> = SharedSetting::ALL.into_iter().zip(values).collect();
    for (setting, value) in &expected {
        assert_eq!(world.store.settle_setting(*setting, value).await.unwrap(), *value, "{setting}");
    }
    assert_eq!(world.store.settings().await.unwrap(), expected);
}

pub(crate) async fn a_replaced_setting_is_given_to_all_who_settle_it_later<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    let replace = |value| world.store.replace_setting(SharedSetting::HeaderPrefix, value);
    assert_eq!(replace("Acme-").await.unwrap(), None, "one that has no value gets one");
    assert_eq!(replace("Blue-").await.unwrap().as_deref(), Some("Acme-"));
    let settled = world.store.settle_setting(SharedSetting::HeaderPrefix, "Acme-").await.unwrap();
    assert_eq!(settled, "Blue-");
}

pub(crate) async fn a_removed_setting_is_settled_afresh_and_no_other_is_removed<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    for (setting, value) in [(SharedSetting::BaseUrl, ADDRESS), (SharedSetting::HeaderPrefix, "Acme-")] {
        world.store.settle_setting(setting, value).await.unwrap();
    }
    let removed = world.store.remove_setting(SharedSetting::HeaderPrefix).await.unwrap();
    assert_eq!(removed.as_deref(), Some("Acme-"));
    assert_eq!(world.store.settings().await.unwrap(), [(SharedSetting::BaseUrl, ADDRESS.to_owned())].into());
    let settled = world.store.settle_setting(SharedSetting::HeaderPrefix, "Blue-").await.unwrap();
    assert_eq!(settled, "Blue-");
}

pub(crate) async fn of_many_who_settle_a_setting_at_once_all_get_the_same_value<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    for setting in SharedSetting::ALL {
        let mut settling = JoinSet::new();
        for number in 0..16 {
            let store = Arc::clone(&world.store);
            settling.spawn(async move { store.settle_setting(setting, &format!("value {number}")).await.unwrap() });
        }
        let settled: BTreeSet<String> = settling.join_all().await.into_iter().collect();
        assert_eq!(settled.len(), 1, "{setting}: {settled:?}");
        assert_eq!(world.store.settings().await.unwrap().get(&setting), settled.first());
    }
}
