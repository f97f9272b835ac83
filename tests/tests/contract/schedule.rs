//! Checks that start by themselves.

use crate::TestApp;
use a11ycheck_core::{domain::Standing, scanner::Script};
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

    app.service.set_standing(app.team.id, Standing::Blocked).await.unwrap();
    app.clock.set(next);
    app.run_scheduler().await;
    app.service.set_standing(app.team.id, Standing::Active).await.unwrap();
    assert_eq!(checks().await, 1);
}
