//! The first steps of the cases about endpoints and deliveries.

use a11ycheck_core::{
    domain::{
        Attempt, AttemptFailure, AttemptReport, AttemptResult, Delivery, DeliveryState, DeliveryStatus,
        EndpointDetails, EndpointSecret, EndpointStatus, EventKind, Excerpt, NewEndpoint, NewEvent, SiteUrl,
        WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, EventId, ScanId, SiteId, TeamId, WorkerId},
    paging::PageRequest,
    sealing::Sealed,
    store::{ClaimLimits, ClaimedDelivery, Completion, DeliveryClaim, Store},
};
use bytes::Bytes;
use chrono::TimeDelta;

use crate::suite::world::World;

/// The term of an attempt's lease.
pub(crate) const TERM: TimeDelta = TimeDelta::seconds(60);
/// A time longer than the longest step of the schedule: everything that waits for an attempt is due after it.
pub(crate) const LONG: TimeDelta = TimeDelta::hours(7);
pub(crate) const BOTH: &[EventKind] = &[EventKind::ScanCompleted, EventKind::IssuesNew];
/// Limits that no case reaches.
pub(crate) const PLENTY: ClaimLimits = ClaimLimits { all: 1_000, retries: 1_000, per_endpoint: 1_000 };

pub(crate) fn details(url: &str, events: &[EventKind]) -> EndpointDetails {
    EndpointDetails::new(SiteUrl::parse(url).unwrap(), events.iter().copied())
}

pub(crate) fn answered(status: u16) -> AttemptReport {
    let result = AttemptResult::Answered { status, excerpt: Excerpt::of(b"so be it") };
    AttemptReport { duration: TimeDelta::milliseconds(120), result }
}

pub(crate) fn timed_out() -> AttemptReport {
    AttemptReport { duration: TimeDelta::seconds(10), result: AttemptResult::Failed(AttemptFailure::Timeout) }
}

impl<S: Store> World<S> {
    pub(crate) fn new_endpoint(&self, events: &[EventKind]) -> NewEndpoint {
        let id = EndpointId::generate(self.now());
        NewEndpoint { id, details: details("https://hooks.example/a11y?key=1", events), secret: self.secret(id) }
    }

    /// Returns a new secret, sealed for the endpoint.
    pub(crate) fn secret(&self, endpoint: EndpointId) -> Sealed {
        EndpointSecret::generate().seal(&self.ring, endpoint)
    }

    pub(crate) async fn endpoint(&self, team: TeamId, events: &[EventKind]) -> EndpointId {
        self.store.create_endpoint(team, self.new_endpoint(events)).await.unwrap().id
    }

    pub(crate) async fn endpoint_row(&self, team: TeamId, id: EndpointId) -> WebhookEndpoint {
        let listed = self.store.endpoints(team).await.unwrap();
        listed.into_iter().find(|endpoint| endpoint.id == id).expect("the endpoint is listed")
    }

    pub(crate) async fn status(&self, team: TeamId, id: EndpointId) -> EndpointStatus {
        self.endpoint_row(team, id).await.status
    }

    /// Returns an event whose bytes no other has.
    pub(crate) fn event(&self, kind: EventKind) -> NewEvent {
        let id = EventId::generate(self.now());
        let body = Bytes::from(format!("{{\"id\":\"{id}\",\"type\":\"{kind}\",\"note\":\"Ціна 5 ₴ \\u0000\"}}"));
        NewEvent { id, kind, created_at: self.now(), body }
    }

    /// Completes a check of the site now, with these events.
    pub(crate) async fn completed_with_events(&self, team: TeamId, site: SiteId, events: &[NewEvent]) -> ScanId {
        let claim = self.running(team, site).await;
        let completion = Completion { events: events.to_vec(), ..self.completion() };
        self.store.complete_scan(claim, completion).await.unwrap().id
    }

    /// Sends a test event to the endpoint.
    pub(crate) async fn ping(&self, team: TeamId, endpoint: EndpointId) -> Delivery {
        self.store.send_event(team, endpoint, self.event(EventKind::Ping)).await.unwrap()
    }

    /// Returns all deliveries to the endpoint, the newest first.
    pub(crate) async fn deliveries(&self, team: TeamId, endpoint: EndpointId) -> Vec<Delivery> {
        let page = self.store.deliveries(team, endpoint, PageRequest::new(1, 100)).await.unwrap();
        let page = page.expect("the endpoint is there");
        assert_eq!(page.total, page.items.len() as u64);
        page.items
    }

    pub(crate) async fn delivery(&self, delivery: &Delivery) -> Delivery {
        let listed = self.deliveries(delivery.team, delivery.endpoint).await;
        listed.into_iter().find(|listed| listed.id == delivery.id).expect("the delivery is listed")
    }

    pub(crate) async fn delivery_state(&self, delivery: &Delivery) -> DeliveryState {
        self.delivery(delivery).await.state
    }

    pub(crate) async fn delivery_status(&self, delivery: &Delivery) -> DeliveryStatus {
        self.delivery_state(delivery).await.status()
    }

    pub(crate) async fn log(&self, delivery: &Delivery) -> Vec<Attempt> {
        self.store.attempts(delivery.team, delivery.id).await.unwrap().expect("the delivery is there")
    }

    /// Claims everything that is due, for a new worker.
    pub(crate) async fn claim_deliveries(&self) -> Vec<ClaimedDelivery> {
        self.store.claim_deliveries(&WorkerId::generate(), PLENTY, TERM, &self.ring.ids()).await.unwrap()
    }

    /// Claims the one delivery that is due.
    pub(crate) async fn claim_delivery(&self) -> ClaimedDelivery {
        let [claimed]: [ClaimedDelivery; 1] = self.claim_deliveries().await.try_into().expect("one delivery is due");
        claimed
    }

    pub(crate) async fn due(&self) -> Vec<DeliveryId> {
        self.claim_deliveries().await.iter().map(|claimed| claimed.claim.delivery).collect()
    }

    pub(crate) async fn record(&self, claim: DeliveryClaim, report: AttemptReport) -> Delivery {
        self.store.record_attempt(claim, report).await.unwrap()
    }

    /// Claims everything that is due and records the same end of each attempt, all at one instant.
    pub(crate) async fn attempt_all(&self, report: &AttemptReport) {
        for claimed in self.claim_deliveries().await {
            self.record(claimed.claim, report.clone()).await;
        }
    }

    /// Makes `count` deliveries to the endpoint that fail every attempt.
    pub(crate) async fn fail(&self, team: TeamId, endpoint: EndpointId, count: u32) -> Vec<Delivery> {
        let failing = self.fail_but_once(team, endpoint, count).await;
        self.attempt_all(&timed_out()).await;
        failing
    }

    /// Makes `count` deliveries to the endpoint that failed every attempt but the last, which is due.
    pub(crate) async fn fail_but_once(&self, team: TeamId, endpoint: EndpointId, count: u32) -> Vec<Delivery> {
        let mut failing = Vec::new();
        for _ in 0..count {
            failing.push(self.ping(team, endpoint).await);
        }
        for _ in 1..DeliveryState::MAX_ATTEMPTS {
            self.attempt_all(&timed_out()).await;
            self.advance(LONG);
        }
        failing
    }
}
