//! Events of a completed check, or of a person, and the endpoints that they are sent to.

use a11ycheck_core::{
    domain::{DeliveryState, EventKind, Lease, NewEvent},
    id::{EndpointId, SiteId, TeamId},
    store::{Completion, LeaseError, SendError, Store},
};

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        outbox::steps::{BOTH, LONG, TERM, answered, timed_out},
        world::{INSTANT, World, failure},
    },
};

/// Makes a store with a team and a site that may be checked again at once.
async fn checked<S: Store>(factory: &impl StoreFactory<Store = S>) -> (World<S>, TeamId, SiteId) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    (world, team, site)
}

impl<S: Store> World<S> {
    fn both_events(&self) -> [NewEvent; 2] {
        [self.event(EventKind::ScanCompleted), self.event(EventKind::IssuesNew)]
    }
}

pub(crate) async fn a_completed_check_is_delivered_to_every_endpoint_that_listens<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (world, team, site) = checked(factory).await;
    let mut endpoints = [world.endpoint(team, BOTH).await, world.endpoint(team, BOTH).await];
    endpoints.sort_unstable();
    let event = world.event(EventKind::ScanCompleted);
    world.completed_with_events(team, site, std::slice::from_ref(&event)).await;
    let mut claimed = world.claim_deliveries().await;
    claimed.sort_by_key(|claimed| claimed.endpoint);
    assert_eq!(claimed.iter().map(|claimed| claimed.endpoint).collect::<Vec<_>>(), endpoints);
    for claimed in &claimed {
        assert_eq!((claimed.event, claimed.kind, &claimed.body), (event.id, event.kind, &event.body));
        assert_eq!((claimed.attempt, claimed.started_at), (1, world.now()));
        let [delivery] = world.deliveries(team, claimed.endpoint).await.try_into().unwrap();
        assert_eq!((delivery.id, delivery.event, delivery.kind), (claimed.claim.delivery, event.id, event.kind));
        assert_eq!((delivery.team, delivery.created_at), (team, world.now()));
        assert_eq!(delivery.state.attempts(), 0);
    }
    assert_ne!(claimed[0].claim.delivery, claimed[1].claim.delivery);
}

pub(crate) async fn an_endpoint_receives_what_it_listens_to_and_nothing_else<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (world, team, site) = checked(factory).await;
    let one = world.endpoint(team, &[EventKind::ScanCompleted]).await;
    let other = world.endpoint(team, &[EventKind::IssuesNew]).await;
    world.completed_with_events(team, site, &world.both_events()).await;
    let kinds = async |id: EndpointId| {
        let made = world.deliveries(team, id).await;
        made.iter().map(|delivery| (delivery.kind, delivery.state.clone())).collect::<Vec<_>>()
    };
    let due = DeliveryState::due(world.now());
    assert_eq!(kinds(one).await, [(EventKind::ScanCompleted, due.clone())]);
    assert_eq!(kinds(other).await, [(EventKind::IssuesNew, due)], "it waits for nothing that it does not listen to");
}

pub(crate) async fn a_later_event_is_blocked_until_the_first_attempt_of_the_one_before_has_ended<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (world, team, site) = checked(factory).await;
    let id = world.endpoint(team, BOTH).await;
    for report in [answered(204), answered(500), timed_out()] {
        world.completed_with_events(team, site, &world.both_events()).await;
        let first = world.claim_delivery().await;
        assert_eq!(first.kind, EventKind::ScanCompleted);
        let listed = world.deliveries(team, id).await;
        let later = listed.iter().find(|later| matches!(later.state, DeliveryState::Blocked { .. })).unwrap();
        assert_eq!(later.state, DeliveryState::Blocked { after: first.claim.delivery });
        world.advance(TERM - INSTANT);
        assert_eq!(world.due().await, []);
        world.record(first.claim, report).await;
        let second = world.claim_delivery().await;
        assert_eq!((second.claim.delivery, second.kind, second.attempt), (later.id, EventKind::IssuesNew, 1));
        world.record(second.claim, answered(200)).await;
        world.advance(LONG);
        world.attempt_all(&answered(200)).await;
    }
}

pub(crate) async fn a_later_event_waits_for_an_attempt_that_its_worker_left<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (world, team, site) = checked(factory).await;
    world.endpoint(team, BOTH).await;
    world.completed_with_events(team, site, &world.both_events()).await;
    for _ in 1..DeliveryState::MAX_TRIES {
        let left = world.claim_delivery().await;
        assert_eq!((left.kind, left.attempt), (EventKind::ScanCompleted, 1));
        world.advance(TERM);
    }
    let made = world.claim_delivery().await;
    world.record(made.claim, timed_out()).await;
    assert_eq!(world.claim_delivery().await.kind, EventKind::IssuesNew);
}

pub(crate) async fn a_later_event_waits_no_longer_when_an_attempt_is_given_up<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (world, team, site) = checked(factory).await;
    world.endpoint(team, BOTH).await;
    world.completed_with_events(team, site, &world.both_events()).await;
    for _ in 0..DeliveryState::MAX_TRIES {
        assert_eq!(world.claim_delivery().await.kind, EventKind::ScanCompleted);
        world.advance(TERM);
    }
    assert_eq!(world.claim_delivery().await.kind, EventKind::IssuesNew);
}

pub(crate) async fn a_refused_result_is_delivered_to_nobody<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let (world, team, site) = checked(factory).await;
    let id = world.endpoint(team, BOTH).await;
    let zombie = world.running(team, site).await;
    world.advance(Lease::TERM);
    let holder = world.claim().await;
    let events = world.both_events().to_vec();
    let late = Completion { events: events.clone(), ..world.completion() };
    assert_matches!(world.store.complete_scan(zombie, late).await, Err(LeaseError::Refused(_)));
    assert_eq!(world.deliveries(team, id).await, []);
    let result = Completion { events: events.clone(), ..world.completion() };
    world.store.complete_scan(holder, result.clone()).await.unwrap();
    assert_matches!(world.store.complete_scan(holder, result).await, Err(LeaseError::Refused(_)), "it ended");
    assert_eq!(world.deliveries(team, id).await.len(), 2, "each event once");
    world.store.delete_site(team, site).await.unwrap();
    let gone = Completion { events: world.both_events().to_vec(), ..world.completion() };
    assert_matches!(world.store.complete_scan(holder, gone).await, Err(LeaseError::Gone));
    assert_eq!(world.deliveries(team, id).await.len(), 2);
}

pub(crate) async fn a_failed_check_is_delivered_to_nobody<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let (world, team, site) = checked(factory).await;
    let id = world.endpoint(team, BOTH).await;
    let claim = world.running(team, site).await;
    world.store.fail_scan(claim, failure()).await.unwrap();
    assert_eq!(world.deliveries(team, id).await, []);
    assert_eq!(world.due().await, []);
}

pub(crate) async fn a_test_event_goes_to_one_endpoint_whatever_it_listens_to<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (world, team, _) = checked(factory).await;
    let id = world.endpoint(team, &[EventKind::IssuesNew]).await;
    world.endpoint(team, BOTH).await;
    let event = world.event(EventKind::Ping);
    let delivery = world.store.send_event(team, id, event.clone()).await.unwrap();
    assert_eq!((delivery.team, delivery.endpoint), (team, id));
    assert_eq!((delivery.event, delivery.kind, delivery.created_at), (event.id, EventKind::Ping, world.now()));
    assert_eq!(delivery.state, DeliveryState::due(world.now()));
    assert_eq!(world.deliveries(team, id).await, std::slice::from_ref(&delivery));
    let claimed = world.claim_delivery().await;
    assert_eq!((claimed.claim.delivery, claimed.endpoint, claimed.body), (delivery.id, id, event.body));
}

pub(crate) async fn a_taken_event_id_is_refused_and_changes_nothing<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let (world, team, site) = checked(factory).await;
    let id = world.endpoint(team, BOTH).await;
    let taken = world.ping(team, id).await;
    let event = NewEvent { id: taken.event, ..world.event(EventKind::ScanCompleted) };
    let refused = world.store.send_event(team, id, event.clone()).await;
    assert!(matches!(refused, Err(SendError::Store(_))), "{refused:?}");
    let claim = world.running(team, site).await;
    let result = Completion { events: vec![event], ..world.completion() };
    let refused = world.store.complete_scan(claim, result).await;
    assert!(matches!(refused, Err(LeaseError::Store(_))), "{refused:?}");
    assert_eq!(world.store.findings(team, claim.scan).await.unwrap(), None);
    assert_eq!(world.deliveries(team, id).await, [taken]);
    world.store.complete_scan(claim, world.completion()).await.unwrap();
}

pub(crate) async fn what_was_delivered_about_a_site_stays_when_the_site_is_deleted<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (world, team, site) = checked(factory).await;
    let id = world.endpoint(team, BOTH).await;
    world.completed_with_events(team, site, &world.both_events()).await;
    assert!(world.store.delete_site(team, site).await.unwrap());
    assert_eq!(world.deliveries(team, id).await.len(), 2);
    assert_eq!(world.claim_delivery().await.kind, EventKind::ScanCompleted);
}
