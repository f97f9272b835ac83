//! `GET|POST /sites/{site}/scans`, `GET /scans/{scan}`

use std::{sync::Arc, time::Duration};

use crate::TestApp;
use a11ycheck_core::{
    domain::{Failure, FailureCode, Impact, ScanState},
    id::ScanId,
    scanner::{CancellationToken, Script},
};
use a11ycheck_tests::Client;
use chrono::TimeDelta;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

async fn add(client: &Client, scan: bool) -> String {
    let site = json!({"url": "example.com", "report_locale": "en", "scan": scan});
    client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned()
}

async fn newest(client: &Client, site: &str) -> Value {
    client.get(&format!("/sites/{site}/scans?per_page=1")).await.body["data"][0].clone()
}

#[tokio::test]
async fn a_check_goes_from_queued_over_running_to_completed_and_each_state_has_its_fields() {
    let gate = Arc::new(Semaphore::new(0));
    let script = Script::page("https://example.com/")
        .with_problem("image-alt", Impact::Critical, "img", "<img>")
        .with_recommendation("region", Impact::Moderate, "div", "<div>")
        .and_page("https://example.com/b");
    let app = TestApp::start([script.held_by(&gate)]).await;
    let client = app.client().await;
    let site = add(&client, false).await;

    let started = client.post_empty(&format!("/sites/{site}/scans")).await;
    let queued = started.data(202).clone();
    let id = queued["id"].as_str().unwrap();
    let itself = format!("/scans/{id}");
    let links = &queued["links"];
    assert!(links["self"].as_str().unwrap().ends_with(&format!("/v1{itself}")));
    assert_eq!(
        queued,
        json!({
            "id": id, "site_id": site, "kind": "manual", "status": "queued", "pages_requested": 250, "pages_scanned": 0,
            "issues": null, "previous_issues": null, "by_impact": null, "error": null, "queued_at": "2027-06-01T12:00:00.000000Z",
            "started_at": null, "finished_at": null,
            "links": {"self": links["self"], "report": null, "pdf": null, "exports": null, "acr": null},
        })
    );

    app.clock.advance(TimeDelta::seconds(5));
    let worker = app.worker();
    let working = tokio::spawn(async move { worker.step(&CancellationToken::new()).await });
    let pages = async || match app.team.scan(ScanId::presented(id)).await.state {
        ScanState::Running { pages_scanned, .. } => pages_scanned,
        _ => 0,
    };
    while pages().await < 2 {
        tokio::task::yield_now().await;
    }
    let running = client.get(&itself).await.data(200).clone();
    assert_eq!(running["pages_scanned"], 2);
    assert_eq!(running["status"], "running");
    assert_eq!(
        (&running["started_at"], &running["finished_at"]),
        (&json!("2027-06-01T12:00:05.000000Z"), &Value::Null)
    );
    assert_eq!((&running["issues"], &running["links"]["report"]), (&Value::Null, &Value::Null));

    app.clock.advance(TimeDelta::seconds(55));
    gate.add_permits(1);
    working.await.unwrap().unwrap();
    let completed = app.client().await.get(&itself).await.data(200).clone();
    assert_eq!(
        completed,
        json!({
            "id": id, "site_id": site, "kind": "manual", "status": "completed", "pages_requested": 250, "pages_scanned": 2,
            "issues": 1, "previous_issues": null, "by_impact": {"critical": 1, "serious": 0, "moderate": 0, "minor": 0},
            "error": null, "queued_at": "2027-06-01T12:00:00.000000Z", "started_at": "2027-06-01T12:00:05.000000Z",
            "finished_at": "2027-06-01T12:01:00.000000Z",
            "links": {
                "self": links["self"],
                "report": format!("{}/report", links["self"].as_str().unwrap()),
                "pdf": format!("{}/pdf", links["self"].as_str().unwrap()),
                "exports": {
                    "json": format!("{}/export?format=json", links["self"].as_str().unwrap()),
                    "csv": format!("{}/export?format=csv", links["self"].as_str().unwrap()),
                    "github": format!("{}/export?format=github", links["self"].as_str().unwrap()),
                    "jira": format!("{}/export?format=jira", links["self"].as_str().unwrap()),
                },
                "acr": format!("{}/acr", links["self"].as_str().unwrap()),
            },
        })
    );
}

#[tokio::test]
async fn a_check_that_can_not_be_done_is_failed_with_its_reason_at_once() {
    let app = TestApp::start([Script::failing(Failure::new(
        FailureCode::LoginRequired,
        "A login page stands in place of the site.",
    ))])
    .await;
    let client = app.client().await;
    let site = add(&client, true).await;
    app.run_checks().await;
    let scan = newest(&client, &site).await;
    assert_eq!(
        (&scan["status"], &scan["issues"], &scan["links"]["report"]),
        (&json!("failed"), &Value::Null, &Value::Null)
    );
    assert_eq!(
        scan["error"],
        json!({"code": "login_required", "message": "A login page stands in place of the site."})
    );
    assert!(scan["finished_at"].is_string());
    let report = client.get(&format!("/scans/{}/report", scan["id"].as_str().unwrap())).await;
    assert_eq!(report.refusal(), (409, "The scan is not completed yet."));
}

#[tokio::test]
async fn a_check_that_may_succeed_later_is_tried_three_times() {
    let app = TestApp::start([
        Script::failing(Failure::new(FailureCode::Unreachable, "No connection.")),
        Script::breaking("no browser"),
        Script::panicking(),
    ])
    .await;
    let client = app.client().await;
    let site = add(&client, true).await;
    for expected in ["running", "running", "failed"] {
        app.run_checks().await;
        assert_eq!(newest(&client, &site).await["status"], expected);
        app.run_checks().await;
        app.clock.advance(TimeDelta::minutes(2));
    }
    assert_eq!(app.scanner.requests().len(), 3);
    assert_eq!(newest(&client, &site).await["error"]["code"], "browser_crashed");
}

/// A clean report of a site that was not checked would be worse than none, and so would a check without an end.
#[tokio::test]
async fn what_a_scanner_can_not_have_found_fails_the_check_in_place_of_being_reported() {
    let app = TestApp::start([
        Script::page("javascript:alert(1)"),
        Script::cancelling(),
        Script::page("https://example.com/").with_problem("r\0", Impact::Minor, "p", "<p>"),
    ])
    .await;
    let client = app.client().await;
    let site = add(&client, true).await;
    for expected in ["running", "running", "failed"] {
        app.run_checks().await;
        assert_eq!(newest(&client, &site).await["status"], expected);
        app.clock.advance(TimeDelta::minutes(2));
    }
    assert_eq!(app.scanner.requests().len(), 3);
    let message = "The check could not be carried out: its result had an error and was discarded.";
    assert_eq!(newest(&client, &site).await["error"], json!({"code": "engine_error", "message": message}));
}

#[tokio::test]
async fn a_check_that_finds_no_browser_waits_for_one_and_counts_no_attempt() {
    let app = TestApp::start([Script::failing(Failure::new(FailureCode::Unreachable, "No connection."))]).await;
    let client = app.client().await;
    let site = add(&client, true).await;
    app.engine.status().ready().unwrap();
    app.scanner.break_down("no browser could be started");
    for _ in 0..10 {
        app.run_checks().await;
        app.clock.advance(TimeDelta::hours(1));
    }
    let unready = app.engine.status().ready().unwrap_err().to_string();
    assert_eq!(unready, "no check can be begun here: no browser could be started");
    let waiting = newest(&client, &site).await;
    assert!(waiting["finished_at"].is_null() && app.scanner.requests().is_empty(), "{waiting}");
    app.scanner.repair();
    for attempts in 1..=3 {
        app.run_checks().await;
        assert_eq!(app.scanner.requests().len(), attempts, "all of them are left");
        app.clock.advance(TimeDelta::minutes(2));
    }
    app.engine.status().ready().unwrap();
    assert_eq!(newest(&client, &site).await["error"]["code"], "unreachable");
}

#[tokio::test]
async fn a_site_that_is_down_for_maintenance_is_checked_when_it_asks_for_it() {
    let failure = || Failure::new(FailureCode::HttpStatus, "The web server answered with error status 503.");
    let asked = |minutes: u64| Some(Duration::from_secs(minutes * 60));
    let app = TestApp::start([
        Script::troubled(failure(), asked(5)),
        Script::troubled(failure(), asked(10_000)),
        Script::page("https://example.com/"),
    ])
    .await;
    let client = app.client().await;
    let site = add(&client, true).await;
    app.run_checks().await;
    for (minutes, attempts) in [(4, 1), (1, 2), (14, 2), (1, 3)] {
        app.clock.advance(TimeDelta::minutes(minutes));
        app.run_checks().await;
        assert_eq!(app.scanner.requests().len(), attempts, "a quarter of an hour is the longest");
    }
    assert_eq!(newest(&client, &site).await["status"], "completed");
}

#[tokio::test]
async fn a_site_whose_server_fails_without_a_word_is_checked_again_minutes_later() {
    let failure = Failure::new(FailureCode::HttpStatus, "The web server answered with error status 502.");
    let app = TestApp::start([Script::troubled(failure, None)]).await;
    let client = app.client().await;
    let site = add(&client, true).await;
    app.run_checks().await;
    for (seconds, attempts) in [(59, 1), (1, 2), (299, 2), (1, 3)] {
        app.clock.advance(TimeDelta::seconds(seconds));
        app.run_checks().await;
        assert_eq!(app.scanner.requests().len(), attempts);
    }
    assert_eq!(newest(&client, &site).await["error"]["code"], "http_status");
}

#[tokio::test]
async fn a_manual_check_is_refused_while_one_runs_and_within_the_plans_interval() {
    let app = TestApp::start([Script::page("https://example.com/")]).await;
    let client = app.client().await;
    let site = add(&client, true).await;
    let path = format!("/sites/{site}/scans");
    let active = client.post_empty(&path).await;
    assert_eq!(active.refusal(), (422, "A check of this site is already queued or running."));
    assert_eq!(active.body["errors"]["site"][0], active.body["message"]);

    app.run_checks().await;
    client.post_empty(&path).await.data(202);
    app.run_checks().await;
    app.clock.advance(TimeDelta::hours(1) - TimeDelta::microseconds(1));
    let early = app.client().await.post_empty(&path).await;
    assert_eq!(early.refusal(), (422, "You started a check of this site less than an hour ago."));
    app.clock.advance(TimeDelta::microseconds(1));
    client.post_empty(&path).await.data(202);
}

#[tokio::test]
async fn a_manual_check_that_failed_through_our_fault_gives_the_hour_back_once() {
    let lost = || Script::breaking("no browser");
    let app = TestApp::start([lost(), lost(), lost(), lost(), lost(), lost()]).await;
    let client = app.client().await;
    let site = add(&client, false).await;
    let path = format!("/sites/{site}/scans");
    let fail = async || {
        client.post_empty(&path).await.data(202);
        for _ in 0..3 {
            app.run_checks().await;
            app.clock.advance(TimeDelta::minutes(2));
        }
        assert_eq!(newest(&client, &site).await["error"]["code"], "browser_crashed");
    };
    let available = async || client.get("/account").await.data(200)["usage"]["manual_checks_available"].clone();
    fail().await;
    assert_eq!(available().await, 1);
    fail().await;
    assert_eq!(available().await, 0, "once an hour");
    let refused = client.post_empty(&path).await;
    assert_eq!(refused.refusal(), (422, "You started a check of this site less than an hour ago."));
}

#[tokio::test]
async fn checks_are_listed_newest_first_and_the_latest_completed_outlives_the_history() {
    let app = TestApp::on_plan(
        "starter",
        [Script::page("https://example.com/"), Script::failing(Failure::new(FailureCode::NotHtml, "Not a page."))],
    )
    .await;
    let client = app.client().await;
    let site = add(&client, true).await;
    app.run_checks().await;
    app.clock.advance(TimeDelta::hours(1));
    client.post_empty(&format!("/sites/{site}/scans")).await.data(202);
    app.run_checks().await;
    let statuses = async || {
        let list = client.get(&format!("/sites/{site}/scans")).await;
        assert_eq!(list.body["meta"]["per_page"], 20);
        let scans = list.body["data"].as_array().unwrap().iter();
        scans.map(|scan| scan["status"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(statuses().await, ["failed", "completed"]);
    let failed = newest(&client, &site).await["id"].as_str().unwrap().to_owned();
    app.clock.advance(TimeDelta::days(200));
    assert_eq!(statuses().await, ["completed"]);
    assert_eq!(client.get(&format!("/scans/{failed}")).await.status, 404);
}
