//! Exports, PDFs, drafts of conformance reports and pictures, as files.

use crate::TestApp;
use a11ycheck_core::{domain::Impact, scanner::Script};
use a11ycheck_tests::{Answer, Client};
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::json;

/// Checks a site with three elements that fail, and returns the path of the check.
async fn checked(app: &TestApp, client: &Client) -> String {
    let site = json!({"url": "example.com", "report_locale": "de"});
    let site = client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned();
    app.run_checks().await;
    let list = client.get(&format!("/sites/{site}/scans")).await;
    format!("/scans/{}", list.body["data"][0]["id"].as_str().unwrap())
}

fn script() -> Script {
    Script::page("https://example.com/")
        .with_problem("image-alt", Impact::Critical, "#logo", "<img>")
        .with_problem("label", Impact::Critical, "#name", "<input>")
        .with_recommendation("region", Impact::Moderate, "div", "<div>")
        .with_pictures()
}

fn length(answer: &Answer) -> Option<usize> {
    answer.header("content-length").parse().ok()
}

#[tokio::test]
async fn every_file_states_its_length_and_what_it_is_before_it_is_read() {
    let app = TestApp::start([script()]).await;
    let client = app.client().await;
    let scan = checked(&app, &client).await;
    let exports =
        ["json", "csv", "github", "jira", "pdf", "html"].map(|format| format!("{scan}/export?format={format}"));
    let drafts = ["json", "html", "pdf", "docx"].map(|format| format!("{scan}/acr?format={format}"));
    for path in exports.into_iter().chain(drafts).chain([format!("{scan}/pdf")]) {
        let head = client.send(Method::HEAD, &path, None).await;
        let file = client.get(&path).await;
        assert_eq!((head.status, file.status), (200, 200), "{path}");
        assert_eq!(length(&file), Some(file.bytes.len()), "{path}");
        assert_eq!(length(&head), Some(file.bytes.len()), "HEAD {path}");
        for answer in [&head, &file] {
            let disclaimer = "This is an automated check, not a full audit, and not legal advice.";
            assert_eq!(answer.header("svc-disclaimer"), disclaimer, "{path}");
        }
        // A team may fetch 20 files a minute.
        app.clock.advance(TimeDelta::seconds(10));
    }
    app.clock.advance(TimeDelta::seconds(61));
    for picture in ["issue/1", "screen", "page/1"] {
        let path = format!("{scan}/evidence/{picture}");
        let picture = client.get(&path).await;
        assert_eq!(length(&picture), Some(picture.bytes.len()), "{path}");
        let head = client.send(Method::HEAD, &path, None).await;
        assert_eq!(length(&head), Some(picture.bytes.len()), "HEAD {path}");
    }
    let screen = client.get(&format!("{scan}/evidence/screen")).await;
    let start = client.get(&format!("{scan}/evidence/page/1")).await;
    assert_eq!(start.bytes, screen.bytes, "the start page's picture is the screen");
    for nothing in ["page/0", "page/99", "page/x", "page/-1"] {
        assert_eq!(client.get(&format!("{scan}/evidence/{nothing}")).await.status, 404, "{nothing}");
    }
}

#[tokio::test]
async fn a_csv_file_has_a_row_per_element_and_its_name_says_that_it_is_no_audit() {
    let app = TestApp::start([script()]).await;
    let client = app.client().await;
    let scan = checked(&app, &client).await;
    let file = client.get(&format!("{scan}/export?format=csv")).await;
    let text = String::from_utf8(file.bytes.clone()).unwrap();
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 4, "a header and three elements: {text}");
    assert!(lines[1..].iter().all(|line| line.contains(",https://example.com/,")), "{text}");
    let name = "attachment; filename=\"example.com-2027-06-01-de-accessibility-issues-automated-check-no-audit.csv\"";
    assert_eq!(file.header("content-disposition"), name);
}

/// On a plan without exports of issues: the report is in every plan, in whatever form.
#[tokio::test]
async fn the_report_is_one_html_file_with_its_pictures_in_every_plan_and_language() {
    let app = TestApp::on_plan("starter", [script()]).await;
    let client = app.client().await;
    let scan = checked(&app, &client).await;
    for (query, lang) in [("format=html", "de"), ("format=html&lang=uk&detail=anything", "uk")] {
        let file = client.get(&format!("{scan}/export?{query}")).await;
        assert_eq!((file.status, file.header("content-type")), (200, "text/html; charset=utf-8"), "{query}");
        let name = format!("attachment; filename=\"example.com-2027-06-01-{lang}-accessibility.html\"");
        assert_eq!(file.header("content-disposition"), name);
        let page = String::from_utf8(file.bytes).unwrap();
        assert!(page.contains(&format!("<html lang=\"{lang}\">")) && page.ends_with("</html>\n"), "{query}");
        assert!(page.contains("#logo") && page.contains("<img src=\"data:image/"), "{page}");
    }
    let unknown = client.get(&format!("{scan}/export?format=HTML")).await;
    assert_eq!(unknown.refusal(), (422, "The selected format is invalid."));
    assert_eq!(client.get(&format!("{scan}/export?format=csv")).await.status, 403);
}

#[tokio::test]
async fn the_links_to_exports_are_the_four_that_old_clients_read() {
    let app = TestApp::start([script()]).await;
    let client = app.client().await;
    let scan = checked(&app, &client).await;
    let links = client.get(&scan).await.data(200)["links"]["exports"].clone();
    let links: Vec<&String> = links.as_object().unwrap().keys().collect();
    assert_eq!(links, ["csv", "github", "jira", "json"]);
}

#[tokio::test]
async fn a_ticket_links_to_the_file_with_the_elements_that_it_leaves_out() {
    let page = Script::page("https://example.com/");
    let script = (0..60).fold(page, |page, number| {
        page.with_problem(
            "image-alt",
            Impact::Critical,
            &format!("#photo-{number}"),
            &format!("<img src=/{number}.jpg>"),
        )
    });
    let app = TestApp::start([script]).await;
    let client = app.client().await;
    let scan = checked(&app, &client).await;
    let csv = client.get(&scan).await.data(200)["links"]["exports"]["csv"].as_str().unwrap().to_owned();
    let site = client.get(&scan).await.data(200)["site_id"].as_str().unwrap().to_owned();
    for path in [format!("{scan}/export"), format!("/sites/{site}/export")] {
        for (format, line) in [
            ("github", format!("\nWeitere Elemente: 10 · Vollständige Liste: <{csv}>\n")),
            ("jira", format!("\nWeitere Elemente: 10 · Vollständige Liste: [{csv}]\n")),
        ] {
            let file = client.get(&format!("{path}?format={format}")).await;
            let text = String::from_utf8(file.bytes.clone()).unwrap();
            assert!(text.contains(&line), "{path} {format}: {text}");
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_refused_before_what_is_wrong_with_the_words_and_the_plan_after_it() {
    let app = TestApp::on_plan("starter", [script()]).await;
    let (client, writer) = (app.client().await, app.writer().await);
    let site = json!({"url": "example.com", "report_locale": "de"});
    let site = client.post("/sites", site).await.data(201)["id"].as_str().unwrap().to_owned();
    let list = client.get(&format!("/sites/{site}/scans")).await;
    let scan = format!("/scans/{}", list.body["data"][0]["id"].as_str().unwrap());

    let both = "?format=x&lang=fr";
    let (ability, not_found) = ((403, "Invalid ability provided."), (404, "Not found."));
    for path in ["export", "acr", "pdf", "report"] {
        assert_eq!(writer.get(&format!("/scans/scan_x/{path}{both}")).await.refusal(), ability, "{path}");
        assert_eq!(client.get(&format!("/scans/scan_x/{path}{both}")).await.refusal(), not_found, "{path}");
    }
    assert_eq!(client.get(&format!("/sites/site_x/export{both}")).await.refusal(), not_found);
    let no_check = (404, "The site has no completed check yet.");
    assert_eq!(client.get(&format!("/sites/{site}/export{both}")).await.refusal(), no_check);

    let (format, lang) = ("The selected format is invalid.", "The selected lang is invalid.");
    for path in ["export", "acr"] {
        let answer = client.get(&format!("{scan}/{path}{both}")).await;
        assert_eq!(answer.refusal(), (422, "The selected format is invalid. (and 1 more error)"), "{path}");
        assert_eq!(answer.body["errors"], json!({"format": [format], "lang": [lang]}));
        assert_eq!(client.get(&format!("{scan}/{path}?lang=fr")).await.refusal(), (422, lang), "{path}");
    }
    for path in ["pdf", "report"] {
        assert_eq!(client.get(&format!("{scan}/{path}{both}")).await.refusal(), (422, lang), "{path}");
    }

    let exports = (403, "Issue exports are not included in the current plan of this team.");
    assert_eq!(client.get(&format!("{scan}/export?format=csv")).await.refusal(), exports);
    let drafts = (403, "ACR drafts are not included in the current plan of this team.");
    assert_eq!(client.get(&format!("{scan}/acr?format=pdf&lang=uk")).await.refusal(), drafts);
    for path in ["pdf", "export?format=pdf", "report?lang=%20"] {
        let not_completed = (409, "The scan is not completed yet.");
        assert_eq!(client.get(&format!("{scan}/{path}")).await.refusal(), not_completed, "{path}");
    }
}
