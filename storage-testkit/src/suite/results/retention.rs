//! The purge of what has left the history.

use a11ycheck_core::{
    domain::{IsoDuration, ScreenshotId, ShortenedHistory, Subscription},
    id::{ScanId, SiteId, TeamId},
    store::Store,
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        world::{INSTANT, World},
    },
};

impl<S: Store> World<S> {
    async fn purge(&self, limit: u32) -> u32 {
        self.store.purge_scans(limit).await.unwrap()
    }

    /// Returns the checks that are still stored: all are visible under a plan of a hundred years. Afterwards the plan
    /// is as it was, and the hold that comes with that is over.
    async fn stored(&self, team: TeamId, site: SiteId) -> Vec<ScanId> {
        self.put_plan(plan(1_200)).await;
        let listed = self.listed(team, site).await;
        self.put_plan(plan(3)).await;
        self.advance(ShortenedHistory::GRACE);
        listed
    }

    async fn held_until(&self, team: TeamId) -> Option<DateTime<Utc>> {
        self.store.purge_held_until(team).await.unwrap()
    }

    /// Makes two failed checks of 100 days ago, which have left a history of three months but not one of twelve.
    async fn old_checks(&self, team: TeamId, site: SiteId) -> [ScanId; 2] {
        let old = [self.failed(team, site).await, self.failed(team, site).await];
        self.advance(TimeDelta::days(100));
        old
    }
}

fn plan(months: u32) -> a11ycheck_core::domain::Plan {
    fixtures::plan_with(|limits| {
        limits.history_months = months;
        limits.manual_check_interval = IsoDuration::hours(0);
    })
}

/// Makes a store where manual checks may follow each other at once.
async fn world<S: Store>(factory: &impl StoreFactory<Store = S>) -> World<S> {
    let world = World::empty(factory).await;
    world.put_plan(plan(3)).await;
    world
}

pub(crate) async fn what_left_the_history_is_deleted_with_findings_and_files<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = world(factory).await;
    let (team, site) = world.team_and_site().await;
    let (old, failed) = (world.completed(team, site).await, world.failed(team, site).await);
    let end = world.end_of_history(3);
    world.advance(INSTANT);
    let latest = world.completed(team, site).await;
    world.clock.set(end);
    assert_eq!(world.purge(100).await, 0, "at the end of its months it is still in the history");
    world.clock.set(end + INSTANT);
    assert_eq!(world.purge(100).await, 2);
    assert_eq!(world.purge(100).await, 0);

    world.put_plan(plan(1_200)).await;
    for id in [old, failed] {
        assert_eq!(world.store.scan(team, id).await.unwrap(), None, "no plan brings it back");
        assert_eq!(world.store.findings(team, id).await.unwrap(), None);
        assert_eq!(world.store.screen(team, id).await.unwrap(), None);
        assert_eq!(world.store.screenshot(team, id, ScreenshotId(7)).await.unwrap(), None);
    }
    assert_eq!(world.listed(team, site).await, [latest]);
    assert!(world.store.findings(team, latest).await.unwrap().is_some());
}

pub(crate) async fn the_latest_completed_and_active_checks_are_not_purged<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = world(factory).await;
    let (team, site) = world.team_and_site().await;
    let (queued_at, other) = (world.now(), world.site(team).await);
    let latest = world.completed(team, site).await;
    world.advance(INSTANT);
    world.failed(team, site).await;
    let running = world.running(team, site).await;
    world.advance(INSTANT);
    let queued = world.start(team, other).await;
    world.advance(TimeDelta::days(1_000));
    assert_eq!(world.purge(100).await, 1, "the failed one");
    assert_eq!(world.stored(team, site).await, [running.scan, latest]);
    assert_eq!(world.stored(team, other).await, [queued]);
    assert_eq!(world.scan(team, latest).await.queued_at, queued_at);
    assert!(world.store.findings(team, latest).await.unwrap().is_some());
    assert_eq!(world.try_claim().await.map(|claimed| claimed.scan.site), Some(site), "its lease ended long ago");
    assert_eq!(world.try_claim().await.map(|claimed| claimed.scan.id), Some(queued));
}

pub(crate) async fn a_purge_deletes_no_more_than_its_limit_and_says_how_many<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = world(factory).await;
    let team = world.team().await;
    let sites = [world.site(team).await, world.site(team).await];
    for site in sites {
        for _ in 0..5 {
            world.completed(team, site).await;
            world.advance(INSTANT);
        }
    }
    world.advance(TimeDelta::days(100));
    assert_eq!(world.purge(3).await, 3);
    assert_eq!(world.stored(team, sites[0]).await.len() + world.stored(team, sites[1]).await.len(), 7);
    assert_eq!(world.purge(3).await, 3);
    assert_eq!(world.purge(3).await, 2, "fewer: the latest of each site stay");
    assert_eq!(world.purge(3).await, 0);
    for site in sites {
        assert_eq!(world.stored(team, site).await.len(), 1);
    }
}

pub(crate) async fn each_teams_checks_are_purged_by_its_own_plan<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = world(factory).await;
    let long = fixtures::other_plan("long", |limits| limits.history_months = 24);
    world.put_plan(long.clone()).await;
    let (short_team, short_site) = world.team_and_site().await;
    let long_team = world.team_on(&long.code).await;
    let long_site = world.site(long_team).await;
    let (gone, kept) = (world.failed(short_team, short_site).await, world.failed(long_team, long_site).await);
    world.advance(TimeDelta::days(365));
    assert_eq!(world.purge(100).await, 1);
    assert_eq!(world.listed(long_team, long_site).await, [kept]);
    assert_eq!(world.stored(short_team, short_site).await, [], "{gone}");
}

pub(crate) async fn a_move_of_a_purged_check_is_answered_with_gone<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = world(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    world.store.fail_scan(claim, crate::suite::world::failure()).await.unwrap();
    world.advance(TimeDelta::days(100));
    assert_eq!(world.purge(1).await, 1);
    let late = world.store.complete_scan(claim, world.completion()).await;
    assert!(matches!(late, Err(a11ycheck_core::store::LeaseError::Gone)), "{late:?}");
}

/// Makes a store with a plan of twelve months where manual checks may follow each other at once.
async fn world_of_a_year<S: Store>(factory: &impl StoreFactory<Store = S>) -> World<S> {
    let world = World::empty(factory).await;
    world.put_plan(plan(12)).await;
    world
}

pub(crate) async fn a_shortened_history_hides_at_once_and_purges_nothing_for_24_hours<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = world_of_a_year(factory).await;
    let (team, site) = world.team_and_site().await;
    let old = world.old_checks(team, site).await;
    assert_eq!(world.purge(100).await, 0);
    world.put_plan(plan(3)).await;
    let end = world.now() + TimeDelta::hours(24);
    assert_eq!(world.held_until(team).await, Some(end));
    assert_eq!(world.listed(team, site).await, [], "what is seen goes by the plan of now");
    for id in old {
        assert_eq!(world.store.scan(team, id).await.unwrap(), None);
    }
    assert_eq!(world.purge(100).await, 0);
    world.clock.set(end - INSTANT);
    assert_eq!(world.purge(100).await, 0);
    world.clock.set(end);
    assert_eq!(world.held_until(team).await, None);
    assert_eq!(world.purge(100).await, 2);
}

pub(crate) async fn a_team_put_on_a_plan_of_a_shorter_history_loses_nothing_for_24_hours<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = world_of_a_year(factory).await;
    let short = fixtures::other_plan("short", |limits| limits.history_months = 3);
    world.put_plan(short.clone()).await;
    let (team, site) = world.team_and_site().await;
    let neighbour = world.team().await;
    let old = world.old_checks(team, site).await;
    world.store.change_plan(team, &short.code, Subscription::ACTIVE).await.unwrap();
    let end = world.now() + TimeDelta::hours(24);
    assert_eq!((world.held_until(team).await, world.held_until(neighbour).await), (Some(end), None));
    assert_eq!(world.listed(team, site).await, []);
    world.clock.set(end - INSTANT);
    assert_eq!(world.purge(100).await, 0);
    world.store.change_plan(team, &fixtures::plan().code, Subscription::ACTIVE).await.unwrap();
    assert_eq!(world.listed(team, site).await.len(), old.len(), "put back in time, it has lost nothing");
    world.store.change_plan(team, &short.code, Subscription::ACTIVE).await.unwrap();
    world.advance(TimeDelta::hours(24));
    assert_eq!(world.purge(100).await, 2);
}

pub(crate) async fn a_shortened_history_that_is_put_back_in_time_brings_everything_back<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = world_of_a_year(factory).await;
    let (team, site) = world.team_and_site().await;
    let completed = world.completed(team, site).await;
    let old = world.old_checks(team, site).await;
    let latest = world.completed(team, site).await;
    world.put_plan(plan(3)).await;
    assert_eq!(world.listed(team, site).await, [latest]);
    world.advance(TimeDelta::hours(23));
    assert_eq!(world.purge(100).await, 0);
    world.put_plan(plan(12)).await;
    world.advance(TimeDelta::days(3));
    assert_eq!(world.purge(100).await, 0);
    assert_eq!(world.listed(team, site).await.len(), old.len() + 2);
    assert!(world.store.findings(team, completed).await.unwrap().is_some());
    assert!(world.store.screen(team, completed).await.unwrap().is_some());
}

pub(crate) async fn a_check_that_ends_does_not_end_a_hold<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = world_of_a_year(factory).await;
    let (team, site) = world.team_and_site().await;
    let completed = world.completed(team, site).await;
    world.old_checks(team, site).await;
    world.put_plan(plan(3)).await;
    world.advance(TimeDelta::hours(1));
    world.completed(team, site).await;
    assert_eq!(world.purge(100).await, 0, "{completed} is no longer the latest");
    world.put_plan(plan(3)).await;
    assert_eq!(world.purge(100).await, 0, "nor does the same plan, put again");
    world.advance(TimeDelta::hours(23));
    assert_eq!(world.purge(100).await, 3);
}

pub(crate) async fn each_shortening_holds_for_24_hours_of_its_own<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = world_of_a_year(factory).await;
    let (team, site) = world.team_and_site().await;
    world.old_checks(team, site).await;
    world.put_plan(plan(3)).await;
    world.advance(TimeDelta::hours(20));
    world.put_plan(plan(2)).await;
    let end = world.now() + TimeDelta::hours(24);
    assert_eq!(world.held_until(team).await, Some(end));
    world.clock.set(end - INSTANT);
    assert_eq!(world.purge(100).await, 0);
    world.clock.set(end);
    assert_eq!(world.purge(100).await, 2);
}

pub(crate) async fn a_history_that_is_not_shortened_holds_nothing_off<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = world_of_a_year(factory).await;
    let other = fixtures::other_plan("other", |limits| limits.history_months = 12);
    world.put_plan(other.clone()).await;
    let (team, site) = world.team_and_site().await;
    let shortened = world.team_on(&other.code).await;
    world.old_checks(team, site).await;
    world.advance(TimeDelta::days(365));
    let longer = fixtures::plan_with(|limits| limits.history_months = 13);
    world.put_plan(longer).await;
    world.store.change_plan(team, &fixtures::plan().code, Subscription::ACTIVE).await.unwrap();
    world.put_plan(fixtures::other_plan("other", |limits| limits.history_months = 1)).await;
    assert_eq!(world.held_until(team).await, None);
    assert!(world.held_until(shortened).await.is_some(), "a team without a check, too");
    assert_eq!(world.purge(100).await, 2);
}

pub(crate) async fn a_team_whose_first_check_ends_during_a_hold_loses_nothing<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = world_of_a_year(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    world.advance(TimeDelta::days(100));
    world.put_plan(plan(3)).await;
    world.store.fail_scan(claim, crate::suite::world::failure()).await.unwrap();
    assert_eq!(world.purge(100).await, 0);
    world.put_plan(plan(12)).await;
    assert_eq!(world.listed(team, site).await, [claim.scan]);
}
