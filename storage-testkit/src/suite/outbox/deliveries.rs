//! Attempts: when they are due, which worker makes them, what follows.

use a11ycheck_core::{
    domain::{
        Attempt, AttemptReport, DeliveryRefusal, DeliveryState, DeliveryStatus, EndpointStatus, EventKind,
        FencingToken, next_attempt_at,
    },
    id::{DeliveryId, EndpointId, TeamId, WorkerId},
    store::{ClaimLimits, ClaimedDelivery, DeliveryClaim, DeliveryDepth, RecordError, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        outbox::steps::{BOTH, LONG, PLENTY, TERM, answered, timed_out},
        world::{INSTANT, World},
    },
};

impl<S: Store> World<S> {
    async fn team_and_endpoint(&self) -> (TeamId, EndpointId) {
        let team = self.team().await;
        (team, self.endpoint(team, BOTH).await)
    }

    async fn claim_within(&self, worker: &WorkerId, limits: ClaimLimits) -> Vec<ClaimedDelivery> {
        self.store.claim_deliveries(worker, limits, TERM, &self.ring.ids()).await.unwrap()
    }

    /// Lets the one due attempt, which has this number, be begun as often as it may be, and its workers die; returns
    /// what the last of them claimed.
    async fn lose_attempt(&self, number: u32) -> ClaimedDelivery {
        let mut last = None;
        for _ in 0..DeliveryState::MAX_TRIES {
            let claimed = self.claim_delivery().await;
            assert_eq!(claimed.attempt, number, "the same attempt again");
            last = Some(claimed);
            self.advance(TERM);
        }
        last.unwrap()
    }

    async fn assert_not_recorded(&self, claim: DeliveryClaim, refusal: DeliveryRefusal) {
        let recorded = self.store.record_attempt(claim, answered(200)).await;
        assert!(matches!(&recorded, Err(RecordError::Refused(actual)) if *actual == refusal), "{recorded:?}");
    }
}

fn ids(claimed: &[ClaimedDelivery]) -> Vec<DeliveryId> {
    claimed.iter().map(|claimed| claimed.claim.delivery).collect()
}

pub(crate) async fn nothing_due_gives_nothing<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    assert_eq!(world.due().await, []);
    world.team_and_endpoint().await;
    assert_eq!(world.due().await, []);
    assert_eq!(world.store.purge_deliveries(10).await.unwrap(), 0);
}

pub(crate) async fn a_delivery_that_always_fails_is_attempted_by_the_schedule_and_no_more<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, id) = world.team_and_endpoint().await;
    let delivery = world.ping(team, id).await;
    let mut body = None;
    for number in 1..=DeliveryState::MAX_ATTEMPTS {
        let claimed = world.claim_delivery().await;
        assert_eq!((claimed.claim.delivery, claimed.attempt), (delivery.id, number), "the same id, the next number");
        assert_eq!(*body.get_or_insert_with(|| claimed.body.clone()), claimed.body, "the same bytes");
        world.advance(TimeDelta::microseconds(9_876_543));
        let recorded = world.record(claimed.claim, timed_out()).await;
        assert_eq!(recorded, world.delivery(&delivery).await);
        let Some(next) = next_attempt_at(number, world.now()) else { break };
        let waits = DeliveryState::Waiting { attempts: number, token: claimed.claim.token, next_attempt_at: next };
        assert_eq!(recorded.state, waits);
        world.clock.set(next - INSTANT);
        assert_eq!(world.due().await, [], "not a microsecond early");
        world.clock.set(next);
    }
    assert_eq!(world.delivery_state(&delivery).await, DeliveryState::Failed { finished_at: world.now() });
    assert_eq!(world.log(&delivery).await.len(), 6);
    assert_eq!(world.status(team, id).await, EndpointStatus::On { failed_in_a_row: 1 });
    world.advance(TimeDelta::days(20));
    assert_eq!(world.due().await, []);
}

pub(crate) async fn a_delivery_ends_with_the_first_2xx<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, id) = world.team_and_endpoint().await;
    for (refusals, success) in [(0, 200), (1, 204), (5, 299)] {
        let delivery = world.ping(team, id).await;
        for _ in 0..refusals {
            world.attempt_all(&answered(301)).await;
            world.advance(LONG);
        }
        world.attempt_all(&answered(success)).await;
        let delivered = DeliveryState::Delivered { attempts: refusals + 1, finished_at: world.now() };
        assert_eq!(world.delivery_state(&delivery).await, delivered);
        world.advance(LONG);
        assert_eq!(world.due().await, []);
    }
}

pub(crate) async fn an_attempt_left_by_its_worker_is_made_again_with_its_number<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, id) = world.team_and_endpoint().await;
    let delivery = world.ping(team, id).await;
    world.attempt_all(&answered(500)).await;
    world.advance(LONG);
    let mut last = world.claim_delivery().await;
    for _ in 1..DeliveryState::MAX_TRIES {
        world.advance(TERM - INSTANT);
        assert_eq!(world.due().await, []);
        world.advance(INSTANT);
        let again = world.claim_delivery().await;
        assert_eq!((again.claim.delivery, again.attempt), (delivery.id, 2), "no attempt is used up");
        let (earlier, later) = (last.claim.token, again.claim.token);
        assert!(later > earlier, "the token grows: {earlier:?}, {later:?}");
        assert_eq!(again.started_at, world.now());
        world.assert_not_recorded(last.claim, DeliveryRefusal::LeaseLost).await;
        last = again;
    }
    world.record(last.claim, answered(200)).await;
    let numbers: Vec<u32> = world.log(&delivery).await.iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, [1, 2]);
}

pub(crate) async fn an_attempt_that_lost_three_workers_counts_as_failed<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, id) = world.team_and_endpoint().await;
    let delivery = world.ping(team, id).await;
    for number in 1..=2 {
        let last = world.lose_attempt(number).await;
        assert_eq!(world.delivery_status(&delivery).await, DeliveryStatus::Pending);
        assert_eq!(world.due().await, [], "it is given up, and not given to a fourth");
        let next = next_attempt_at(number, world.now()).unwrap();
        let waits = DeliveryState::Waiting { attempts: number, token: last.claim.token, next_attempt_at: next };
        assert_eq!(world.delivery_state(&delivery).await, waits, "by the schedule, from now on");
        let lost =
            Attempt { number, started_at: last.started_at, ended_at: world.now(), report: AttemptReport::WORKER_LOST };
        assert_eq!(world.log(&delivery).await.pop(), Some(lost));
        world.assert_not_recorded(last.claim, DeliveryRefusal::NotClaimed).await;
        world.clock.set(next - INSTANT);
        assert_eq!(world.due().await, []);
        world.clock.set(next);
    }
    world.attempt_all(&answered(200)).await;
    let delivered = DeliveryState::Delivered { attempts: 3, finished_at: world.now() };
    assert_eq!((world.delivery_state(&delivery).await, world.log(&delivery).await.len()), (delivered, 3));
}

pub(crate) async fn a_delivery_that_loses_every_worker_fails_in_the_end<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, id) = world.team_and_endpoint().await;
    let delivery = world.ping(team, id).await;
    for number in 1..=DeliveryState::MAX_ATTEMPTS {
        world.lose_attempt(number).await;
        assert_eq!(world.due().await, []);
        world.advance(LONG);
    }
    assert_eq!(world.due().await, []);
    assert_eq!(world.delivery_state(&delivery).await, DeliveryState::Failed { finished_at: world.now() - LONG });
    assert_eq!(world.status(team, id).await, EndpointStatus::On { failed_in_a_row: 1 });
    let log = world.log(&delivery).await;
    assert_eq!(log.len(), 6);
    assert!(log.iter().all(|attempt| attempt.report == AttemptReport::WORKER_LOST), "{log:?}");
}

pub(crate) async fn no_more_lost_attempts_are_given_up_than_asked_for<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, id) = world.team_and_endpoint().await;
    let mut lost = Vec::new();
    for _ in 0..3 {
        lost.push(world.ping(team, id).await);
    }
    for _ in 0..DeliveryState::MAX_TRIES {
        for _ in 0..3 {
            assert_eq!(world.claim_within(&WorkerId::generate(), ClaimLimits { all: 1, ..PLENTY }).await.len(), 1);
            world.advance(INSTANT);
        }
        world.advance(TERM);
    }
    for given_up in [2, 3, 3] {
        let limits = ClaimLimits { all: 2, ..PLENTY };
        assert_eq!(world.claim_within(&WorkerId::generate(), limits).await, []);
        let mut attempts = Vec::new();
        for delivery in &lost {
            attempts.push(world.delivery_state(delivery).await.attempts());
        }
        assert_eq!(attempts.iter().sum::<u32>(), given_up);
    }
}

pub(crate) async fn an_old_token_is_refused_and_changes_nothing<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, id) = world.team_and_endpoint().await;
    let delivery = world.ping(team, id).await;
    let never = DeliveryClaim { delivery: delivery.id, token: FencingToken::FIRST };
    for token in [FencingToken::NONE, FencingToken::FIRST] {
        world.assert_not_recorded(DeliveryClaim { token, ..never }, DeliveryRefusal::NotClaimed).await;
    }
    let old = world.claim_delivery().await.claim;
    world.advance(TERM);
    let new = world.claim_delivery().await.claim;
    let before = world.delivery(&delivery).await;
    world.advance(INSTANT);
    for token in [old.token, new.token.next(), FencingToken::NONE] {
        world.assert_not_recorded(DeliveryClaim { token, ..old }, DeliveryRefusal::LeaseLost).await;
        assert_eq!(world.delivery(&delivery).await, before);
        assert_eq!(world.log(&delivery).await, []);
    }
    let nothing = DeliveryClaim { delivery: DeliveryId::generate(world.now()), ..new };
    assert_matches!(world.store.record_attempt(nothing, answered(200)).await, Err(RecordError::Gone));
    world.record(new, answered(200)).await;
}

pub(crate) async fn an_attempt_is_recorded_once<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, id) = world.team_and_endpoint().await;
    let delivery = world.ping(team, id).await;
    let first = world.claim_delivery().await.claim;
    world.record(first, answered(500)).await;
    world.assert_not_recorded(first, DeliveryRefusal::NotClaimed).await;
    world.advance(LONG);
    let second = world.claim_delivery().await.claim;
    world.assert_not_recorded(first, DeliveryRefusal::LeaseLost).await;
    world.record(second, answered(200)).await;
    world.assert_not_recorded(second, DeliveryRefusal::Ended).await;
    assert_eq!(world.log(&delivery).await.len(), 2);
}

pub(crate) async fn a_lease_that_ended_but_was_not_taken_is_the_holders_to_record<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, id) = world.team_and_endpoint().await;
    world.ping(team, id).await;
    let claim = world.claim_delivery().await.claim;
    world.advance(TERM * 10);
    let delivered = world.record(claim, answered(200)).await.state;
    assert_eq!(delivered, DeliveryState::Delivered { attempts: 1, finished_at: world.now() });
    assert_eq!(world.due().await, []);
}

pub(crate) async fn what_fell_due_first_is_given_first<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, one) = world.team_and_endpoint().await;
    let other = world.endpoint(team, BOTH).await;
    let left = world.ping(team, one).await;
    world.claim_delivery().await;
    let retried = world.ping(team, one).await;
    world.attempt_all(&answered(500)).await;
    world.advance(TERM + INSTANT);
    let mut together = Vec::new();
    for number in 0..6 {
        together.push(world.ping(team, if number % 2 == 0 { one } else { other }).await.id);
    }
    together.sort_unstable();
    let given = ids(&world.claim_within(&WorkerId::generate(), ClaimLimits { all: 5, ..PLENTY }).await);
    let mut early = [left.id, retried.id];
    early.sort_unstable();
    assert_eq!(given, [&early[..], &together[..3]].concat(), "they fell due a microsecond before the others");
    assert_eq!(world.due().await, together[3..]);
}

pub(crate) async fn no_more_deliveries_are_given_than_asked_for<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, id) = world.team_and_endpoint().await;
    for _ in 0..5 {
        world.ping(team, id).await;
    }
    for (all, given) in [(0, 0), (2, 2), (10, 3)] {
        let claimed = world.claim_within(&WorkerId::generate(), ClaimLimits { all, ..PLENTY }).await;
        assert_eq!(claimed.len(), given);
    }
}

pub(crate) async fn an_endpoint_at_its_limit_is_skipped<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, slow) = world.team_and_endpoint().await;
    let quick = world.endpoint(team, BOTH).await;
    let limits = ClaimLimits { per_endpoint: 2, ..PLENTY };
    let mut queue = Vec::new();
    for _ in 0..5 {
        queue.push(world.ping(team, slow).await.id);
        world.advance(INSTANT);
    }
    let behind = world.ping(team, quick).await.id;
    let worker = WorkerId::generate();
    let first = world.claim_within(&worker, limits).await;
    assert_eq!(ids(&first), [queue[0], queue[1], behind]);
    assert_eq!(world.claim_within(&worker, limits).await, [], "two are under way");
    world.record(first[0].claim, answered(200)).await;
    let next = world.claim_within(&worker, limits).await;
    assert_eq!(ids(&next), [queue[2]], "one ended, one follows");
    world.advance(TERM);
    // The leases ended: attempts that were in progress are due again, in the order in which their leases ended.
    let again = world.claim_within(&worker, limits).await;
    assert_eq!(again.len(), 3);
    assert_eq!(again.iter().filter(|claimed| claimed.endpoint == slow).count(), 2);
}

pub(crate) async fn retries_beyond_their_limit_are_skipped<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, id) = world.team_and_endpoint().await;
    let mut failing = Vec::new();
    for _ in 0..3 {
        failing.push(world.ping(team, id).await.id);
        world.attempt_all(&answered(500)).await;
        world.advance(INSTANT);
    }
    world.advance(LONG);
    let fresh = world.ping(team, id).await.id;
    let limits = ClaimLimits { retries: 1, ..PLENTY };
    assert_eq!(ids(&world.claim_within(&WorkerId::generate(), limits).await), [failing[0], fresh]);
    let none = ClaimLimits { retries: 0, ..PLENTY };
    assert_eq!(world.claim_within(&WorkerId::generate(), none).await, []);
    world.advance(TERM);
    // A first attempt whose worker died is still a first attempt.
    assert_eq!(ids(&world.claim_within(&WorkerId::generate(), none).await), [fresh]);
    assert_eq!(world.due().await, [failing[1], failing[2], failing[0]]);
}

pub(crate) async fn limits_are_each_workers_own<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let id = world.endpoint(team, &[EventKind::IssuesNew]).await;
    for _ in 0..3 {
        world.ping(team, id).await;
    }
    let limits = ClaimLimits { per_endpoint: 1, ..PLENTY };
    let workers = [WorkerId::generate(), WorkerId::generate()];
    for worker in &workers {
        assert_eq!(world.claim_within(worker, limits).await.len(), 1);
    }
    for worker in &workers {
        assert_eq!(world.claim_within(worker, limits).await, []);
    }
}

pub(crate) async fn depth_counts_what_is_pending_and_due_and_shows_since_when<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let depth = async || world.store.delivery_depth().await.unwrap();
    let of = |pending, due, oldest_due| DeliveryDepth { pending, due, oldest_due, endpoints_off: 0 };
    assert_eq!(depth().await, of(0, 0, None));
    let (id, other) = (world.endpoint(team, BOTH).await, world.endpoint(team, &[EventKind::IssuesNew]).await);
    let first = world.now();
    world
        .completed_with_events(team, site, &[world.event(EventKind::ScanCompleted), world.event(EventKind::IssuesNew)])
        .await;
    world.advance(TimeDelta::seconds(1));
    world.ping(team, id).await;
    assert_eq!(depth().await, of(4, 3, Some(first)), "one waits for the first attempt of another");

    let claimed = world.claim_deliveries().await;
    assert_eq!(depth().await, of(4, 0, None), "a worker has what was due");
    world.advance(TERM);
    let oldest = Some(first + TimeDelta::seconds(1) + TERM);
    assert_eq!(depth().await, of(4, 3, oldest), "the leases have ended");
    for claimed in claimed {
        world.record(claimed.claim, timed_out()).await;
    }
    let unblocked = world.now();
    assert_eq!(depth().await, of(4, 1, Some(unblocked)), "the others wait for their next attempt");
    world.attempt_all(&answered(200)).await;
    assert_eq!(depth().await, of(3, 0, None));

    world.store.disable_endpoint(team, other).await.unwrap();
    assert_eq!(depth().await, DeliveryDepth { pending: 2, due: 0, oldest_due: None, endpoints_off: 1 });
    world.advance(LONG);
    world.attempt_all(&answered(200)).await;
    world.store.enable_endpoint(team, other).await.unwrap();
    assert_eq!(depth().await, of(0, 0, None));
}
