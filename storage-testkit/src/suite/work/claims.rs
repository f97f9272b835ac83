//! Claiming checks: which, by whom, and when they are abandoned.

use std::collections::BTreeSet;

use a11ycheck_core::{
    domain::{Depth, Failure, Lease, RetryBy, ScanState, Standing, Urgency},
    id::{NodeId, ScanId, TeamId, WorkerId},
    store::{ClaimedScan, QueueDepth, Store, Waiting},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        world::{INSTANT, World, lease_of, pages},
    },
};

impl<S: Store> World<S> {
    /// Lets a worker claim the check that is due and die: its lease ends.
    async fn lose_a_worker(&self) -> ClaimedScan {
        let claimed = self.try_claim().await.expect("a check is due");
        self.advance(Lease::TERM);
        claimed
    }

    /// Adds sites to a team and lets the schedule queue a check of each; the clock advances until they fall due.
    async fn scheduled(&self, team: TeamId, count: u32) -> BTreeSet<ScanId> {
        for _ in 0..count {
            self.site(team).await;
        }
        self.advance(TimeDelta::days(40));
        let due = self.store.queue_due_scans(u32::MAX).await.unwrap();
        due.queued.into_iter().filter(|scan| scan.team == team).map(|scan| scan.id).collect()
    }

    async fn depth(&self) -> QueueDepth {
        self.store.queue_depth().await.unwrap()
    }
}

pub(crate) async fn an_empty_queue_gives_nothing<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    world.team_and_site().await;
    assert_eq!(world.try_claim().await, None);
}

pub(crate) async fn a_claimed_check_runs_under_a_lease_of_the_worker<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let id = world.start(team, site).await;
    world.advance(TimeDelta::seconds(5));
    let worker = WorkerId::generate();
    let claimed = world.store.claim_scan(&worker, TimeDelta::seconds(7)).await.unwrap().unwrap();
    let lease = Lease { worker, token: claimed.claim.token, expires_at: world.now() + TimeDelta::seconds(7) };
    let expected = ScanState::Running { lease, attempt: 1, started_at: world.now(), pages_scanned: 0, pages_found: 0 };
    assert_eq!((claimed.claim.scan, &claimed.scan.state), (id, &expected));
    assert_eq!(world.scan(team, id).await, claimed.scan, "the team sees the same");
    assert_eq!(world.store.site(team, site).await.unwrap(), Some(claimed.site));
}

pub(crate) async fn the_longest_waiting_check_of_a_team_is_given_first_then_the_least_id<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let mut expected = Vec::new();
    for round in 0..3 {
        for _ in 0..6 {
            // An id of an earlier time on a later check, so that an order by id alone shows.
            let id = ScanId::generate(world.now() - TimeDelta::hours(round));
            world.store.start_manual_scan(team, world.site(team).await, id, Depth::Full).await.unwrap();
            expected.push((world.now(), id));
        }
        world.advance(INSTANT);
    }
    expected.sort_unstable();
    for (_, id) in expected {
        assert_eq!(world.claim().await.scan, id);
    }
    assert_eq!(world.try_claim().await, None);
}

pub(crate) async fn a_check_that_somebody_waits_for_begins_before_scheduled_ones<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let scheduled = world.scheduled(team, 40).await;
    world.advance(TimeDelta::minutes(5));
    let manual = world.start(team, world.site(team).await).await;
    let first_of_site = ScanId::generate(world.now());
    let new_site = fixtures::new_site("https://new.example", world.now());
    world.store.add_site(team, new_site, Some(first_of_site)).await.unwrap();
    let requested = BTreeSet::from([manual, first_of_site]);
    assert_eq!(BTreeSet::from([world.claim().await.scan, world.claim().await.scan]), requested);
    for _ in 0..scheduled.len() {
        let claimed = world.claim().await.scan;
        assert!(scheduled.contains(&claimed), "{claimed}");
    }
    assert_eq!(world.try_claim().await, None);
}

pub(crate) async fn requested_checks_do_not_put_a_scheduled_one_off_for_more_than_six_hours<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let [scheduled] = world.scheduled(team, 1).await.into_iter().collect::<Vec<_>>()[..] else { panic!("one is due") };
    world.advance(Urgency::HEAD_START - INSTANT);
    let in_time = world.start(team, world.site(team).await).await;
    world.advance(INSTANT * 2);
    let too_late = world.start(team, world.site(team).await).await;
    for expected in [in_time, scheduled, too_late] {
        assert_eq!(world.claim().await.scan, expected);
    }
}

pub(crate) async fn the_team_with_the_fewest_running_checks_is_served_first<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (busy, other, late) = (world.team().await, world.team().await, world.team().await);
    for _ in 0..40 {
        world.start(busy, world.site(busy).await).await;
    }
    world.advance(TimeDelta::minutes(1));
    for _ in 0..2 {
        world.start(other, world.site(other).await).await;
    }
    // Fair shares take precedence over urgency.
    world.scheduled(late, 1).await;
    let mut teams = Vec::new();
    for _ in 0..7 {
        teams.push(world.try_claim().await.expect("a check is due").scan.team);
    }
    assert_eq!(teams, [busy, other, late, busy, other, busy, busy], "one team alone uses all workers");
}

pub(crate) async fn a_check_whose_worker_was_lost_is_in_nobodys_share<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (lost, other) = (world.team().await, world.team().await);
    world.start(lost, world.site(lost).await).await;
    let first = world.lose_a_worker().await;
    world.start(other, world.site(other).await).await;
    world.start(other, world.site(other).await).await;
    assert_eq!(world.claim().await.scan, first.claim.scan, "no team has a running check, and this one waits longest");
}

pub(crate) async fn a_claimed_check_is_given_again_when_its_lease_ends_and_not_before<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let started_at = world.now();
    let first = world.running(team, site).await;
    world.store.renew_lease(first, Lease::TERM, pages(4)).await.unwrap();
    world.advance(Lease::TERM - INSTANT);
    assert_eq!(world.try_claim().await, None);
    world.advance(INSTANT);
    let second = world.try_claim().await.expect("the lease has ended");
    assert_eq!(second.claim.scan, first.scan);
    let (earlier, later) = (first.token, second.claim.token);
    assert!(later > earlier, "the token grows: {earlier:?}, {later:?}");
    let ScanState::Running { attempt, started_at: begun, pages_scanned, pages_found, .. } = second.scan.state else {
        panic!("{:?}", second.scan)
    };
    let counts = (pages_scanned, pages_found);
    assert_eq!((attempt, begun, counts), (2, started_at, (0, 0)), "another attempt at the same check");
}

pub(crate) async fn a_check_whose_lease_ended_keeps_its_place<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let other = world.site(team).await;
    let old = world.running(team, site).await;
    world.advance(INSTANT);
    let young = world.start(team, other).await;
    world.advance(Lease::TERM);
    assert_eq!(world.claim().await.scan, old.scan, "it waits longer");
    assert_eq!(world.claim().await.scan, young);
}

pub(crate) async fn a_check_whose_attempt_broke_is_left_to_other_nodes_first<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let (node, other) = (NodeId::generate(), NodeId::generate());
    let delay = TimeDelta::seconds(30);
    let id = world.start(team, site).await;
    let first = world.try_claim_on(&node).await.expect("nobody has had it yet").claim;
    world.store.retry_scan(first, delay, RetryBy::OtherNodesFirst).await.unwrap();
    world.advance(delay - INSTANT);
    assert_eq!(world.try_claim_on(&other).await, None, "no other node has it before the delay is over");
    world.advance(INSTANT);
    assert_eq!(world.try_claim_on(&node).await, None, "whichever worker of the node asks");
    let second = world.try_claim_on(&other).await.expect("another node has it as soon as the delay is over");
    assert_eq!((second.claim.scan, lease_of(&second.scan.state).1), (id, 2));
    world.store.retry_scan(second.claim, delay, RetryBy::OtherNodesFirst).await.unwrap();
    world.advance(delay);
    assert!(world.try_claim_on(&node).await.is_some(), "only the latest attempt counts");
}

pub(crate) async fn a_check_whose_worker_was_lost_is_left_to_other_nodes_first<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let (node, other) = (NodeId::generate(), NodeId::generate());
    world.start(team, site).await;
    world.try_claim_on(&node).await.expect("nobody has had it yet");
    world.advance(Lease::TERM);
    assert_eq!(world.try_claim_on(&node).await, None);
    assert!(world.try_claim_on(&other).await.is_some());
}

pub(crate) async fn a_node_that_is_alone_takes_its_check_again_in_the_end<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let node = NodeId::generate();
    world.start(team, site).await;
    let first = world.try_claim_on(&node).await.expect("nobody has had it yet").claim;
    world.store.retry_scan(first, TimeDelta::zero(), RetryBy::OtherNodesFirst).await.unwrap();
    world.advance(ScanState::OTHERS_FIRST - INSTANT);
    assert_eq!(world.try_claim_on(&node).await, None);
    world.advance(INSTANT);
    let second = world.try_claim_on(&node).await.expect("no other node has taken it");
    assert_eq!(lease_of(&second.scan.state).1, 2);
    world.advance(Lease::TERM + ScanState::OTHERS_FIRST - INSTANT);
    assert_eq!(world.try_claim_on(&node).await, None, "its worker was lost");
    world.advance(INSTANT);
    assert!(world.try_claim_on(&node).await.is_some());
}

pub(crate) async fn a_check_that_is_left_to_other_nodes_holds_no_other_up<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let node = NodeId::generate();
    // More of them than a store may consider at a time.
    for _ in 0..40 {
        world.start(team, world.site(team).await).await;
    }
    while let Some(claimed) = world.try_claim_on(&node).await {
        world.store.retry_scan(claimed.claim, TimeDelta::zero(), RetryBy::OtherNodesFirst).await.unwrap();
    }
    let (patient, waiting) = (world.team().await, world.depth().await.requested.checks);
    assert_eq!(waiting, 40, "they wait, and are counted");
    for team in [team, patient] {
        let fresh = world.start(team, world.site(team).await).await;
        assert_eq!(world.try_claim_on(&node).await.map(|claimed| claimed.claim.scan), Some(fresh));
    }
    assert_eq!(world.try_claim_on(&node).await, None);
}

pub(crate) async fn a_check_of_a_team_that_was_blocked_since_is_given_all_the_same<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let id = world.start(team, site).await;
    world.store.set_standing(team, Standing::Blocked).await.unwrap();
    assert_eq!(world.claim().await.scan, id);
}

pub(crate) async fn a_check_that_lost_three_workers_is_given_up<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let (id, started_at) = (world.start(team, site).await, world.now());
    let mut last = None;
    for attempt in 1..=ScanState::MAX_ATTEMPTS {
        let claimed = world.lose_a_worker().await;
        assert_eq!(lease_of(&claimed.scan.state).1, attempt);
        last = Some(claimed.claim);
    }
    assert_eq!(world.try_claim().await, None);
    let expected =
        ScanState::Failed { started_at, finished_at: world.now(), pages_scanned: 0, failure: Failure::worker_lost() };
    assert_eq!(world.state(team, id).await, expected);
    let late = world.store.complete_scan(last.unwrap(), world.completion()).await;
    late.expect_err("the last worker comes too late");
    assert_eq!(world.state(team, id).await, expected);
    world.advance(TimeDelta::hours(1));
    world.start(team, site).await;
}

pub(crate) async fn a_third_worker_that_lives_is_not_given_up<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.start(team, site).await;
    world.lose_a_worker().await;
    world.lose_a_worker().await;
    let claim = world.claim().await;
    world.advance(Lease::TERM - INSTANT);
    assert_eq!(world.try_claim().await, None);
    world.store.renew_lease(claim, Lease::TERM, pages(1)).await.unwrap();
    world.advance(INSTANT);
    assert_eq!(world.try_claim().await, None);
    world.store.complete_scan(claim, world.completion()).await.unwrap();
}

pub(crate) async fn checks_that_are_given_up_hold_no_other_up<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let mut lost = Vec::new();
    for _ in 0..3 {
        let site = world.site(team).await;
        lost.push(world.start(team, site).await);
    }
    for _ in 0..ScanState::MAX_ATTEMPTS {
        for _ in &lost {
            world.claim().await;
        }
        world.advance(Lease::TERM);
    }
    let waiting = world.start(team, world.site(team).await).await;
    assert_eq!(world.claim().await.scan, waiting, "one call is enough");
    for id in lost {
        assert!(matches!(world.state(team, id).await, ScanState::Failed { .. }), "{id}");
    }
}

pub(crate) async fn depth_counts_what_is_due_and_shows_since_when_the_first_waits<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let requested = |checks, oldest| QueueDepth { requested: Waiting { checks, oldest }, ..QueueDepth::default() };
    assert_eq!(world.depth().await, requested(0, None));
    let (team, site) = world.team_and_site().await;
    let (first, other) = (world.now(), world.site(team).await);
    world.start(team, site).await;
    world.advance(TimeDelta::seconds(1));
    world.start(team, other).await;
    assert_eq!(world.depth().await, requested(2, Some(first)));

    let claim = world.claim().await;
    let second = first + TimeDelta::seconds(1);
    assert_eq!(world.depth().await, requested(1, Some(second)), "a worker has the first");
    world.store.hand_back(claim).await.unwrap();
    assert_eq!(world.depth().await, requested(2, Some(first)), "it was handed back");
    let claim = world.claim().await;
    world.store.retry_scan(claim, TimeDelta::seconds(30), RetryBy::Anyone).await.unwrap();
    assert_eq!(world.depth().await, requested(1, Some(second)), "it is put off");
    world.advance(TimeDelta::seconds(30));
    assert_eq!(world.depth().await, requested(2, Some(first)));

    for _ in 0..2 {
        let claim = world.claim().await;
        world.store.complete_scan(claim, world.completion()).await.unwrap();
    }
    assert_eq!(world.depth().await, requested(0, None));
    let third = world.site(team).await;
    let queued_at = world.now();
    world.running(team, third).await;
    assert_eq!(world.depth().await, requested(0, None));
    world.advance(Lease::TERM);
    assert_eq!(world.depth().await, requested(1, Some(queued_at)), "its worker was lost");
}

pub(crate) async fn depth_distinguishes_checks_that_somebody_waits_for_from_those_of_the_schedule<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    world.scheduled(team, 3).await;
    let queued_at = world.now();
    let scheduled = |checks| Waiting { checks, oldest: Some(queued_at) };
    assert_eq!(world.depth().await, QueueDepth { requested: Waiting::default(), scheduled: scheduled(3) });
    world.advance(TimeDelta::minutes(5));
    let asked_at = world.now();
    let requested = |checks| Waiting { checks, oldest: Some(asked_at) };
    world.start(team, world.site(team).await).await;
    // The first check of a new site is of the kind `scheduled`, too, and somebody waits for it.
    let new_site = fixtures::new_site("https://new.example", world.now());
    world.store.add_site(team, new_site, Some(ScanId::generate(world.now()))).await.unwrap();
    assert_eq!(world.depth().await, QueueDepth { requested: requested(2), scheduled: scheduled(3) });
    // Its urgency stays the same, however often it is tried.
    let claim = world.claim().await;
    assert_eq!(world.depth().await, QueueDepth { requested: requested(1), scheduled: scheduled(3) });
    world.store.retry_scan(claim, TimeDelta::seconds(30), RetryBy::Anyone).await.unwrap();
    world.advance(TimeDelta::seconds(30));
    assert_eq!(world.depth().await, QueueDepth { requested: requested(2), scheduled: scheduled(3) });
}
