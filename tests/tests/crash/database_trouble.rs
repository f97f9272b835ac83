//! A database that goes away, falls silent, is slow or full, from the point of view of a node's clients and of the
//! node's own loops. The node is never started again.

use std::{sync::Arc, time::Duration};

use a11ycheck_core::{
    domain::{DeliveryStatus, EventKind},
    id::{ScanId, SiteId},
};
use a11ycheck_tests::{Answer, Client, QuickClock, Receiver, Reply, TestTeam, http};
use reqwest::Method;
use serde_json::json;
use sqlx::Executor as _;
use tokio::sync::Semaphore;

use crate::support::{
    Cluster, Node,
    audit::{self, Audit},
    bounded,
    proxy::Proxy,
    site, token, wait_for,
};

/// The factor of the clock: a minute of a lease is over in four seconds.
const FACTOR: i32 = 15;

/// A node with a network between it and its database.
struct Server {
    cluster: Cluster,
    proxy: Proxy,
    node: Node,
    client: Client,
    team: TestTeam,
    site: SiteId,
}

impl Server {
    /// Starts a server that uses the database's time.
    async fn start() -> Self {
        Self::with(None).await
    }

    /// Starts a server, and waits for its first response. It works on one check at a time.
    async fn with(clock: Option<QuickClock>) -> Self {
        let (mut cluster, proxy) = (Cluster::new(clock).await, Proxy::start().await);
        let team = cluster.team("Blue Team").await;
        let token = token(&team).await;
        let site = site(&team, "").await;
        cluster.settings.database_url = proxy.url();
        cluster.settings.workers = 1;
        // Clients are refused soon: a test should not wait for a server's patience.
        cluster.settings.acquire_timeout = Duration::from_millis(500);
        cluster.settings.step_timeout = Duration::from_millis(1_500);
        let node = Node::start(&cluster.settings).await;
        let client = Client::new(&node.base_url(), Some(&token));
        let server = Self { cluster, proxy, node, client, team, site };
        server.assert_served().await;
        server
    }

    /// Asserts that every kind of request is refused because of the database, with the time after which to come again,
    /// and that nothing is done.
    async fn assert_refused(&self) {
        let (site, scans) = (format!("/sites/{}", self.site), format!("/sites/{}/scans", self.site));
        let new = json!({"url": "https://93.184.215.14/more", "report_locale": "en"}).to_string();
        for (method, path, body) in [
            (Method::GET, "/account", None),
            (Method::GET, "/sites", None),
            (Method::POST, "/sites", Some(new)),
            (Method::GET, &scans, None),
            (Method::POST, &scans, None),
            (Method::DELETE, &site, None),
        ] {
            let answer = bounded("an answer", self.client.send(method.clone(), path, body)).await;
            assert_eq!(answer.status, 503, "{method} {path}: {}", answer.body);
            assert_eq!(answer.header("retry-after"), "5");
            assert!(answer.body["message"].is_string(), "{}", answer.body);
        }
    }

    /// Asserts that requests are served again, and that nothing happened meanwhile.
    async fn assert_served(&self) {
        let answer = wait_for("the server to recover", async || {
            let answer: Answer = self.client.get("/sites").await;
            assert!(matches!(answer.status, 200 | 503), "{}", answer.body);
            (answer.status == 200).then_some(answer)
        });
        let answer = answer.await;
        assert_eq!((&answer.body["meta"]["total"], &answer.body["data"][0]["id"]), (&json!(1), &json!(self.site)));
    }

    /// Returns the statuses of the pages for operators: whether the process is well, and whether it can work.
    async fn health(&self) -> (u16, u16) {
        let page = async |path: &str| {
            let url = format!("http://{}/{path}", self.node.address);
            bounded("a page for operators", http().build().unwrap().get(url).send()).await.unwrap().status().as_u16()
        };
        (page("healthz").await, page("readyz").await)
    }

    /// Waits until the check has completed.
    async fn until_completed(&self, scan: ScanId) {
        wait_for("the check to complete", async || {
            let scan = self.team.scan(scan).await;
            assert!(scan.finished_at().is_none() || scan.outcome().is_some(), "{scan:?}");
            scan.outcome().map(drop)
        })
        .await;
    }

    /// Returns the newest check of the site.
    async fn newest(&self) -> ScanId {
        self.team.newest_scan(self.site).await.id
    }
}

#[tokio::test]
async fn while_the_database_is_away_clients_are_asked_to_come_again_and_afterwards_they_are_served() {
    let server = Server::start().await;
    for _ in 0..2 {
        server.proxy.go_down();
        server.assert_refused().await;
        assert_eq!(server.health().await, (200, 503));
        server.proxy.come_up();
        server.assert_served().await;
        assert_eq!(server.health().await, (200, 200));
    }
}

#[tokio::test]
async fn while_the_database_is_silent_clients_are_asked_to_come_again_and_afterwards_they_are_served() {
    let server = Server::start().await;
    server.proxy.fall_silent();
    server.assert_refused().await;
    assert_eq!(server.health().await, (200, 503));
    server.proxy.speak();
    server.assert_served().await;
    assert_eq!(server.health().await, (200, 200));
}

#[tokio::test]
async fn while_the_database_is_slow_clients_are_asked_to_come_again_and_afterwards_they_are_served() {
    let server = Server::start().await;
    // Another transaction holds the rows that every request needs, and it may last.
    let mut lock = server.cluster.db.begin().await.unwrap();
    sqlx::query("SELECT FROM request_counters FOR UPDATE").execute(&mut *lock).await.unwrap();
    for path in ["/account", "/sites"] {
        let answer = bounded("an answer", server.client.get(path)).await;
        assert_eq!((answer.status, answer.header("retry-after")), (503, "5"), "{}", answer.body);
    }
    lock.rollback().await.unwrap();
    server.assert_served().await;
}

#[tokio::test]
async fn a_disk_without_room_stops_what_is_new_and_nothing_that_is_there() {
    let server = Server::start().await;
    let full = "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION USING ERRCODE = 'disk_full';
        END $$;
        CREATE TRIGGER no_room BEFORE INSERT ON sites FOR EACH ROW EXECUTE FUNCTION no_room();";
    server.cluster.db.execute(full).await.unwrap();
    let new = json!({"url": "https://93.184.215.14/more", "report_locale": "en"});
    let answer = server.client.post("/sites", new.clone()).await;
    assert_eq!((answer.status, answer.header("retry-after")), (503, "5"), "{}", answer.body);
    server.assert_served().await;
    server.cluster.db.execute("DROP TRIGGER no_room ON sites").await.unwrap();
    server.client.post("/sites", new).await.data(201);
}

#[tokio::test]
async fn a_result_that_can_not_be_stored_at_once_is_not_looked_for_again() {
    let server = Server::start().await;
    server.until_completed(server.newest().await).await;
    audit::install(&server.cluster.db).await;
    let no_room_for_three = "CREATE SEQUENCE failures;
        CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
            IF nextval('failures') <= 3 THEN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER no_room BEFORE INSERT ON findings FOR EACH ROW EXECUTE FUNCTION no_room();";
    server.cluster.db.execute(no_room_for_three).await.unwrap();
    let path = format!("/sites/{}/scans", server.site);
    let scan: ScanId = wait_for("a check to be started", async || {
        let answer = server.client.post_empty(&path).await;
        (answer.status == 202).then(|| answer.body["data"]["id"].as_str().unwrap().parse().unwrap())
    })
    .await;
    server.until_completed(scan).await;
    let history = Audit::read(&server.cluster.db).await.checks.remove(&scan.to_string()).unwrap();
    assert_eq!(Audit::count(&history, "claimed"), 1, "{history:?}");
}

/// An outage while a response of a receiver is in progress, and while a check is queued of which no node can be
/// notified.
async fn work_outlives(begin: impl Fn(&Proxy), end: impl Fn(&Proxy)) {
    let gate = Arc::new(Semaphore::new(0));
    let receiver = Receiver::start([Reply::HeldBy(Arc::clone(&gate)), Reply::Status(204)]).await;
    let server = Server::with(Some(QuickClock::new(FACTOR))).await;
    let team = &server.team;
    server.until_completed(server.newest().await).await;
    let (endpoint, _) = team.endpoint_for(receiver.url("/"), &[EventKind::ScanCompleted]).await;
    let delivery = team.ping(endpoint).await;
    bounded("the first request", receiver.wait_for(1)).await;

    begin(&server.proxy);
    gate.add_permits(1);
    bounded("the answer to be sent", receiver.wait_for_answers(1)).await;
    // Another node queues a check.
    let scan = team.start_scan(server.site).await.id;
    server.assert_refused().await;
    let pending = team.deliveries(endpoint).await;
    assert_eq!(pending[0].state.status(), DeliveryStatus::Pending, "nothing is recorded through a broken network");
    end(&server.proxy);

    server.until_completed(scan).await;
    bounded("the event of the check", receiver.wait_for_answers(2)).await;
    let delivered = wait_for("both deliveries to be recorded", async || {
        let deliveries = team.deliveries(endpoint).await;
        assert_eq!(deliveries.len(), 2);
        deliveries.iter().all(|delivery| delivery.state.status() == DeliveryStatus::Delivered).then_some(deliveries)
    })
    .await;
    assert!(delivered.iter().all(|delivery| delivery.state.attempts() == 1), "{delivered:?}");
    let of_ping =
        receiver.received().iter().filter(|request| request.header("Svc-Delivery") == delivery.id.to_string()).count();
    assert!((1..=2).contains(&of_ping), "recorded when the database was back, or repeated once its lease had ended");
    server.assert_served().await;
}

#[tokio::test]
async fn checks_and_deliveries_go_on_by_themselves_when_the_database_is_back() {
    work_outlives(Proxy::go_down, Proxy::come_up).await;
}

#[tokio::test]
async fn checks_and_deliveries_go_on_by_themselves_when_the_database_speaks_again() {
    work_outlives(Proxy::fall_silent, Proxy::speak).await;
}
