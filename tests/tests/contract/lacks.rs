//! The parts of a check that were left unchecked: in every response, and in the reader's language.

use crate::TestApp;
use a11ycheck_core::{
    catalog::failure_of,
    domain::{Cover, CoverKind, Failure, FailureCause, FailureCode, FailureFacts, Impact},
    scanner::Script,
};
use a11ycheck_tests::Client;
use chrono::TimeDelta;
use serde_json::{Value, json};

/// Checks a site, and returns the path of the check.
async fn checked(app: &TestApp, client: &Client) -> String {
    let site = json!({"url": "example.com", "report_locale": "uk"});
    let site = client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned();
    app.run_checks().await;
    let list = client.get(&format!("/sites/{site}/scans")).await;
    format!("/scans/{}", list.body["data"][0]["id"].as_str().unwrap())
}

fn script() -> Script {
    let missing = failure_of(FailureCause::Status, FailureFacts::of_status(404));
    // A failure as an earlier release stored it.
    let gone = Failure::new(FailureCode::HttpStatus, "The web server answered with error status 410.");
    Script::page("https://example.com/")
        .with_problem("color-contrast", Impact::Serious, "p", "<p>")
        .with_undecided(7)
        .covered_by(Cover::new(CoverKind::Consent, 85))
        .and_failed_page("https://example.com/missing", missing)
        .and_failed_page("https://example.com/gone", gone)
        .and_failed_page("https://example.com/wall", Failure::new(FailureCode::BotChallenge, "A bot check."))
}

/// Returns the pages and the elements that a person must review, as the report and the export have them.
async fn answers(client: &Client, scan: &str, lang: &str) -> [(Value, Value); 2] {
    let report = client.get(&format!("{scan}/report?lang={lang}")).await.data(200).clone();
    let export = client.get(&format!("{scan}/export?format=json&lang={lang}")).await;
    assert_eq!(export.status, 200);
    [report, export.body].map(|mut answer| (answer["pages"].take(), answer["needs_review"].take()))
}

#[tokio::test]
async fn a_page_that_failed_is_shown_in_the_language_that_was_asked_for_with_the_number_of_its_status() {
    let app = TestApp::start([script()]).await;
    let client = app.client().await;
    let scan = checked(&app, &client).await;
    let german = "Der Webserver hat mit dem Fehlerstatus";
    for (pages, _) in answers(&client, &scan, "de").await {
        assert_eq!(pages[1]["error"], json!({"code": "http_status", "message": format!("{german} 404 geantwortet.")}));
        assert_eq!(pages[2]["error"], json!({"code": "http_status", "message": format!("{german} 410 geantwortet.")}));
        let wall = pages[3]["error"]["message"].as_str().unwrap();
        assert!(wall.starts_with("Statt der Seite erscheint eine Bot-Prüfung"), "{wall}");
    }
    for (pages, _) in answers(&client, &scan, "en").await {
        assert_eq!(pages[2]["error"]["message"], "The web server answered with error status 410.");
    }
}

#[tokio::test]
async fn what_covers_a_page_and_what_a_person_must_look_at_is_in_the_report_and_the_export() {
    let app = TestApp::start([script()]).await;
    let client = app.client().await;
    let scan = checked(&app, &client).await;
    for (pages, undecided) in answers(&client, &scan, "en").await {
        assert_eq!(
            pages[0]["cover"],
            json!({
                "kind": "consent", "percent": 85,
                "message": "A request for consent covers 85% of the page as visitors first see it. What lies behind it may \
                            not have been checked.",
            })
        );
        assert_eq!(pages[1]["cover"], Value::Null);
        let title = "Text with too little contrast";
        assert_eq!(undecided, json!([{"rule": "color-contrast", "title": title, "count": 7}]));
    }
}

/// The failure of a check has no language: it stays English. The check is tried again if waiting may help.
#[tokio::test]
async fn a_bot_check_or_a_refused_port_is_asked_once_and_maintenance_three_times() {
    let walled = |code| Failure::new(code, "Something stands there.");
    let port = failure_of(FailureCause::PortRefused, FailureFacts::of_port(25));
    for (failure, code, tries) in [
        (walled(FailureCode::BotChallenge), "bot_challenge", 1),
        (walled(FailureCode::Parked), "parked", 1),
        (walled(FailureCode::SoftNotFound), "soft_not_found", 1),
        (walled(FailureCode::ConsentWall), "consent_wall", 1),
        (port, "refused_address", 1),
        (walled(FailureCode::Maintenance), "maintenance", 3),
    ] {
        let app = TestApp::start([Script::failing(failure.clone())]).await;
        let client = app.client().await;
        let scan = checked(&app, &client).await;
        for _ in 0..5 {
            app.clock.advance(TimeDelta::minutes(20));
            app.run_checks().await;
        }
        let error = client.get(&scan).await.data(200)["error"].clone();
        assert_eq!(error, json!({"code": code, "message": failure.message}));
        assert_eq!(app.scanner.requests().len(), tries, "{code}");
    }
}
