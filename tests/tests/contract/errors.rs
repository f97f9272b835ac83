//! Contract §12, and the order of refusals.

use crate::TestApp;
use a11ycheck_core::domain::Ability;
use a11ycheck_tests::{OpenApi, http};
use reqwest::Method;
use serde_json::json;

/// Returns every path of the OpenAPI document that takes a token, with every method, for ids of our own choice.
fn endpoints(site: &str, scan: &str) -> Vec<(Method, String)> {
    let operations = OpenApi::document().operations().into_iter();
    let guarded = operations.filter(|operation| operation.path != "/openapi.json" && operation.method != Method::HEAD);
    let filled =
        |path: &str| path.replace("{site}", site).replace("{scan}", scan).replace("{id}", "1").replace("{number}", "1");
    let endpoints: Vec<_> = guarded.map(|operation| (operation.method, filled(&operation.path))).collect();
    assert!(endpoints.len() >= 15 && endpoints.iter().all(|(_, path)| !path.contains('{')), "{endpoints:?}");
    endpoints
}

#[tokio::test]
async fn without_a_valid_token_every_path_answers_401() {
    let app = TestApp::start([]).await;
    for client in [app.anonymous(), app.client_with(Some("a11y_wrong")), app.client_with(Some("пароль"))] {
        for (method, path) in endpoints("site_x", "scan_x") {
            let answer = client.send(method.clone(), &path, None).await;
            assert_eq!(
                (answer.status, &answer.body),
                (401, &json!({"message": "Unauthenticated."})),
                "{method} {path}"
            );
            assert_eq!(answer.header("www-authenticate"), "Bearer");
        }
    }
}

#[tokio::test]
async fn a_deleted_token_stops_working_at_once() {
    let app = TestApp::start([]).await;
    let (token, secret) = app.team.token(&[Ability::Read]).await;
    let client = app.client_with(Some(secret.reveal()));
    assert_eq!(client.get("/account").await.status, 200);
    app.team.delete_token(token.id).await;
    assert_eq!(client.get("/account").await.status, 401);
}

#[tokio::test]
async fn a_token_without_the_ability_answers_403_even_for_ids_that_do_not_exist() {
    let app = TestApp::start([]).await;
    let (reader, writer) = (app.reader().await, app.writer().await);
    for (method, path) in endpoints("site_x", "scan_x") {
        let (lacking, having) = if method == Method::GET { (&writer, &reader) } else { (&reader, &writer) };
        let answer = lacking.send(method.clone(), &path, Some("{}".to_owned())).await;
        assert_eq!(answer.refusal(), (403, "Invalid ability provided."), "{method} {path}");
        assert_ne!(having.send(method.clone(), &path, Some("{}".to_owned())).await.status, 403, "{method} {path}");
    }
}

#[tokio::test]
async fn a_blocked_team_and_a_plan_without_the_api_answer_403_everywhere() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    app.team.block().await;
    let free = app.client_of(&app.team("Free", "free").await, &[]).await;
    for (method, path) in endpoints("site_x", "scan_x") {
        assert_eq!(client.send(method.clone(), &path, None).await.status, 403, "{method} {path}");
        let lacks_api = (403, "The API is not included in the current plan of this team.");
        assert_eq!(free.send(method.clone(), &path, None).await.refusal(), lacks_api, "{method} {path}");
    }
    app.team.unblock().await;
    assert_eq!(client.get("/account").await.status, 200);
}

#[tokio::test]
async fn what_belongs_to_another_team_is_not_found_by_any_method() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    let site = client.post("/sites", json!({"url": "example.com", "report_locale": "en"})).await.data(201).clone();
    let site = site["id"].as_str().unwrap();
    let scan = client.get(&format!("/sites/{site}/scans")).await.body["data"][0]["id"].as_str().unwrap().to_owned();
    let stranger = app.stranger().await;
    for (method, path) in endpoints(site, &scan).into_iter().filter(|(_, path)| path.contains('_')) {
        let answer = stranger.send(method.clone(), &path, None).await;
        assert_eq!((answer.status, &answer.body), (404, &json!({"message": "Not found."})), "{method} {path}");
    }
    assert_eq!(stranger.get("/sites").await.body["meta"]["total"], 0);
    assert_eq!(client.get(&format!("/sites/{site}")).await.status, 200);
}

#[tokio::test]
async fn unknown_paths_are_404_and_unknown_methods_405_with_allow() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    for path in ["/", "/nothing", "/sites/a/b", "/accounts", "/account/x", "/%FF%FE", "/sites/%00"] {
        assert_eq!(client.get(path).await.body, json!({"message": "Not found."}), "{path}");
    }
    for (path, allow) in [
        ("/account", "GET, HEAD"),
        ("/sites", "GET, HEAD, POST"),
        ("/sites/x", "GET, HEAD, DELETE"),
        ("/sites/x/scans", "GET, HEAD, POST"),
        ("/scans/x", "GET, HEAD"),
        ("/scans/x/report", "GET, HEAD"),
    ] {
        let answer = client.send(Method::PATCH, path, None).await;
        assert_eq!((answer.status, answer.header("allow")), (405, allow), "{path}");
        assert!(answer.body["message"].as_str().unwrap().contains("PATCH"));
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_or_too_large_is_refused_and_the_server_stays_up() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    for body in ["", "{", "url=example.com", "\u{feff}{}"] {
        let answer = client.send(Method::POST, "/sites", Some(body.to_owned())).await;
        assert_eq!(answer.refusal(), (422, "The body of this request must be valid JSON."), "{body:?}");
        assert!(answer.body["errors"]["body"].is_array());
    }
    for body in ["[]", "\"example.com\"", "null", "5"] {
        let answer = client.send(Method::POST, "/sites", Some(body.to_owned())).await;
        assert_eq!(answer.refusal(), (422, "The url field is required. (and 1 more error)"), "{body}");
    }
    let large = format!("{{\"url\": \"{}\"}}", "a".repeat(1_000_000));
    assert_eq!(client.send(Method::POST, "/sites", Some(large)).await.status, 413);
    assert_eq!(client.get("/account").await.status, 200);
}

#[tokio::test]
async fn a_body_of_another_media_type_is_415() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    let url = client.get("/sites").await.body["meta"]["path"].as_str().unwrap().to_owned();
    let (_, secret) = app.team.token(&[Ability::Write]).await;
    let post = |media: &'static str| {
        let request = http().build().unwrap().post(&url).bearer_auth(secret.reveal()).header("content-type", media);
        async { request.body("{}").send().await.unwrap().status().as_u16() }
    };
    assert_eq!(post("text/plain").await, 415);
    assert_eq!(post("application/x-www-form-urlencoded").await, 415);
    assert_eq!(post("application/json; charset=utf-8").await, 422);
    assert_eq!(post("application/vnd.api+json").await, 422);
}

#[tokio::test]
async fn head_is_answered_like_get_without_a_body() {
    let app = TestApp::start([]).await;
    let client = app.client().await;
    let answer = client.send(Method::HEAD, "/account", None).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert!(answer.body.is_null() && answer.header("content-length").parse::<u32>().unwrap() > 100);
}
