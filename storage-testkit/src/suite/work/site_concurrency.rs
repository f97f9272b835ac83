//! The promises about sites and the checks that are queued for them, for any number of concurrent callers.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use a11ycheck_core::{
    domain::{Depth, NewSite},
    id::{ScanId, SiteId},
    paging::PageRequest,
    store::{AddSiteError, AddedOnce, QueueDepth, StartScanError, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{fixtures, race::race, world::World},
};

pub(crate) async fn a_team_never_exceeds_its_sites_under_32_adds_at_once<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, now) = (world.team().await, world.now());
    let added = race(32, |number| {
        let store = Arc::clone(&world.store);
        let new = fixtures::new_site(&format!("https://{number}.example"), now);
        async move { store.add_site(team, new, Some(ScanId::generate(now))).await }
    })
    .await;
    let (added, refused): (Vec<_>, Vec<_>) = added.into_iter().partition(Result::is_ok);
    assert_eq!(added.len(), 5, "as many as the plan includes");
    for error in refused {
        assert!(matches!(error, Err(AddSiteError::LimitReached(5))), "{error:?}");
    }
    let listed = world.store.sites(team, None, PageRequest::new(1, 100)).await.unwrap();
    assert_eq!((listed.total, world.store.queue_depth().await.unwrap().requested.checks), (5, 5));
}

pub(crate) async fn one_of_32_callers_with_the_same_address_adds_it<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, now) = (world.team().await, world.now());
    let added = race(32, |_| {
        let store = Arc::clone(&world.store);
        let new = fixtures::new_site("https://shop.example/", now);
        async move { store.add_site_once(team, new, Some(ScanId::generate(now))).await.unwrap() }
    })
    .await;
    let (added, present): (Vec<_>, Vec<_>) =
        added.into_iter().partition(|outcome| matches!(outcome, AddedOnce::Added(_)));
    let [AddedOnce::Added(site)] = added.as_slice() else { panic!("{added:?}") };
    assert!(present.iter().all(|outcome| *outcome == AddedOnce::Present(site.clone())), "{present:?}");
    let listed = world.store.sites(team, None, PageRequest::new(1, 100)).await.unwrap();
    assert_eq!((listed.total, world.store.queue_depth().await.unwrap().requested.checks), (1, 1));
}

pub(crate) async fn one_of_fifty_manual_checks_at_once_is_queued<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let now = world.now();
    let started = race(50, |_| {
        let store = Arc::clone(&world.store);
        async move { store.start_manual_scan(team, site, ScanId::generate(now), Depth::Full).await }
    })
    .await;
    let (started, refused): (Vec<_>, Vec<_>) = started.into_iter().partition(Result::is_ok);
    assert_eq!(started.len(), 1);
    for error in refused {
        assert!(matches!(error, Err(StartScanError::Active)), "{error:?}");
    }
    let id = started.into_iter().next().unwrap().unwrap().id;
    assert_eq!(world.listed(team, site).await, [id]);
}

pub(crate) async fn a_manual_and_a_scheduled_check_at_once_are_one<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let mut sites = Vec::new();
    for _ in 0..20 {
        sites.push(world.site(team).await);
    }
    world.advance(TimeDelta::days(30));
    let (sites, now) = (Arc::new(sites), world.now());
    race(8, |number| {
        let (store, sites) = (Arc::clone(&world.store), Arc::clone(&sites));
        async move {
            if number % 2 == 0 {
                for _ in 0..4 {
                    store.queue_due_scans(5).await.unwrap();
                }
                return;
            }
            for site in sites.iter() {
                let started = store.start_manual_scan(team, *site, ScanId::generate(now), Depth::Full).await;
                assert!(matches!(started, Ok(_) | Err(StartScanError::Active)), "{started:?}");
            }
        }
    })
    .await;
    for site in sites.iter() {
        assert_eq!(world.listed(team, *site).await.len(), 1, "{site}");
    }
}

pub(crate) async fn a_site_that_falls_due_is_queued_once_by_many_schedulers<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let mut sites = BTreeSet::new();
    for _ in 0..50 {
        sites.insert(world.site(team).await);
    }
    world.advance(TimeDelta::days(30));
    let queued = race(8, |_| {
        let store = Arc::clone(&world.store);
        async move {
            let mut queued = Vec::new();
            loop {
                let due = store.queue_due_scans(7).await.unwrap();
                queued.extend(due.queued.into_iter().map(|scan| scan.site));
                if !due.more {
                    return queued;
                }
            }
        }
    })
    .await;
    let mut queued: Vec<SiteId> = queued.into_iter().flatten().collect();
    // A scheduler may have stopped early because others held every due site; what is due stays due.
    queued.extend(world.store.queue_due_scans(100).await.unwrap().queued.into_iter().map(|scan| scan.site));
    assert_eq!(queued.len(), 50, "each once");
    assert_eq!(queued.into_iter().collect::<BTreeSet<_>>(), sites, "and none forgotten");
}

pub(crate) async fn a_site_deleted_while_a_check_starts_leaves_nothing_behind<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, now) = (world.team().await, world.now());
    for _ in 0..10 {
        let site = world.site(team).await;
        race(4, |number| {
            let store = Arc::clone(&world.store);
            async move {
                if number == 0 {
                    assert!(store.delete_site(team, site).await.unwrap());
                    return;
                }
                let started = store.start_manual_scan(team, site, ScanId::generate(now), Depth::Full).await;
                let is_plain = matches!(started, Ok(_) | Err(StartScanError::Active | StartScanError::NoSite));
                assert!(is_plain, "{started:?}");
            }
        })
        .await;
        assert_eq!(world.try_claim().await, None);
        assert_eq!(world.store.queue_depth().await.unwrap(), QueueDepth::default());
    }
}

pub(crate) async fn sites_added_and_deleted_at_once_are_counted_right<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, now) = (world.team().await, world.now());
    let kept = race(8, |number| {
        let store = Arc::clone(&world.store);
        async move {
            let mut kept = BTreeMap::new();
            for round in 0..10 {
                let new: NewSite = fixtures::new_site(&format!("https://{number}-{round}.example"), now);
                let id = new.id;
                match store.add_site(team, new, None).await {
                    Ok(site) if round % 5 == 4 => drop(kept.insert(id, site)),
                    Ok(_) => assert!(store.delete_site(team, id).await.unwrap()),
                    Err(AddSiteError::LimitReached(5)) => {}
                    Err(error) => panic!("{error:?}"),
                }
            }
            kept
        }
    })
    .await;
    let kept: BTreeMap<_, _> = kept.into_iter().flatten().collect();
    let listed = world.store.sites(team, None, PageRequest::new(1, 100)).await.unwrap();
    assert!(kept.len() <= 5, "never more than the plan includes: {kept:?}");
    assert_eq!(listed.items.into_iter().map(|site| (site.id, site)).collect::<BTreeMap<_, _>>(), kept);
}
