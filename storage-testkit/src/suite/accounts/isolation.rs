//! Isolation of teams: what is not a team's own does not exist for it.

use std::collections::BTreeSet;

use a11ycheck_core::{
    domain::{Depth, EventKind, RequestClass, ScreenshotId, Standing, Subscription},
    id::{ScanId, SiteId, TeamId, TokenId},
    paging::PageRequest,
    store::{SendError, StartScanError, Store},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        outbox::steps::{BOTH, answered, details},
        world::World,
    },
};

/// Two teams on one plan; the first has everything that a team can have, the second a site.
struct TwoTeams<S> {
    world: World<S>,
    owner: TeamId,
    site: SiteId,
    completed: ScanId,
    running: ScanId,
    token: TokenId,
    stranger: TeamId,
    strangers_site: SiteId,
}

impl<S: Store> TwoTeams<S> {
    async fn new(factory: &impl StoreFactory<Store = S>) -> Self {
        let world = World::empty(factory).await;
        world.put_plan(fixtures::roomy()).await;
        let (owner, site) = world.team_and_site().await;
        let completed = world.completed(owner, site).await;
        let running = world.running(owner, site).await.scan;
        let (token, _) = world.token(owner).await;
        let (stranger, strangers_site) = world.team_and_site().await;
        Self { world, owner, site, completed, running, token, stranger, strangers_site }
    }
}

pub(crate) async fn a_site_is_seen_by_its_team_alone<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let TwoTeams { world, site, stranger, strangers_site, .. } = TwoTeams::new(factory).await;
    assert_eq!(world.store.site(stranger, site).await.unwrap(), None);
    for tag in [None, Some("client")] {
        let page = world.store.sites(stranger, tag, PageRequest::new(1, 100)).await.unwrap();
        let listed: Vec<SiteId> = page.items.iter().map(|site| site.id).collect();
        assert_eq!((listed, page.total), (vec![strangers_site], 1), "{tag:?}");
    }
    assert_eq!(world.usage(stranger).await, (1, 1));
}

pub(crate) async fn a_site_is_deleted_by_its_team_alone<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let TwoTeams { world, owner, site, completed, running, stranger, .. } = TwoTeams::new(factory).await;
    assert!(!world.store.delete_site(stranger, site).await.unwrap());
    assert!(world.store.site(owner, site).await.unwrap().is_some());
    assert_eq!(world.listed(owner, site).await.len(), 2);
    assert!(world.store.findings(owner, completed).await.unwrap().is_some());
    world.scan(owner, running).await;
}

pub(crate) async fn a_site_is_checked_by_its_team_alone<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let TwoTeams { world, owner, stranger, .. } = TwoTeams::new(factory).await;
    let idle = world.site(owner).await;
    // Also a site that is active: another team does not learn that.
    for site in [idle, world.store.sites(owner, None, PageRequest::new(1, 1)).await.unwrap().items[0].id] {
        let refused = world.store.start_manual_scan(stranger, site, ScanId::generate(world.now()), Depth::Full).await;
        assert!(matches!(refused, Err(StartScanError::NoSite)), "{refused:?}");
    }
    assert_eq!(world.listed(owner, idle).await, []);
    world.start(owner, idle).await;
}

pub(crate) async fn a_check_is_seen_by_its_team_alone<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let TwoTeams { world, site, completed, running, stranger, .. } = TwoTeams::new(factory).await;
    let store = &world.store;
    assert_eq!(store.scans(stranger, site, PageRequest::new(1, 100)).await.unwrap(), None);
    assert_eq!(store.latest_completed(stranger, site).await.unwrap(), None);
    for id in [completed, running] {
        assert_eq!(store.scan(stranger, id).await.unwrap(), None);
        assert_eq!(store.findings(stranger, id).await.unwrap(), None);
        assert_eq!(store.screen(stranger, id).await.unwrap(), None);
        assert_eq!(store.screenshot(stranger, id, ScreenshotId(7)).await.unwrap(), None);
        assert_eq!(store.trend(stranger, id, 100).await.unwrap(), []);
    }
}

pub(crate) async fn a_check_is_marked_express_by_its_team_alone<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let TwoTeams { world, owner, completed, running, stranger, .. } = TwoTeams::new(factory).await;
    for id in [completed, running] {
        assert!(!world.store.mark_express(stranger, id).await.unwrap());
        let scan = world.scan(owner, id).await;
        assert!(!scan.express, "{scan:?}");
    }
}

pub(crate) async fn a_token_is_seen_and_deleted_by_its_team_alone<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let TwoTeams { world, owner, token, stranger, .. } = TwoTeams::new(factory).await;
    let (own, _) = world.token(stranger).await;
    let listed: Vec<TokenId> = world.store.tokens(stranger).await.unwrap().iter().map(|token| token.id).collect();
    assert_eq!(listed, [own]);
    assert!(!world.store.delete_token(stranger, token).await.unwrap());
    assert_eq!(world.store.tokens(owner).await.unwrap().len(), 1);
}

pub(crate) async fn a_token_stands_for_its_team_alone<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (one, other) = (world.team().await, world.team().await);
    let (hash_of_one, hash_of_other) = (world.token(one).await.1, world.token(other).await.1);
    for (hash, team) in [(hash_of_one, one), (hash_of_other, other)] {
        let admitted = world.store.admit_token(&hash, RequestClass::General).await.unwrap().unwrap();
        assert_eq!((admitted.team.id, admitted.token.team), (team, team));
    }
}

pub(crate) async fn what_befalls_a_team_befalls_no_other<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let TwoTeams { world, owner, stranger, strangers_site, .. } = TwoTeams::new(factory).await;
    let before = world.store.team(stranger).await.unwrap();
    let small = fixtures::other_plan("small", |limits| limits.sites = 0);
    world.put_plan(small.clone()).await;
    world.store.change_plan(owner, &small.code, Subscription::ACTIVE).await.unwrap();
    world.store.set_standing(owner, Standing::Blocked).await.unwrap();
    assert_eq!(world.store.team(stranger).await.unwrap(), before);
    world.site(stranger).await;
    world.start(stranger, strangers_site).await;
}

pub(crate) async fn a_trend_and_a_list_hold_one_teams_checks_alone<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let (one, other) = (world.team_and_site().await, world.team_and_site().await);
    let mut checks = (BTreeSet::new(), BTreeSet::new());
    let mut last = None;
    for _ in 0..3 {
        let id = world.completed(one.0, one.1).await;
        checks.0.insert(id);
        checks.1.insert(world.completed(other.0, other.1).await);
        last = Some(id).max(last);
    }
    let trend = world.store.trend(one.0, last.unwrap(), 100).await.unwrap();
    assert_eq!(trend.iter().map(|point| point.id).collect::<BTreeSet<_>>(), checks.0);
    assert_eq!(world.listed(other.0, other.1).await.into_iter().collect::<BTreeSet<_>>(), checks.1);
}

pub(crate) async fn an_endpoint_is_seen_and_changed_by_its_team_alone<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let TwoTeams { world, owner, stranger, .. } = TwoTeams::new(factory).await;
    let (id, store) = (world.endpoint(owner, BOTH).await, &world.store);
    let delivery = world.ping(owner, id).await;
    world.attempt_all(&answered(200)).await;
    let before = (world.endpoint_row(owner, id).await, world.deliveries(owner, id).await);
    assert_eq!(store.endpoints(stranger).await.unwrap(), []);
    assert_eq!(store.change_endpoint(stranger, id, details("https://evil.example/", BOTH)).await.unwrap(), None);
    let secret = world.secret(id);
    assert!(!store.rotate_secret(stranger, id, secret.clone(), TimeDelta::zero()).await.unwrap());
    assert_eq!(store.enable_endpoint(stranger, id).await.unwrap(), None);
    assert_eq!(store.disable_endpoint(stranger, id).await.unwrap(), None);
    assert_eq!(store.delivery(stranger, delivery.id).await.unwrap(), None);
    assert!(!store.delete_endpoint(stranger, id).await.unwrap());
    assert_eq!(store.deliveries(stranger, id, PageRequest::new(1, 10)).await.unwrap(), None);
    assert_eq!(store.attempts(stranger, delivery.id).await.unwrap(), None);
    let sent = store.send_event(stranger, id, world.event(EventKind::Ping)).await;
    assert!(matches!(sent, Err(SendError::NotFound)), "{sent:?}");
    let sent = store.resend_delivery(stranger, delivery.id).await;
    assert!(matches!(sent, Err(SendError::NotFound)), "{sent:?}");
    assert_eq!((world.endpoint_row(owner, id).await, world.deliveries(owner, id).await), before);
    world.ping(owner, id).await;
    let claimed = world.claim_delivery().await;
    assert!(!claimed.secrets.contains(&secret), "{claimed:?}");
}

pub(crate) async fn a_teams_checks_are_delivered_to_its_endpoints_alone<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (owner, site) = world.team_and_site().await;
    let stranger = world.team().await;
    let (id, strangers) = (world.endpoint(owner, BOTH).await, world.endpoint(stranger, BOTH).await);
    world.completed_with_events(owner, site, &[world.event(EventKind::ScanCompleted)]).await;
    assert_eq!(world.deliveries(stranger, strangers).await, []);
    assert_eq!(world.deliveries(owner, id).await.len(), 1);
}
