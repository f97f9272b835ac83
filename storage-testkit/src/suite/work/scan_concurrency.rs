//! The promises about checks and their results for any number of concurrent callers.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use a11ycheck_core::{
    domain::{Lease, ScanState, ScreenshotId},
    id::{ScanId, WorkerId},
    store::{Completion, LeaseError, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        race::race,
        world::{World, failure, pages},
    },
};

pub(crate) async fn each_of_200_checks_is_claimed_once_by_64_workers<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let mut queued = BTreeSet::new();
    for _ in 0..200 {
        let (new, id) = (fixtures::new_site("https://a.example", world.now()), ScanId::generate(world.now()));
        world.store.add_site(team, new, Some(id)).await.unwrap();
        queued.insert(id);
    }
    let claimed = race(64, |_| {
        let store = Arc::clone(&world.store);
        async move {
            let worker = WorkerId::generate();
            let mut claimed = Vec::new();
            while let Some(check) = store.claim_scan(&worker, Lease::TERM).await.unwrap() {
                claimed.push(check.claim.scan);
            }
            claimed
        }
    })
    .await;
    let mut claimed: Vec<ScanId> = claimed.into_iter().flatten().collect();
    // A worker may have stopped early because others held every due check; what is due stays due.
    while let Some(check) = world.try_claim().await {
        claimed.push(check.claim.scan);
    }
    assert_eq!(claimed.len(), 200, "each once");
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), queued, "and none forgotten");
}

pub(crate) async fn one_of_many_ends_of_a_check_counts<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    for _ in 0..5 {
        let (claim, result) = (world.running(team, site).await, world.completion());
        let ended = race(8, |number| {
            let (store, result) = (Arc::clone(&world.store), result.clone());
            async move {
                match number % 4 {
                    0 | 1 => store.complete_scan(claim, result).await.map(Some),
                    2 => store.fail_scan(claim, failure()).await.map(Some),
                    _ => store.renew_lease(claim, Lease::TERM, pages(1)).await.map(|()| None),
                }
            }
        })
        .await;
        let ends: Vec<_> = ended.into_iter().filter_map(Result::ok).flatten().collect();
        let [end] = ends.as_slice() else { panic!("one end, not {}", ends.len()) };
        assert_eq!(world.scan(team, claim.scan).await, *end);
        let is_completed = end.outcome().is_some();
        assert_eq!(world.store.findings(team, claim.scan).await.unwrap().is_some(), is_completed);
        assert_eq!(world.store.screen(team, claim.scan).await.unwrap().is_some(), is_completed);
    }
}

pub(crate) async fn a_check_that_is_taken_over_while_its_result_comes_has_one_owner<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    for _ in 0..10 {
        let claim = world.running(team, site).await;
        world.advance(Lease::TERM);
        let result = world.completion();
        let outcomes = race(2, |number| {
            let (store, result) = (Arc::clone(&world.store), result.clone());
            async move {
                if number == 0 {
                    store.complete_scan(claim, result).await.is_ok()
                } else {
                    store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().is_some()
                }
            }
        })
        .await;
        let state = world.state(team, claim.scan).await;
        let successes = outcomes.into_iter().filter(|success| *success).count();
        if matches!(state, ScanState::Completed { .. }) {
            assert_eq!(successes, 1, "it completed, so nobody took it over");
            continue;
        }
        assert_eq!(successes, 1, "it was taken over, so the late result was refused");
        assert_eq!(world.store.findings(team, claim.scan).await.unwrap(), None);
        world.advance(Lease::TERM);
        let again = world.claim().await;
        world.store.complete_scan(again, world.completion()).await.unwrap();
    }
}

pub(crate) async fn a_completed_check_is_seen_whole_or_not_at_all<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    for _ in 0..5 {
        let claim = world.running(team, site).await;
        let id = claim.scan;
        let findings = fixtures::findings(500);
        let outcome = fixtures::outcome(&findings);
        let result = Completion { findings, outcome, ..world.completion() };
        let is_completed = Arc::new(AtomicBool::new(false));
        race(5, |number| {
            let (store, result, is_completed) = (Arc::clone(&world.store), result.clone(), Arc::clone(&is_completed));
            async move {
                if number == 0 {
                    store.complete_scan(claim, result).await.unwrap();
                    is_completed.store(true, Ordering::SeqCst);
                    return;
                }
                // Each reader reads one part first: one that sees it must see all the rest afterwards.
                loop {
                    let must_see_it = is_completed.load(Ordering::SeqCst);
                    let sees_it = match number {
                        1 => store.scan(team, id).await.unwrap().unwrap().outcome().is_some(),
                        2 => store.findings(team, id).await.unwrap().is_some(),
                        3 => store.screenshot(team, id, ScreenshotId(7)).await.unwrap().is_some(),
                        _ => store.latest_completed(team, site).await.unwrap().is_some_and(|scan| scan.id == id),
                    };
                    if sees_it {
                        break;
                    }
                    assert!(!must_see_it, "reader {number} does not see what was completed");
                    tokio::task::yield_now().await;
                }
                assert!(store.scan(team, id).await.unwrap().unwrap().outcome().is_some());
                assert_eq!(store.findings(team, id).await.unwrap().unwrap().items.len(), 500);
                assert!(store.screenshot(team, id, ScreenshotId(7)).await.unwrap().is_some());
                assert!(store.screen(team, id).await.unwrap().is_some());
                assert_eq!(store.trend(team, id, 1).await.unwrap()[0].id, id);
            }
        })
        .await;
        world.advance(TimeDelta::seconds(1));
    }
}

pub(crate) async fn a_site_deleted_while_its_check_completes_leaves_nothing_behind<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    for _ in 0..10 {
        let site = world.site(team).await;
        let (claim, result) = (world.running(team, site).await, world.completion());
        race(2, |number| {
            let (store, result) = (Arc::clone(&world.store), result.clone());
            async move {
                if number == 0 {
                    assert!(store.delete_site(team, site).await.unwrap());
                    return;
                }
                let completed = store.complete_scan(claim, result).await;
                assert!(matches!(completed, Ok(_) | Err(LeaseError::Gone)), "{completed:?}");
            }
        })
        .await;
        assert_eq!(world.store.scan(team, claim.scan).await.unwrap(), None);
        assert_eq!(world.store.findings(team, claim.scan).await.unwrap(), None);
        assert_eq!(world.store.screen(team, claim.scan).await.unwrap(), None);
        assert_eq!(world.usage(team).await, (0, 0));
        assert_eq!(world.try_claim().await, None);
    }
}

pub(crate) async fn purges_at_once_delete_each_check_once<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    for _ in 0..30 {
        world.failed(team, site).await;
    }
    world.advance(TimeDelta::days(100));
    let purged = race(6, |_| {
        let store = Arc::clone(&world.store);
        async move { store.purge_scans(10).await.unwrap() }
    })
    .await;
    let left = world.store.purge_scans(100).await.unwrap();
    assert_eq!(purged.into_iter().sum::<u32>() + left, 30);
}
