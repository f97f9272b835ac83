//! Starting manual checks: one at a time, and never closer together than the plan's interval.

use a11ycheck_core::{
    domain::{Depth, Failure, FailureCode, IsoDuration, Lease, Scan, ScanKind, ScanState, Standing, Subscription},
    id::{ScanId, SiteId, TeamId},
    store::{StartScanError, Store},
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        world::{INSTANT, World, failure},
    },
};

impl<S: Store> World<S> {
    async fn try_start(&self, team: TeamId, site: SiteId) -> Result<Scan, StartScanError> {
        self.store.start_manual_scan(team, site, ScanId::generate(self.now()), Depth::Full).await
    }

    /// Makes a manual check that was queued, begun and failed now, for this reason.
    async fn failed_with(&self, team: TeamId, site: SiteId, code: FailureCode) {
        let claim = self.running(team, site).await;
        self.store.fail_scan(claim, Failure::new(code, "It failed.")).await.unwrap();
    }

    /// Asserts that a manual check may start at `from`, and not an instant earlier. Leaves it queued.
    async fn assert_free_from(&self, team: TeamId, site: SiteId, from: DateTime<Utc>, interval: IsoDuration) {
        self.clock.set(from - INSTANT);
        let refused = self.try_start(team, site).await;
        assert!(matches!(refused, Err(StartScanError::TooSoon(actual)) if actual == interval), "{refused:?}");
        self.clock.set(from);
        let started = self.try_start(team, site).await;
        assert!(started.is_ok(), "the interval is over: {started:?}");
    }
}

pub(crate) async fn a_manual_check_is_queued_with_the_plans_number_of_pages<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let id = ScanId::generate(world.now());
    let expected = Scan {
        id,
        team,
        site,
        kind: ScanKind::Manual,
        pages_requested: 25,
        queued_at: world.now(),
        state: ScanState::Queued,
        express: false,
        depth: Depth::Full,
    };
    assert_eq!(world.store.start_manual_scan(team, site, id, Depth::Full).await.unwrap(), expected);
    world.put_plan(fixtures::plan_with(|limits| limits.pages_per_check = 1)).await;
    assert_eq!(world.scan(team, id).await, expected, "as it was queued");
}

pub(crate) async fn a_check_keeps_the_depth_that_was_asked_for_through_every_state<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    for depth in [Depth::Incremental, Depth::Full] {
        let id = ScanId::generate(world.now());
        let queued = world.store.start_manual_scan(team, site, id, depth).await.unwrap();
        assert_eq!((queued.kind, queued.depth), (ScanKind::Manual, depth));
        assert_eq!(world.scan(team, id).await.depth, depth);
        let claimed = world.try_claim().await.unwrap();
        assert_eq!(claimed.scan.depth, depth, "{claimed:?}");
        world.store.hand_back(claimed.claim).await.unwrap();
        let claimed = world.try_claim().await.unwrap();
        assert_eq!(claimed.scan.depth, depth, "another worker has it: {claimed:?}");
        let completed = world.store.complete_scan(claimed.claim, world.completion()).await.unwrap();
        assert_eq!((completed.depth, world.scan(team, id).await.depth), (depth, depth));
        world.advance(TimeDelta::hours(2));
        let id = ScanId::generate(world.now());
        world.store.start_manual_scan(team, site, id, depth).await.unwrap();
        let failed = world.store.fail_scan(world.claim().await, failure()).await.unwrap();
        assert_eq!((failed.depth, world.scan(team, id).await.depth), (depth, depth));
        world.advance(TimeDelta::hours(2));
    }
    let (new, first) = (fixtures::new_site("https://new.example", world.now()), ScanId::generate(world.now()));
    world.store.add_site(team, new, Some(first)).await.unwrap();
    assert_eq!(world.scan(team, first).await.depth, Depth::Incremental, "as that of every check by the service");
}

pub(crate) async fn a_site_that_is_not_there_is_not_checked<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    for team in [team, TeamId::generate(world.now())] {
        let refused = world.try_start(team, SiteId::generate(world.now())).await;
        assert!(matches!(refused, Err(StartScanError::NoSite)), "{refused:?}");
    }
    assert_eq!(world.try_claim().await, None);
}

pub(crate) async fn a_site_with_a_queued_or_running_check_gets_no_second<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (new, first) = (fixtures::new_site("https://a.example", world.now()), ScanId::generate(world.now()));
    let site = world.store.add_site(team, new, Some(first)).await.unwrap().id;
    let refused = world.try_start(team, site).await;
    assert!(matches!(refused, Err(StartScanError::Active)), "its first check is queued: {refused:?}");
    let claim = world.claim().await;
    let refused = world.try_start(team, site).await;
    assert!(matches!(refused, Err(StartScanError::Active)), "its first check is running: {refused:?}");
    world.store.hand_back(claim).await.unwrap();
    let refused = world.try_start(team, site).await;
    assert!(matches!(refused, Err(StartScanError::Active)), "its first check was handed back: {refused:?}");
    assert_eq!(world.listed(team, site).await, [first]);
}

pub(crate) async fn an_active_check_is_refused_as_such_before_an_interval<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.start(team, site).await;
    let refused = world.try_start(team, site).await;
    assert!(matches!(refused, Err(StartScanError::Active)), "{refused:?}");
}

pub(crate) async fn a_manual_check_starts_when_the_interval_is_over_and_not_before<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let start = world.now();
    world.advance(TimeDelta::minutes(50));
    world.try_start(team, site).await.unwrap();
    let claim = world.claim().await;
    world.advance(TimeDelta::minutes(5));
    world.store.complete_scan(claim, world.completion()).await.unwrap();
    // An hour after it was started, not after it completed.
    world.assert_free_from(team, site, start + TimeDelta::minutes(110), IsoDuration::hours(1)).await;
}

pub(crate) async fn a_months_interval_follows_the_calendar<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::plan_with(|limits| limits.manual_check_interval = IsoDuration::months(1))).await;
    let (team, site) = world.team_and_site().await;
    let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
    world.clock.set(at("2027-01-31T10:00:00.5Z"));
    world.failed(team, site).await;
    world.assert_free_from(team, site, at("2027-02-28T10:00:00.5Z"), IsoDuration::months(1)).await;
}

pub(crate) async fn the_interval_is_that_of_the_plan_of_now<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let start = world.now();
    world.failed(team, site).await;
    let slow = fixtures::other_plan("slow", |limits| limits.manual_check_interval = IsoDuration::hours(5));
    world.put_plan(slow.clone()).await;
    world.store.change_plan(team, &slow.code, Subscription::ACTIVE).await.unwrap();
    world.assert_free_from(team, site, start + TimeDelta::hours(5), IsoDuration::hours(5)).await;
}

pub(crate) async fn a_failed_manual_check_counts_for_the_interval<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let start = world.now();
    world.failed(team, site).await;
    world.assert_free_from(team, site, start + TimeDelta::hours(1), IsoDuration::hours(1)).await;
}

pub(crate) async fn a_manual_check_that_failed_through_our_fault_is_given_back<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    for code in [FailureCode::WorkerLost, FailureCode::BrowserCrashed, FailureCode::EngineError, FailureCode::Proxy] {
        let site = world.site(team).await;
        world.failed_with(team, site, code).await;
        assert_eq!(world.usage(team).await, (1, 1), "{code}");
        let started = world.try_start(team, site).await;
        assert!(started.is_ok(), "{code}: {started:?}");
        world.store.delete_site(team, site).await.unwrap();
    }
    for code in [FailureCode::Dns, FailureCode::Unreachable, FailureCode::Timeout, FailureCode::LoginRequired] {
        let (site, start) = (world.site(team).await, world.now());
        world.failed_with(team, site, code).await;
        assert_eq!(world.usage(team).await, (1, 0), "{code}");
        world.assert_free_from(team, site, start + TimeDelta::hours(1), IsoDuration::hours(1)).await;
        world.store.delete_site(team, site).await.unwrap();
    }
}

pub(crate) async fn a_manual_check_whose_workers_were_lost_is_given_back<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let id = world.start(team, site).await;
    for _ in 0..ScanState::MAX_ATTEMPTS {
        world.claim().await;
        world.advance(Lease::TERM);
    }
    assert_eq!(world.try_claim().await, None);
    let state = world.state(team, id).await;
    assert!(
        matches!(&state, ScanState::Failed { failure, .. } if failure.code == FailureCode::WorkerLost),
        "{state:?}"
    );
    assert_eq!(world.usage(team).await, (1, 1));
    let started = world.try_start(team, site).await;
    assert!(started.is_ok(), "{started:?}");
}

pub(crate) async fn one_manual_check_is_given_back_in_an_interval<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let first = world.now();
    world.failed_with(team, site, FailureCode::EngineError).await;
    world.advance(TimeDelta::hours(1) - INSTANT);
    let second = world.now();
    world.failed_with(team, site, FailureCode::EngineError).await;
    assert_eq!(world.usage(team).await, (1, 0), "the second within an hour counts");
    world.assert_free_from(team, site, second + TimeDelta::hours(1), IsoDuration::hours(1)).await;
    assert!(world.now() >= first + TimeDelta::hours(1));
    let claim = world.claim().await;
    world.store.fail_scan(claim, Failure::new(FailureCode::EngineError, "It failed.")).await.unwrap();
    assert_eq!(world.usage(team).await, (1, 1), "the third, in another hour, does not");
}

pub(crate) async fn a_manual_check_that_is_given_back_leaves_the_one_before_to_count<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let start = world.now();
    world.completed(team, site).await;
    world.advance(TimeDelta::hours(1));
    world.failed_with(team, site, FailureCode::BrowserCrashed).await;
    let slow = fixtures::other_plan("slow", |limits| limits.manual_check_interval = IsoDuration::hours(5));
    world.put_plan(slow.clone()).await;
    world.store.change_plan(team, &slow.code, Subscription::ACTIVE).await.unwrap();
    world.assert_free_from(team, site, start + TimeDelta::hours(5), IsoDuration::hours(5)).await;
}

pub(crate) async fn a_scheduled_check_that_failed_through_our_fault_gives_nothing_back<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.clock.set(world.store.site(team, site).await.unwrap().unwrap().next_scan_at - TimeDelta::minutes(1));
    let start = world.now();
    world.completed(team, site).await;
    world.advance(TimeDelta::minutes(1));
    assert_eq!(world.store.queue_due_scans(10).await.unwrap().queued.len(), 1);
    let claim = world.claim().await;
    world.store.fail_scan(claim, Failure::worker_lost()).await.unwrap();
    assert_eq!(world.usage(team).await, (1, 0));
    world.assert_free_from(team, site, start + TimeDelta::hours(1), IsoDuration::hours(1)).await;
}

pub(crate) async fn a_purged_manual_check_counts_for_the_interval<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    let year = IsoDuration::months(12);
    world.put_plan(fixtures::plan_with(|limits| limits.manual_check_interval = year)).await;
    let (team, site) = world.team_and_site().await;
    let start = world.now();
    let scan = world.failed(team, site).await;
    world.advance(TimeDelta::days(200));
    assert_eq!(world.store.purge_scans(10).await.unwrap(), 1);
    assert_eq!(world.store.scan(team, scan).await.unwrap(), None);
    assert_eq!(world.usage(team).await, (1, 0));
    world.assert_free_from(team, site, year.after(start), year).await;
}

pub(crate) async fn a_scheduled_check_does_not_count_for_the_interval<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let (new, first) = (fixtures::new_site("https://a.example", world.now()), ScanId::generate(world.now()));
    let site = world.store.add_site(team, new, Some(first)).await.unwrap().id;
    let claim = world.claim().await;
    world.store.complete_scan(claim, world.completion()).await.unwrap();
    assert_eq!(world.usage(team).await, (1, 1));
    world.try_start(team, site).await.unwrap();
}

pub(crate) async fn a_refused_manual_check_does_not_prolong_the_interval<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let start = world.now();
    world.failed(team, site).await;
    for _ in 0..5 {
        world.advance(TimeDelta::minutes(10));
        world.try_start(team, site).await.unwrap_err();
    }
    world.assert_free_from(team, site, start + TimeDelta::hours(1), IsoDuration::hours(1)).await;
}

pub(crate) async fn each_site_has_an_interval_of_its_own<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.failed(team, site).await;
    let other = world.site(team).await;
    world.try_start(team, other).await.unwrap();
}

pub(crate) async fn a_blocked_teams_manual_check_is_not_judged_here<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.store.set_standing(team, Standing::Blocked).await.unwrap();
    world.try_start(team, site).await.unwrap();
}
