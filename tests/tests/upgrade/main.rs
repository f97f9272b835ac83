//! Two releases on one database: rows that the last one left are read, and rows that a later one stored are neither
//! refused nor lost.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod database;
mod later;
mod reading;

use a11ycheck_core::{clock::ManualClock, domain::Impact, scanner::Script};
use a11ycheck_tests::release;
use chrono::TimeDelta;
use serde_json::json;

use self::database::Upgraded;

/// The last release, whose rows are in `storage-postgres/tests/fixtures`.
const LAST: &str = "release-0.1.0";

#[tokio::test]
async fn an_upgraded_server_reads_all_that_the_last_release_left() {
    let upgraded = Upgraded::start(LAST, []).await;
    let read = upgraded.read_everything().await;
    assert_eq!(read.checks_by_status, [("completed", 2), ("failed", 1), ("queued", 1), ("running", 1)].into());
    assert_eq!(read.pictures, [200]);
    assert_eq!((read.deliveries, read.attempts), (3, 2));
}

#[tokio::test]
async fn an_upgraded_server_ends_the_work_that_the_last_release_began() {
    let found = Script::page("https://running.example.com/");
    let upgraded = Upgraded::start(LAST, [found]).await;
    upgraded.app.run_checks().await;
    let read = upgraded.read_everything().await;
    assert_eq!(read.checks_by_status, [("completed", 4), ("failed", 1)].into());
    assert_eq!(upgraded.deliver().await, ["issues.new", "scan.completed", "scan.completed", "scan.completed"]);
}

#[tokio::test]
async fn addresses_that_the_last_release_folded_make_nothing_new_and_nothing_fixed() {
    // It stored addresses without the slash at the end.
    let unchanged = Script::page("https://atelier.example.com/shop/?q=%7e")
        .with_problem("image-alt", Impact::Critical, "#logo", "<img id=logo src=logo.png>")
        .with_problem("label", Impact::Serious, "#name", "<input id=name>")
        .with_recommendation("region", Impact::Moderate, "div", "<div>Hello</div>");
    let mut upgraded = Upgraded::start(LAST, [unchanged]).await;
    upgraded.move_first_pages("https://atelier.example.com/shop?q=~").await;
    let client = upgraded.app.client_with(Some(release::TOKEN));
    let sites = client.get("/sites").await;
    let mut sites = sites.data(200).as_array().unwrap().iter();
    let site = sites.find(|site| site["name"] == "Atelier").unwrap()["id"].as_str().unwrap();
    let scan = client.post_empty(&format!("/sites/{site}/scans")).await.data(202)["id"].as_str().unwrap().to_owned();
    upgraded.app.run_checks().await;
    let report = client.get(&format!("/scans/{scan}/report")).await;
    let (pages, diff) = (&report.data(200)["pages"], &report.data(200)["diff"]);
    assert_eq!(pages[0]["url"], "https://atelier.example.com/shop/?q=%7e");
    assert_eq!((&diff["new"], &diff["fixed"], &diff["remaining"]), (&json!(0), &json!(0), &json!(2)), "{diff}");
    assert_eq!(diff["carried"], 0, "the page is the same, not only what is on it");
}

#[tokio::test]
async fn a_limit_of_a_later_release_is_no_outage() {
    for path in ["{limits,new_limit}", "{features,new_feature}", "{new_key}"] {
        let mut upgraded = Upgraded::start(LAST, []).await;
        let client = upgraded.app.client_with(Some(release::TOKEN));
        client.get("/account").await.data(200);
        let later = format!("UPDATE plans SET document = jsonb_set(document, '{path}', '7')");
        release::run(&mut upgraded.db, later).await;
        client.get("/account").await.data(200);
        client.get("/sites").await.data(200);
    }
}

/// Advances the clock past a window of requests, which lasts a minute: between two uses of one app a clock can't be set
/// back.
fn next_window(clock: &ManualClock) {
    clock.advance(TimeDelta::seconds(61));
}
