//! The log of deliveries: what is kept, for how long, and sending again.

use a11ycheck_core::{
    domain::{
        Attempt, AttemptFailure, AttemptReport, AttemptResult, Delivery, DeliveryState, DeliveryStatus, EventKind,
        Excerpt,
    },
    id::DeliveryId,
    paging::PageRequest,
    store::{DeliveryFilter, Resent, SendError, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        outbox::steps::{BOTH, answered, timed_out},
        world::{INSTANT, World},
    },
};

pub(crate) async fn every_end_of_an_attempt_reads_as_it_was_recorded<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    let long = "Ж".repeat(Excerpt::MAX_BYTES);
    let answers = [(100, ""), (301, "Moved"), (404, long.as_str()), (599, "\u{1f600}\r\n\t\"'\u{7f}"), (200, "ok")];
    let answers =
        answers.map(|(status, text)| AttemptResult::Answered { status, excerpt: Excerpt::of(text.as_bytes()) });
    let failures = [
        AttemptFailure::Dns,
        AttemptFailure::RefusedAddress,
        AttemptFailure::Connect,
        AttemptFailure::Tls,
        AttemptFailure::Timeout,
        AttemptFailure::BrokenOff,
        AttemptFailure::ProxyUnreachable,
        AttemptFailure::ProxyLogin,
        AttemptFailure::ProxyRefused,
        AttemptFailure::WorkerLost,
    ];
    for result in answers.into_iter().chain(failures.map(AttemptResult::Failed)) {
        let delivery = world.ping(team, id).await;
        world.advance(TimeDelta::seconds(2));
        let (started_at, claimed) = (world.now(), world.claim_delivery().await);
        world.advance(TimeDelta::microseconds(1_234_567));
        let report = AttemptReport { duration: TimeDelta::microseconds(1_200_001), result };
        world.record(claimed.claim, report.clone()).await;
        let attempt = Attempt { number: 1, started_at, ended_at: world.now(), report };
        assert_eq!(world.log(&delivery).await, [attempt]);
    }
}

pub(crate) async fn deliveries_are_listed_newest_first_then_greatest_id<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (id, other) = (world.endpoint(team, BOTH).await, world.endpoint(team, BOTH).await);
    let mut together = [world.ping(team, id).await.id, world.ping(team, id).await.id];
    together.sort_unstable();
    world.ping(team, other).await;
    world.advance(INSTANT);
    let newest = world.ping(team, id).await.id;
    let listed: Vec<DeliveryId> = world.deliveries(team, id).await.iter().map(|delivery| delivery.id).collect();
    assert_eq!(listed, [newest, together[1], together[0]]);
}

pub(crate) async fn pages_of_deliveries_skip_none_and_repeat_none<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    for number in 0..7 {
        world.ping(team, id).await;
        if number % 2 == 0 {
            world.advance(INSTANT);
        }
    }
    let mut paged: Vec<Delivery> = Vec::new();
    for number in 1..=4 {
        let page = world.store.deliveries(team, id, PageRequest::new(number, 2)).await.unwrap().unwrap();
        assert_eq!((page.total, page.request), (7, PageRequest::new(number, 2)));
        paged.extend(page.items);
    }
    assert_eq!(paged, world.deliveries(team, id).await);
    let beyond = world.store.deliveries(team, id, PageRequest::new(9, 2)).await.unwrap().unwrap();
    assert_eq!((beyond.items, beyond.total), (vec![], 7));
}

pub(crate) async fn a_delivery_reads_by_itself_as_it_does_in_the_list<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    world.ping(team, id).await;
    world.attempt_all(&answered(200)).await;
    world.ping(team, id).await;
    world.attempt_all(&timed_out()).await;
    world.ping(team, id).await;
    world.claim_delivery().await;
    world.ping(team, id).await;
    let listed = world.deliveries(team, id).await;
    assert_eq!(listed.len(), 4);
    for delivery in listed {
        assert_eq!(world.store.delivery(team, delivery.id).await.unwrap(), Some(delivery));
    }
}

pub(crate) async fn a_delivery_that_ended_is_sent_again_as_a_new_one_of_the_same_event<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    let event = world.event(EventKind::Ping);
    let delivered = world.store.send_event(team, id, event.clone()).await.unwrap();
    world.attempt_all(&answered(200)).await;
    let [failed] = world.fail(team, id, 1).await.try_into().unwrap();
    for ended in [delivered, failed] {
        let before = (world.delivery(&ended).await, world.log(&ended).await);
        let again = world.store.resend_delivery(team, ended.id).await.unwrap();
        assert_ne!(again.id, ended.id);
        let new = (again.team, again.endpoint, again.event, again.kind, again.created_at);
        assert_eq!(new, (team, id, ended.event, ended.kind, world.now()));
        assert_eq!(again.state, DeliveryState::due(world.now()));
        let claimed = world.claim_delivery().await;
        assert_eq!((claimed.claim.delivery, claimed.attempt, claimed.event), (again.id, 1, ended.event));
        if ended.event == event.id {
            assert_eq!(claimed.body, event.body);
        }
        world.record(claimed.claim, answered(204)).await;
        assert_eq!((world.delivery(&ended).await, world.log(&ended).await), before, "what ended stays as it is");
    }
}

pub(crate) async fn a_pending_delivery_is_not_sent_again<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    let delivery = world.ping(team, id).await;
    let refused = async || {
        let refused = world.store.resend_delivery(team, delivery.id).await;
        assert!(matches!(refused, Err(SendError::Pending)), "{refused:?}");
    };
    refused().await;
    let claimed = world.claim_delivery().await;
    refused().await;
    world.record(claimed.claim, timed_out()).await;
    refused().await;
    assert_eq!(world.deliveries(team, id).await.len(), 1);
}

pub(crate) async fn the_log_of_a_team_is_filtered_by_all_conditions_together<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, stranger) = (world.team().await, world.team().await);
    let (first, second) = (world.endpoint(team, BOTH).await, world.endpoint(team, BOTH).await);
    let foreign = world.endpoint(stranger, BOTH).await;
    world.ping(stranger, foreign).await;
    let begun = world.now();
    world.fail(team, first, 2).await;
    let later = world.now() + INSTANT;
    world.advance(INSTANT);
    for endpoint in [first, second] {
        world.store.send_event(team, endpoint, world.event(EventKind::ScanCompleted)).await.unwrap();
    }
    world.attempt_all(&answered(200)).await;
    world.advance(INSTANT);
    world.ping(team, first).await;
    let mut all = [world.deliveries(team, first).await, world.deliveries(team, second).await].concat();
    all.sort_unstable_by_key(|delivery| std::cmp::Reverse((delivery.created_at, delivery.id)));
    let endpoints = [None, Some(first), Some(second), Some(foreign)];
    let kinds = [None, Some(EventKind::Ping), Some(EventKind::ScanCompleted), Some(EventKind::IssuesNew)];
    let statuses = [
        None,
        Some(DeliveryStatus::Pending),
        Some(DeliveryStatus::Delivered),
        Some(DeliveryStatus::Failed),
        Some(DeliveryStatus::Dropped),
    ];
    for endpoint in endpoints {
        for kind in kinds {
            for status in statuses {
                for since in [None, Some(begun), Some(later), Some(world.now()), Some(world.now() + INSTANT)] {
                    let filter = DeliveryFilter { endpoint, kind, status, since };
                    let is_wanted = |delivery: &&Delivery| {
                        endpoint.is_none_or(|endpoint| delivery.endpoint == endpoint)
                            && kind.is_none_or(|kind| delivery.kind == kind)
                            && status.is_none_or(|status| delivery.state.status() == status)
                            && since.is_none_or(|since| delivery.created_at >= since)
                    };
                    let wanted: Vec<Delivery> = all.iter().filter(is_wanted).cloned().collect();
                    let page = world.store.delivery_log(team, &filter, PageRequest::new(1, 100)).await.unwrap();
                    assert_eq!((page.total, page.items), (wanted.len() as u64, wanted), "{filter:?}");
                }
            }
        }
    }
    let everything = DeliveryFilter::default();
    let second = world.store.delivery_log(team, &everything, PageRequest::new(2, 2)).await.unwrap();
    assert_eq!((second.total, second.items.as_slice()), (5, &all[2..4]));
    let beyond = world.store.delivery_log(team, &everything, PageRequest::new(9, 2)).await.unwrap();
    assert_eq!((beyond.total, beyond.items), (5, vec![]));
}

pub(crate) async fn what_was_not_received_is_sent_again_once_however_often_that_is_asked_for<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, stranger) = (world.team().await, world.team().await);
    let (id, other) = (world.endpoint(team, BOTH).await, world.endpoint(team, BOTH).await);
    world.fail(team, id, 1).await;
    world.advance(INSTANT);
    let since = world.now();
    let failed = world.fail(team, id, 3).await;
    world.fail(team, other, 1).await;
    world.ping(team, id).await;
    world.attempt_all(&answered(200)).await;
    let resend = async |limit| world.store.resend_failed(team, id, since, limit).await.unwrap();
    let waiting = async || {
        let listed = world.deliveries(team, id).await;
        let mut waiting: Vec<_> = listed
            .into_iter()
            .filter(|delivery| delivery.state.status() == DeliveryStatus::Pending)
            .map(|delivery| delivery.event)
            .collect();
        waiting.sort_unstable();
        waiting
    };
    world.advance(INSTANT);
    assert_eq!(resend(2).await, Resent { queued: 2, more: true });
    assert_eq!(resend(2).await, Resent { queued: 1, more: false });
    let mut wanted: Vec<_> = failed.iter().map(|delivery| delivery.event).collect();
    wanted.sort_unstable();
    assert_eq!(waiting().await, wanted, "each once, and neither what came before nor what goes elsewhere");
    assert_eq!(resend(10).await, Resent { queued: 0, more: false });
    world.attempt_all(&answered(200)).await;
    assert_eq!(resend(10).await, Resent { queued: 0, more: false }, "they were received");

    world.ping(team, id).await;
    world.store.disable_endpoint(team, id).await.unwrap().unwrap();
    let refused = world.store.resend_failed(team, id, since, 10).await;
    assert!(matches!(refused, Err(SendError::SwitchedOff)), "{refused:?}");
    world.store.enable_endpoint(team, id).await.unwrap().unwrap();
    world.advance(INSTANT);
    assert_eq!(resend(10).await, Resent { queued: 1, more: false }, "what was dropped was not received either");
    let refused = world.store.resend_failed(stranger, id, since, 10).await;
    assert!(matches!(refused, Err(SendError::NotFound)), "{refused:?}");
}

pub(crate) async fn a_delivery_leaves_the_log_after_thirty_days_and_not_at_their_end<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    let delivered = world.ping(team, id).await;
    world.attempt_all(&answered(200)).await;
    world.advance(INSTANT);
    let later = world.ping(team, id).await;
    world.attempt_all(&answered(200)).await;
    world.advance(TimeDelta::days(30) - INSTANT);
    assert_eq!(world.store.purge_deliveries(10).await.unwrap(), 0);
    world.advance(INSTANT);
    assert_eq!(world.store.purge_deliveries(10).await.unwrap(), 1);
    assert_eq!(world.store.attempts(team, delivered.id).await.unwrap(), None);
    assert_eq!(world.deliveries(team, id).await.iter().map(|kept| kept.id).collect::<Vec<_>>(), [later.id]);
    assert_eq!(world.log(&later).await.len(), 1);
    world.advance(INSTANT);
    assert_eq!(world.store.purge_deliveries(10).await.unwrap(), 1);
    assert_eq!(world.deliveries(team, id).await, []);
}

pub(crate) async fn a_pending_delivery_is_never_purged<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    let [waiting, left] = [world.ping(team, id).await, world.ping(team, id).await];
    for claimed in world.claim_deliveries().await {
        if claimed.claim.delivery == waiting.id {
            world.record(claimed.claim, answered(500)).await;
        }
    }
    world.advance(TimeDelta::days(400));
    assert_eq!(world.store.purge_deliveries(10).await.unwrap(), 0);
    for delivery in [waiting, left] {
        assert_eq!(world.delivery_status(&delivery).await, DeliveryStatus::Pending);
    }
    assert_eq!(world.due().await.len(), 2);
}

pub(crate) async fn a_purge_of_deliveries_deletes_no_more_than_its_limit_and_says_how_many<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    for _ in 0..2 {
        let team = world.team().await;
        let id = world.endpoint(team, BOTH).await;
        for _ in 0..4 {
            world.ping(team, id).await;
        }
    }
    world.attempt_all(&answered(200)).await;
    world.advance(TimeDelta::days(31));
    assert_eq!(world.store.purge_deliveries(0).await.unwrap(), 0);
    for purged in [3, 3, 2, 0] {
        assert_eq!(world.store.purge_deliveries(3).await.unwrap(), purged);
    }
}

pub(crate) async fn an_event_stays_as_long_as_a_delivery_needs_it<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, BOTH).await;
    let event = world.event(EventKind::Ping);
    let first = world.store.send_event(team, id, event.clone()).await.unwrap();
    world.attempt_all(&answered(200)).await;
    world.advance(TimeDelta::days(20));
    let again = world.store.resend_delivery(team, first.id).await.unwrap();
    world.attempt_all(&answered(200)).await;
    world.advance(TimeDelta::days(20));
    assert_eq!(world.store.purge_deliveries(10).await.unwrap(), 1);
    let third = world.store.resend_delivery(team, again.id).await.unwrap();
    let claimed = world.claim_delivery().await;
    assert_eq!((claimed.claim.delivery, claimed.event, claimed.body), (third.id, event.id, event.body));
}
