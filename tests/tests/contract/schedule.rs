//! Checks that start by themselves.

use crate::TestApp;
use a11ycheck_core::{
    domain::PlanCatalog,
    engine::Step,
    scanner::{CancellationToken, Script},
    service::Backlog,
};
use chrono::{DateTime, Utc};
use serde_json::json;

#[tokio::test]
async fn a_site_is_checked_by_itself_when_its_time_has_come_and_not_while_its_team_is_blocked() {
    let app = TestApp::on_plan("starter", [Script::page("https://example.com/")]).await;
    let client = app.client().await;
    let site = json!({"url": "example.com", "report_locale": "en", "scan": false});
    let site = client.post("/sites", site).await.data(201).clone();
    let path = format!("/sites/{}", site["id"].as_str().unwrap());
    let checks = async || client.get(&format!("{path}/scans")).await.body["meta"]["total"].clone();
    let due: DateTime<Utc> = site["next_scan_at"].as_str().unwrap().parse().unwrap();

    app.clock.set(due - chrono::TimeDelta::seconds(1));
    app.run_scheduler().await;
    assert_eq!(checks().await, 0);
    app.clock.set(due);
    app.run_scheduler().await;
    app.run_scheduler().await;
    assert_eq!(checks().await, 1);
    app.run_checks().await;
    let next: DateTime<Utc> = client.get(&path).await.data(200)["next_scan_at"].as_str().unwrap().parse().unwrap();
    assert_eq!(next - due, chrono::TimeDelta::days(7));

    app.team.block().await;
    app.clock.set(next);
    app.run_scheduler().await;
    app.team.unblock().await;
    assert_eq!(checks().await, 1);
}

/// A plan under which a team may have hundreds of sites, and make as many requests as a test does.
const LARGE: &str = r#"
    [[plan]]
    code = "large"
    name = "Large"
    features = { api = true, exports = true, white_label = true, statement_drafts = true, acr_drafts = true }

    [plan.limits]
    sites = 1000
    pages_per_check = 10
    check_frequency = "monthly"
    history_months = 12
    seats = 1
    manual_check_interval = "PT1H"
    requests_per_minute = 1000000
    files_per_minute = 1000000
"#;

#[tokio::test]
async fn whoever_asks_for_a_check_does_not_wait_behind_all_that_is_scheduled() {
    const WAITING: u64 = 478;
    let plans = PlanCatalog::from_toml(LARGE).unwrap();
    let scripts = [Script::page("https://example.com/")];
    let app = TestApp::configured("large", scripts, |builder| builder.with_plans(plans)).await;
    let client = app.client().await;
    let add = async |host: &str, scan: bool| {
        let site = json!({"url": host, "report_locale": "en", "scan": scan});
        client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned()
    };
    let asked_for = add("asked-for.example.com", false).await;
    for number in 0..WAITING {
        add(&format!("{number}.example.com"), false).await;
    }
    // As after an outage: all of them are due at once.
    app.clock.advance(chrono::TimeDelta::days(100));
    app.run_scheduler().await;
    let (worker, stop) = (app.worker(), CancellationToken::new());
    let waiting = async || {
        let Backlog { requested, scheduled, .. } = app.service.operator().backlog().await.unwrap();
        (requested.waiting, scheduled.waiting)
    };
    assert_eq!(waiting().await, (0, WAITING + 1));
    // The requested site was checked.
    let had_its_turn = || app.scanner.requests().iter().any(|scan| scan.start.domain() == "asked-for.example.com");
    let mut done = 0;
    while !had_its_turn() {
        assert_eq!(worker.step(&stop).await.unwrap(), Step::Worked);
        done += 1;
    }
    app.clock.advance(chrono::TimeDelta::minutes(5));
    client.post_empty(&format!("/sites/{asked_for}/scans")).await.data(202);
    app.clock.advance(chrono::TimeDelta::seconds(1));
    add("new.example.com", true).await;
    let left = WAITING + 1 - done;
    assert_eq!(waiting().await, (2, left));
    let before = app.scanner.requests().len();
    for _ in 0..2 {
        assert_eq!(worker.step(&stop).await.unwrap(), Step::Worked);
    }
    let began: Vec<_> = app.scanner.requests()[before..].iter().map(|scan| scan.start.domain().to_owned()).collect();
    assert_eq!(began, ["asked-for.example.com", "new.example.com"], "next, and in the order of asking");
    assert_eq!(waiting().await, (0, left));
}
