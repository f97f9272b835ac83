//! Endpoints that no longer work are switched off.

use a11ycheck_core::{
    domain::{DeliveryState, DeliveryStatus, EndpointStatus, EventKind},
    store::{SendError, Store},
};

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        outbox::steps::{BOTH, LONG, TERM, answered, timed_out},
        world::{INSTANT, World},
    },
};

pub(crate) async fn the_twentieth_failed_delivery_in_a_row_switches_off_and_none_before<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    world.fail(team, id, 19).await;
    assert_eq!(world.status(team, id).await, EndpointStatus::On { failed_in_a_row: 19 });
    // Attempts that fail do not count, deliveries do.
    let [last] = world.fail_but_once(team, id, 1).await.try_into().unwrap();
    assert_eq!(world.status(team, id).await, EndpointStatus::On { failed_in_a_row: 19 });
    world.attempt_all(&answered(503)).await;
    assert_eq!(world.status(team, id).await, EndpointStatus::Off { since: world.now() });
    assert_eq!(world.delivery_state(&last).await, DeliveryState::Failed { finished_at: world.now() });
}

pub(crate) async fn endpoints_that_are_off_are_listed_for_all_teams_the_latest_first<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, other) = (world.team().await, world.team().await);
    let off = async |limit| {
        let off = world.store.endpoints_off(limit).await.unwrap();
        off.into_iter().map(|endpoint| (endpoint.team, endpoint.id, endpoint.status)).collect::<Vec<_>>()
    };
    let (first, second) = (world.endpoint(team, BOTH).await, world.endpoint(other, BOTH).await);
    world.endpoint(team, BOTH).await;
    assert_eq!(off(10).await, []);
    let mut wanted = Vec::new();
    for (team, endpoint) in [(team, first), (other, second)] {
        world.advance(INSTANT);
        world.store.disable_endpoint(team, endpoint).await.unwrap().unwrap();
        wanted.insert(0, (team, endpoint, EndpointStatus::Off { since: world.now() }));
    }
    assert_eq!(off(10).await, wanted);
    assert_eq!(off(1).await, wanted[..1]);
    world.store.enable_endpoint(other, second).await.unwrap().unwrap();
    assert_eq!(off(10).await, wanted[1..]);
}

pub(crate) async fn a_success_begins_the_count_anew<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    world.fail(team, id, 19).await;
    world.ping(team, id).await;
    world.attempt_all(&answered(500)).await;
    assert_eq!(world.status(team, id).await, EndpointStatus::On { failed_in_a_row: 19 });
    world.advance(LONG);
    world.attempt_all(&answered(204)).await;
    assert_eq!(world.status(team, id).await, EndpointStatus::ON, "a success on a retry is a success");
    world.fail(team, id, 19).await;
    assert_eq!(world.status(team, id).await, EndpointStatus::On { failed_in_a_row: 19 });
}

pub(crate) async fn what_is_pending_for_an_endpoint_that_is_switched_off_is_dropped<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    let id = world.endpoint(team, BOTH).await;
    world.fail(team, id, 19).await;
    world.fail_but_once(team, id, 1).await;
    let last = world.claim_delivery().await;
    let retried = world.ping(team, id).await;
    world.attempt_all(&answered(500)).await;
    let fresh = world.ping(team, id).await;
    let events = [world.event(EventKind::ScanCompleted), world.event(EventKind::IssuesNew)];
    world.completed_with_events(team, site, &events).await;
    world.record(last.claim, timed_out()).await;

    let status = world.status(team, id).await;
    assert!(!status.is_on(), "{status:?}");
    let dropped = |attempts| DeliveryState::Dropped { attempts, finished_at: world.now() };
    assert_eq!(world.delivery_state(&retried).await, dropped(1));
    assert_eq!(world.delivery_state(&fresh).await, dropped(0));
    for delivery in world.deliveries(team, id).await.iter().filter(|delivery| delivery.kind != EventKind::Ping) {
        assert_eq!(delivery.state, dropped(0), "{}, the blocked one too", delivery.kind);
    }
    world.advance(LONG);
    assert_eq!(world.due().await, []);
}

pub(crate) async fn an_attempt_under_way_at_the_switch_off_is_recorded<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    world.fail(team, id, 19).await;
    world.fail_but_once(team, id, 1).await;
    let last = world.claim_delivery().await;
    let [received, refused] = [world.ping(team, id).await, world.ping(team, id).await];
    let under_way = world.claim_deliveries().await;
    world.record(last.claim, timed_out()).await;
    let off = world.status(team, id).await;
    assert!(!off.is_on(), "{off:?}");
    world.advance(INSTANT);
    for claimed in under_way {
        assert_eq!(world.delivery_status(&received).await, DeliveryStatus::Pending);
        let is_received = claimed.claim.delivery == received.id;
        world.record(claimed.claim, answered(if is_received { 200 } else { 500 })).await;
        if is_received {
            break;
        }
    }
    let delivered = DeliveryState::Delivered { attempts: 1, finished_at: world.now() };
    assert_eq!(world.delivery_state(&received).await, delivered);
    assert_eq!(world.status(team, id).await, off, "only a hand switches it on");
    if let DeliveryState::Attempting { lease, .. } = world.delivery_state(&refused).await {
        let claim = a11ycheck_core::store::DeliveryClaim { delivery: refused.id, token: lease.token };
        world.record(claim, answered(500)).await;
    }
    let dropped = DeliveryState::Dropped { attempts: 1, finished_at: world.now() };
    assert_eq!(world.delivery_state(&refused).await, dropped, "it is not tried again");
    assert_eq!(world.log(&refused).await.len(), 1);
}

pub(crate) async fn an_attempt_left_by_its_worker_is_dropped_when_its_endpoint_is_off<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    world.fail(team, id, 19).await;
    world.fail_but_once(team, id, 1).await;
    let last = world.claim_delivery().await;
    let left = world.ping(team, id).await;
    world.claim_delivery().await;
    world.record(last.claim, timed_out()).await;
    assert_eq!(world.delivery_status(&left).await, DeliveryStatus::Pending);
    world.advance(TERM);
    assert_eq!(world.due().await, []);
    let dropped = DeliveryState::Dropped { attempts: 0, finished_at: world.now() };
    assert_eq!(world.delivery_state(&left).await, dropped);
}

pub(crate) async fn a_last_attempt_that_is_given_up_switches_off_like_one_that_failed<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    world.fail(team, id, 19).await;
    let [last] = world.fail_but_once(team, id, 1).await.try_into().unwrap();
    for _ in 0..DeliveryState::MAX_TRIES {
        world.claim_delivery().await;
        world.advance(TERM);
    }
    let waiting = world.ping(team, id).await;
    assert_eq!(world.due().await, [], "what is lost is given up first, and what waited is dropped with it");
    assert_eq!(world.status(team, id).await, EndpointStatus::Off { since: world.now() });
    assert_eq!(world.delivery_state(&last).await, DeliveryState::Failed { finished_at: world.now() });
    let dropped = DeliveryState::Dropped { attempts: 0, finished_at: world.now() };
    assert_eq!(world.delivery_state(&waiting).await, dropped);
}

pub(crate) async fn nothing_is_made_for_an_endpoint_that_is_off<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    let id = world.endpoint(team, BOTH).await;
    let failed = world.fail(team, id, 20).await;
    let before = world.deliveries(team, id).await;
    world.completed_with_events(team, site, &[world.event(EventKind::ScanCompleted)]).await;
    let ping = world.store.send_event(team, id, world.event(EventKind::Ping)).await;
    assert!(matches!(ping, Err(SendError::SwitchedOff)), "{ping:?}");
    let again = world.store.resend_delivery(team, failed[0].id).await;
    assert!(matches!(again, Err(SendError::SwitchedOff)), "{again:?}");
    assert_eq!(world.deliveries(team, id).await, before);
}

pub(crate) async fn an_endpoint_switched_on_by_hand_receives_events_again_and_counts_from_zero<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    let failed = world.fail(team, id, 20).await;
    let on = world.store.enable_endpoint(team, id).await.unwrap().unwrap();
    assert_eq!((on.id, on.status), (id, EndpointStatus::ON));
    assert_eq!(world.endpoint_row(team, id).await, on);
    assert_eq!(world.due().await, [], "what was given up stays so");
    world.store.resend_delivery(team, failed[0].id).await.unwrap();
    world.attempt_all(&answered(200)).await;
    world.fail(team, id, 3).await;
    assert_eq!(world.status(team, id).await, EndpointStatus::On { failed_in_a_row: 3 });
    world.store.enable_endpoint(team, id).await.unwrap().unwrap();
    assert_eq!(world.status(team, id).await, EndpointStatus::ON, "a hand sets the count to 0 at any time");
}

pub(crate) async fn one_endpoint_is_switched_off_and_no_other<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (id, other) = (world.endpoint(team, BOTH).await, world.endpoint(team, BOTH).await);
    world.fail_but_once(team, id, 20).await;
    let pending = world.ping(team, other).await;
    for claimed in world.claim_deliveries().await {
        if claimed.endpoint == id {
            world.record(claimed.claim, timed_out()).await;
        }
    }
    let status = world.status(team, id).await;
    assert!(!status.is_on(), "{status:?}");
    assert_eq!(world.status(team, other).await, EndpointStatus::ON);
    assert_eq!(world.delivery_status(&pending).await, DeliveryStatus::Pending);
    let fresh = world.ping(team, other).await;
    assert_eq!(world.due().await, [fresh.id]);
}

pub(crate) async fn an_endpoint_disabled_by_hand_gets_nothing_until_it_is_enabled<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    let (id, other) = (world.endpoint(team, BOTH).await, world.endpoint(team, BOTH).await);
    let under_way = world.ping(team, id).await;
    let claimed = world.claim_delivery().await;
    let waiting = world.ping(team, id).await;
    let off = world.store.disable_endpoint(team, id).await.unwrap().unwrap();
    assert_eq!(off.status, EndpointStatus::Off { since: world.now() });
    assert_eq!(world.endpoint_row(team, id).await, off);
    let dropped = DeliveryState::Dropped { attempts: 0, finished_at: world.now() };
    assert_eq!(world.delivery_state(&waiting).await, dropped);
    assert_eq!(world.delivery_status(&under_way).await, DeliveryStatus::Pending, "its attempt is made to its end");
    world.record(claimed.claim, answered(200)).await;
    assert_eq!(world.delivery_status(&under_way).await, DeliveryStatus::Delivered);

    world.advance(INSTANT);
    let again = world.store.disable_endpoint(team, id).await.unwrap().unwrap();
    assert_eq!(again.status, off.status, "it tells since when it is off");
    world.completed_with_events(team, site, &[world.event(EventKind::ScanCompleted)]).await;
    assert_eq!(world.deliveries(team, id).await.len(), 2, "nothing is made for it");
    assert_eq!(world.deliveries(team, other).await.len(), 1, "the other endpoint receives it");
    let enabled = world.store.enable_endpoint(team, id).await.unwrap().unwrap();
    assert!(enabled.status.is_on(), "{enabled:?}");
    world.ping(team, id).await;
}
