//! A deleted site disappears as a whole.

use a11ycheck_core::{
    domain::{Depth, Lease, ScreenshotId},
    id::{ScanId, SiteId, TeamId},
    paging::PageRequest,
    store::{QueueDepth, StartScanError, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{fixtures, world::World},
};

impl<S: Store> World<S> {
    async fn delete(&self, team: TeamId, site: SiteId) {
        assert!(self.store.delete_site(team, site).await.unwrap());
    }

    async fn assert_nothing_left(&self, team: TeamId, site: SiteId, scans: &[ScanId]) {
        let store = &self.store;
        assert_eq!(store.site(team, site).await.unwrap(), None);
        assert_eq!(store.scans(team, site, PageRequest::new(1, 100)).await.unwrap(), None);
        assert_eq!(store.latest_completed(team, site).await.unwrap(), None);
        let listed = store.sites(team, None, PageRequest::new(1, 100)).await.unwrap().items;
        assert!(listed.iter().all(|listed| listed.id != site), "{listed:?}");
        for id in scans {
            assert_eq!(store.scan(team, *id).await.unwrap(), None);
            assert_eq!(store.findings(team, *id).await.unwrap(), None);
            assert_eq!(store.screen(team, *id).await.unwrap(), None);
            assert_eq!(store.screenshot(team, *id, ScreenshotId(7)).await.unwrap(), None);
            assert_eq!(store.trend(team, *id, 9).await.unwrap(), []);
            assert!(!store.mark_express(team, *id).await.unwrap());
        }
    }
}

pub(crate) async fn a_deleted_site_is_gone_with_checks_findings_and_files<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (team, site) = world.team_and_site().await;
    let other = world.site(team).await;
    let scans = [world.completed(team, site).await, world.completed(team, site).await, world.failed(team, site).await];
    let kept = world.completed(team, other).await;
    world.delete(team, site).await;
    world.assert_nothing_left(team, site, &scans).await;
    assert!(!world.store.delete_site(team, site).await.unwrap(), "it is gone already");
    let refused = world.store.start_manual_scan(team, site, ScanId::generate(world.now()), Depth::Full).await;
    assert!(matches!(refused, Err(StartScanError::NoSite)), "{refused:?}");
    assert_eq!(world.usage(team).await, (1, 1));
    assert_eq!(world.listed(team, other).await, [kept], "the other site is untouched");
    assert!(world.store.findings(team, kept).await.unwrap().is_some());
    assert!(world.store.screen(team, kept).await.unwrap().is_some());
}

pub(crate) async fn a_site_that_is_not_there_is_not_deleted<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    assert!(!world.store.delete_site(team, SiteId::generate(world.now())).await.unwrap());
    assert!(!world.store.delete_site(TeamId::generate(world.now()), site).await.unwrap());
    assert_eq!(world.usage(team).await, (1, 1));
}

pub(crate) async fn a_deleted_sites_queued_check_is_given_to_no_worker<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let scan = world.start(team, site).await;
    world.delete(team, site).await;
    assert_eq!(world.try_claim().await, None);
    assert_eq!(world.store.queue_depth().await.unwrap(), QueueDepth::default());
    world.assert_nothing_left(team, site, &[scan]).await;
}

pub(crate) async fn a_worker_that_checks_a_deleted_site_learns_so_and_its_result_is_dropped<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let claim = world.running(team, site).await;
    world.delete(team, site).await;
    world.assert_gone(claim).await;
    world.assert_nothing_left(team, site, &[claim.scan]).await;
    world.advance(Lease::TERM);
    assert_eq!(world.try_claim().await, None, "its lease ended, but there is nothing to take over");
    world.assert_gone(claim).await;
}

pub(crate) async fn a_deleted_site_never_falls_due<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.delete(team, site).await;
    world.advance(TimeDelta::days(100));
    let due = world.store.queue_due_scans(10).await.unwrap();
    assert_eq!((due.queued, due.more), (vec![], false));
}

pub(crate) async fn a_site_added_in_place_of_a_deleted_one_begins_anew<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.completed(team, site).await;
    world.delete(team, site).await;
    let again = world.site(team).await;
    assert_eq!(world.listed(team, again).await, []);
    assert_eq!(world.usage(team).await, (1, 1), "no interval is carried over");
}
