//! Endpoints.

use a11ycheck_core::{
    domain::{EndpointStatus, EventKind, NewEndpoint, WebhookEndpoint},
    id::{DeliveryId, EndpointId, TeamId},
    paging::PageRequest,
    store::{CreateEndpointError, RecordError, SendError, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        outbox::steps::{BOTH, answered, details},
        world::{INSTANT, World},
    },
};

pub(crate) async fn an_endpoint_reads_as_it_was_created<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    for events in [BOTH, &[EventKind::IssuesNew]] {
        let mut new = world.new_endpoint(events);
        new.details = details("http://[2606:4700::1]:8443/päth?q=ü", events);
        let endpoint = world.store.create_endpoint(team, new.clone()).await.unwrap();
        let NewEndpoint { id, details, .. } = new;
        let expected = WebhookEndpoint { id, team, details, status: EndpointStatus::ON, created_at: world.now() };
        assert_eq!(endpoint, expected);
        assert_eq!(world.endpoint_row(team, id).await, expected);
    }
}

pub(crate) async fn endpoints_are_listed_by_creation_then_id<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let mut together = [world.endpoint(team, BOTH).await, world.endpoint(team, BOTH).await];
    together.sort_unstable();
    world.advance(-INSTANT);
    let earlier = world.endpoint(team, BOTH).await;
    let listed: Vec<EndpointId> = world.store.endpoints(team).await.unwrap().iter().map(|listed| listed.id).collect();
    assert_eq!(listed, [earlier, together[0], together[1]]);
}

pub(crate) async fn a_team_has_five_endpoints_and_no_more<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, other) = (world.team().await, world.team().await);
    let mut last = None;
    for _ in 0..5 {
        last = Some(world.endpoint(team, BOTH).await);
    }
    let refused = world.store.create_endpoint(team, world.new_endpoint(BOTH)).await;
    assert!(matches!(refused, Err(CreateEndpointError::LimitReached)), "{refused:?}");
    assert_eq!(world.store.endpoints(team).await.unwrap().len(), 5);
    world.endpoint(other, BOTH).await;
    assert!(world.store.delete_endpoint(team, last.unwrap()).await.unwrap());
    world.endpoint(team, BOTH).await;
}

pub(crate) async fn an_endpoint_of_no_team_is_not_created<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let nobody = TeamId::generate(world.now());
    let refused = world.store.create_endpoint(nobody, world.new_endpoint(BOTH)).await;
    assert!(matches!(refused, Err(CreateEndpointError::NoTeam)), "{refused:?}");
    assert_eq!(world.store.endpoints(nobody).await.unwrap(), []);
}

pub(crate) async fn a_taken_endpoint_id_is_refused_and_changes_nothing<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, other) = (world.team().await, world.team().await);
    let id = world.endpoint(team, BOTH).await;
    let before = world.store.endpoints(team).await.unwrap();
    for team in [team, other] {
        let again = NewEndpoint { id, ..world.new_endpoint(&[EventKind::IssuesNew]) };
        let refused = world.store.create_endpoint(team, again).await;
        assert!(matches!(refused, Err(CreateEndpointError::Store(_))), "{refused:?}");
    }
    assert_eq!(world.store.endpoints(team).await.unwrap(), before);
    assert_eq!(world.store.endpoints(other).await.unwrap(), []);
}

pub(crate) async fn a_changed_endpoint_receives_what_it_listens_to_now_at_its_new_address<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    let id = world.endpoint(team, BOTH).await;
    world.completed_with_events(team, site, &[world.event(EventKind::ScanCompleted)]).await;
    let new = details("https://new.example/", &[EventKind::IssuesNew]);
    let changed = world.store.change_endpoint(team, id, new.clone()).await.unwrap().unwrap();
    assert_eq!(changed.details, new);
    assert_eq!(world.endpoint_row(team, id).await, changed);
    let pending = world.claim_delivery().await;
    assert_eq!((pending.kind, pending.url), (EventKind::ScanCompleted, new.url));
    world
        .completed_with_events(team, site, &[world.event(EventKind::ScanCompleted), world.event(EventKind::IssuesNew)])
        .await;
    assert_eq!(world.claim_delivery().await.kind, EventKind::IssuesNew);
}

pub(crate) async fn a_replaced_secret_signs_along_for_the_overlap_and_no_longer<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let new = world.new_endpoint(BOTH);
    let (id, first) = (new.id, new.secret.clone());
    world.store.create_endpoint(team, new).await.unwrap();
    let signing = async || {
        world.ping(team, id).await;
        let claimed = world.claim_delivery().await;
        world.record(claimed.claim, answered(204)).await;
        claimed.secrets
    };
    assert_eq!(signing().await, std::slice::from_ref(&first));
    let [second, third, fourth] = std::array::from_fn(|_| world.secret(id));
    let overlap = TimeDelta::hours(24);
    assert!(world.store.rotate_secret(team, id, second.clone(), overlap).await.unwrap());
    world.advance(overlap - INSTANT);
    assert_eq!(signing().await, [second.clone(), first]);
    world.advance(INSTANT);
    assert_eq!(signing().await, std::slice::from_ref(&second));
    assert!(world.store.rotate_secret(team, id, third.clone(), overlap).await.unwrap());
    assert!(world.store.rotate_secret(team, id, fourth.clone(), overlap).await.unwrap());
    assert_eq!(signing().await, [fourth.clone(), third], "never more than two");
    assert!(world.store.rotate_secret(team, id, second.clone(), TimeDelta::zero()).await.unwrap());
    assert_eq!(signing().await, [second], "without an overlap at once");
}

pub(crate) async fn a_deleted_endpoint_is_gone_with_deliveries_and_log<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (id, kept) = (world.endpoint(team, BOTH).await, world.endpoint(team, BOTH).await);
    let (logged, of_kept) = (world.ping(team, id).await, world.ping(team, kept).await);
    world.attempt_all(&answered(200)).await;
    let running = world.ping(team, id).await;
    let claimed = world.claim_delivery().await;
    let waiting = world.ping(team, id).await;
    assert!(world.store.delete_endpoint(team, id).await.unwrap());
    assert!(!world.store.delete_endpoint(team, id).await.unwrap(), "it is gone already");
    assert_eq!(world.store.deliveries(team, id, PageRequest::new(1, 10)).await.unwrap(), None);
    for delivery in [&logged, &running, &waiting] {
        assert_eq!(world.store.attempts(team, delivery.id).await.unwrap(), None);
        let again = world.store.resend_delivery(team, delivery.id).await;
        assert!(matches!(again, Err(SendError::NotFound)), "{again:?}");
    }
    let late = world.store.record_attempt(claimed.claim, answered(200)).await;
    assert!(matches!(late, Err(RecordError::Gone)), "{late:?}");
    world.advance(TimeDelta::days(1));
    assert_eq!(world.due().await, []);
    assert_eq!(world.deliveries(team, kept).await.len(), 1);
    assert_eq!(world.log(&of_kept).await.len(), 1, "the other endpoint is untouched");
    world.advance(TimeDelta::days(60));
    assert_eq!(world.store.purge_deliveries(10).await.unwrap(), 1);
}

pub(crate) async fn what_is_asked_of_no_endpoint_is_answered_with_nothing<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, store) = (world.team().await, &world.store);
    let (id, delivery) = (EndpointId::generate(world.now()), DeliveryId::generate(world.now()));
    assert_eq!(store.endpoints(team).await.unwrap(), []);
    assert_eq!(store.endpoints(TeamId::generate(world.now())).await.unwrap(), []);
    assert_eq!(store.change_endpoint(team, id, details("https://a.example/", BOTH)).await.unwrap(), None);
    assert!(!store.rotate_secret(team, id, world.secret(id), TimeDelta::zero()).await.unwrap());
    assert_eq!(store.enable_endpoint(team, id).await.unwrap(), None);
    assert_eq!(store.disable_endpoint(team, id).await.unwrap(), None);
    assert_eq!(store.delivery(team, delivery).await.unwrap(), None);
    assert!(!store.delete_endpoint(team, id).await.unwrap());
    assert_eq!(store.deliveries(team, id, PageRequest::new(1, 10)).await.unwrap(), None);
    assert_eq!(store.attempts(team, delivery).await.unwrap(), None);
    let sent = store.send_event(team, id, world.event(EventKind::Ping)).await;
    assert!(matches!(sent, Err(SendError::NotFound)), "{sent:?}");
    let sent = store.resend_delivery(team, delivery).await;
    assert!(matches!(sent, Err(SendError::NotFound)), "{sent:?}");
}
