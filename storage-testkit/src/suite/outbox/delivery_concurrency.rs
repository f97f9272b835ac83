//! The promises about endpoints and deliveries for any number of concurrent callers.

use std::{collections::BTreeSet, sync::Arc};

use a11ycheck_core::{
    domain::{EndpointStatus, EventKind},
    id::{DeliveryId, EndpointId, WorkerId},
    store::{ClaimLimits, Completion, CreateEndpointError, RecordError, Store},
};

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        outbox::steps::{BOTH, LONG, TERM, answered, timed_out},
        race::race,
        world::World,
    },
};

pub(crate) async fn a_team_never_exceeds_its_endpoints_under_32_creations_at_once<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let created = race(32, |_| {
        let (store, new) = (Arc::clone(&world.store), world.new_endpoint(BOTH));
        async move { store.create_endpoint(team, new).await }
    })
    .await;
    let (created, refused): (Vec<_>, Vec<_>) = created.into_iter().partition(Result::is_ok);
    assert_eq!(created.len(), 5);
    for error in refused {
        assert!(matches!(error, Err(CreateEndpointError::LimitReached)), "{error:?}");
    }
    assert_eq!(world.store.endpoints(team).await.unwrap().len(), 5);
}

pub(crate) async fn each_of_300_deliveries_is_claimed_once_by_16_workers<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let mut endpoints: Vec<EndpointId> = Vec::new();
    for _ in 0..5 {
        endpoints.push(world.endpoint(team, BOTH).await);
    }
    let mut made = BTreeSet::new();
    for number in 0..300 {
        made.insert(world.ping(team, endpoints[number % 5]).await.id);
    }
    let claimed = race(16, |_| {
        let (store, keys) = (Arc::clone(&world.store), world.ring.ids());
        async move {
            let (worker, mut claimed) = (WorkerId::generate(), Vec::new());
            let limits = ClaimLimits { all: 7, retries: 7, per_endpoint: 1_000 };
            loop {
                let batch = store.claim_deliveries(&worker, limits, TERM, &keys).await.unwrap();
                if batch.is_empty() {
                    return claimed;
                }
                claimed.extend(batch.iter().map(|claimed| claimed.claim.delivery));
            }
        }
    })
    .await;
    let mut claimed: Vec<DeliveryId> = claimed.into_iter().flatten().collect();
    // A worker may have stopped early because others held everything that was due; what is due stays due.
    claimed.extend(world.due().await);
    assert_eq!(claimed.len(), 300, "each once");
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), made, "and none forgotten");
}

pub(crate) async fn one_of_many_records_of_an_attempt_counts<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    for _ in 0..5 {
        let delivery = world.ping(team, id).await;
        let claim = world.claim_delivery().await.claim;
        let recorded = race(8, |number| {
            let store = Arc::clone(&world.store);
            let report = if number % 2 == 0 { answered(200) } else { answered(500) };
            async move { store.record_attempt(claim, report).await }
        })
        .await;
        let (recorded, refused): (Vec<_>, Vec<_>) = recorded.into_iter().partition(Result::is_ok);
        assert_eq!((recorded.len(), world.log(&delivery).await.len()), (1, 1));
        assert!(refused.iter().all(|refused| matches!(refused, Err(RecordError::Refused(_)))), "{refused:?}");
        world.advance(LONG);
        world.attempt_all(&answered(200)).await;
    }
}

pub(crate) async fn each_of_twenty_last_attempts_that_fail_at_once_counts<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    world.fail_but_once(team, id, 20).await;
    let claims = Arc::new(world.claim_deliveries().await);
    race(20, |number| {
        let (store, claims) = (Arc::clone(&world.store), Arc::clone(&claims));
        async move {
            let claim = claims[usize::try_from(number).unwrap()].claim;
            store.record_attempt(claim, timed_out()).await.unwrap();
        }
    })
    .await;
    assert_eq!(world.status(team, id).await, EndpointStatus::Off { since: world.now() });
}

pub(crate) async fn a_last_failure_and_a_success_at_once_are_counted_one_after_the_other<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    for _ in 0..5 {
        let world = World::new(factory).await;
        let team = world.team().await;
        let id = world.endpoint(team, BOTH).await;
        world.fail(team, id, 19).await;
        let [failing] = world.fail_but_once(team, id, 1).await.try_into().unwrap();
        world.ping(team, id).await;
        let claims = Arc::new(world.claim_deliveries().await);
        assert_eq!(claims.len(), 2);
        race(2, |number| {
            let (store, claims) = (Arc::clone(&world.store), Arc::clone(&claims));
            let claim = claims[usize::try_from(number).unwrap()].claim;
            let report = if claim.delivery == failing.id { timed_out() } else { answered(200) };
            async move { store.record_attempt(claim, report).await.unwrap() }
        })
        .await;
        let status = world.status(team, id).await;
        let is_serial =
            status == EndpointStatus::Off { since: world.now() } || status == EndpointStatus::On { failed_in_a_row: 1 };
        assert!(is_serial, "{status:?}");
    }
}

pub(crate) async fn an_endpoint_deleted_while_a_check_completes_leaves_nothing_behind<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    for _ in 0..10 {
        let id = world.endpoint(team, BOTH).await;
        let claim = world.running(team, site).await;
        let events = vec![world.event(EventKind::ScanCompleted), world.event(EventKind::IssuesNew)];
        let result = Completion { events, ..world.completion() };
        race(2, |number| {
            let (store, result) = (Arc::clone(&world.store), result.clone());
            async move {
                if number == 0 {
                    assert!(store.delete_endpoint(team, id).await.unwrap());
                } else {
                    store.complete_scan(claim, result).await.unwrap();
                }
            }
        })
        .await;
        assert_eq!(world.due().await, []);
    }
}
