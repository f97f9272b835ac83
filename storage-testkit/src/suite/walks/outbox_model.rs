//! Random walks among endpoints and deliveries, compared with maps and the domain's own rules.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::{
    domain::{
        Attempt, AttemptReport, Delivery, DeliveryState, DeliveryStatus, EndpointStatus, EventKind, WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, SiteId, TeamId, WorkerId},
    store::{ClaimLimits, ClaimedDelivery, DeliveryClaim, RecordError, SendError, Store},
};
use chrono::{DateTime, TimeDelta, Utc};
use proptest::{
    prelude::{Strategy, any, prop_oneof},
    strategy::Just,
    test_runner::{Config, TestRunner},
};
use tokio::{runtime::Handle, task::block_in_place};

use crate::{
    StoreFactory,
    suite::{
        fixtures,
        outbox::steps::{BOTH, LONG, PLENTY, TERM, answered, timed_out},
        world::{INSTANT, World},
    },
};

/// The number of walks, each of fewer than [`STEPS`] steps, so that no endpoint has more deliveries than one page
/// shows.
const WALKS: u32 = 32;
const STEPS: usize = 40;

/// One call of the store, or one for each item that it returned. A `u8` selects one of the existing items, modulo their
/// number.
#[derive(Debug, Clone)]
enum Step {
    Complete { new_issues: bool },
    Ping(u8),
    Resend(u8),
    Claim(ClaimLimits),
    Record { claim: u8, success: bool },
    AttemptAll { success: bool },
    Enable(u8),
    Delete(u8),
    Purge,
    Advance(TimeDelta),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let limits = vec![PLENTY, ClaimLimits { per_endpoint: 1, ..PLENTY }, ClaimLimits { retries: 1, ..PLENTY }];
    let minute = DeliveryState::RETRY_SCHEDULE[0];
    let spans = vec![INSTANT, minute - INSTANT, minute, TERM, LONG, TimeDelta::days(31)];
    let step = prop_oneof![
        3 => any::<bool>().prop_map(|new_issues| Step::Complete { new_issues }),
        3 => any::<u8>().prop_map(Step::Ping),
        2 => any::<u8>().prop_map(Step::Resend),
        5 => proptest::sample::select(limits).prop_map(Step::Claim),
        6 => (any::<u8>(), any::<bool>()).prop_map(|(claim, success)| Step::Record { claim, success }),
        4 => any::<bool>().prop_map(|success| Step::AttemptAll { success }),
        1 => any::<u8>().prop_map(Step::Enable),
        1 => any::<u8>().prop_map(Step::Delete),
        1 => Just(Step::Purge),
        5 => proptest::sample::select(spans).prop_map(Step::Advance),
    ];
    proptest::collection::vec(step, 1..STEPS)
}

pub(crate) async fn no_walk_among_deliveries_leads_a_store_away_from_the_domain<S: Store>(
    factory: &impl StoreFactory<Store = S>,
) {
    let config = Config { cases: WALKS, failure_persistence: None, ..Config::default() };
    let walk = |steps: Vec<Step>| {
        Handle::current().block_on(async {
            let mut walk = Walk::new(factory).await;
            for step in steps {
                walk.take(step).await;
                walk.compare().await;
            }
        });
        Ok(())
    };
    let outcome = block_in_place(|| TestRunner::new(config).run(&steps(), walk));
    assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
}

struct Walk<S> {
    world: World<S>,
    team: TeamId,
    site: SiteId,
    endpoints: BTreeMap<EndpointId, WebhookEndpoint>,
    deliveries: BTreeMap<DeliveryId, (Delivery, Vec<Attempt>)>,
    /// Every claim that was ever given, including the old ones.
    claims: Vec<DeliveryClaim>,
}

impl<S: Store> Walk<S> {
    /// Makes three endpoints, of which one is a failure away from being switched off.
    async fn new(factory: &impl StoreFactory<Store = S>) -> Self {
        let world = World::empty(factory).await;
        world.put_plan(fixtures::roomy()).await;
        let (team, site) = world.team_and_site().await;
        for events in [BOTH, &[EventKind::IssuesNew], BOTH] {
            world.endpoint(team, events).await;
            world.advance(INSTANT);
        }
        let listed = world.store.endpoints(team).await.unwrap();
        world.fail(team, listed[0].id, EndpointStatus::SWITCH_OFF_AFTER - 1).await;
        world.fail_but_once(team, listed[0].id, 2).await;
        let mut deliveries = BTreeMap::new();
        for delivery in world.deliveries(team, listed[0].id).await {
            let log = world.log(&delivery).await;
            deliveries.insert(delivery.id, (delivery, log));
        }
        let listed = world.store.endpoints(team).await.unwrap();
        let endpoints = listed.into_iter().map(|endpoint| (endpoint.id, endpoint)).collect();
        Self { world, team, site, endpoints, deliveries, claims: Vec::new() }
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Complete { new_issues } => self.complete(new_issues).await,
            Step::Ping(pick) => self.ping(pick).await,
            Step::Resend(pick) => self.resend(pick).await,
            Step::Claim(limits) => drop(self.claim(limits).await),
            Step::Record { claim, success } => {
                if let Some(claim) = picked(&self.claims, claim) {
                    self.record(claim, success).await;
                }
            }
            Step::AttemptAll { success } => {
                for claimed in self.claim(PLENTY).await {
                    self.record(claimed.claim, success).await;
                }
            }
            Step::Enable(pick) => self.enable(pick).await,
            Step::Delete(pick) => self.delete(pick).await,
            Step::Purge => self.purge().await,
            Step::Advance(by) => self.world.advance(by),
        }
    }

    async fn complete(&mut self, new_issues: bool) {
        let mut events = vec![self.world.event(EventKind::ScanCompleted)];
        events.extend(new_issues.then(|| self.world.event(EventKind::IssuesNew)));
        self.world.completed_with_events(self.team, self.site, &events).await;
        for endpoint in self.endpoints.values() {
            let listed = self.world.deliveries(self.team, endpoint.id).await;
            // The store chose the ids; within one instant the order of the list follows them.
            let mut made: Vec<Delivery> =
                listed.into_iter().filter(|delivery| !self.deliveries.contains_key(&delivery.id)).collect();
            made.sort_by_key(|delivery| delivery.kind);
            let mut before = None;
            for event in events.iter().filter(|event| endpoint.listens_to(event.kind)) {
                let position = made.iter().position(|delivery| delivery.event == event.id);
                let delivery = made.remove(position.expect("an event is delivered to every endpoint that listens"));
                let now = self.world.now();
                let state = before.map_or_else(|| DeliveryState::due(now), |after| DeliveryState::Blocked { after });
                assert_eq!((&delivery.state, delivery.kind, delivery.created_at), (&state, event.kind, now));
                before = Some(delivery.id);
                self.deliveries.insert(delivery.id, (delivery, Vec::new()));
            }
            assert_eq!(made, [], "and nothing else");
        }
    }

    async fn ping(&mut self, pick: u8) {
        let Some(endpoint) = picked(&self.endpoints.values().cloned().collect::<Vec<_>>(), pick) else { return };
        let sent = self.world.store.send_event(self.team, endpoint.id, self.world.event(EventKind::Ping)).await;
        self.made(sent, endpoint.status.is_on());
    }

    async fn resend(&mut self, pick: u8) {
        let known: Vec<Delivery> = self.deliveries.values().map(|(delivery, _)| delivery.clone()).collect();
        let Some(delivery) = picked(&known, pick) else { return };
        let sent = self.world.store.resend_delivery(self.team, delivery.id).await;
        if delivery.state.status() == DeliveryStatus::Pending {
            assert!(matches!(sent, Err(SendError::Pending)), "{sent:?}");
            return;
        }
        self.made(sent, self.endpoints[&delivery.endpoint].status.is_on());
    }

    fn made(&mut self, sent: Result<Delivery, SendError>, is_on: bool) {
        match sent {
            Ok(delivery) => {
                assert!(is_on && delivery.state == DeliveryState::due(self.world.now()), "{delivery:?}");
                self.deliveries.insert(delivery.id, (delivery, Vec::new()));
            }
            Err(error) => assert!(!is_on && matches!(error, SendError::SwitchedOff), "{error:?}"),
        }
    }

    /// Claims for a new worker each time, which has nothing else in progress.
    async fn claim(&mut self, limits: ClaimLimits) -> Vec<ClaimedDelivery> {
        let (worker, now) = (WorkerId::generate(), self.world.now());
        let claimed = self.world.store.claim_deliveries(&worker, limits, TERM, &self.world.ring.ids()).await.unwrap();
        self.give_up(limits.all);
        let mut expected = Vec::new();
        let (mut retries, mut under_way) = (limits.retries, BTreeMap::<EndpointId, u32>::new());
        for (_, id) in self.due(now) {
            let delivery = &mut self.deliveries.get_mut(&id).unwrap().0;
            if delivery.state.is_lost(now) {
                continue;
            }
            if !self.endpoints[&delivery.endpoint].status.is_on() {
                delivery.state = delivery.state.clone().dropped(now);
                continue;
            }
            let count = under_way.entry(delivery.endpoint).or_default();
            let is_retry = delivery.state.attempts() > 0;
            if *count == limits.per_endpoint || (is_retry && retries == 0) {
                continue;
            }
            *count += 1;
            retries -= u32::from(is_retry);
            expected.push((id, delivery.state.attempts() + 1));
            delivery.state = delivery.state.clone().claim(worker.clone(), TERM, now).unwrap();
        }
        let given: Vec<_> = claimed.iter().map(|claimed| (claimed.claim.delivery, claimed.attempt)).collect();
        assert_eq!(given, expected);
        self.claims.extend(claimed.iter().map(|claimed| claimed.claim));
        claimed
    }

    fn give_up(&mut self, limit: u32) {
        let now = self.world.now();
        let lost = self.due(now).into_iter().filter(|(_, id)| self.deliveries[id].0.state.is_lost(now));
        for (_, id) in lost.take(usize::try_from(limit).unwrap()).collect::<Vec<_>>() {
            let (delivery, _) = &self.deliveries[&id];
            let status = self.endpoints[&delivery.endpoint].status;
            // An attempt that was abandoned before may have switched the endpoint off, which drops this one.
            if let Ok(ended) = delivery.state.clone().give_up(status, now) {
                self.end_attempt(id, ended, AttemptReport::WORKER_LOST);
            }
        }
    }

    fn due(&self, now: DateTime<Utc>) -> BTreeSet<(DateTime<Utc>, DeliveryId)> {
        let known = self.deliveries.iter();
        known.filter_map(|(id, (known, _))| Some((known.state.due_at()?, *id))).filter(|(at, _)| *at <= now).collect()
    }

    async fn record(&mut self, claim: DeliveryClaim, success: bool) {
        let report = if success { answered(204) } else { timed_out() };
        let recorded = self.world.store.record_attempt(claim, report.clone()).await;
        let now = self.world.now();
        let Some((delivery, _)) = self.deliveries.get(&claim.delivery) else {
            assert!(matches!(recorded, Err(RecordError::Gone)), "{recorded:?}");
            return;
        };
        let status = self.endpoints[&delivery.endpoint].status;
        match delivery.state.clone().record(claim.token, success, status, now) {
            Ok(ended) => {
                self.end_attempt(claim.delivery, ended, report);
                assert_eq!(recorded.unwrap(), self.deliveries[&claim.delivery].0);
            }
            Err(refusal) => {
                assert!(matches!(&recorded, Err(RecordError::Refused(actual)) if *actual == refusal), "{recorded:?}");
            }
        }
    }

    /// Applies what follows from the end of an attempt, for the delivery, its log, its endpoint and the delivery that
    /// waited for it.
    fn end_attempt(&mut self, id: DeliveryId, ended: DeliveryState, report: AttemptReport) {
        let now = self.world.now();
        let (delivery, log) = self.deliveries.get_mut(&id).unwrap();
        let endpoint = self.endpoints.get_mut(&delivery.endpoint).unwrap();
        let held = std::mem::replace(&mut delivery.state, ended);
        let DeliveryState::Attempting { attempts, started_at, .. } = held else { unreachable!() };
        log.push(Attempt { number: attempts + 1, started_at, ended_at: now, report });
        let was_on = endpoint.status.is_on();
        endpoint.status = match delivery.state.status() {
            DeliveryStatus::Delivered => endpoint.status.after_delivered(),
            DeliveryStatus::Failed => endpoint.status.after_failed(now),
            DeliveryStatus::Pending | DeliveryStatus::Dropped => endpoint.status,
        };
        let (owner, is_switched_off) = (endpoint.id, was_on && !endpoint.status.is_on());
        for (other, _) in self.deliveries.values_mut().filter(|(other, _)| other.endpoint == owner) {
            if other.state == (DeliveryState::Blocked { after: id }) {
                other.state = other.state.clone().unblocked(now);
            }
            if is_switched_off {
                other.state = other.state.clone().dropped(now);
            }
        }
    }

    async fn enable(&mut self, pick: u8) {
        let Some(id) = picked(&self.endpoints.keys().copied().collect::<Vec<_>>(), pick) else { return };
        let on = self.world.store.enable_endpoint(self.team, id).await.unwrap().unwrap();
        self.endpoints.entry(id).and_modify(|endpoint| endpoint.status = EndpointStatus::ON);
        assert_eq!(on, self.endpoints[&id]);
    }

    async fn delete(&mut self, pick: u8) {
        let Some(id) = picked(&self.endpoints.keys().copied().collect::<Vec<_>>(), pick) else { return };
        assert!(self.world.store.delete_endpoint(self.team, id).await.unwrap());
        self.endpoints.remove(&id);
        self.deliveries.retain(|_, (delivery, _)| delivery.endpoint != id);
    }

    async fn purge(&mut self) {
        let (now, before) = (self.world.now(), self.deliveries.len());
        self.deliveries.retain(|_, (delivery, _)| !delivery.state.has_left_log(now));
        let purged = self.world.store.purge_deliveries(1_000).await.unwrap();
        assert_eq!(usize::try_from(purged).unwrap(), before - self.deliveries.len());
    }

    async fn compare(&self) {
        let listed = self.world.store.endpoints(self.team).await.unwrap();
        let mut endpoints: Vec<_> = self.endpoints.values().cloned().collect();
        endpoints.sort_by_key(|endpoint| (endpoint.created_at, endpoint.id));
        assert_eq!(listed, endpoints);
        for endpoint in endpoints {
            let known = self.deliveries.values().filter(|(delivery, _)| delivery.endpoint == endpoint.id);
            let mut known: Vec<_> = known.collect();
            known.sort_by_key(|(delivery, _)| std::cmp::Reverse((delivery.created_at, delivery.id)));
            let listed = self.world.deliveries(self.team, endpoint.id).await;
            assert_eq!(listed, known.iter().map(|(delivery, _)| delivery.clone()).collect::<Vec<_>>());
            if let Some((delivery, log)) = known.first() {
                assert_eq!(self.world.log(delivery).await, *log);
            }
        }
    }
}

fn picked<T: Clone>(all: &[T], pick: u8) -> Option<T> {
    all.get(usize::from(pick) % all.len().max(1)).cloned()
}
