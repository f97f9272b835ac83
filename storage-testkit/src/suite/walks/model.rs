//! Random walks: every result of the store is compared with a model that is too simple to be wrong.

use a11ycheck_core::{
    domain::{Depth, Failure, IsoDuration, Lease, PageCounts, RetryBy, ScanState, ScanStatus},
    id::{NodeId, ScanId, SiteId, TeamId, WorkerId},
    paging::PageRequest,
    store::{AddSiteError, Claim, ClaimedScan, Completion, LeaseError, StartScanError, Store},
};
use chrono::{DateTime, TimeDelta, Utc};
use proptest::{
    prelude::{Just, Strategy, any, prop_oneof},
    test_runner::{Config, TestRunner},
};
use tokio::{runtime::Handle, task::block_in_place};

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        walks::reference::Model,
        world::{INSTANT, World, failure},
    },
};

/// The number of walks, each of at most [`STEPS`] steps.
const WALKS: u32 = 48;
const STEPS: usize = 80;

/// One call of the store. A `u8` selects one of the existing items, modulo their number.
#[derive(Debug, Clone)]
enum Step {
    AddSite {
        team: u8,
        scan: bool,
    },
    DeleteSite(u8),
    Start(u8),
    Schedule(u32),
    /// A claim by a worker of one of two nodes.
    Claim(u8),
    Move(u8, Move),
    Purge,
    Advance(TimeDelta),
}

/// The steps that a worker may take, in time or too late.
#[derive(Debug, Clone, Copy)]
enum Move {
    Renew,
    HandBack,
    Retry,
    RetryElsewhere,
    Complete,
    Fail,
    /// Fails through our own fault.
    Break,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let moves =
        vec![Move::Renew, Move::HandBack, Move::Retry, Move::RetryElsewhere, Move::Complete, Move::Fail, Move::Break];
    let spans = vec![
        INSTANT,
        ScanState::OTHERS_FIRST - INSTANT,
        TimeDelta::seconds(30),
        Lease::TERM - INSTANT,
        Lease::TERM,
        TimeDelta::hours(1) - INSTANT,
        TimeDelta::hours(1),
        TimeDelta::days(4),
        TimeDelta::days(32),
    ];
    let step = prop_oneof![
        2 => (any::<u8>(), any::<bool>()).prop_map(|(team, scan)| Step::AddSite { team, scan }),
        1 => any::<u8>().prop_map(Step::DeleteSite),
        4 => any::<u8>().prop_map(Step::Start),
        2 => (1_u32..4).prop_map(Step::Schedule),
        5 => any::<u8>().prop_map(Step::Claim),
        6 => (any::<u8>(), proptest::sample::select(moves)).prop_map(|(claim, name)| Step::Move(claim, name)),
        1 => Just(Step::Purge),
        4 => proptest::sample::select(spans).prop_map(Step::Advance),
    ];
    proptest::collection::vec(step, 1..STEPS)
}

pub(crate) async fn no_walk_leads_a_store_away_from_the_domain<S: Store>(factory: &impl StoreFactory<Store = S>) {
    let config = Config { cases: WALKS, failure_persistence: None, ..Config::default() };
    let walk = |steps: Vec<Step>| {
        Handle::current().block_on(async {
            let mut walk = Walk::new(factory).await;
            for step in steps {
                walk.take(step).await;
            }
            walk.compare().await;
        });
        Ok(())
    };
    let outcome = block_in_place(|| TestRunner::new(config).run(&steps(), walk));
    assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
}

struct Walk<S> {
    world: World<S>,
    model: Model,
    teams: [TeamId; 2],
    nodes: [NodeId; 2],
    /// Every claim that was ever given, including the old ones.
    claims: Vec<Claim>,
}

impl<S: Store> Walk<S> {
    async fn new(factory: &impl StoreFactory<Store = S>) -> Self {
        let world = World::empty(factory).await;
        let plan = fixtures::plan_with(|limits| {
            limits.sites = 3;
            limits.history_months = 1;
            limits.manual_check_interval = IsoDuration::hours(1);
        });
        world.put_plan(plan.clone()).await;
        let teams = [world.team().await, world.team().await];
        Self {
            world,
            model: Model::new(plan),
            teams,
            nodes: [NodeId::generate(), NodeId::generate()],
            claims: Vec::new(),
        }
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::AddSite { team, scan } => self.add_site(self.teams[usize::from(team) % 2], scan).await,
            Step::DeleteSite(pick) => self.delete_site(pick).await,
            Step::Start(pick) => self.start(pick).await,
            Step::Schedule(limit) => self.schedule(limit).await,
            Step::Claim(node) => self.claim(&self.nodes[usize::from(node) % 2].worker()).await,
            Step::Move(pick, name) => self.move_on(pick, name).await,
            Step::Purge => {
                let purged = self.world.store.purge_scans(u32::MAX).await.unwrap();
                assert_eq!(usize::try_from(purged).unwrap(), self.model.purge(self.now()));
            }
            Step::Advance(by) => self.world.advance(by),
        }
    }

    fn now(&self) -> DateTime<Utc> {
        self.world.now()
    }

    fn pick_site(&self, pick: u8) -> Option<(TeamId, SiteId)> {
        let sites = self.model.sites();
        (!sites.is_empty()).then(|| sites[usize::from(pick) % sites.len()])
    }

    async fn add_site(&mut self, team: TeamId, scan: bool) {
        let now = self.now();
        let (new, first) = (fixtures::new_site("https://a.example", now), scan.then(|| ScanId::generate(now)));
        let added = self.world.store.add_site(team, new, first).await;
        match (added, self.model.has_room(team)) {
            (Ok(site), true) => self.model.add(site, first, now),
            (Err(AddSiteError::LimitReached(3)), false) => {}
            (added, has_room) => panic!("room for it: {has_room}, but {added:?}"),
        }
    }

    async fn delete_site(&mut self, pick: u8) {
        if let Some((team, site)) = self.pick_site(pick) {
            assert!(self.world.store.delete_site(team, site).await.unwrap());
            self.model.delete(site);
        }
    }

    async fn start(&mut self, pick: u8) {
        let Some((team, site)) = self.pick_site(pick) else { return };
        let id = ScanId::generate(self.now());
        let started = self.world.store.start_manual_scan(team, site, id, Depth::Full).await;
        match (self.model.start(site, id, self.now()), started) {
            (Ok(expected), Ok(scan)) => assert_eq!(scan, expected),
            (Err(StartScanError::Active), Err(StartScanError::Active)) => {}
            (Err(StartScanError::TooSoon(expected)), Err(StartScanError::TooSoon(actual))) => {
                assert_eq!(actual, expected)
            }
            (expected, started) => panic!("{expected:?}, but {started:?}"),
        }
    }

    async fn schedule(&mut self, limit: u32) {
        let due = self.world.store.queue_due_scans(limit).await.unwrap();
        let mut queued: Vec<SiteId> = due.queued.iter().map(|scan| scan.site).collect();
        queued.sort_unstable();
        let (expected, moved_on) = self.model.schedule(usize::try_from(limit).unwrap(), self.now());
        assert_eq!((queued, due.more), (expected, moved_on == usize::try_from(limit).unwrap()));
        self.model.insert(due.queued);
    }

    async fn claim(&mut self, worker: &WorkerId) {
        let claimed = self.world.store.claim_scan(worker, Lease::TERM).await.unwrap();
        let expected = self.model.claim(worker, self.now());
        assert_eq!(claimed.as_ref().map(|claimed| &claimed.scan), expected.as_ref());
        if let Some(ClaimedScan { claim, scan, site }) = claimed {
            let ScanState::Running { lease, .. } = &scan.state else { panic!("{scan:?}") };
            assert_eq!((claim.scan, claim.token, site.id), (scan.id, lease.token, scan.site));
            assert!(!self.claims.contains(&claim), "no two workers ever hold the same proof: {claim:?}");
            self.claims.push(claim);
        }
    }

    async fn move_on(&mut self, pick: u8, name: Move) {
        if self.claims.is_empty() {
            return;
        }
        let claim = self.claims[usize::from(pick) % self.claims.len()];
        let (store, now) = (&self.world.store, self.now());
        let delay = TimeDelta::seconds(20);
        let completion = Completion { screenshots: vec![], screen: None, ..self.world.completion() };
        let outcome = completion.outcome.clone();
        let moved = match name {
            Move::Renew => store.renew_lease(claim, Lease::TERM, PageCounts::new(5, 8)).await,
            Move::HandBack => store.hand_back(claim).await,
            Move::Retry => store.retry_scan(claim, delay, RetryBy::Anyone).await,
            Move::RetryElsewhere => store.retry_scan(claim, delay, RetryBy::OtherNodesFirst).await,
            Move::Complete => store.complete_scan(claim, completion).await.map(drop),
            Move::Fail => store.fail_scan(claim, failure()).await.map(drop),
            Move::Break => store.fail_scan(claim, Failure::worker_lost()).await.map(drop),
        };
        let expected = self.model.move_on(claim.scan, |state| match name {
            Move::Renew => state.renew(claim.token, Lease::TERM, PageCounts::new(5, 8), now),
            Move::HandBack => state.hand_back(claim.token, now),
            Move::Retry => state.retry_at(claim.token, now + delay, RetryBy::Anyone),
            Move::RetryElsewhere => state.retry_at(claim.token, now + delay, RetryBy::OtherNodesFirst),
            Move::Complete => state.complete(claim.token, outcome, now),
            Move::Fail => state.fail(claim.token, failure(), now),
            Move::Break => state.fail(claim.token, Failure::worker_lost(), now),
        });
        match (expected, moved) {
            (Some(Ok(())), Ok(())) | (None, Err(LeaseError::Gone)) => {}
            (Some(Err(expected)), Err(LeaseError::Refused(actual))) => assert_eq!(actual, expected),
            (expected, moved) => panic!("{name:?}: {expected:?}, but {moved:?}"),
        }
    }

    /// Compares all that the teams can read with the model, and checks the invariants of both.
    async fn compare(&self) {
        let page = PageRequest::new(1, 100);
        for team in self.teams {
            let sites = self.world.store.sites(team, None, page).await.unwrap().items;
            assert!(sites.len() <= 3, "a team never exceeds its number of sites: {sites:?}");
            assert_eq!(sites, self.model.sites_of(team));
            let usage = self.world.usage(team).await;
            assert_eq!(usage, self.model.usage(team, self.now()));
            for site in sites {
                let scans = self.world.store.scans(team, site.id, page).await.unwrap().unwrap().items;
                let active = scans.iter().filter(|scan| scan.state.is_active()).count();
                assert!(active <= 1, "a site never has two checks queued or running: {scans:?}");
                assert_eq!(scans, self.model.seen(site.id, self.now()));
                for scan in scans {
                    let findings = self.world.store.findings(team, scan.id).await.unwrap();
                    assert_eq!(findings.is_some(), scan.status() == ScanStatus::Completed);
                }
            }
        }
        let depth = self.world.store.queue_depth().await.unwrap();
        assert_eq!(depth, self.model.depth(self.now()));
        assert_eq!(self.world.logged(0).await, self.model.log());
        self.model.assert_intervals();
    }
}
