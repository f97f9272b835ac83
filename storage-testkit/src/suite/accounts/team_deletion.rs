//! A deleted team disappears as a whole, and no other loses anything.

use a11ycheck_core::{
    domain::{
        DeliveryStatus, Depth, EventKind, Lease, RequestClass, ScreenshotId, Standing, Subscription, TeamBrand,
        TokenHash,
    },
    id::{DeliveryId, EndpointId, ScanId, SiteId, TeamId},
    locale::Locale,
    paging::PageRequest,
    store::{
        AddSiteError, CreateEndpointError, DocumentKey, LeaseError, QueueDepth, RecordError, SendError, StartScanError,
        Store, UnknownPlan,
    },
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        outbox::steps::{BOTH, answered},
        world::{World, pages},
    },
};

/// A team with some of everything that a team can have.
struct FullTeam {
    team: TeamId,
    hashes: [TokenHash; 2],
    sites: [SiteId; 2],
    scans: Vec<ScanId>,
    endpoint: EndpointId,
    /// A delivery that was received, and one that waits.
    deliveries: [DeliveryId; 2],
}

impl<S: Store> World<S> {
    async fn full_team(&self) -> FullTeam {
        let team = self.team().await;
        let hashes = [self.token(team).await.1, self.token(team).await.1];
        for hash in &hashes {
            self.store.admit_token(hash, RequestClass::General).await.unwrap();
        }
        assert!(self.store.set_brand(team, fixtures::brand(64)).await.unwrap());
        let sites = [self.site(team).await, self.site(team).await];
        let endpoint = self.endpoint(team, BOTH).await;
        let mut scans = Vec::new();
        for site in sites {
            scans.push(self.completed_with_events(team, site, &[self.event(EventKind::ScanCompleted)]).await);
            scans.push(self.failed(team, site).await);
        }
        self.attempt_all(&answered(200)).await;
        let received = self.deliveries(team, endpoint).await.remove(0);
        let waiting = self.ping(team, endpoint).await;
        FullTeam { team, hashes, sites, scans, endpoint, deliveries: [received.id, waiting.id] }
    }

    /// Asserts that nothing of the team can be seen, with any method.
    async fn assert_no_trace(&self, gone: &FullTeam) {
        let (store, team, many) = (&self.store, gone.team, PageRequest::new(1, 100));
        assert_eq!(store.team(team).await.unwrap(), None);
        let listed = store.teams(many).await.unwrap().items;
        assert!(listed.iter().all(|listed| listed.id != team), "{listed:?}");
        assert_eq!(store.tokens(team).await.unwrap(), []);
        for hash in &gone.hashes {
            assert_eq!(store.admit_token(hash, RequestClass::General).await.unwrap(), None);
        }
        assert_eq!(store.brand(team).await.unwrap(), TeamBrand::default());
        assert_eq!(store.sites(team, None, many).await.unwrap().items, []);
        for site in gone.sites {
            assert_eq!(store.site(team, site).await.unwrap(), None);
            assert_eq!(store.scans(team, site, many).await.unwrap(), None);
            assert_eq!(store.latest_completed(team, site).await.unwrap(), None);
        }
        for scan in &gone.scans {
            assert_eq!(store.scan(team, *scan).await.unwrap(), None);
            assert_eq!(store.findings(team, *scan).await.unwrap(), None);
            assert_eq!(store.screen(team, *scan).await.unwrap(), None);
            assert_eq!(store.screenshot(team, *scan, ScreenshotId(7)).await.unwrap(), None);
            assert_eq!(store.document(team, *scan, DocumentKey::Report(Locale::En)).await.unwrap(), None);
        }
        assert_eq!(store.endpoints(team).await.unwrap(), []);
        assert_eq!(store.deliveries(team, gone.endpoint, many).await.unwrap(), None);
        for delivery in gone.deliveries {
            assert_eq!(store.delivery(team, delivery).await.unwrap(), None);
            assert_eq!(store.attempts(team, delivery).await.unwrap(), None);
        }
    }

    async fn delete_team(&self, team: TeamId) {
        assert!(self.store.delete_team(team).await.unwrap());
    }
}

async fn roomy<S: Store>(factory: &impl StoreFactory<Store = S>) -> World<S> {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    world
}

pub(crate) async fn a_deleted_team_is_gone_with_all_that_it_had<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = roomy(factory).await;
    let (gone, store) = (world.full_team().await, &world.store);
    world.delete_team(gone.team).await;
    world.assert_no_trace(&gone).await;
    assert!(!store.delete_team(gone.team).await.unwrap(), "it is gone already");

    let (team, now) = (gone.team, world.now());
    assert!(!store.set_standing(team, Standing::Blocked).await.unwrap());
    let plan = fixtures::roomy().code;
    assert!(!store.change_plan(team, &plan, Subscription::ACTIVE).await.unwrap());
    assert!(!store.set_brand(team, fixtures::brand(1)).await.unwrap());
    assert_eq!(store.create_token(team, fixtures::new_token(now)).await.unwrap(), None);
    let refused = store.add_site(team, fixtures::new_site("https://a.example", now), None).await;
    assert!(matches!(refused, Err(AddSiteError::NoTeam)), "{refused:?}");
    let refused = store.start_manual_scan(team, gone.sites[0], ScanId::generate(now), Depth::Full).await;
    assert!(matches!(refused, Err(StartScanError::NoSite)), "{refused:?}");
    let refused = store.create_endpoint(team, world.new_endpoint(BOTH)).await;
    assert!(matches!(refused, Err(CreateEndpointError::NoTeam)), "{refused:?}");
    let refused = store.send_event(team, gone.endpoint, world.event(EventKind::Ping)).await;
    assert!(matches!(refused, Err(SendError::NotFound)), "{refused:?}");
}

pub(crate) async fn a_team_that_is_not_there_is_not_deleted<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, _) = world.team_and_site().await;
    assert!(!world.store.delete_team(TeamId::generate(world.now())).await.unwrap());
    assert!(world.store.team(team).await.unwrap().is_some());
    assert_eq!(world.usage(team).await, (1, 1));
}

pub(crate) async fn a_deleted_team_leaves_every_other_as_it_is<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = roomy(factory).await;
    let (gone, kept) = (world.full_team().await, world.full_team().await);
    let (store, team) = (&world.store, kept.team);
    let before = (store.team(team).await.unwrap(), world.deliveries(team, kept.endpoint).await);
    world.delete_team(gone.team).await;
    world.assert_no_trace(&gone).await;
    assert_eq!((store.team(team).await.unwrap(), world.deliveries(team, kept.endpoint).await), before);
    assert_eq!(store.brand(team).await.unwrap(), fixtures::brand(64));
    assert_eq!(store.tokens(team).await.unwrap().len(), 2);
    assert!(store.admit_token(&kept.hashes[0], RequestClass::General).await.unwrap().is_some());
    assert_eq!(world.usage(team).await.0, 2);
    for scan in &kept.scans {
        let completed = world.scan(team, *scan).await.outcome().is_some();
        assert_eq!(store.findings(team, *scan).await.unwrap().is_some(), completed);
        assert_eq!(store.screen(team, *scan).await.unwrap().is_some(), completed);
    }
    assert_eq!(store.attempts(team, kept.deliveries[0]).await.unwrap().unwrap().len(), 1);
    // The one that waits is delivered.
    assert_eq!(world.claim_delivery().await.claim.delivery, kept.deliveries[1]);
}

pub(crate) async fn a_deleted_teams_checks_are_given_to_no_worker_and_its_sites_never_fall_due<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.start(team, site).await;
    world.site(team).await;
    world.delete_team(team).await;
    assert_eq!(world.try_claim().await, None);
    assert_eq!(world.store.queue_depth().await.unwrap(), QueueDepth::default());
    world.advance(TimeDelta::days(100));
    let due = world.store.queue_due_scans(10).await.unwrap();
    assert_eq!((due.queued, due.more), (vec![], false));
}

pub(crate) async fn a_worker_that_checks_a_deleted_teams_site_learns_so_and_its_result_is_dropped<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.endpoint(team, BOTH).await;
    let claim = world.running(team, site).await;
    world.delete_team(team).await;
    let renewed = world.store.renew_lease(claim, Lease::TERM, pages(1)).await;
    assert!(matches!(renewed, Err(LeaseError::Gone)), "{renewed:?}");
    let completion =
        a11ycheck_core::store::Completion { events: vec![world.event(EventKind::ScanCompleted)], ..world.completion() };
    let completed = world.store.complete_scan(claim, completion).await;
    assert!(matches!(completed, Err(LeaseError::Gone)), "{completed:?}");
    assert_eq!(world.store.findings(team, claim.scan).await.unwrap(), None);
    world.advance(Lease::TERM);
    assert_eq!(world.try_claim().await, None, "its lease ended, but there is nothing to take over");
    assert_eq!(world.due().await, []);
}

pub(crate) async fn nothing_more_is_delivered_to_a_deleted_team<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let team = world.team().await;
    let endpoint = world.endpoint(team, BOTH).await;
    let under_way = world.ping(team, endpoint).await;
    let claimed = world.claim_delivery().await;
    assert_eq!(claimed.claim.delivery, under_way.id);
    assert_eq!(world.ping(team, endpoint).await.state.status(), DeliveryStatus::Pending);
    world.delete_team(team).await;
    let late = world.store.record_attempt(claimed.claim, answered(200)).await;
    assert!(matches!(late, Err(RecordError::Gone)), "{late:?}");
    world.advance(TimeDelta::days(1));
    assert_eq!(world.due().await, []);
    assert_eq!(world.store.delivery_depth().await.unwrap().pending, 0);
}

pub(crate) async fn a_purge_finds_nothing_of_a_deleted_team<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = roomy(factory).await;
    let gone = world.full_team().await;
    world.delete_team(gone.team).await;
    world.advance(TimeDelta::days(400));
    assert_eq!(world.store.purge_scans(100).await.unwrap(), 0);
    assert_eq!(world.store.purge_deliveries(100).await.unwrap(), 0);
}

pub(crate) async fn a_team_created_with_a_deleted_ones_id_begins_with_nothing<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = roomy(factory).await;
    let gone = world.full_team().await;
    world.delete_team(gone.team).await;
    let again =
        a11ycheck_core::domain::NewTeam { id: gone.team, ..fixtures::new_team(&fixtures::roomy().code, world.now()) };
    let created: Result<_, UnknownPlan> = world.store.create_team(again).await;
    assert_eq!(created.unwrap().id, gone.team);
    assert_eq!(world.usage(gone.team).await, (0, 0));
    assert_eq!(world.store.tokens(gone.team).await.unwrap(), []);
    assert_eq!(world.store.endpoints(gone.team).await.unwrap(), []);
    assert_eq!(world.store.brand(gone.team).await.unwrap(), TeamBrand::default());
}
