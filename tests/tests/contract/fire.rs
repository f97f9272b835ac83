//! The promises for fifty concurrent requests.

use crate::TestApp;
use a11ycheck_core::domain::PlanCatalog;
use a11ycheck_tests::{Answer, Client};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// The number of requests: fewer than a token may make within a minute.
const AT_ONCE: usize = 50;

/// Sends [`AT_ONCE`] requests, none of which waits for the response to another.
async fn at_once(client: &Client, path: &str, body: impl Fn(usize) -> Option<Value>) -> Vec<Answer> {
    let mut requests = JoinSet::new();
    for number in 0..AT_ONCE {
        let (client, path, body) = (client.clone(), path.to_owned(), body(number));
        requests.spawn(async move {
            match body {
                Some(body) => client.post(&path, body).await,
                None => client.post_empty(&path).await,
            }
        });
    }
    requests.join_all().await
}

/// Returns the one response of this status; all others must be this refusal.
fn the_only(answers: Vec<Answer>, status: u16, refusal: &str) -> Answer {
    let (accepted, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == status);
    for answer in &refused {
        assert_eq!(answer.refusal(), (422, refusal));
    }
    let [accepted] = accepted.try_into().unwrap_or_else(|all: Vec<_>| panic!("{} answers of {status}", all.len()));
    assert_eq!(refused.len(), AT_ONCE - 1);
    accepted
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_fifty_checks_asked_for_at_once_one_is_started() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    let site = json!({"url": "example.com", "report_locale": "en", "scan": false});
    let site = client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned();
    let scans = format!("/sites/{site}/scans");
    let answers = at_once(&app.client().await, &scans, |_| None).await;
    let started = the_only(answers, 202, "A check of this site is already queued or running.");
    let listed = client.get(&scans).await;
    assert_eq!(listed.body["meta"]["total"], 1);
    assert_eq!(listed.body["data"][0]["id"], started.data(202)["id"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_fifty_sites_added_at_once_where_one_has_room_one_is_added() {
    let app = TestApp::on_plan("pro", []).await;
    let limit = PlanCatalog::shipped().plans().iter().find(|plan| plan.code.as_str() == "pro").unwrap().limits.sites;
    let client = app.client().await;
    let site = |name: String| json!({"url": format!("{name}.example.com"), "report_locale": "en"});
    for number in 1..limit {
        client.post("/sites", site(format!("early{number}"))).await.data(201);
    }
    let answers = at_once(&app.client().await, "/sites", |number| Some(site(format!("late{number}")))).await;
    let refusal = format!("The current plan of this team includes {limit} sites.");
    let added = the_only(answers, 201, &refusal);
    let listed = client.get("/sites?per_page=100").await;
    assert_eq!(listed.body["meta"]["total"], limit);
    let ids = listed.body["data"].as_array().unwrap().iter().map(|site| &site["id"]);
    assert_eq!(ids.filter(|id| **id == added.data(201)["id"]).count(), 1);
    let account = client.get("/account").await;
    assert_eq!(account.data(200)["usage"]["sites"], json!({"used": limit, "allowed": limit}));
}
