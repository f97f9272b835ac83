//! Contract §14 and §9.2: waiting for PDFs.

use std::time::Duration;

use a11ycheck_core::{
    domain::Impact,
    scanner::Script,
    service::{RenderLimits, ServiceBuilder},
};
use a11ycheck_tests::{Answer, Client};
use serde_json::json;
use tokio::task::JoinSet;

use crate::TestApp;

/// Limits under which nothing is rendered, so that every request finds the renderer busy.
fn busy() -> RenderLimits {
    let limits = RenderLimits::default().with_running(0).with_waiting(0).with_waiting_per_team(0);
    limits.with_patience(Duration::from_secs(55))
}

async fn started(limits: RenderLimits) -> (TestApp, Client, String, String) {
    let script = Script::page("https://example.com/").with_problem("image-alt", Impact::Critical, "img", "<img>");
    let app = TestApp::configured("agency", [script], |builder: ServiceBuilder| builder.with_render_limits(limits));
    let app = app.await;
    let client = app.client().await;
    let site = json!({"url": "example.com", "report_locale": "en"});
    let site = client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned();
    app.run_checks().await;
    let list = client.get(&format!("/sites/{site}/scans")).await;
    let scan = list.body["data"][0]["id"].as_str().unwrap().to_owned();
    (app, client, site, scan)
}

async fn at_once(client: &Client, paths: impl IntoIterator<Item = String>) -> Vec<Answer> {
    let mut requests = JoinSet::new();
    for path in paths {
        let client = client.clone();
        requests.spawn(async move { client.get(&path).await });
    }
    requests.join_all().await
}

#[tokio::test]
async fn seven_languages_at_once_and_one_language_for_four_clients_are_all_answered() {
    let (app, client, site, scan) = started(RenderLimits::default()).await;
    let languages = ["en", "uk", "de", "pl", "cs", "ro", "ru"];
    let paths = languages.map(|lang| format!("/scans/{scan}/pdf?lang={lang}"));
    for answer in at_once(&client, paths).await {
        assert_eq!((answer.status, answer.media_type()), (200, "application/pdf"), "{}", answer.body);
    }
    let client = app.client().await;
    let same = [
        format!("/scans/{scan}/acr?format=pdf&lang=de"),
        format!("/scans/{scan}/acr?format=pdf&lang=de"),
        format!("/scans/{scan}/acr?format=pdf&lang=de"),
        format!("/scans/{scan}/acr?format=pdf&lang=de"),
    ];
    let answers = at_once(&client, same).await;
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.bytes == answers[0].bytes));
    let export = client.get(&format!("/sites/{site}/export?format=pdf&lang=uk")).await;
    assert_eq!(export.status, 200);
}

#[tokio::test]
async fn the_long_form_is_a_file_of_its_own_on_every_path_and_counts_like_the_short_one() {
    let (app, client, site, scan) = started(RenderLimits::default()).await;
    let brief = client.get(&format!("/scans/{scan}/pdf")).await;
    let full = client.get(&format!("/scans/{scan}/pdf?detail=full")).await;
    assert_eq!((brief.status, full.status, full.media_type()), (200, 200, "application/pdf"));
    assert_ne!(brief.bytes, full.bytes);
    assert!(full.header("Content-Disposition").contains("-accessibility-full.pdf"), "one does not overwrite the other");
    let left = |answer: &Answer| answer.header("X-RateLimit-Remaining").parse::<u32>().unwrap();
    assert_eq!(left(&full) + 1, left(&brief));
    for path in
        [format!("/scans/{scan}/export?format=pdf&detail=full"), format!("/sites/{site}/export?format=pdf&detail=full")]
    {
        assert_eq!(client.get(&path).await.bytes, full.bytes, "{path}");
    }
    // Kept beside each other.
    assert_eq!(client.get(&format!("/scans/{scan}/pdf?detail=brief")).await.bytes, brief.bytes);
    let wrong = client.get(&format!("/scans/{scan}/pdf?detail=everything")).await;
    assert_eq!(wrong.status, 422);
    assert!(wrong.body["errors"]["detail"].is_array(), "{}", wrong.body);
    // Other files have one form: a client that sends the word for something else is not refused.
    assert_eq!(client.get(&format!("/scans/{scan}/export?format=csv&detail=everything")).await.status, 200);
    drop(app);
}

#[tokio::test]
async fn a_pdf_that_is_refused_is_asked_for_again_in_seconds_and_uses_up_no_request() {
    let (_app, client, site, scan) = started(busy()).await;
    let used = 60 - client.get("/account").await.header("x-ratelimit-remaining").parse::<u32>().unwrap();
    for path in [
        format!("/scans/{scan}/pdf"),
        format!("/scans/{scan}/export?format=pdf"),
        format!("/sites/{site}/export?format=pdf"),
        format!("/scans/{scan}/acr?format=pdf"),
    ] {
        // More often than the files per minute permit.
        for _ in 0..6 {
            let busy = client.get(&path).await;
            let message = "The PDF could not be prepared right now. Please try again in a minute.";
            assert_eq!(busy.refusal(), (503, message));
            assert_eq!(busy.header("retry-after"), "5");
            let shown = (busy.header("x-ratelimit-limit"), busy.header("x-ratelimit-remaining"));
            assert_eq!(shown, ("20", "20"), "all 20 files are left");
        }
    }
    let csv = client.get(&format!("/scans/{scan}/export?format=csv")).await;
    assert_eq!((csv.status, csv.header("x-ratelimit-remaining")), (200, "19"));
    let left = client.get("/account").await.header("x-ratelimit-remaining").parse::<u32>().unwrap();
    assert_eq!(left, 60 - used - 2, "the general counter likewise");
}

#[tokio::test]
async fn a_pdf_that_is_not_ready_in_time_is_refused_and_given_back() {
    let slow = busy().with_waiting(5).with_waiting_per_team(5).with_patience(Duration::from_millis(50));
    let (_app, client, _, scan) = started(slow).await;
    for _ in 0..25 {
        let late = client.get(&format!("/scans/{scan}/pdf")).await;
        assert_eq!((late.status, late.header("x-ratelimit-remaining")), (503, "20"));
    }
}
