//! Nodes wake each other: work that one makes due is begun by another at once; and when they do not receive each
//! other's hints, they look by themselves.

use std::time::Duration;

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    domain::{
        AttemptReport, AttemptResult, Depth, EndpointDetails, EndpointSecret, EventKind, Excerpt, Lease, NewEndpoint,
        NewEvent, NewSite, NewTeam, PlanCatalog, PlanCode, SiteDetails, SiteUrl, Subscription,
    },
    engine::{Engine, EngineConfig},
    id::{EndpointId, EventId, ScanId, SiteId, TeamId, WorkerId},
    locale::Locale,
    scanner::ScriptedScanner,
    service::Service,
    store::{
        ClaimLimits, HintStore as _, QueueStore as _, ScanStore as _, SiteStore as _, TeamStore as _,
        WebhookStore as _, Work,
    },
    webhook::{WebhookRequest, WebhookSender},
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use chrono::{TimeDelta, Utc};
use sqlx::{AssertSqlSafe, Executor as _, postgres::PgListener};
use tokio::sync::mpsc;

use crate::support::{self, pgbouncer::PgBouncer, proxy::Proxy};

/// The time after which a hint counts as lost.
const LOST: Duration = Duration::from_secs(60);
/// The time for which the loops of these tests rest unless they are woken: longer than any test.
const NEVER: Duration = Duration::from_secs(100_000);

/// A node that queues, with a team and a site, and the configuration with which others join it.
struct Cluster {
    node: PostgresStore,
    config: PostgresConfig,
    schema: String,
    team: TeamId,
    site: SiteId,
}

impl Cluster {
    async fn new() -> Self {
        Self::at(&support::url()).await
    }

    async fn at(url: &str) -> Self {
        let (config, schema) = support::config_at(url).await;
        let node = PostgresStore::connect(config.clone()).await.unwrap();
        node.put_plans(PlanCatalog::shipped().plans()).await.unwrap();
        let team = NewTeam {
            id: TeamId::generate(Utc::now()),
            name: "Team".to_owned(),
            plan: PlanCode::new("pro"),
            subscription: Subscription::ACTIVE,
            seats_used: 1,
        };
        let team = node.create_team(team).await.unwrap().id;
        let site = node.add_site(team, new_site(), None).await.unwrap().id;
        Self { node, config, schema, team, site }
    }

    /// Starts another node, and waits until it listens.
    async fn listener(&self) -> PostgresStore {
        let store = PostgresStore::connect(self.config.clone()).await.unwrap();
        listens(&store).await;
        store
    }

    /// Changes data beside the store.
    async fn change(&self, statement: &'static str) {
        let mut db = support::connect().await;
        // The support module made the name: nothing in it needs quoting.
        db.execute(AssertSqlSafe(format!("SET search_path = {}", self.schema))).await.unwrap();
        db.execute(statement).await.unwrap();
    }

    async fn start(&self) -> ScanId {
        self.node.start_manual_scan(self.team, self.site, ScanId::generate(Utc::now()), Depth::Full).await.unwrap().id
    }

    async fn endpoint(&self) -> EndpointId {
        let details = EndpointDetails::everything_to(SiteUrl::parse("https://hooks.example/").unwrap());
        let id = EndpointId::generate(Utc::now());
        let new = NewEndpoint { id, details, secret: EndpointSecret::generate().seal(&support::ring(), id) };
        self.node.create_endpoint(self.team, new).await.unwrap().id
    }
}

fn new_site() -> NewSite {
    let details = SiteDetails {
        url: SiteUrl::parse("https://example.com").unwrap(),
        name: None,
        report_locale: Locale::En,
        platform: None,
        stack: vec![],
        tags: vec![],
        standard: None,
    };
    NewSite { id: SiteId::generate(Utc::now()), details }
}

fn event() -> NewEvent {
    let now = Utc::now();
    NewEvent {
        id: EventId::generate(now),
        kind: EventKind::ScanCompleted,
        created_at: now,
        body: b"{}".as_slice().into(),
    }
}

async fn hinted(store: &PostgresStore, work: Work) {
    let hinted = tokio::time::timeout(LOST, store.hint(work)).await;
    hinted.unwrap_or_else(|_| panic!("no hint at {work:?} came"));
}

/// Waits for the hints that a node gives itself when it begins to listen: each comes once, and nothing else gives any.
async fn listens(store: &PostgresStore) {
    hinted(store, Work::Scans).await;
    hinted(store, Work::Deliveries).await;
}

/// Reports every attempt.
#[derive(Debug)]
struct Receiver(mpsc::UnboundedSender<WebhookRequest>);

#[async_trait::async_trait]
impl WebhookSender for Receiver {
    async fn send(&self, request: WebhookRequest) -> AttemptResult {
        self.0.send(request).unwrap();
        AttemptResult::Answered { status: 204, excerpt: Excerpt::of(b"") }
    }
}

#[tokio::test]
async fn a_check_queued_on_one_node_is_run_by_another_and_delivered_by_a_third_although_none_would_look_for_a_day() {
    let cluster = Cluster::new().await;
    cluster.endpoint().await;
    let idle = EngineConfig::default().with_workers(0).without_scheduler().without_retention().with_poll(NEVER);
    let (requests, mut received) = mpsc::unbounded_channel();
    let (mut engines, scanner) = (Vec::new(), ScriptedScanner::default());
    for config in [idle.with_workers(2).without_webhooks(), idle] {
        let store = PostgresStore::connect(cluster.config.clone()).await.unwrap();
        let service =
            Service::builder(store).with_event_writer(EventsV1).with_sealing(support::ring()).build().await.unwrap();
        let engine = Engine::builder(&service).with_scanner(scanner.clone()).with_sender(Receiver(requests.clone()));
        engines.push(engine.with_config(config).start());
    }
    for checks in 1..=3 {
        let scan = cluster.start().await;
        let request = tokio::time::timeout(LOST, received.recv()).await.expect("the check was delivered").unwrap();
        assert!(String::from_utf8_lossy(&request.body).contains(&scan.to_string()), "{:?}", request.body);
        assert_eq!(scanner.requests().len(), checks);
        // The plan lets a site be checked by hand once an hour.
        cluster.change("UPDATE sites SET last_manual_at = NULL").await;
    }
    for engine in engines {
        engine.stop().await;
    }
}

#[tokio::test]
async fn nodes_notify_each_other_through_a_pooler_that_keeps_sessions() {
    let pooler = PgBouncer::start("").await;
    let cluster = Cluster::at(&pooler.url()).await;
    let other = cluster.listener().await;
    cluster.start().await;
    hinted(&other, Work::Scans).await;
}

#[tokio::test]
async fn whatever_a_node_makes_due_the_others_are_notified_of_it() {
    let cluster = Cluster::new().await;
    let (node, team) = (&cluster.node, cluster.team);
    let others = [cluster.listener().await, cluster.listener().await];
    let all_hinted = async |work| {
        for other in &others {
            hinted(other, work).await;
        }
    };
    cluster.start().await;
    all_hinted(Work::Scans).await;
    let claim = node.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap().claim;
    node.hand_back(claim).await.unwrap();
    all_hinted(Work::Scans).await;
    node.add_site(team, new_site(), Some(ScanId::generate(Utc::now()))).await.unwrap();
    all_hinted(Work::Scans).await;
    node.add_site(team, new_site(), None).await.unwrap();
    cluster.change("UPDATE sites SET next_scan_at = now()").await;
    assert_eq!(node.queue_due_scans(10).await.unwrap().queued.len(), 1);
    all_hinted(Work::Scans).await;

    let endpoint = cluster.endpoint().await;
    let sent = node.send_event(team, endpoint, event()).await.unwrap();
    all_hinted(Work::Deliveries).await;
    let limits = ClaimLimits { all: 1, retries: 1, per_endpoint: 1 };
    let claimed = node
        .claim_deliveries(&WorkerId::generate(), limits, TimeDelta::seconds(60), &support::ring().ids())
        .await
        .unwrap();
    let result = AttemptResult::Answered { status: 204, excerpt: Excerpt::of(b"") };
    node.record_attempt(claimed[0].claim, AttemptReport { duration: TimeDelta::zero(), result }).await.unwrap();
    node.resend_delivery(team, sent.id).await.unwrap();
    all_hinted(Work::Deliveries).await;
}

#[tokio::test]
async fn a_node_that_is_not_notified_finds_work_when_it_looks_and_is_notified_again_later() {
    let cluster = Cluster::new().await;
    let (proxy, name) = (Proxy::start().await, format!("a11ycheck-deaf-{}", std::process::id()));
    let url = format!("{}&application_name={name}", proxy.url());
    let config = PostgresConfig::new(url).with_schema(&cluster.schema).with_acquire_timeout(Duration::from_secs(30));
    let deaf = PostgresStore::connect(config).await.unwrap();
    listens(&deaf).await;
    assert!(deaf.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().is_none());

    proxy.admit_nobody();
    let ended: Vec<bool> = sqlx::query_scalar(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND query LIKE 'LISTEN%'",
    )
    .bind(&name)
    .fetch_all(&mut support::connect().await)
    .await
    .unwrap();
    assert_eq!(ended, [true], "a node listens on one connection");
    let scan = cluster.start().await;
    let found = deaf.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().expect("it looks, and finds");
    assert_eq!(found.claim.scan, scan);
    // Its claim hints at more, to itself.
    hinted(&deaf, Work::Scans).await;

    proxy.come_up();
    // It does not know which hints were sent meanwhile, so it looks at everything once.
    listens(&deaf).await;
    cluster.node.add_site(cluster.team, new_site(), Some(ScanId::generate(Utc::now()))).await.unwrap();
    hinted(&deaf, Work::Scans).await;
}

#[tokio::test]
async fn however_much_becomes_due_others_are_notified_ten_times_a_second_at_most() {
    let cluster = Cluster::new().await;
    let endpoint = cluster.endpoint().await;
    let mut listener = PgListener::connect(&support::url()).await.unwrap();
    listener.listen(&cluster.schema).await.unwrap();
    let began = std::time::Instant::now();
    let events = 300;
    for _ in 0..events {
        cluster.node.send_event(cluster.team, endpoint, event()).await.unwrap();
    }
    sqlx::query("SELECT pg_notify($1, 'enough')")
        .bind(&cluster.schema)
        .execute(&mut support::connect().await)
        .await
        .unwrap();
    let mut notified = 0;
    while listener.recv().await.unwrap().payload() != "enough" {
        notified += 1;
    }
    let most = began.elapsed().as_millis() / 100 + 1;
    assert!(
        (1..=most).contains(&notified),
        "notified {notified} times of {events} events, {most} would have been all right"
    );
}

#[tokio::test]
async fn a_store_that_is_closed_listens_no_more() {
    let cluster = Cluster::new().await;
    let name = format!("a11ycheck-closed-{}", std::process::id());
    let joint = if support::url().contains('?') { '&' } else { '?' };
    let url = format!("{}{joint}application_name={name}", support::url());
    let config = PostgresConfig::new(url).with_schema(&cluster.schema);
    let store = PostgresStore::connect(config).await.unwrap();
    listens(&store).await;
    store.close().await;
    let mut db = support::connect().await;
    let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1";
    while sqlx::query_scalar::<_, i64>(count).bind(&name).fetch_one(&mut db).await.unwrap() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_node_whose_network_fell_silent_finds_out_and_is_notified_again() {
    let (cluster, proxy) = (Cluster::new().await, Proxy::start().await);
    let config = PostgresConfig::new(proxy.url()).with_schema(&cluster.schema);
    let config = config.with_acquire_timeout(Duration::from_secs(5)).with_step_timeout(Duration::from_millis(500));
    let deaf = PostgresStore::connect(config).await.unwrap();
    listens(&deaf).await;
    // The connection that listens swallows everything from its first byte, and neither side notices.
    proxy.fall_silent();
    cluster.start().await;
    proxy.has_lost_something().await;
    proxy.speak();
    listens(&deaf).await;
    cluster.node.add_site(cluster.team, new_site(), Some(ScanId::generate(Utc::now()))).await.unwrap();
    hinted(&deaf, Work::Scans).await;
}
