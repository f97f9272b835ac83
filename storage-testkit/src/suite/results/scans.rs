//! Checks as their team reads them: one, many, the latest, the trend.

use a11ycheck_core::{
    domain::{Depth, DiffSummary, FixedRule, Outcome, PreviousScan, RuleId, Totals},
    id::{ScanId, SiteId, TeamId},
    paging::PageRequest,
    store::{Completion, StartScanError, Store, TrendPoint},
};
use chrono::TimeDelta;

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        world::{INSTANT, World},
    },
};

impl<S: Store> World<S> {
    /// Returns the site's checks from all pages of the list.
    async fn scan_pages(&self, team: TeamId, site: SiteId, per_page: u32) -> Vec<ScanId> {
        let mut ids = Vec::new();
        for number in 1.. {
            let request = PageRequest::new(number, per_page);
            let page = self.store.scans(team, site, request).await.unwrap().expect("the site is there");
            assert_eq!(page.request, request);
            ids.extend(page.items.iter().map(|scan| scan.id));
            if u64::from(number) >= page.last_page() {
                assert_eq!(ids.len() as u64, page.total, "the pages together hold as many as they say");
                break;
            }
        }
        ids
    }

    /// Completes a manual check at the clock's time that found `total` problems.
    async fn completed_with(&self, team: TeamId, site: SiteId, total: u64) -> TrendPoint {
        let claim = self.running(team, site).await;
        let mut completion = self.completion();
        completion.outcome.totals = Totals { minor: total, ..Totals::default() };
        self.store.complete_scan(claim, completion).await.unwrap();
        TrendPoint { id: claim.scan, finished_at: self.now(), total }
    }

    async fn trend(&self, team: TeamId, scan: ScanId, limit: u32) -> Vec<TrendPoint> {
        self.store.trend(team, scan, limit).await.unwrap()
    }
}

/// Makes a store where manual checks may follow each other at once.
async fn without_interval<S: Store>(factory: &impl StoreFactory<Store = S>) -> World<S> {
    let world = World::empty(factory).await;
    world.put_plan(fixtures::roomy()).await;
    world
}

pub(crate) async fn a_check_that_is_not_there_is_none<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = World::new(factory).await;
    let (team, site) = world.team_and_site().await;
    let id = ScanId::generate(world.now());
    assert_eq!(world.store.scan(team, id).await.unwrap(), None);
    assert_eq!(world.store.findings(team, id).await.unwrap(), None);
    assert_eq!(world.trend(team, id, 9).await, []);
    assert!(!world.store.mark_express(team, id).await.unwrap());
    let no_site = SiteId::generate(world.now());
    assert_eq!(world.store.scans(team, no_site, PageRequest::new(1, 50)).await.unwrap(), None);
    assert_eq!(world.store.latest_completed(team, no_site).await.unwrap(), None);
    let page = world.store.scans(team, site, PageRequest::new(1, 50)).await.unwrap().unwrap();
    assert_eq!((page.items.len(), page.total), (0, 0), "a site without checks has an empty list");
}

pub(crate) async fn checks_are_listed_newest_first_then_greatest_id<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = without_interval(factory).await;
    let (team, site) = world.team_and_site().await;
    let other = world.site(team).await;
    let mut expected = Vec::new();
    for _ in 0..3 {
        for _ in 0..4 {
            expected.push((world.now(), world.completed(team, site).await));
            world.completed(team, other).await;
        }
        expected.push((world.now(), world.failed(team, site).await));
        world.advance(INSTANT);
    }
    expected.push((world.now(), world.start(team, site).await));
    expected.sort_unstable_by(|one, other| other.cmp(one));
    let expected: Vec<ScanId> = expected.into_iter().map(|(_, id)| id).collect();
    assert_eq!(world.listed(team, site).await, expected);
}

pub(crate) async fn pages_of_checks_skip_none_and_repeat_none<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = without_interval(factory).await;
    let (team, site) = world.team_and_site().await;
    for number in 0..12 {
        world.failed(team, site).await;
        world.advance(TimeDelta::seconds(number % 2));
    }
    let whole = world.scan_pages(team, site, 100).await;
    assert_eq!(whole.len(), 12);
    for per_page in [1, 5, 6, 11, 12, 13] {
        assert_eq!(world.scan_pages(team, site, per_page).await, whole, "{per_page} a page");
    }
    let beyond = world.store.scans(team, site, PageRequest::new(u32::MAX, 100)).await.unwrap().unwrap();
    assert_eq!((beyond.items.len(), beyond.total), (0, 12));
}

pub(crate) async fn a_listed_check_reads_as_it_does_by_itself<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = without_interval(factory).await;
    let (team, site) = world.team_and_site().await;
    world.completed(team, site).await;
    world.advance(INSTANT);
    world.failed(team, site).await;
    world.advance(INSTANT);
    world.running(team, site).await;
    let listed = world.store.scans(team, site, PageRequest::new(1, 100)).await.unwrap().unwrap().items;
    assert_eq!(listed.len(), 3);
    for scan in listed {
        assert_eq!(world.scan(team, scan.id).await, scan);
    }
}

pub(crate) async fn the_latest_completed_check_is_the_one_that_completed_last<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = without_interval(factory).await;
    let (team, site) = world.team_and_site().await;
    let other = world.site(team).await;
    let latest = async || world.store.latest_completed(team, site).await.unwrap().map(|scan| scan.id);
    world.failed(team, site).await;
    assert_eq!(latest().await, None, "a failed check is not a completed one");
    let first = world.completed(team, site).await;
    assert_eq!(latest().await, Some(first));
    world.completed(team, other).await;
    world.advance(INSTANT);
    let second = world.completed(team, site).await;
    assert_eq!(latest().await, Some(second));
    world.advance(INSTANT);
    world.failed(team, site).await;
    let third = world.running(team, site).await;
    assert_eq!(latest().await, Some(second), "neither failed nor running ones count");
    // The time that a worker has noted may be a moment old.
    let completion = Completion { finished_at: world.now() - INSTANT * 2, ..world.completion() };
    world.store.complete_scan(third, completion).await.unwrap();
    assert_eq!(latest().await, Some(second), "what counts is when it was completed");
    let mut at_once = Vec::new();
    for _ in 0..4 {
        at_once.push(world.completed(team, site).await);
    }
    assert_eq!(latest().await, at_once.into_iter().max(), "at the same instant, the greatest id");
    let scan = world.store.latest_completed(team, site).await.unwrap().unwrap();
    assert_eq!(world.scan(team, scan.id).await, scan);
}

pub(crate) async fn the_problems_of_each_sites_latest_completed_check_are_listed<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = World::new(factory).await;
    let (team, stranger) = (world.team().await, world.team().await);
    let mut expected = Vec::new();
    for number in 0..3 {
        let site = world.site_at(team, &format!("https://{number}.example/")).await.id;
        for _ in 0..number {
            world.advance(TimeDelta::hours(2));
            let scan = world.completed(team, site).await;
            expected.retain(|(known, _)| *known != site);
            expected.push((site, world.scan(team, scan).await.outcome().unwrap().totals.total()));
        }
        // A later one that failed changes nothing.
        world.advance(TimeDelta::hours(2));
        world.failed(team, site).await;
    }
    expected.sort_unstable();
    assert_eq!(expected.len(), 2, "one site has no completed check");
    assert_eq!(world.store.latest_problems(team).await.unwrap(), expected);
    assert_eq!(world.store.latest_problems(stranger).await.unwrap(), []);
    world.advance(TimeDelta::days(200));
    assert_eq!(world.store.latest_problems(team).await.unwrap(), expected, "however old they are");
}

pub(crate) async fn a_trend_ends_with_its_check_and_has_the_latest_oldest_first<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = without_interval(factory).await;
    let (team, site) = world.team_and_site().await;
    let other = world.site(team).await;
    let mut points = Vec::new();
    for total in 0..6 {
        points.push(world.completed_with(team, site, total).await);
        world.completed_with(team, other, 99).await;
        world.advance(TimeDelta::seconds(1));
        world.failed(team, site).await;
    }
    assert_eq!(world.trend(team, points[5].id, 100).await, points);
    assert_eq!(world.trend(team, points[3].id, 100).await, points[..4], "later ones are not in it");
    assert_eq!(world.trend(team, points[3].id, 4).await, points[..4]);
    assert_eq!(world.trend(team, points[3].id, 3).await, points[1..4], "the latest are kept");
    assert_eq!(world.trend(team, points[3].id, 1).await, points[3..4]);
    assert_eq!(world.trend(team, points[0].id, u32::MAX).await, points[..1]);
}

pub(crate) async fn checks_that_completed_at_once_are_in_a_trend_by_id<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = without_interval(factory).await;
    let (team, site) = world.team_and_site().await;
    let mut points = Vec::new();
    for total in 0..4 {
        points.push(world.completed_with(team, site, total).await);
    }
    points.sort_unstable_by_key(|point| point.id);
    assert_eq!(world.trend(team, points[3].id, 100).await, points);
    assert_eq!(world.trend(team, points[1].id, 100).await, points[..2], "up to it and no further");
}

pub(crate) async fn a_trend_of_a_check_that_is_not_completed_is_empty<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = without_interval(factory).await;
    let (team, site) = world.team_and_site().await;
    world.completed(team, site).await;
    let failed = world.failed(team, site).await;
    let queued = world.start(team, site).await;
    assert_eq!(world.trend(team, failed, 9).await, []);
    assert_eq!(world.trend(team, queued, 9).await, []);
    world.claim().await;
    assert_eq!(world.trend(team, queued, 9).await, []);
}

pub(crate) async fn an_express_report_bought_for_a_check_stays_bought<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let world = without_interval(factory).await;
    let (team, site) = world.team_and_site().await;
    let id = world.start(team, site).await;
    for _ in 0..2 {
        assert!(world.store.mark_express(team, id).await.unwrap());
        let bought = world.scan(team, id).await;
        assert!(bought.express, "{bought:?}");
    }
    let claimed = world.try_claim().await.unwrap();
    assert!(claimed.scan.express, "{claimed:?}");
    let completed = world.store.complete_scan(claimed.claim, world.completion()).await.unwrap();
    let read = world.scan(team, id).await;
    assert!(completed.express && read.express, "through every state: {completed:?}, {read:?}");
    let failed = world.failed(team, site).await;
    let next = world.scan(team, failed).await;
    assert!(!next.express, "it was bought for one check: {next:?}");
    assert!(world.store.mark_express(team, failed).await.unwrap());
    let bought = world.scan(team, failed).await;
    assert!(bought.express, "{bought:?}");
}

pub(crate) async fn an_outcome_reads_as_it_was_stored<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = without_interval(factory).await;
    let (team, site) = world.team_and_site().await;
    let previous = world.completed_with(team, site, 7).await;
    let claim = world.running(team, site).await;
    let totals = Totals { critical: 1, serious: 1_000_000, moderate: 0, minor: u64::from(u32::MAX) };
    let mut diff = DiffSummary::first();
    diff.previous = Some(PreviousScan::new(previous.id, previous.finished_at, previous.total));
    diff.new = 12;
    diff.fixed = 5;
    diff.remaining = 2;
    diff.carried = 1;
    diff.not_comparable_now = 3;
    diff.not_comparable_before = 7;
    diff.fixed_rules = vec![
        FixedRule::new(RuleId::new("image-alt"), "Images must have alternative text", 4),
        FixedRule::new(RuleId::new("a-rule"), "", 1),
    ];
    let outcome = Outcome::new(250, totals, diff, fixtures::engine());
    let completion = Completion { outcome: outcome.clone(), ..world.completion() };
    world.store.complete_scan(claim, completion).await.unwrap();
    assert_eq!(world.scan(team, claim.scan).await.outcome(), Some(&outcome));
}

pub(crate) async fn a_taken_check_id_is_refused_and_changes_nothing<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let world = without_interval(factory).await;
    let (team, site) = world.team_and_site().await;
    let id = world.completed(team, site).await;
    let before = world.scan(team, id).await;
    let (neighbour, other) = world.team_and_site().await;
    for (team, site) in [(team, site), (neighbour, other)] {
        let refused = world.store.start_manual_scan(team, site, id, Depth::Full).await;
        assert!(matches!(refused, Err(StartScanError::Store(_))), "{refused:?}");
    }
    assert_eq!(world.scan(team, id).await, before);
    assert_eq!(world.listed(neighbour, other).await, []);
    assert_eq!(world.usage(neighbour).await, (1, 1), "no interval began");
}
