//! The part of its past that a team still sees.

use a11ycheck_core::{
    domain::{ScreenshotId, Subscription},
    id::{ScanId, SiteId, TeamId},
    store::Store,
};
use chrono::{DateTime, Months, TimeDelta, Utc};

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        world::{INSTANT, World},
    },
};

impl<S: Store> World<S> {
    /// Returns whether the team sees the check, on which every way of reading it must agree.
    async fn is_seen(&self, team: TeamId, site: SiteId, id: ScanId) -> bool {
        let scan = self.store.scan(team, id).await.unwrap();
        assert_eq!(self.listed(team, site).await.contains(&id), scan.is_some(), "the list");
        let is_completed = scan.as_ref().is_some_and(|scan| scan.outcome().is_some());
        assert_eq!(self.store.findings(team, id).await.unwrap().is_some(), is_completed, "findings");
        assert_eq!(self.store.screen(team, id).await.unwrap().is_some(), is_completed, "the first page");
        let picture = self.store.screenshot(team, id, ScreenshotId(7)).await.unwrap();
        assert_eq!(picture.is_some(), is_completed, "a picture");
        let trend = self.store.trend(team, id, 100).await.unwrap();
        assert_eq!(trend.last().map(|point| point.id), is_completed.then_some(id), "the trend");
        assert_eq!(self.store.mark_express(team, id).await.unwrap(), scan.is_some(), "the express mark");
        scan.is_some()
    }

    /// Returns the last instant at which a check that is queued now is within a history of `months`.
    pub(crate) fn end_of_history(&self, months: u32) -> DateTime<Utc> {
        self.now().checked_add_months(Months::new(months)).unwrap()
    }
}

pub(crate) async fn a_check_leaves_the_history_after_its_months_and_not_at_their_end<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let end = world.end_of_history(3);
    let old = world.completed(team, site).await;
    world.advance(TimeDelta::hours(2));
    let failed = world.failed(team, site).await;
    world.advance(TimeDelta::hours(2));
    let latest = world.completed(team, site).await;
    world.clock.set(end);
    assert!(world.is_seen(team, site, old).await);
    world.clock.set(end + INSTANT);
    assert!(!world.is_seen(team, site, old).await);
    assert!(world.is_seen(team, site, failed).await);
    world.clock.set(end + TimeDelta::hours(2));
    assert!(world.is_seen(team, site, failed).await);
    world.advance(INSTANT);
    assert!(!world.is_seen(team, site, failed).await, "a failed check leaves like any other");
    assert!(world.is_seen(team, site, latest).await);
}

pub(crate) async fn the_latest_completed_check_stays_in_the_history_until_there_is_a_later_one<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let old = world.completed(team, site).await;
    world.advance(TimeDelta::days(1_000));
    world.failed(team, site).await;
    world.advance(TimeDelta::days(1));
    assert!(world.is_seen(team, site, old).await);
    assert_eq!(world.store.latest_completed(team, site).await.unwrap().map(|scan| scan.id), Some(old));
    let new = world.completed(team, site).await;
    assert!(!world.is_seen(team, site, old).await);
    assert!(world.is_seen(team, site, new).await);
}

pub(crate) async fn an_active_check_is_in_the_history_however_old<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let id = world.start(team, site).await;
    world.advance(TimeDelta::days(1_000));
    assert!(world.is_seen(team, site, id).await, "queued");
    let claim = world.claim().await;
    assert!(world.is_seen(team, site, id).await, "running");
    world.store.fail_scan(claim, crate::suite::world::failure()).await.unwrap();
    assert!(!world.is_seen(team, site, id).await, "failed: it was queued too long ago");
}

pub(crate) async fn what_left_the_history_is_in_no_total_and_in_no_trend<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    for _ in 0..3 {
        world.completed(team, site).await;
        world.advance(TimeDelta::days(40));
    }
    let latest = world.completed(team, site).await;
    let listed = world.listed(team, site).await;
    assert_eq!(listed.len(), 3, "120 days ago is more than three months ago");
    let page = world.store.scans(team, site, a11ycheck_core::paging::PageRequest::new(1, 2)).await.unwrap().unwrap();
    assert_eq!((page.total, page.last_page()), (3, 2));
    let mut trend: Vec<ScanId> =
        world.store.trend(team, latest, 100).await.unwrap().into_iter().map(|point| point.id).collect();
    trend.reverse();
    assert_eq!(trend, listed);
}

pub(crate) async fn a_plan_of_a_longer_history_shows_again_what_was_not_purged<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let old = world.completed(team, site).await;
    world.advance(TimeDelta::days(100));
    world.completed(team, site).await;
    assert!(!world.is_seen(team, site, old).await);
    let long = fixtures::other_plan("long", |limits| limits.history_months = 24);
    world.put_plan(long.clone()).await;
    world.store.change_plan(team, &long.code, Subscription::ACTIVE).await.unwrap();
    assert!(world.is_seen(team, site, old).await);
    world.put_plan(fixtures::other_plan("long", |limits| limits.history_months = 1)).await;
    assert!(!world.is_seen(team, site, old).await, "and hides it again");
}
