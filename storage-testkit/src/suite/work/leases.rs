//! Leases: what a holder may do with its check, and what nobody else may.

use a11ycheck_core::{
    domain::{FencingToken, Lease, PageCounts, RetryBy, ScanState, ScanStatus, TransitionRefusal},
    id::{NodeId, ScanId},
    store::{Claim, LeaseError, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::world::{INSTANT, World, earlier, failure, lease_of, pages},
};

impl<S: Store> World<S> {
    /// Asserts that every transition with this claim is refused for this reason.
    async fn assert_refused(&self, claim: Claim, from: ScanStatus, refusal: TransitionRefusal) {
        for (name, to, error) in self.all_moves(claim).await {
            let LeaseError::Refused(actual) = &error else { panic!("{name}: {error:?}") };
            assert_eq!((actual.from, actual.to, actual.refusal), (from, to, refusal), "{name}");
        }
    }

    /// Asserts that every transition with this claim fails because the check was deleted.
    pub(crate) async fn assert_gone(&self, claim: Claim) {
        for (name, _, error) in self.all_moves(claim).await {
            assert!(matches!(error, LeaseError::Gone), "{name}: {error:?}");
        }
    }

    /// Returns the errors of all transitions, none of which may succeed.
    async fn all_moves(&self, claim: Claim) -> [(&'static str, ScanStatus, LeaseError); 5] {
        let store = &self.store;
        let result = store.complete_scan(claim, self.completion()).await;
        [
            ("renew_lease", ScanStatus::Running, store.renew_lease(claim, Lease::TERM, pages(9)).await.unwrap_err()),
            ("hand_back", ScanStatus::Running, store.hand_back(claim).await.unwrap_err()),
            (
                "retry_scan",
                ScanStatus::Running,
                store.retry_scan(claim, TimeDelta::zero(), RetryBy::Anyone).await.unwrap_err(),
            ),
            ("complete_scan", ScanStatus::Completed, result.unwrap_err()),
            ("fail_scan", ScanStatus::Failed, store.fail_scan(claim, failure()).await.unwrap_err()),
        ]
    }
}

pub(crate) async fn a_renewed_lease_lasts_a_term_from_now_and_records_the_pages<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    let started_at = world.now();
    let most = u32::try_from(i32::MAX).unwrap();
    for (done, found) in [(0, 1), (1, 9), (5, 5), (5, 7), (5, 6), (most, most)] {
        world.advance(TimeDelta::seconds(50));
        world.store.renew_lease(claim, Lease::TERM, PageCounts::new(done, found)).await.unwrap();
        let state = world.state(team, claim.scan).await;
        assert_eq!(lease_of(&state).0.expires_at, world.now() + Lease::TERM);
        let ScanState::Running { pages_scanned, pages_found, started_at: begun, attempt, .. } = state else {
            unreachable!()
        };
        assert_eq!((pages_scanned, pages_found, begun, attempt), (done, found, started_at, 1));
    }
    world.advance(Lease::TERM - INSTANT);
    assert_eq!(world.try_claim().await, None);
}

pub(crate) async fn running_checks_of_all_teams_are_listed_those_that_began_first_before_others<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let running = async |limit| {
        let scans = world.store.running_scans(limit).await.unwrap();
        for scan in &scans {
            assert_eq!(*scan, world.scan(scan.team, scan.id).await, "it reads as it does for its team");
        }
        scans.into_iter().map(|scan| scan.id).collect::<Vec<_>>()
    };
    let (team, site) = world.team_and_site().await;
    let (other, others_site) = world.team_and_site().await;
    assert!(running(10).await.is_empty());
    let first = world.running(team, site).await;
    world.advance(INSTANT);
    let second = world.running(other, others_site).await;
    let waiting = world.site_at(team, "https://waiting.example/").await.id;
    world.start(team, waiting).await;
    assert_eq!(running(10).await, [first.scan, second.scan]);
    assert_eq!(running(1).await, [first.scan]);
    world.advance(Lease::TERM);
    assert_eq!(running(10).await, [first.scan, second.scan], "also where the worker is lost");
    world.store.complete_scan(first, world.completion()).await.unwrap();
    world.store.fail_scan(second, failure()).await.unwrap();
    assert!(running(10).await.is_empty());
}

pub(crate) async fn a_lease_that_ended_but_was_not_taken_is_the_holders_still<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    world.advance(Lease::TERM * 10);
    world.store.renew_lease(claim, Lease::TERM, pages(2)).await.unwrap();
    assert_eq!(world.try_claim().await, None);
    world.advance(Lease::TERM * 10);
    world.store.complete_scan(claim, world.completion()).await.unwrap();
}

pub(crate) async fn an_old_token_is_refused_and_changes_nothing<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let old = world.running(team, site).await;
    world.advance(Lease::TERM);
    let new = world.claim().await;
    let before = world.scan(team, old.scan).await;
    world.advance(TimeDelta::seconds(1));
    for claim in [old, earlier(old), Claim { token: new.token.next(), ..new }] {
        world.assert_refused(claim, ScanStatus::Running, TransitionRefusal::LeaseLost).await;
        assert_eq!(world.scan(team, old.scan).await, before);
        assert_eq!(world.store.findings(team, old.scan).await.unwrap(), None);
        assert_eq!(world.store.screen(team, old.scan).await.unwrap(), None);
    }
    world.store.complete_scan(new, world.completion()).await.expect("the holder is not disturbed");
}

pub(crate) async fn a_check_that_nobody_claimed_can_not_be_moved<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let scan = world.start(team, site).await;
    for token in [FencingToken::from_stored(0), FencingToken::FIRST, FencingToken::from_stored(-1)] {
        world.assert_refused(Claim { scan, token }, ScanStatus::Queued, TransitionRefusal::NotClaimed).await;
    }
    assert_eq!(world.state(team, scan).await, ScanState::Queued);
}

pub(crate) async fn a_check_that_ended_stays_as_it_is<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let completed = world.running(team, site).await;
    world.store.complete_scan(completed, world.completion()).await.unwrap();
    let failed = world.running(team, world.site(team).await).await;
    world.store.fail_scan(failed, failure()).await.unwrap();
    for (claim, status) in [(completed, ScanStatus::Completed), (failed, ScanStatus::Failed)] {
        let before = (world.scan(team, claim.scan).await, world.store.findings(team, claim.scan).await.unwrap());
        world.advance(Lease::TERM);
        world.assert_refused(claim, status, TransitionRefusal::Ended).await;
        let after = (world.scan(team, claim.scan).await, world.store.findings(team, claim.scan).await.unwrap());
        assert_eq!(after, before);
    }
    assert_eq!(world.try_claim().await, None);
}

pub(crate) async fn a_check_that_never_was_is_gone<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let scan = ScanId::generate(world.now());
    world.assert_gone(Claim { scan, token: FencingToken::FIRST }).await;
}

pub(crate) async fn a_check_that_is_handed_back_is_due_at_once_and_the_attempt_is_not_counted<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.start(team, site).await;
    let mut last: Option<Claim> = None;
    // More often than a check may be begun.
    for _ in 0..5 {
        let claimed = world.try_claim().await.expect("it is due at once");
        assert_eq!(lease_of(&claimed.scan.state).1, 1);
        let token = claimed.claim.token;
        assert!(last.is_none_or(|last| last.token < token), "the token grows: {last:?}, {token:?}");
        world.store.renew_lease(claimed.claim, Lease::TERM, pages(3)).await.unwrap();
        world.store.hand_back(claimed.claim).await.unwrap();
        world.assert_refused(claimed.claim, ScanStatus::Running, TransitionRefusal::LeaseLost).await;
        last = Some(claimed.claim);
    }
}

pub(crate) async fn a_check_that_is_handed_back_is_due_at_once_on_the_same_node<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.start(team, site).await;
    let node = NodeId::generate();
    // The second time after an attempt that counts.
    for attempt in [1, 2] {
        for _ in 0..2 {
            let claimed = world.try_claim_on(&node).await.expect("it is due at once");
            assert_eq!(lease_of(&claimed.scan.state).1, attempt);
            world.store.hand_back(claimed.claim).await.unwrap();
        }
        let claimed = world.try_claim_on(&node).await.expect("it is due at once");
        if attempt == 1 {
            world.store.retry_scan(claimed.claim, TimeDelta::zero(), RetryBy::Anyone).await.unwrap();
        }
    }
}

pub(crate) async fn a_check_to_be_retried_is_due_after_the_delay_and_the_attempt_counts<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    let delay = TimeDelta::seconds(300);
    world.store.retry_scan(claim, delay, RetryBy::Anyone).await.unwrap();
    world.assert_refused(claim, ScanStatus::Running, TransitionRefusal::LeaseLost).await;
    world.advance(delay - INSTANT);
    assert_eq!(world.try_claim().await, None);
    world.advance(INSTANT);
    let second = world.try_claim().await.expect("the delay is over");
    assert_eq!(lease_of(&second.scan.state).1, 2);
    let (earlier, later) = (claim.token, second.claim.token);
    assert!(later > earlier, "the token grows: {earlier:?}, {later:?}");
}

pub(crate) async fn a_third_retry_is_refused_and_the_check_stays_with_its_holder<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.start(team, site).await;
    for _ in 1..ScanState::MAX_ATTEMPTS {
        let claim = world.claim().await;
        world.store.retry_scan(claim, TimeDelta::zero(), RetryBy::Anyone).await.unwrap();
    }
    let claim = world.claim().await;
    let before = world.scan(team, claim.scan).await;
    let refused = world.store.retry_scan(claim, TimeDelta::zero(), RetryBy::Anyone).await.unwrap_err();
    let expected = TransitionRefusal::AttemptsUsedUp;
    assert!(matches!(&refused, LeaseError::Refused(actual) if actual.refusal == expected), "{refused:?}");
    assert_eq!(world.scan(team, claim.scan).await, before);
    world.store.fail_scan(claim, failure()).await.unwrap();
}
