//! `GET /scans/{scan}/report`

use crate::TestApp;
use a11ycheck_core::{
    domain::{Course, Failure, FailureCode, Impact},
    scanner::Script,
};
use a11ycheck_tests::Client;
use chrono::TimeDelta;
use serde_json::{Value, json};

/// Adds a site, checks it twice, and returns the ids of both checks.
async fn checked_twice(app: &TestApp, client: &Client) -> (String, String) {
    let site = json!({"url": "example.com", "name": "Example", "report_locale": "en", "platform": "shopify"});
    let site = client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned();
    app.run_checks().await;
    app.clock.advance(TimeDelta::hours(1));
    client.post_empty(&format!("/sites/{site}/scans")).await.data(202);
    app.run_checks().await;
    let list = client.get(&format!("/sites/{site}/scans")).await;
    let id = |index: usize| list.body["data"][index]["id"].as_str().unwrap().to_owned();
    (id(1), id(0))
}

fn scripts() -> [Script; 2] {
    let page =
        Script::page("https://example.com/").with_problem("image-alt", Impact::Critical, "#logo", "<img src=logo.png>");
    let first = page.clone().with_problem("label", Impact::Critical, "#name", "<input name=name>");
    let second = page
        .with_problem("link-name", Impact::Serious, "#more", "<a href=/more></a>")
        .with_recommendation("region", Impact::Moderate, "div", "<div>Hello</div>")
        .and_failed_page(
            "https://example.com/slow",
            Failure::new(FailureCode::Timeout, "The page was not ready in time."),
        )
        .and_dead_link("https://example.com/gone", "https://example.com/", gone());
    [first, second]
}

fn gone() -> Failure {
    Failure::new(FailureCode::HttpStatus, "The web server answered with error status 410.")
}

#[tokio::test]
async fn a_report_ranks_groups_and_shows_what_changed() {
    let app = TestApp::start(scripts()).await;
    let client = app.client().await;
    let (first, second) = checked_twice(&app, &client).await;
    let answer = client.get(&format!("/scans/{second}/report")).await;
    let report = answer.data(200);

    assert_eq!(report["totals"], json!({"critical": 1, "serious": 1, "moderate": 0, "minor": 0}));
    assert_eq!((&report["total"], &report["locale"], &report["screen"]), (&json!(2), &json!("en"), &Value::Null));
    assert_eq!((&report["platform"], &report["platform_name"]), (&json!("shopify"), &json!("Shopify")));
    assert_eq!(report["title"], "Example", "what the owner calls the site");
    assert_eq!(report["checked_at"], "2027-06-01T13:00:00.000000Z");
    let ranked = |list: &str| {
        let groups = report[list].as_array().unwrap().iter();
        groups.map(|group| (group["rank"].as_u64().unwrap(), group["rule"].as_str().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(ranked("groups"), [(1, "image-alt"), (2, "link-name")]);
    assert_eq!(ranked("advisory"), [(3, "region")]);
    assert_eq!(
        report["pages"],
        json!([
            {
                "url": "https://example.com/", "title": "https://example.com/", "issues": 2, "left_out": 0, "error": null,
                "frames_not_checked_count": 0, "frames_not_checked": [], "still_changing": false, "unanswered": [], "linked_from": null, "cover": null, "picture": null, "checked_at": "2027-06-01T13:00:00.000000Z",
            },
            {
                "url": "https://example.com/slow", "title": "", "issues": 0, "left_out": 0,
                "error": {"code": "timeout", "message": "The page was not ready in time."},
                "frames_not_checked_count": 0, "frames_not_checked": [], "still_changing": false, "unanswered": [], "linked_from": null, "cover": null, "picture": null, "checked_at": null,
            },
            {
                "url": "https://example.com/gone", "title": "", "issues": 0, "left_out": 0,
                "error": {"code": "http_status", "message": "The web server answered with error status 410."},
                "frames_not_checked_count": 0, "frames_not_checked": [], "still_changing": false, "unanswered": [], "linked_from": "https://example.com/", "cover": null, "picture": null, "checked_at": null,
            },
        ])
    );
    let diff = &report["diff"];
    assert_eq!((&diff["previous_id"], &diff["previous_total"]), (&json!(first), &json!(2)));
    assert_eq!((&diff["new"], &diff["fixed"], &diff["remaining"]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!(diff["fixed_rules"][0]["count"], 1);
    assert_eq!(
        report["trend"],
        json!([
            {"id": first, "date": "2027-06-01T12:00:00.000000Z", "total": 2},
            {"id": second, "date": "2027-06-01T13:00:00.000000Z", "total": 2},
        ])
    );
    assert_eq!(client.get(&format!("/scans/{second}")).await.data(200)["previous_issues"], 2);
}

#[tokio::test]
async fn a_page_that_has_not_changed_says_when_it_was_examined() {
    let page = Script::page("https://example.com/").and_page("https://example.com/about");
    let second = page.clone().taken_over().remembering(Course::Incremental, "second");
    let app = TestApp::start([page.remembering(Course::Full, "first"), second]).await;
    let client = app.client().await;
    let site = json!({"url": "example.com", "report_locale": "en"});
    let site = client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned();
    app.run_checks().await;
    app.clock.advance(TimeDelta::days(7));
    app.run_scheduler().await;
    app.run_checks().await;
    let latest = client.get(&format!("/sites/{site}/scans")).await.body["data"][0]["id"].as_str().unwrap().to_owned();
    let answer = client.get(&format!("/scans/{latest}/report")).await;
    let pages = answer.data(200)["pages"].as_array().unwrap();
    let examined: Vec<_> = pages.iter().map(|page| page["checked_at"].as_str().unwrap()).collect();
    assert_eq!(examined, ["2027-06-08T12:00:00.000000Z", "2027-06-01T12:00:00.000000Z"]);
}

#[tokio::test]
async fn dead_links_use_up_none_of_the_plans_pages() {
    let script = (0..100).fold(Script::page("https://example.com/"), |script, number| {
        script.and_dead_link(&format!("https://example.com/{number}"), "https://example.com/", gone())
    });
    let script = (1..260).fold(script, |script, number| script.and_page(&format!("https://example.com/page/{number}")));
    let app = TestApp::start([script]).await;
    let client = app.client().await;
    client.post("/sites", json!({"url": "example.com", "report_locale": "en"})).await.data(201);
    app.run_checks().await;
    let site = client.get("/sites").await.body["data"][0]["id"].as_str().unwrap().to_owned();
    let check = client.get(&format!("/sites/{site}/scans")).await.body["data"][0].clone();
    assert_eq!((&check["pages_requested"], &check["pages_scanned"]), (&json!(250), &json!(250)));
    let report = client.get(&format!("/scans/{}/report", check["id"].as_str().unwrap())).await;
    let pages = report.data(200)["pages"].as_array().unwrap();
    assert_eq!(pages.len(), 350);
    assert_eq!(pages.iter().filter(|page| page["linked_from"] == "https://example.com/").count(), 100);
}

#[tokio::test]
async fn a_group_has_all_its_fields() {
    let app = TestApp::start(scripts()).await;
    let client = app.client().await;
    let (_, second) = checked_twice(&app, &client).await;
    let report = client.get(&format!("/scans/{second}/report")).await;
    let mut group = report.data(200)["groups"][1].clone();
    for text in ["title", "summary", "impact", "how_to_fix", "platform_tip"] {
        assert!(!group[text].take().as_str().unwrap().is_empty(), "{text}");
    }
    assert!(!group["who"].take().as_array().unwrap().is_empty());
    assert_eq!(
        group,
        json!({
            "rule": "link-name", "severity": "serious", "rank": 2, "goes_away_with": null, "count": 1, "left_out": 0, "new_count": 1,
            "title": null, "summary": null, "impact": null, "who": null, "how_to_fix": null, "platform_tip": null, "machine": true,
            "has_card": true, "help": "https://rules.example/link-name",
            "refs": ["EN 301 549 9.2.4.4", "EN 301 549 9.4.1.2"], "section508": [], "trusted_tester": [], "rgaa": [],
            "pages": [{"url": "https://example.com/", "count": 1}],
            "examples": [{
                "id": 2, "page": "https://example.com/", "target": "#more", "html": "<a href=/more></a>",
                "details": "Fix this.", "is_new": true, "opened_by": null, "shot": null, "shot_width": null, "shot_height": null,
            }],
            "boxes": [], "n": 1, "places": [{"id": 2, "count": 1, "new_count": 1, "pages": 1, "measured": null}],
        })
    );
}

#[tokio::test]
async fn pages_that_a_stopped_check_had_not_reached_are_neither_fixed_nor_new() {
    let whole = || {
        Script::page("https://example.com/")
            .with_problem("image-alt", Impact::Critical, "#logo", "<img src=logo.png>")
            .and_page("https://example.com/shop")
            .with_problem("label", Impact::Critical, "#name", "<input name=name>")
    };
    let stopped = Script::page("https://example.com/")
        .with_problem("image-alt", Impact::Critical, "#logo", "<img src=logo.png>")
        .stopped_by_timeouts();
    let app = TestApp::start([whole(), stopped, whole()]).await;
    let client = app.client().await;
    let site = json!({"url": "example.com", "report_locale": "en"});
    let site = client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned();
    app.run_checks().await;
    for (is_stopped, total) in [(true, 1), (false, 2)] {
        app.clock.advance(TimeDelta::hours(1));
        let scan =
            client.post_empty(&format!("/sites/{site}/scans")).await.data(202)["id"].as_str().unwrap().to_owned();
        app.run_checks().await;
        let report = client.get(&format!("/scans/{scan}/report")).await;
        let report = report.data(200);
        assert_eq!((&report["stopped_by_timeouts"], &report["total"]), (&json!(is_stopped), &json!(total)));
        let diff = &report["diff"];
        assert_eq!((&diff["new"], &diff["fixed"], &diff["remaining"]), (&json!(0), &json!(0), &json!(1)));
        assert_eq!(client.get(&format!("/scans/{scan}/pdf")).await.status, 200);
    }
}

#[tokio::test]
async fn the_first_check_has_nothing_to_be_compared_with() {
    let app = TestApp::start(scripts()).await;
    let client = app.client().await;
    let (first, _) = checked_twice(&app, &client).await;
    let report = client.get(&format!("/scans/{first}/report")).await;
    assert_eq!(
        report.data(200)["diff"],
        json!({
            "previous_id": null, "previous_date": null, "previous_total": null, "new": 0, "fixed": 0, "remaining": 0,
            "carried": 0, "not_comparable_now": 2, "not_comparable_before": 0, "fixed_rules": [],
        })
    );
}

#[tokio::test]
async fn a_report_is_in_the_sites_language_or_the_one_asked_for() {
    let app = TestApp::start([Script::page("https://example.com/")]).await;
    let client = app.client().await;
    client.post("/sites", json!({"url": "example.com", "report_locale": "pl"})).await.data(201);
    app.run_checks().await;
    let site = client.get("/sites").await.body["data"][0]["id"].as_str().unwrap().to_owned();
    let scan = client.get(&format!("/sites/{site}/scans")).await.body["data"][0]["id"].as_str().unwrap().to_owned();
    let locale =
        async |query: &str| client.get(&format!("/scans/{scan}/report{query}")).await.body["data"]["locale"].clone();
    assert_eq!(locale("").await, "pl");
    assert_eq!(locale("?lang=ro").await, "ro");
    let unknown = client.get(&format!("/scans/{scan}/report?lang=fr")).await;
    assert_eq!((unknown.status, &unknown.body["errors"]), (422, &json!({"lang": ["The selected lang is invalid."]})));
}
