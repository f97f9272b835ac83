//! `GET /account`

use crate::TestApp;
use a11ycheck_core::scanner::Script;
use serde_json::json;

#[tokio::test]
async fn the_account_shows_team_plan_features_limits_and_usage() {
    let app = TestApp::on_plan("pro", []).await;
    let client = app.client().await;
    let site = json!({"url": "https://93.184.215.14", "report_locale": "en", "scan": false});
    client.post("/sites", site.clone()).await.data(201);
    client.post("/sites", site).await.data(201);

    assert_eq!(
        client.get("/account").await.data(200),
        &json!({
            "team": {"id": app.team.id(), "name": "Blue Team"},
            "plan": {"code": "pro", "name": "Pro", "status": "active", "ends_at": null, "trial_ends_at": null},
            "features": {
                "api": true, "exports": true, "white_label": false, "statement_drafts": false, "acr_drafts": false,
            },
            "limits": {
                "sites": 15, "pages_per_check": 100, "check_frequency": "weekly", "history_months": 12, "seats": 10,
                "manual_check_interval": "PT1H", "requests_per_minute": 60,
            },
            "usage": {
                "sites": {"used": 2, "allowed": 15}, "seats": {"used": 1, "allowed": 10}, "manual_checks_available": 2,
            },
        })
    );
}

#[tokio::test]
async fn manual_checks_available_counts_sites_on_which_one_can_start_right_now() {
    let app = TestApp::start([Script::page("https://93.184.215.14/")]).await;
    let client = app.client().await;
    let available = async || client.get("/account").await.data(200)["usage"]["manual_checks_available"].clone();
    let site = json!({"url": "https://93.184.215.14", "report_locale": "en"});
    let id = client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned();

    assert_eq!(available().await, 0, "the first check is queued");
    app.run_checks().await;
    assert_eq!(available().await, 1, "the first check does not use up the manual one");
    client.post_empty(&format!("/sites/{id}/scans")).await.data(202);
    app.run_checks().await;
    assert_eq!(available().await, 0, "a manual check was started less than an hour ago");
    app.clock.advance(chrono::TimeDelta::hours(1));
    assert_eq!(available().await, 1);
}
