//! The demo team with its history, for who wants to look around first.

use a11ycheck_tests::http;
use reqwest::{StatusCode, redirect};
use serde_json::Value;

use crate::support::{Folder, Server};

const START: [&str; 3] = ["--demo-history", "--workers", "0"];

#[tokio::test]
async fn an_empty_folder_gets_a_team_with_twelve_weeks_of_checks_once() {
    let folder = Folder::new();
    let server = folder.start_with(&START).await;
    let client = server.client(&server.token());
    let sites = client.get("/sites").await.body;
    assert_eq!(sites["meta"]["total"], 5, "{sites}");
    let museum = of(&sites, "Riverside Museum");
    let scans = client.get(&format!("/sites/{museum}/scans")).await.body;
    assert_eq!(scans["meta"]["total"], 12);
    let (newest, oldest) = (&scans["data"][0], &scans["data"][11]);
    assert!(oldest["issues"].as_u64() > newest["issues"].as_u64(), "they have become fewer: {scans}");
    assert_eq!(
        (&newest["previous_issues"], &newest["issues"]),
        (&11.into(), &10.into()),
        "one was repaired last: {newest}"
    );
    let report = client.get(&format!("/scans/{}/report?lang=de", newest["id"].as_str().unwrap())).await;
    assert_eq!(report.status, StatusCode::OK);
    let clinic = of(&sites, "Lakeview Clinic");
    assert_eq!(client.get(&format!("/sites/{clinic}/scans")).await.body["data"][0]["status"], "failed");
    server.stop().await;

    let again = folder.start_with(&START).await;
    assert_eq!(again.ready["token"], Value::Null, "the team is there already");
    lets_in(&again).await;
    again.stop().await;
}

/// Signs in with the link that the server shows, and looks at the list of sites.
async fn lets_in(server: &Server) {
    let link = server.ready["first_link"].as_str().unwrap();
    let (page, key) = link.split_once("?key=").unwrap();
    let client = http().redirect(redirect::Policy::none()).build().unwrap();
    let form = client.post(page).header("sec-fetch-site", "same-origin").body(format!("key={key}&demo=yes"));
    let answer = form.header("content-type", "application/x-www-form-urlencoded").send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::SEE_OTHER, "the link signs in without a password");
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap();
    let location = answer.headers()["location"].to_str().unwrap();
    let sites = client.get(page.replace("/app/first", location)).header("cookie", cookie);
    let sites = sites.send().await.unwrap().text().await.unwrap();
    assert!(sites.contains("Hillcrest School"), "{sites}");
}

/// Returns the id of the site with this name.
fn of(sites: &Value, name: &str) -> String {
    let site = sites["data"].as_array().unwrap().iter().find(|site| site["name"] == name);
    site.unwrap()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_store_that_has_been_served_gets_no_invented_site() {
    let folder = Folder::new();
    folder.start(&["--workers", "0"]).await.stop().await;
    let server = folder.start_with(&START).await;
    let link = server.ready["first_link"].as_str().unwrap().to_owned();
    assert!(link.contains("/first?key="));
    server.stop().await;
    let teams = folder.admin(&["team", "list"]).await;
    assert_eq!(teams.as_array().map(Vec::len), Some(1), "{teams}");
}
