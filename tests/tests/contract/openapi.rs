//! The OpenAPI document and the server, each compared with the other.
//!
//! Every response that a test's client gets is compared with the document, so the server sends nothing else. Here is
//! the other direction: everything that the document lists exists.

use std::collections::BTreeSet;

use a11ycheck_api_v1::routes::ROUTES;
use a11ycheck_core::{
    domain::{Ability, Impact},
    locale::Locale,
    scanner::Script,
};
use a11ycheck_tests::{Answer, Client, OpenApi, Operation};
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use crate::TestApp;

/// The responses that no request causes: status, media type (any if it is empty), and why.
const NOT_PROVOKED: [(u16, &str, &str); 4] = [
    (200, "image/webp", "takes a scanner that prefers it"),
    (408, "", "takes a client that is slower than 10 seconds"),
    (500, "", "takes a store that lost something"),
    (503, "", "takes a store that does not answer, or a PDF renderer that is busy"),
];

/// The table lists everything that the server routes: `server-warp` has no other paths below the base address.
#[test]
fn every_row_of_the_table_is_listed_and_every_listed_operation_has_a_row() {
    let operations = OpenApi::document().operations();
    // HEAD follows GET, and has no row.
    let listed = operations.iter().filter(|operation| operation.method != Method::HEAD);
    let listed: BTreeSet<(String, String)> =
        listed.map(|operation| (operation.path.clone(), operation.method.to_string())).collect();
    let rows: BTreeSet<_> = ROUTES.iter().map(|row| (row.path.to_owned(), row.method.to_string())).collect();
    assert_eq!(listed, rows);
}

#[tokio::test]
async fn a_path_knows_the_listed_methods_and_no_others() {
    let app = TestApp::start([]).await;
    let operations = OpenApi::document().operations();
    let mut paths: Vec<&Operation> = operations.iter().collect();
    paths.dedup_by_key(|operation| &operation.path);
    for Operation { path, .. } in paths {
        let client = app.client().await;
        for method in ["GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "PURGE", "get"] {
            let method: Method = method.parse().unwrap();
            let is_listed = operations.iter().any(|other| other.path == *path && other.method == method);
            // An unlisted method with a response other than 405 and the listed methods makes the client panic.
            let status = client.send(method.clone(), &with_ids(path, "x", "x"), None).await.status;
            assert_eq!(status != 405, is_listed, "{method} {path}");
        }
    }
}

fn with_ids(path: &str, site: &str, scan: &str) -> String {
    path.replace("{site}", site).replace("{scan}", scan).replace("{id}", "1").replace("{number}", "1")
}

#[tokio::test]
async fn every_listed_status_and_media_type_is_one_that_the_server_answers_with() {
    let script = Script::page("https://example.com/").with_problem("image-alt", Impact::Critical, "img", "<img>");
    let app = TestApp::start([script.with_pictures()]).await;
    let walk = Walk::prepare(&app).await;
    let mut seen = BTreeSet::new();
    let mut operations = OpenApi::document().operations();
    // Operations that delete come last.
    operations.sort_by_key(|operation| operation.method == Method::DELETE);
    for operation in &operations {
        app.clock.advance(TimeDelta::seconds(61));
        seen.extend(walk.provoke(operation).await.iter().map(|answer| row(operation, answer)));
    }
    let spent = app.client().await;
    while spent.get("/account").await.status == 200 {}
    for operation in &operations {
        let answer = spent.send(operation.method.clone(), &with_ids(&operation.path, "x", "x"), None).await;
        seen.insert(row(operation, &kind(operation, &answer)));
    }

    let listed = operations.iter().flat_map(|operation| operation.answers.iter().map(|answer| row(operation, answer)));
    let is_excused = |(.., status, media_type): &Row| {
        NOT_PROVOKED.iter().any(|(code, media, _)| code == status && (media.is_empty() || media == media_type))
    };
    let (excused, due): (BTreeSet<_>, BTreeSet<_>) = listed.partition(is_excused);
    let never: Vec<_> = due.difference(&seen).collect();
    assert!(never.is_empty(), "the document lists what the server never answers: {never:#?}");
    assert!(excused.is_disjoint(&seen), "no longer an exception: {excused:?}");
    for (code, media_type, reason) in NOT_PROVOKED {
        let is_used = excused.iter().any(|(.., status, media)| *status == code && media.ends_with(media_type));
        assert!(is_used, "{code} {media_type} ({reason}) is an exception to nothing");
    }
}

/// Path, method, status, media type.
type Row = (String, String, u16, String);

fn row(Operation { path, method, .. }: &Operation, (status, media_type): &(u16, String)) -> Row {
    (path.clone(), method.to_string(), *status, media_type.clone())
}

/// Returns status and media type of a response; those to HEAD have no body, and so no media type.
fn kind(operation: &Operation, answer: &Answer) -> (u16, String) {
    let media_type = if operation.method == Method::HEAD { "" } else { answer.media_type() };
    (answer.status, media_type.to_owned())
}

/// Callers and things of every kind.
struct Walk {
    clients: Vec<Client>,
    /// A site and a check each: completed, queued, a site without any, and neither existing.
    things: Vec<(String, String)>,
}

impl Walk {
    async fn prepare(app: &TestApp) -> Self {
        let client = app.client().await;
        let site = async |scan: bool| {
            let site = json!({"url": "example.com", "report_locale": "en", "scan": scan});
            client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned()
        };
        let newest = async |site: &str| {
            let list = client.get(&format!("/sites/{site}/scans")).await;
            list.body["data"][0]["id"].as_str().unwrap_or("scan_x").to_owned()
        };
        let checked = site(true).await;
        app.run_checks().await;
        let mut things = vec![];
        for site in [checked, site(true).await, site(false).await, "site_x".to_owned()] {
            let scan = newest(&site).await;
            things.push((site, scan));
        }

        let both = [Ability::Read, Ability::Write];
        let (free, small, blocked) =
            (app.team("Free", "free").await, app.team("Small", "starter").await, app.team("Blocked", "pro").await);
        blocked.block().await;
        let mut clients = vec![app.anonymous(), app.reader().await, app.writer().await, app.stranger().await];
        for team in [free, small, blocked] {
            clients.push(app.client_of(&team, &both).await);
        }
        clients.push(client);
        Self { clients, things }
    }

    /// Returns the kinds of responses that an operation gives to each caller, about each thing.
    async fn provoke(&self, operation: &Operation) -> BTreeSet<(u16, String)> {
        let good = json!({"url": "example.com", "report_locale": "en", "scan": false}).to_string();
        let large = format!("\"{}\"", "a".repeat(70_000));
        let bodies = [("application/json", good), ("application/json", large), ("text/plain", "{}".to_owned())];
        let Operation { path, method, formats, has_body, .. } = operation;
        let things = self.things.iter().map(|(site, scan)| with_ids(path, site, scan));
        let mut paths: Vec<String> =
            things.flat_map(|path| [path.clone(), format!("{path}?page=x&per_page=x&lang=x&format=x")]).collect();
        // The first thing is the one that has files.
        paths.extend(formats.iter().map(|format| format!("{}?format={format}", paths[0])).collect::<Vec<_>>());
        let mut answers = BTreeSet::new();
        for client in &self.clients {
            for path in &paths {
                answers.insert(kind(operation, &client.send(method.clone(), path, None).await));
            }
            for (media_type, body) in bodies.iter().filter(|_| *has_body) {
                let answer = client.send_as(media_type, method.clone(), path, Some(body.clone())).await;
                answers.insert(kind(operation, &answer));
            }
        }
        answers
    }
}

#[tokio::test]
async fn the_document_is_served_to_everyone_as_it_is_in_the_repository_but_for_the_services_address() {
    let app = TestApp::start([]).await;
    let served = app.anonymous().get("/openapi.json").await;
    let mut kept: Value = serde_json::from_str(include_str!("../../../api-v1/openapi.json")).unwrap();
    let base_url = app.client().await.get("/sites").await.body["meta"]["path"].as_str().unwrap().replace("/sites", "");
    kept["servers"][0]["url"] = json!(base_url);
    assert_eq!((served.status, &served.body), (200, &kept));
    assert_eq!(served.header("x-ratelimit-remaining"), "59", "it is counted like any request");
    app.team.block().await;
    assert_eq!(app.client().await.get("/openapi.json").await.status, 200);
}

#[test]
fn every_example_is_one_of_what_it_stands_for() {
    let api = OpenApi::document();
    let mut examples = 0;
    each_object(api.json(), "", &mut |place, object| {
        let Some(schema) = object.get("schema") else { return };
        let named = object["examples"].as_object().into_iter().flatten().map(|(_, example)| &example["value"]);
        for example in object.get("example").into_iter().chain(named) {
            let problems = api.problems(schema, example);
            assert!(problems.is_empty(), "{place}: {problems:#?}");
            examples += 1;
        }
    });
    assert!(examples > 60, "only {examples} examples were found");
}

#[test]
fn every_field_of_an_answer_is_listed_described_and_always_there() {
    let schemas = OpenApi::document().json()["components"]["schemas"].as_object().unwrap();
    // The only body of a request: its unknown fields are ignored.
    for (name, schema) in schemas.iter().filter(|(name, _)| *name != "NewSite") {
        each_object(schema, name, &mut |place, object| {
            let Some(fields) = object["properties"].as_object() else { return };
            let listed: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
            let required = object["required"].as_array().unwrap();
            assert_eq!(
                required.iter().map(|field| field.as_str().unwrap()).collect::<BTreeSet<_>>(),
                listed,
                "{place}"
            );
            assert_eq!(required.len(), listed.len(), "{place}");
            assert_eq!(object["additionalProperties"], false, "{place}");
            for (field, schema) in fields {
                let schema = OpenApi::document().resolved(schema);
                assert!(schema["description"].is_string(), "{place}.{field} has no description");
            }
        });
    }
}

#[test]
fn names_are_unique_and_nothing_is_left_over() {
    let document = OpenApi::document().json();
    let (mut ids, mut used) = (vec![], BTreeSet::from(["#/components/responses/MethodNotAllowed".to_owned()]));
    each_object(document, "", &mut |_, object| {
        ids.extend(object["operationId"].as_str().filter(|_| object.get("responses").is_some()).map(str::to_owned));
        used.extend(object["$ref"].as_str().map(str::to_owned));
    });
    let unique: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len());
    for kind in ["parameters", "headers", "responses", "schemas"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            assert!(used.contains(&format!("#/components/{kind}/{name}")), "{kind}/{name} is used nowhere");
        }
    }
    for reference in &used {
        assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference} leads nowhere");
    }
    for (path, item) in document["paths"].as_object().unwrap() {
        let known = ["get", "head", "post", "delete"];
        assert!(item.as_object().unwrap().keys().all(|method| known.contains(&method.as_str())), "{path}");
    }
    assert_eq!(document["components"]["schemas"]["Locale"]["enum"], json!(Locale::ALL.map(Locale::code)));
    assert_eq!(document["components"]["schemas"]["Severity"]["enum"], json!(Impact::ALL.map(Impact::as_str)));
}

/// Calls `look` for every object of the document, with the place where it is.
fn each_object(value: &Value, place: &str, look: &mut impl FnMut(&str, &Value)) {
    if value.is_object() {
        look(place, value);
    }
    let items = value.as_array().into_iter().flatten().enumerate().map(|(index, item)| (index.to_string(), item));
    let fields = value.as_object().into_iter().flatten().map(|(name, field)| (name.clone(), field));
    for (name, inner) in items.chain(fields) {
        each_object(inner, &format!("{place}/{name}"), look);
    }
}
