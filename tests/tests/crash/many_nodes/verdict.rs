//! The verdict whether all promises were kept: read from the tables, from what the database recorded while it happened,
//! and from the requests that the receiver got.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
};

use a11ycheck_tests::{Received, SeededScanner};
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx_macros::FromRow;

use super::{Answers, CHECKS_PER_SITE, Endpoint, SITES_PER_TEAM, TEAMS};
use crate::support::{Cluster, audit::Audit};

/// The numbers that the test prints of a run in which nothing was lost.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    checks: usize,
    completed: usize,
    lost: usize,
    claims: usize,
    events: usize,
    deliveries: usize,
    requests: usize,
    refused: usize,
    repeats: usize,
    repeated: usize,
    undone: usize,
}

#[derive(Debug, FromRow)]
struct CheckRow {
    id: String,
    site_id: String,
    finished_at: Option<DateTime<Utc>>,
    outcome: Option<Value>,
    failure: Option<Value>,
}

#[derive(Debug, FromRow)]
struct EventRow {
    id: String,
    team_id: String,
    kind: String,
    body: Vec<u8>,
}

#[derive(Debug, FromRow)]
struct DeliveryRow {
    id: String,
    endpoint_id: String,
    event_id: String,
    state: String,
    attempts: i64,
    /// The number of these attempts that lost three workers.
    lost: i64,
}

/// The key of an event: the id of its check, and its kind.
type EventKey = (String, String);

impl Verdict {
    /// Judges a cluster that has come to rest.
    ///
    /// # Panics
    /// If anything was lost, done twice, or reported wrongly.
    pub(super) async fn reach(cluster: &Cluster, endpoints: &[Endpoint], received: &[Received]) -> Self {
        let audit = Audit::read(&cluster.db).await;
        let mut verdict = Self { undone: audit.undone, ..Self::default() };
        let expected = verdict.judge_checks(cluster, &audit).await;
        let events = verdict.judge_events(cluster, &expected).await;
        let deliveries = verdict.judge_deliveries(cluster, &audit, endpoints, &events).await;
        verdict.judge_requests(endpoints, &events, &deliveries, received);
        verdict
    }

    /// Asserts that each check ended once, and that those that completed found what they had to. Returns the keys of
    /// the events that they must have.
    async fn judge_checks(&mut self, cluster: &Cluster, audit: &Audit) -> BTreeMap<EventKey, u64> {
        let query = "SELECT id, site_id, finished_at, outcome, failure FROM scans ORDER BY finished_at, id";
        let checks: Vec<CheckRow> = sqlx::query_as(query).fetch_all(&cluster.db).await.unwrap();
        let wanted = TEAMS * SITES_PER_TEAM * usize::try_from(CHECKS_PER_SITE).unwrap();
        assert!(checks.len() >= wanted, "{} checks of {wanted}", checks.len());
        self.checks = checks.len();
        let mut expected = BTreeMap::new();
        let mut previous: HashMap<String, CheckRow> = HashMap::new();
        for check in checks {
            let CheckRow { id, site_id, outcome, failure, .. } = &check;
            assert!(check.finished_at.is_some(), "{id} has not ended");
            let history = &audit.checks[id];
            let [claims, completed, failed] =
                ["claimed", "completed", "failed"].map(|what| Audit::count(history, what));
            assert_eq!(Audit::count(history, "changed after its end"), 0, "{id}: {history:?}");
            assert!((1..=3).contains(&claims), "{id} was begun {claims} times");
            self.claims += claims;
            let Some(outcome) = outcome else {
                assert_eq!((completed, failed, claims), (0, 1, 3), "{id}: {history:?}");
                assert_eq!(failure.as_ref().unwrap()["code"], "worker_lost", "{id}");
                self.lost += 1;
                continue;
            };
            assert_eq!((completed, failed), (1, 0), "{id}: {history:?}");
            self.completed += 1;
            let (diff, before) = (&outcome["diff"], previous.get(site_id));
            assert_eq!(diff["previous"]["id"].as_str(), before.map(|before| before.id.as_str()), "{id}");
            let new = new_since(before, id);
            assert_eq!(diff["new"].as_u64(), Some(new), "{id}");
            expected.insert((id.clone(), "scan.completed".to_owned()), new);
            if new > 0 {
                expected.insert((id.clone(), "issues.new".to_owned()), new);
            }
            previous.insert(site_id.clone(), check);
        }
        expected
    }

    /// Asserts that each completed check has its events, and that there are no others. Returns the events by their
    /// keys.
    async fn judge_events(
        &mut self,
        cluster: &Cluster,
        expected: &BTreeMap<EventKey, u64>,
    ) -> BTreeMap<EventKey, EventRow> {
        let events: Vec<EventRow> =
            sqlx::query_as("SELECT id, team_id, kind, body FROM events").fetch_all(&cluster.db).await.unwrap();
        let mut by_key = BTreeMap::new();
        for event in events {
            let body: Value = serde_json::from_slice(&event.body).unwrap();
            assert_eq!((body["id"].as_str(), body["type"].as_str()), (Some(&*event.id), Some(&*event.kind)));
            let scan = &body["data"]["scan"];
            assert_eq!(scan["status"], "completed");
            let key = (scan["id"].as_str().unwrap().to_owned(), event.kind.clone());
            assert_eq!(body["data"]["new_issues"].as_u64(), expected.get(&key).copied(), "{key:?}");
            let twice = by_key.insert(key, event);
            assert!(twice.is_none(), "a check was delivered twice: {twice:?}");
        }
        assert_same(&by_key.keys().collect(), &expected.keys().collect());
        self.events = by_key.len();
        by_key
    }

    /// Asserts that each event has one delivery to each endpoint that listens, and that each delivery was received.
    async fn judge_deliveries(
        &mut self,
        cluster: &Cluster,
        audit: &Audit,
        endpoints: &[Endpoint],
        events: &BTreeMap<EventKey, EventRow>,
    ) -> Vec<DeliveryRow> {
        let deliveries: Vec<DeliveryRow> = sqlx::query_as(
            "SELECT id, endpoint_id, event_id, state, attempts, (
                 SELECT count(*) FROM delivery_attempts WHERE delivery_id = d.id AND failure = 'worker_lost'
             ) AS lost
             FROM deliveries d",
        )
        .fetch_all(&cluster.db)
        .await
        .unwrap();
        let expected: BTreeSet<(&str, &str)> = events
            .values()
            .flat_map(|event| {
                let listens = |endpoint: &&Endpoint| {
                    endpoint.team.to_string() == event.team_id
                        && endpoint.events.iter().any(|kind| kind.as_str() == event.kind)
                };
                endpoints.iter().filter(listens).map(|endpoint| (&*event.id, &*endpoint.id))
            })
            .collect();
        let made: BTreeSet<(&str, &str)> =
            deliveries.iter().map(|delivery| (&*delivery.event_id, &*delivery.endpoint_id)).collect();
        assert_same(&made, &expected);
        assert_eq!(deliveries.len(), expected.len(), "none is made twice");
        for delivery in &deliveries {
            let history = &audit.deliveries[&delivery.id];
            assert_eq!((delivery.state.as_str(), Audit::count(history, "delivered")), ("delivered", 1), "{history:?}");
            assert_eq!(Audit::count(history, "changed after its end"), 0, "{delivery:?}");
        }
        self.deliveries = deliveries.len();
        deliveries
    }

    /// Asserts that each delivery came at least once, with one body, at its endpoint, in the order of events; and that
    /// nothing else came.
    fn judge_requests(
        &mut self,
        endpoints: &[Endpoint],
        events: &BTreeMap<EventKey, EventRow>,
        deliveries: &[DeliveryRow],
        received: &[Received],
    ) {
        let mut arrivals: HashMap<&str, Vec<(usize, &Received)>> = HashMap::new();
        for (number, request) in received.iter().enumerate() {
            arrivals.entry(request.header("Svc-Delivery")).or_default().push((number, request));
        }
        self.requests = received.len();
        let endpoints: HashMap<&str, &Endpoint> = endpoints.iter().map(|endpoint| (&*endpoint.id, endpoint)).collect();
        let by_id: HashMap<&str, (&EventKey, &EventRow)> =
            events.iter().map(|(key, event)| (&*event.id, (key, event))).collect();
        // Only of deliveries none of whose attempts was abandoned: a delivery that waited for an abandoned attempt may
        // arrive before its repeat.
        let mut first_arrivals: HashMap<(&str, &str, &str), usize> = HashMap::new();
        for delivery in deliveries {
            let came = arrivals.remove(&*delivery.id).unwrap_or_else(|| panic!("{delivery:?} never arrived"));
            let (endpoint, ((scan, kind), event)) = (endpoints[&*delivery.endpoint_id], by_id[&*delivery.event_id]);
            for (_, request) in &came {
                assert_eq!(request.line, format!("POST {} HTTP/1.1", endpoint.path));
                assert_eq!((request.header("Svc-Event"), &request.body), (&**kind, &event.body), "byte for byte");
            }
            if delivery.lost == 0 {
                first_arrivals.insert((&endpoint.id, scan, kind), came[0].0);
            }
            let refused = usize::from(Answers::refuses_at_first(&delivery.id));
            let recorded = usize::try_from(delivery.attempts - delivery.lost).unwrap();
            // A refusal that no node survived to record counts for nothing.
            assert!((1..=1 + refused).contains(&recorded), "{delivery:?}");
            assert!(recorded <= came.len(), "{delivery:?} came {} times", came.len());
            self.refused += refused;
            self.repeats += came.len() - recorded;
            self.repeated += usize::from(came.len() > recorded);
        }
        assert!(arrivals.is_empty(), "something arrived that nobody sent: {arrivals:?}");
        for ((endpoint, scan, kind), number) in &first_arrivals {
            if *kind == "issues.new"
                && let Some(completed) = first_arrivals.get(&(endpoint, scan, "scan.completed"))
            {
                assert!(completed < number, "{endpoint} heard of new issues of {scan} before it had completed");
            }
        }
    }
}

/// Asserts that two sets are the same, and shows the difference.
fn assert_same<T: Ord + fmt::Debug>(found: &BTreeSet<T>, expected: &BTreeSet<T>) {
    let (missing, odd): (Vec<_>, Vec<_>) = (expected.difference(found).collect(), found.difference(expected).collect());
    assert!(missing.is_empty() && odd.is_empty(), "missing: {missing:?}; unexpected: {odd:?}");
}

/// Returns the number of elements that a check found and the one before it did not; the first check has nothing new.
fn new_since(before: Option<&CheckRow>, id: &str) -> u64 {
    let found = |id: &str| SeededScanner::found(id.parse().unwrap());
    before.map_or(0, |before| {
        found(id).into_iter().zip(found(&before.id)).filter(|(now, was)| *now && !was).count() as u64
    })
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { checks, completed, lost, claims, events, deliveries, .. } = self;
        let Self { requests, refused, repeats, repeated, undone, .. } = self;
        write!(
            f,
            "{checks} checks ended once: {completed} completed, {lost} lost their worker three times; {claims} claims, {} \
             of them again; {events} events, {deliveries} deliveries, all received, in {requests} requests, of which \
             {refused} were refused and {repeats} were repeats, of {repeated} deliveries, after a kill or a pause; \
             {undone} writes were cut off and undone",
            claims - checks
        )
    }
}
