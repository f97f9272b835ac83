//! The events of a completed check, and the endpoints that receive them.

use std::sync::Arc;

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Engine, Service,
    clock::Clock as _,
    domain::{EventKind, Failure, FailureCode, ScanStatus, SiteInput, Subscription},
    net::StaticResolver,
    scanner::{CancellationToken, Script, ScriptedScanner},
    sealing::Keyring,
    webhook::{HeaderPrefix, HttpSender},
};
use a11ycheck_signing as signing;
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::{OpenApi, Receiver, Reply, TestTeam};
use chrono::TimeDelta;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::hooks::{Hooks, loopback};

#[tokio::test]
async fn the_payload_is_the_contracts_check_and_site_with_links_that_can_be_followed() {
    let receiver = Receiver::start([Reply::Status(204)]).await;
    let hooks = Hooks::new().await;
    hooks.endpoint(&receiver.url("/")).await;
    let site = hooks.checked_site().await;
    hooks.dispatch().await;
    let [request] = receiver.received().try_into().unwrap();
    assert_eq!(request.header("Svc-Event"), "scan.completed");
    assert_eq!(OpenApi::document().judge_delivery(&request), Ok(()));
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let scan = hooks.team.newest_scan(site).await.id;
    let link = |path: &str| format!("https://a11y.example.com/v1/scans/{scan}{path}");
    assert!(body["id"].as_str().unwrap().starts_with("evt_"));
    let expected = json!({
        "id": body["id"],
        "type": "scan.completed",
        "created_at": "2027-06-01T12:00:00.000000Z",
        "data": {
            "scan": {
                "id": scan, "site_id": site, "kind": "scheduled", "status": "completed",
                "pages_requested": body["data"]["scan"]["pages_requested"], "pages_scanned": 1,
                "issues": 1, "previous_issues": null,
                "by_impact": {"critical": 1, "serious": 0, "moderate": 0, "minor": 0},
                "error": null,
                "queued_at": "2027-06-01T12:00:00.000000Z", "started_at": "2027-06-01T12:00:00.000000Z",
                "finished_at": "2027-06-01T12:00:00.000000Z",
                "links": {
                    "self": link(""), "report": link("/report"), "pdf": link("/pdf"),
                    "exports": {
                        "json": link("/export?format=json"), "csv": link("/export?format=csv"),
                        "github": link("/export?format=github"), "jira": link("/export?format=jira"),
                    },
                    "acr": link("/acr"),
                },
            },
            "site": {
                "id": site, "url": "https://93.184.215.14/", "domain": "93.184.215.14",
                "name": "Крамниця \u{1f6d2}", "platform": null, "stack": [], "report_locale": "en",
                "status": "active", "tags": [], "standard": null,
                "next_scan_at": body["data"]["site"]["next_scan_at"], "created_at": "2027-06-01T12:00:00.000000Z",
            },
            "new_issues": 0,
        },
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn links_of_an_event_lead_to_the_files_that_the_team_had_when_the_check_completed() {
    let receiver = Receiver::start([Reply::Status(500)]).await;
    let hooks = Hooks::new().await;
    hooks.endpoint(&receiver.url("/")).await;
    hooks.team.change_plan("starter", Subscription::ACTIVE).await;
    hooks.checked_site().await;
    hooks.dispatch().await;
    hooks.team.change_plan("agency", Subscription::ACTIVE).await;
    hooks.clock.advance(TimeDelta::minutes(1));
    hooks.dispatch().await;
    let [first, again] = receiver.received().try_into().unwrap();
    assert!(first.body == again.body, "the bytes of an event stay");
    assert_eq!(OpenApi::document().judge_delivery(&first), Ok(()));
    let links = serde_json::from_slice::<Value>(&first.body).unwrap()["data"]["scan"]["links"].clone();
    assert_eq!((&links["exports"], &links["acr"]), (&Value::Null, &Value::Null));
    assert!(links["report"].is_string() && links["pdf"].is_string());
}

#[tokio::test]
async fn an_express_report_that_was_bought_while_the_check_ran_opens_the_links_of_its_event() {
    let receiver = Receiver::start([Reply::Status(204)]).await;
    let gate = Arc::new(Semaphore::new(0));
    let policy = loopback();
    let builder = Service::builder(MemoryStore::new()).with_event_writer(EventsV1).with_sealing(Keyring::ephemeral());
    let service = builder.with_policy(policy.clone()).build().await.unwrap();
    let engine = Engine::builder(&service)
        .with_scanner(ScriptedScanner::new([Script::page("https://93.184.215.14/").held_by(&gate)]))
        .with_sender(HttpSender::new(policy, Arc::new(StaticResolver::new())))
        .build();
    let team = TestTeam::create(&service, "Blue Team", "starter").await;
    team.endpoint(receiver.url("/")).await;
    let site = team.add_site(SiteInput::parse("https://93.184.215.14/").unwrap()).await.id;
    let worker = engine.worker().unwrap();
    let working = tokio::spawn(async move { worker.step(&CancellationToken::new()).await });
    while team.newest_scan(site).await.status() != ScanStatus::Running {
        tokio::task::yield_now().await;
    }
    team.mark_express(team.newest_scan(site).await.id).await;
    gate.add_permits(1);
    working.await.unwrap().unwrap();
    engine.dispatcher().unwrap().step().await.unwrap();
    let [event] = receiver.received().try_into().unwrap();
    let links = serde_json::from_slice::<Value>(&event.body).unwrap()["data"]["scan"]["links"].clone();
    assert_eq!((links["exports"].is_object(), &links["acr"]), (true, &Value::Null));
}

#[tokio::test]
async fn new_problems_are_delivered_after_the_check_that_found_them() {
    let receiver = Receiver::start([Reply::Status(204), Reply::Hang, Reply::Status(204)]).await;
    let hooks = Hooks::new().await;
    hooks.endpoint(&receiver.url("/")).await;
    let site = hooks.checked_site().await;
    hooks.dispatch().await;
    assert_eq!(receiver.count(), 1, "a first check has nothing new");
    hooks.clock.advance(TimeDelta::days(1));
    hooks.team.start_scan(site).await;
    hooks.run_checks().await;
    hooks.dispatch().await;
    let received = receiver.received();
    let kinds: Vec<&str> = received.iter().map(|request| request.header("Svc-Event")).collect();
    assert_eq!(kinds, ["scan.completed", "scan.completed", "issues.new"], "after a first attempt, whatever came of it");
    let bodies: Vec<Value> = received.iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect();
    assert_eq!(bodies[2]["type"], "issues.new");
    assert_eq!(OpenApi::document().judge_delivery(&received[2]), Ok(()));
    assert_eq!(bodies[1]["data"], bodies[2]["data"], "the same payload");
    assert_eq!(bodies[2]["data"]["new_issues"], 1);
    assert_ne!(bodies[1]["id"], bodies[2]["id"]);
}

#[tokio::test]
async fn a_failed_check_is_delivered_to_nobody() {
    let receiver = Receiver::start([]).await;
    let failure = Failure::new(FailureCode::NotHtml, "No page.");
    let service = Service::builder(MemoryStore::new())
        .with_event_writer(EventsV1)
        .with_sealing(Keyring::ephemeral())
        .with_policy(loopback())
        .build()
        .await
        .unwrap();
    let team = TestTeam::create(&service, "Blue Team", "pro").await;
    let (endpoint, _) = team.endpoint(receiver.url("/")).await;
    team.add_site(SiteInput::parse("https://93.184.215.14/").unwrap()).await;
    let scanner = ScriptedScanner::new([Script::failing(failure)]);
    let worker = Engine::builder(&service).with_scanner(scanner).build().worker().unwrap();
    worker.step(&CancellationToken::new()).await.unwrap();
    assert_eq!(team.deliveries(endpoint).await, []);
}

#[tokio::test]
async fn an_endpoint_receives_what_it_chose_and_a_ping_whatever_it_chose() {
    let receiver = Receiver::start([Reply::Status(204)]).await;
    let hooks = Hooks::new().await;
    let (endpoint, _) = hooks.team.endpoint_for(receiver.url("/"), &[EventKind::IssuesNew]).await;
    hooks.checked_site().await;
    hooks.dispatch().await;
    assert_eq!(receiver.count(), 0);
    hooks.ping(endpoint).await;
    hooks.dispatch().await;
    let [ping] = receiver.received().try_into().unwrap();
    assert_eq!(OpenApi::document().judge_delivery(&ping), Ok(()));
    let body: Value = serde_json::from_slice(&ping.body).unwrap();
    assert_eq!((ping.header("Svc-Event"), &body["type"]), ("ping", &json!(EventKind::Ping)));
    assert!(body["data"]["message"].is_string());
    let text = std::str::from_utf8(&ping.body).unwrap();
    let places: Vec<usize> =
        ["id", "type", "created_at", "data"].iter().map(|field| text.find(&format!("\"{field}\":")).unwrap()).collect();
    assert!(places.is_sorted() && body.as_object().unwrap().len() == places.len(), "{text}");
}

#[tokio::test]
async fn an_operators_brand_stands_in_the_headers() {
    let receiver = Receiver::start([Reply::Status(204)]).await;
    let service = Service::builder(MemoryStore::new())
        .with_event_writer(EventsV1)
        .with_sealing(Keyring::ephemeral())
        .with_policy(loopback())
        .with_header_prefix(HeaderPrefix::new("Acme-").unwrap())
        .build()
        .await
        .unwrap();
    let team = TestTeam::create(&service, "Blue Team", "pro").await;
    let (endpoint, _) = team.endpoint(receiver.url("/")).await;
    team.ping(endpoint).await;
    Engine::builder(&service).build().dispatcher().unwrap().step().await.unwrap();
    let [request] = receiver.received().try_into().unwrap();
    assert_eq!(request.header("Acme-Event"), "ping");
    assert!(request.header("Acme-Signature").starts_with("t=") && request.header("Svc-Event").is_empty());
}

#[tokio::test]
async fn both_secrets_sign_while_one_replaces_the_other() {
    let receiver = Receiver::start([Reply::Status(204)]).await;
    let hooks = Hooks::new().await;
    let (endpoint, old) = hooks.endpoint(&receiver.url("/")).await;
    let new = hooks.team.rotate_secret(endpoint, TimeDelta::hours(24)).await;
    for (hours, secrets) in [(23, vec![&old, &new]), (1, vec![&new])] {
        hooks.clock.advance(TimeDelta::hours(hours));
        hooks.ping(endpoint).await;
        hooks.dispatch().await;
        let request = receiver.received().pop().unwrap();
        let signature = request.header("Svc-Signature");
        let now = hooks.clock.now().timestamp();
        let verify = |secret: &str| signing::verify(secret, signature, &request.body, now).is_ok();
        assert_eq!(signature.matches("v1=").count(), secrets.len());
        assert!(secrets.iter().all(|secret| verify(secret.reveal())));
        assert_eq!(verify(old.reveal()), secrets.len() == 2);
    }
}
