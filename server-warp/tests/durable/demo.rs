//! The demo team with its history, for who wants to look around first.

use std::collections::BTreeMap;

use a11ycheck_tests::{Browser, Faults, PREFERENCES, http};
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

/// Says where the links of a page lead to, without what the page sends: files and pictures.
const LINKS: &str = r#"[...document.querySelectorAll('a[href]:not([download])')].filter((link) => !link.querySelector('img'))
    .map((link) => link.href.split('#')[0]).filter((href) => href.startsWith(location.origin))"#;

#[tokio::test(flavor = "multi_thread")]
async fn who_looks_around_gets_through_every_page_by_keys_narrow_enlarged_and_in_other_colours() {
    let folder = Folder::new();
    let server = folder.start_with(&START).await;
    let browser = Browser::start().await;
    let tab = browser.tab().await;
    tab.open(server.ready["first_link"].as_str().unwrap()).await;
    tab.press("Tab").await;
    assert_eq!(tab.evaluate("document.activeElement.className").await, "skip");
    tab.press("Enter").await;
    assert_eq!(tab.evaluate("document.activeElement.id").await, "main", "the first link skips the navigation");
    tab.press("Tab").await;
    assert_eq!(tab.evaluate("document.activeElement.matches('main button')").await, true);
    tab.press_and_follow("Enter").await;

    let mut ways = vec![tab.evaluate("location.href").await.as_str().unwrap().to_owned()];
    let (mut seen, mut found) = (BTreeMap::new(), Vec::new());
    while let Some(way) = ways.pop() {
        // Ids begin with what they are of, and two pages of a kind are as good as all.
        let parts = way.split(['/', '?', '&']).map(|part| part.split(['_', '=']).next().unwrap());
        let kind: Vec<_> = parts.filter(|part| !part.starts_with(|first: char| first.is_ascii_digit())).collect();
        let of_kind: &mut Vec<String> = seen.entry(kind.join("/")).or_default();
        let is_page = !["/export-sites", "/files/", "/pictures/", "/brand/logo"].iter().any(|end| way.contains(end));
        if of_kind.len() == 2 || of_kind.contains(&way) || !is_page {
            continue;
        }
        of_kind.push(way.clone());
        tab.open(&way).await;
        tab.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })").await;
        let faults = Faults::of(&tab).await;
        let mut of_page = faults.when_crowded().await;
        of_page.extend(faults.in_colours().await);
        of_page.extend(faults.by_keys(PREFERENCES[of_kind.len()]).await);
        found.extend(of_page.into_iter().map(|what| format!("{way}: {what}")));
        let links: Vec<String> = serde_json::from_value(tab.evaluate(LINKS).await).unwrap();
        ways.extend(links);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(seen.len() > 20, "there are pages of many kinds: {seen:?}");
    server.stop().await;
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
