//! What a plan includes, and until when.

use crate::TestApp;
use a11ycheck_core::{
    domain::{Ability, PlanStatus, Subscription},
    id::ScanId,
    scanner::Script,
};
use a11ycheck_tests::{Client, OpenApi};
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

async fn checked(app: &TestApp, client: &Client) -> Value {
    let site = json!({"url": "example.com", "report_locale": "en"});
    let site = client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned();
    app.run_checks().await;
    client.get(&format!("/sites/{site}/scans")).await.body["data"][0].clone()
}

#[tokio::test]
async fn a_lapsed_plan_stops_the_api_at_its_end_and_counts_as_canceled() {
    let app = TestApp::on_plan("pro", [Script::page("https://example.com/")]).await;
    let client = app.client().await;
    let end = app.team.created().created_at + TimeDelta::days(10);
    let terms = Subscription::ACTIVE.with_end(end);
    app.team.change_plan("pro", terms).await;
    app.clock.set(end - TimeDelta::microseconds(1));
    let account = client.get("/account").await;
    let plan_shown = &account.data(200)["plan"];
    assert_eq!(
        (&plan_shown["status"], &plan_shown["ends_at"]),
        (&json!("active"), &json!("2027-06-11T12:00:00.000000Z"))
    );

    app.clock.set(end);
    let refused = (403, "The API is not included in the current plan of this team.");
    for operation in OpenApi::document().operations() {
        let path = operation.path.replace("{site}", "x").replace("{scan}", "x").replace("{id}", "1");
        if path == "/openapi.json" || operation.method == Method::HEAD {
            continue;
        }
        let answer = client.send(operation.method.clone(), &path, None).await;
        assert_eq!(answer.refusal(), refused, "{} {path}", operation.method);
    }
    assert_eq!(app.team.account().await.status, PlanStatus::Canceled);

    app.team.change_plan("pro", Subscription::ACTIVE).await;
    assert_eq!(client.get("/account").await.data(200)["plan"]["status"], "active", "the same token works again");
}

#[tokio::test]
async fn a_trial_and_a_cancellation_end_the_api_at_their_time_and_a_late_payment_does_not() {
    let app = TestApp::on_plan("pro", []).await;
    let client = app.client().await;
    let soon = app.team.created().created_at + TimeDelta::hours(1);
    for (terms, shown, after) in [
        (Subscription::new(PlanStatus::Trialing).with_trial_end(soon), "trialing", 403),
        (Subscription::new(PlanStatus::Canceled).with_end(soon), "canceled", 403),
        (Subscription::new(PlanStatus::PastDue).with_trial_end(soon), "past_due", 200),
    ] {
        app.clock.set(soon - TimeDelta::seconds(1));
        app.team.change_plan("pro", terms).await;
        assert_eq!(client.get("/account").await.data(200)["plan"]["status"], shown);
        app.clock.set(soon);
        assert_eq!(client.get("/account").await.status, after, "{shown}");
    }
}

#[tokio::test]
async fn links_to_exports_and_drafts_are_null_exactly_where_the_request_answers_403() {
    let app = TestApp::start([Script::page("https://example.com/")]).await;
    for (plan, is_bought) in [("starter", false), ("starter", true), ("pro", false), ("agency", false)] {
        let team = app.team(plan, plan).await;
        let client = app.client_of(&team, &[Ability::Read, Ability::Write]).await;
        let scan = checked(&app, &client).await;
        let id = scan["id"].as_str().unwrap();
        if is_bought {
            team.mark_express(ScanId::presented(id)).await;
        }
        let listed = &client.get(&format!("/sites/{}/scans", scan["site_id"].as_str().unwrap())).await.body["data"][0];
        let links = client.get(&format!("/scans/{id}")).await.data(200)["links"].clone();
        assert_eq!(listed["links"], links);
        for format in ["json", "csv", "github", "jira"] {
            let status = client.get(&format!("/scans/{id}/export?format={format}")).await.status;
            assert_eq!(status, if links["exports"].is_null() { 403 } else { 200 }, "{plan} {format}");
            if let Some(link) = links["exports"][format].as_str() {
                assert_eq!(client.get(link).await.status, 200, "{plan}: {link}");
            }
        }
        let status = client.get(&format!("/scans/{id}/acr")).await.status;
        assert_eq!(status, if links["acr"].is_null() { 403 } else { 200 }, "{plan}");
        assert_eq!(client.get(links["pdf"].as_str().unwrap()).await.status, 200, "in every plan with the API");
        let is_open = |link: &Value| !link.is_null();
        assert_eq!(
            (is_open(&links["exports"]), is_open(&links["acr"])),
            (plan != "starter" || is_bought, plan == "agency")
        );
    }
}
