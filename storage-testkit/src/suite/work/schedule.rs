//! Checks that start by themselves.

use std::collections::BTreeSet;

use a11ycheck_core::{
    domain::{
        CheckFrequency, Depth, PlanStatus, Scan, ScanKind, ScanState, Site, Standing, Subscription, next_scan_at,
    },
    id::{SiteId, TeamId},
    store::{DueSites, Store},
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
    async fn queue_due(&self, limit: u32) -> DueSites {
        self.store.queue_due_scans(limit).await.unwrap()
    }

    async fn next_scan_at(&self, team: TeamId, site: SiteId) -> DateTime<Utc> {
        self.store.site(team, site).await.unwrap().expect("the site is there").next_scan_at
    }

    /// Returns sites of the team, in the order in which they fall due.
    async fn sites_by_due_time(&self, team: TeamId, count: u32) -> Vec<Site> {
        let mut sites = Vec::new();
        for number in 0..count {
            sites.push(self.site_at(team, &format!("https://{number}.example")).await);
        }
        sites.sort_by_key(|site| (site.next_scan_at, site.id));
        sites
    }
}

/// Returns the instant at which a weekly site is checked next, as of `now`.
fn weekly(site: SiteId, now: DateTime<Utc>) -> DateTime<Utc> {
    next_scan_at(site, CheckFrequency::Weekly, now)
}

fn sites_of(due: &DueSites) -> BTreeSet<SiteId> {
    due.queued.iter().map(|scan| scan.site).collect()
}

pub(crate) async fn a_check_is_queued_when_its_sites_time_has_come_and_not_before<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let due_at = world.next_scan_at(team, site).await;
    world.clock.set(due_at - INSTANT);
    assert_eq!(world.queue_due(10).await, DueSites { queued: vec![], more: false });
    world.clock.set(due_at);
    let due = world.queue_due(10).await;
    let [scan] = due.queued.as_slice() else { panic!("{due:?}") };
    let expected = Scan {
        id: scan.id,
        team,
        site,
        kind: ScanKind::Scheduled,
        pages_requested: 25,
        queued_at: due_at,
        state: ScanState::Queued,
        express: false,
        depth: Depth::Incremental,
    };
    assert_eq!((scan, due.more), (&expected, false));
    assert_eq!(world.scan(team, scan.id).await, expected);
    assert_eq!(world.next_scan_at(team, site).await, weekly(site, due_at));
    assert_eq!(world.claim().await.scan, scan.id);
}

pub(crate) async fn a_site_whose_time_came_several_times_over_is_queued_once<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.advance(TimeDelta::days(100));
    assert_eq!(sites_of(&world.queue_due(10).await), BTreeSet::from([site]));
    assert_eq!(world.next_scan_at(team, site).await, weekly(site, world.now()));
    let claim = world.claim().await;
    world.store.complete_scan(claim, world.completion()).await.unwrap();
    assert_eq!(world.queue_due(10).await, DueSites { queued: vec![], more: false });
}

pub(crate) async fn a_site_moves_on_by_the_frequency_of_the_plan_of_now<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.put_plan(fixtures::plan_with(|limits| limits.check_frequency = CheckFrequency::Monthly)).await;
    world.clock.set(world.next_scan_at(team, site).await);
    world.queue_due(10).await;
    let monthly = next_scan_at(site, CheckFrequency::Monthly, world.now());
    assert_eq!(world.next_scan_at(team, site).await, monthly);
}

pub(crate) async fn a_site_with_an_active_check_gets_no_second_and_moves_on<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let manual = world.start(team, site).await;
    world.clock.set(world.next_scan_at(team, site).await);
    assert_eq!(world.queue_due(10).await.queued, [], "queued");
    assert_eq!(world.next_scan_at(team, site).await, weekly(site, world.now()));
    world.claim().await;
    world.clock.set(world.next_scan_at(team, site).await);
    assert_eq!(world.queue_due(10).await.queued, [], "running");
    assert_eq!(world.next_scan_at(team, site).await, weekly(site, world.now()));
    assert_eq!(world.listed(team, site).await, [manual]);
}

pub(crate) async fn a_blocked_teams_sites_are_not_queued_and_move_on<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    world.store.set_standing(team, Standing::Blocked).await.unwrap();
    world.clock.set(world.next_scan_at(team, site).await);
    assert_eq!(world.queue_due(10).await, DueSites { queued: vec![], more: false });
    assert_eq!(world.next_scan_at(team, site).await, weekly(site, world.now()));
    world.store.set_standing(team, Standing::Active).await.unwrap();
    assert_eq!(world.queue_due(10).await.queued, [], "what was missed is not made up for");
    world.clock.set(world.next_scan_at(team, site).await);
    assert_eq!(sites_of(&world.queue_due(10).await), BTreeSet::from([site]));
}

pub(crate) async fn a_lapsed_plans_sites_are_not_queued_from_its_end_on<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let end = world.now() + TimeDelta::days(100);
    let (before, at) = (Some(end - INSTANT), Some(end));
    let terms = |status, end: Option<DateTime<Utc>>, trial_end: Option<DateTime<Utc>>| {
        Subscription::new(status).with_end(end).with_trial_end(trial_end)
    };
    let mut served = BTreeSet::new();
    let mut lapsed = Vec::new();
    for (terms, is_served) in [
        (terms(PlanStatus::Active, None, None), true),
        (terms(PlanStatus::Active, Some(end + INSTANT), before), true),
        (terms(PlanStatus::Active, at, None), false),
        (terms(PlanStatus::PastDue, None, before), true),
        (terms(PlanStatus::PastDue, before, None), false),
        (terms(PlanStatus::Trialing, None, Some(end + INSTANT)), true),
        (terms(PlanStatus::Trialing, None, at), false),
        (terms(PlanStatus::Trialing, at, None), false),
        (terms(PlanStatus::Canceled, Some(end + INSTANT), None), true),
        (terms(PlanStatus::Canceled, at, None), false),
        (terms(PlanStatus::Canceled, None, None), false),
    ] {
        let team = world.team_with(terms).await;
        let site = world.site(team).await;
        if is_served {
            served.insert(site);
        } else {
            lapsed.push((team, site));
        }
    }
    world.clock.set(end);
    let due = world.queue_due(100).await;
    assert_eq!((sites_of(&due), due.more), (served, false));
    for (team, site) in lapsed {
        assert_eq!(world.next_scan_at(team, site).await, weekly(site, end), "it moves on all the same");
        assert_eq!(world.listed(team, site).await, []);
    }
}

pub(crate) async fn no_more_sites_than_the_limit_are_moved_on_those_due_first_before_others<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let sites = world.sites_by_due_time(team, 7).await;
    world.advance(TimeDelta::days(30));
    for batch in sites.chunks(3) {
        let due = world.queue_due(3).await;
        assert_eq!(sites_of(&due), batch.iter().map(|site| site.id).collect());
        assert_eq!(due.more, batch.len() == 3, "fewer than the limit means that no more are due");
    }
    assert_eq!(world.queue_due(3).await, DueSites { queued: vec![], more: false });
}

pub(crate) async fn sites_that_are_only_moved_on_count_towards_the_limit<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    let team = world.team().await;
    let sites = world.sites_by_due_time(team, 4).await;
    for site in &sites[..2] {
        world.start(team, site.id).await;
    }
    world.advance(TimeDelta::days(30));
    let first = world.queue_due(2).await;
    assert_eq!((first.queued.len(), first.more), (0, true), "both have a check, and more sites are due");
    let second = world.queue_due(3).await;
    assert_eq!((second.queued.len(), second.more), (2, false));
    for site in sites {
        assert_eq!(world.next_scan_at(team, site.id).await, weekly(site.id, world.now()));
    }
}
