//! A store in a test, with the steps that most cases begin with.

use std::sync::Arc;

use a11ycheck_core::{
    clock::{Clock as _, ManualClock},
    domain::{
        Depth, Failure, FailureCode, FencingToken, Lease, NewSite, NewTeam, NewToken, PageCounts, PlainToken, Plan,
        PlanCode, Scan, ScanState, Site, Subscription, TokenHash,
    },
    id::{NodeId, ScanId, SiteId, TeamId, TokenId, WorkerId},
    paging::PageRequest,
    sealing::Keyring,
    store::{Claim, ClaimedScan, Completion, Store},
};
use chrono::{DateTime, TimeDelta, Utc};

use super::fixtures;
use crate::StoreFactory;

/// A microsecond: the smallest step of a store's time.
pub(super) const INSTANT: TimeDelta = TimeDelta::microseconds(1);

/// A store that began empty, and the clock that it uses.
pub(super) struct World<S> {
    pub(super) store: Arc<S>,
    pub(super) clock: ManualClock,
    /// The keyring that seals secrets.
    pub(super) ring: Keyring,
}

impl<S: Store> World<S> {
    /// Makes a store without anything, at half past nine on 15 January 2027.
    pub(super) async fn empty(factory: &impl StoreFactory<Store = S>) -> Self {
        let clock = ManualClock::at(DateTime::from_timestamp_micros(1_800_005_400_123_456).unwrap());
        Self { store: Arc::new(factory.empty(clock.clone()).await), clock, ring: Keyring::ephemeral() }
    }

    /// Makes a store with the plan [`fixtures::plan`].
    pub(super) async fn new(factory: &impl StoreFactory<Store = S>) -> Self {
        let world = Self::empty(factory).await;
        world.put_plan(fixtures::plan()).await;
        world
    }

    pub(super) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    pub(super) fn advance(&self, by: TimeDelta) {
        self.clock.advance(by);
    }

    pub(super) async fn put_plan(&self, plan: Plan) {
        self.store.put_plans(&[plan]).await.unwrap();
    }

    /// Creates a team on [`fixtures::plan`].
    pub(super) async fn team(&self) -> TeamId {
        self.team_on(&fixtures::plan().code).await
    }

    pub(super) async fn team_on(&self, plan: &PlanCode) -> TeamId {
        let team = fixtures::new_team(plan, self.now());
        self.store.create_team(team).await.unwrap().id
    }

    /// Creates a team on terms of its own.
    pub(super) async fn team_with(&self, subscription: Subscription) -> TeamId {
        let team = NewTeam { subscription, ..fixtures::new_team(&fixtures::plan().code, self.now()) };
        self.store.create_team(team).await.unwrap().id
    }

    /// Creates a token of the team, and returns it with the hash under which it is looked up.
    pub(super) async fn token(&self, team: TeamId) -> (TokenId, TokenHash) {
        let hash = PlainToken::generate().hash();
        let token = NewToken { hash, ..fixtures::new_token(self.now()) };
        (self.store.create_token(team, token).await.unwrap().unwrap().id, hash)
    }

    /// Adds a site to the team, without a check.
    pub(super) async fn site(&self, team: TeamId) -> SiteId {
        self.site_at(team, "https://shop.example/").await.id
    }

    pub(super) async fn site_at(&self, team: TeamId, url: &str) -> Site {
        self.add_site(team, fixtures::new_site(url, self.now())).await
    }

    pub(super) async fn add_site(&self, team: TeamId, site: NewSite) -> Site {
        self.store.add_site(team, site, None).await.unwrap()
    }

    /// Creates a team with a site.
    pub(super) async fn team_and_site(&self) -> (TeamId, SiteId) {
        let team = self.team().await;
        (team, self.site(team).await)
    }

    /// Queues a manual check.
    pub(super) async fn start(&self, team: TeamId, site: SiteId) -> ScanId {
        self.store.start_manual_scan(team, site, ScanId::generate(self.now()), Depth::Full).await.unwrap().id
    }

    /// Claims a check for a worker of a new node, for the usual term.
    pub(super) async fn try_claim(&self) -> Option<ClaimedScan> {
        self.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap()
    }

    /// Claims a check for a new worker of this node, for the usual term.
    pub(super) async fn try_claim_on(&self, node: &NodeId) -> Option<ClaimedScan> {
        self.store.claim_scan(&node.worker(), Lease::TERM).await.unwrap()
    }

    pub(super) async fn claim(&self) -> Claim {
        self.try_claim().await.expect("a check is due").claim
    }

    pub(super) fn completion(&self) -> Completion {
        fixtures::completion(self.now())
    }

    /// Starts a manual check and claims it.
    pub(super) async fn running(&self, team: TeamId, site: SiteId) -> Claim {
        let scan = self.start(team, site).await;
        let claim = self.claim().await;
        assert_eq!(claim.scan, scan, "nothing else waits");
        claim
    }

    /// Makes a manual check that was queued, begun and completed now.
    pub(super) async fn completed(&self, team: TeamId, site: SiteId) -> ScanId {
        let claim = self.running(team, site).await;
        self.store.complete_scan(claim, self.completion()).await.unwrap().id
    }

    /// Makes a manual check that was queued, begun and failed now.
    pub(super) async fn failed(&self, team: TeamId, site: SiteId) -> ScanId {
        let claim = self.running(team, site).await;
        self.store.fail_scan(claim, failure()).await.unwrap().id
    }

    /// Returns the check, which must be in the team's history.
    pub(super) async fn scan(&self, team: TeamId, id: ScanId) -> Scan {
        self.store.scan(team, id).await.unwrap().expect("the check is in the history")
    }

    pub(super) async fn state(&self, team: TeamId, id: ScanId) -> ScanState {
        self.scan(team, id).await.state
    }

    /// Returns the ids of the site's checks, as the team's list has them.
    pub(super) async fn listed(&self, team: TeamId, site: SiteId) -> Vec<ScanId> {
        let page = self.store.scans(team, site, PageRequest::new(1, 100)).await.unwrap().expect("the site is there");
        page.items.into_iter().map(|scan| scan.id).collect()
    }

    pub(super) async fn usage(&self, team: TeamId) -> (u32, u32) {
        let usage = self.store.site_usage(team).await.unwrap();
        (usage.sites, usage.manual_checks_available)
    }
}

pub(super) fn failure() -> Failure {
    Failure::new(FailureCode::Timeout, "The page did not become ready in time.")
}

/// Returns the counts of a check with so many pages done, and no further one known.
pub(super) fn pages(done: u32) -> PageCounts {
    PageCounts::new(done, done)
}

/// Returns a claim to the same check that an earlier holder could have.
pub(super) fn earlier(claim: Claim) -> Claim {
    Claim { token: FencingToken::from_stored(claim.token.get() - 1), ..claim }
}

/// Returns a running check's lease and attempt.
pub(super) fn lease_of(state: &ScanState) -> (&Lease, u32) {
    match state {
        ScanState::Running { lease, attempt, .. } => (lease, *attempt),
        other => panic!("the check should be running: {other:?}"),
    }
}
