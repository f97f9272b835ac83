//! Standards: which one a site names, and what its checks and their files say of it.

use std::io::Cursor;

use crate::TestApp;
use a11ycheck_core::{
    domain::{Impact, StandardId},
    scanner::Script,
};
use serde_json::{Value, json};

fn script() -> Script {
    Script::page("https://example.com/").with_problem("image-alt", Impact::Critical, "#logo", "<img>")
}

#[tokio::test]
async fn a_site_is_checked_against_the_standard_that_it_names() {
    let app = TestApp::start([script(), script()]).await;
    let client = app.client().await;
    for (word, checked, name) in [
        (json!("wcag22-aa"), "wcag22-aa", "WCAG 2.2 AA"),
        (Value::Null, "wcag21-aa", "WCAG 2.1 AA / EN 301 549 v3.2.1"),
    ] {
        let body = json!({"url": "example.com", "report_locale": "en", "standard": word});
        let site = client.post("/sites", body).await.data(201).clone();
        assert_eq!(site["standard"], word);
        let site = site["id"].as_str().unwrap().to_owned();
        assert_eq!(client.get(&format!("/sites/{site}")).await.data(200)["standard"], word);
        app.run_checks().await;
        let asked = app.scanner.requests().last().unwrap().standard;
        assert_eq!(asked.as_str(), checked, "what the scanner was asked for");
        let list = client.get(&format!("/sites/{site}/scans")).await;
        let scan = list.body["data"][0]["id"].as_str().unwrap().to_owned();
        let report = client.get(&format!("/scans/{scan}/report")).await.data(200).clone();
        assert_eq!((&report["standard"], &report["standard_name"]), (&json!(checked), &json!(name)));
        let export = client.get(&format!("/scans/{scan}/export?format=json")).await.body;
        assert_eq!(export["standard"], json!(format!("{name} (automated checks)")));
        assert_eq!(export["standard_id"], json!(checked));
    }
    let refused = json!({"url": "example.com", "report_locale": "en", "standard": "wcag30"});
    let refused = client.post("/sites", refused).await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.body["errors"]["standard"][0], "The selected standard is invalid.");
    assert_eq!(StandardId::KNOWN.len(), 3, "the contract lists them");
}

#[tokio::test]
async fn a_draft_takes_its_head_from_the_request_and_otherwise_from_the_team() {
    let app = TestApp::start([script()]).await;
    let client = app.client().await;
    let site = client.post("/sites", json!({"url": "example.com", "report_locale": "de"})).await;
    let site = site.data(201)["id"].as_str().unwrap().to_owned();
    app.run_checks().await;
    let list = client.get(&format!("/sites/{site}/scans")).await;
    let acr = format!("/scans/{}/acr", list.body["data"][0]["id"].as_str().unwrap());
    let mut brand = app.team.brand().await;
    brand.draft = brand.draft.with_contact("team@example.org".parse().ok()).with_evaluator("Team".parse().ok());
    app.team.set_brand(brand).await;

    let draft = client.get(&format!("{acr}?product_version=2027.1&evaluator=J%C3%B6%20%26%20Co")).await.body;
    assert_eq!(draft["product"]["version"], "2027.1");
    assert_eq!((&draft["author"]["email"], &draft["author"]["name"]), (&json!("team@example.org"), &json!("Jö & Co")));
    assert!(draft["chapters"]["success_criteria_level_aaa"].get("criteria").is_none());
    let all = client.get(&format!("{acr}?aaa=true")).await.body;
    assert_eq!(all["chapters"]["success_criteria_level_aaa"]["criteria"].as_array().unwrap().len(), 31);
    let long = "x".repeat(201);
    let refused = client.get(&format!("{acr}?contact={long}&aaa=maybe")).await;
    assert_eq!(refused.status, 422);
    let fields: Vec<&String> = refused.body["errors"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["aaa", "contact"]);

    // PDFs are kept, but never with another request's head.
    let pdf = |query: &str| {
        let path = format!("{acr}?format=pdf{query}");
        let client = &client;
        async move { client.get(&path).await.bytes }
    };
    let (plain, other) = (pdf("").await, pdf("&evaluator=Somebody").await);
    assert!(plain != other);
    assert!(plain == pdf("").await);

    let document = client.get(&format!("{acr}?format=docx")).await;
    let media_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    assert_eq!((document.status, document.header("content-type")), (200, media_type));
    assert!(document.header("content-disposition").ends_with("-accessibility-acr.docx\""));
    let mut archive = zip::ZipArchive::new(Cursor::new(document.bytes)).unwrap();
    let text = std::io::read_to_string(archive.by_name("word/document.xml").unwrap()).unwrap();
    assert!(text.contains("team@example.org") && text.contains("Konformitätsbericht"));
}
