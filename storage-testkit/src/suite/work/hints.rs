//! Loops of a process are notified of work that the process made due.

use std::{sync::Arc, time::Duration};

use a11ycheck_core::{
    domain::{EventKind, Lease, ScanState},
    id::{ScanId, SiteId, TeamId},
    store::{Completion, Store, Work},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        outbox::steps::{BOTH, answered},
        world::{World, failure},
    },
};

/// The time after which a hint counts as lost. A store of this process gives one in microseconds.
const LOST: Duration = Duration::from_secs(30);

impl<S: Store> World<S> {
    /// Takes the hint that a step has given.
    async fn hinted(&self, work: Work) {
        let hinted = tokio::time::timeout(LOST, self.store.hint(work)).await;
        hinted.unwrap_or_else(|_| panic!("no hint at {work:?} was given"));
    }

    /// Takes the hints that earlier steps have given.
    async fn unhinted(&self) {
        for work in Work::ALL {
            while tokio::time::timeout(Duration::ZERO, self.store.hint(work)).await.is_ok() {}
        }
    }
}

async fn checked<S: Store>(factory: &impl StoreFactory<Store = S>) -> (World<S>, TeamId, SiteId) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    world.unhinted().await;
    (world, team, site)
}

pub(crate) async fn a_queued_check_is_hinted_at<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let (world, team, site) = checked(factory).await;
    world.start(team, site).await;
    world.hinted(Work::Scans).await;
    let new = fixtures::new_site("https://other.example/", world.now());
    world.store.add_site(team, new, Some(ScanId::generate(world.now()))).await.unwrap();
    world.hinted(Work::Scans).await;
    while let Some(claimed) = world.try_claim().await {
        world.store.fail_scan(claimed.claim, failure()).await.unwrap();
    }
    world.unhinted().await;
    world.advance(TimeDelta::days(40));
    let due = world.store.queue_due_scans(10).await.unwrap();
    assert!(!due.queued.is_empty(), "{due:?}");
    world.hinted(Work::Scans).await;
}

pub(crate) async fn a_check_that_is_handed_back_is_hinted_at<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let (world, team, site) = checked(factory).await;
    let claim = world.running(team, site).await;
    world.unhinted().await;
    world.store.hand_back(claim).await.unwrap();
    world.hinted(Work::Scans).await;
}

pub(crate) async fn a_worker_that_is_given_a_check_passes_the_hint_on<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let (world, team, site) = checked(factory).await;
    world.start(team, site).await;
    world.unhinted().await;
    world.claim().await;
    world.hinted(Work::Scans).await;
}

pub(crate) async fn a_delivery_that_is_made_due_is_hinted_at<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let (world, team, site) = checked(factory).await;
    let endpoint = world.endpoint(team, BOTH).await;
    let events = vec![world.event(EventKind::ScanCompleted), world.event(EventKind::IssuesNew)];
    let claim = world.running(team, site).await;
    world.unhinted().await;
    world.store.complete_scan(claim, Completion { events, ..world.completion() }).await.unwrap();
    world.hinted(Work::Deliveries).await;

    let first = world.claim_delivery().await;
    world.unhinted().await;
    let ended = world.record(first.claim, answered(200)).await;
    world.hinted(Work::Deliveries).await;

    world.unhinted().await;
    world.ping(team, endpoint).await;
    world.hinted(Work::Deliveries).await;

    world.unhinted().await;
    world.store.resend_delivery(team, ended.id).await.unwrap();
    world.hinted(Work::Deliveries).await;
}

pub(crate) async fn whatever_is_logged_of_a_check_is_hinted_at<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let (world, team, site) = checked(factory).await;
    for is_completed in [true, false] {
        world.start(team, site).await;
        world.unhinted().await;
        let claim = world.claim().await;
        world.hinted(Work::Events).await;
        if is_completed {
            world.store.complete_scan(claim, world.completion()).await.unwrap();
        } else {
            world.store.fail_scan(claim, failure()).await.unwrap();
        }
        world.hinted(Work::Events).await;
    }
    world.start(team, site).await;
    for _ in 0..ScanState::MAX_ATTEMPTS {
        world.claim().await;
        world.advance(Lease::TERM);
    }
    world.unhinted().await;
    assert_eq!(world.try_claim().await, None);
    world.hinted(Work::Events).await;
}

pub(crate) async fn a_hint_is_kept_until_somebody_waits<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let (world, team, site) = checked(factory).await;
    world.start(team, site).await;
    // A loop that stops waiting before it was notified takes no hint along.
    drop(world.store.hint(Work::Scans));
    world.hinted(Work::Scans).await;
}

pub(crate) async fn one_who_waits_already_is_woken<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let (world, team, site) = checked(factory).await;
    let store = Arc::clone(&world.store);
    let waiting = tokio::spawn(async move { store.hint(Work::Scans).await });
    tokio::task::yield_now().await;
    world.start(team, site).await;
    tokio::time::timeout(LOST, waiting).await.expect("no hint was given").unwrap();
}
