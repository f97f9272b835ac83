//! Two releases on one database: what the last one left is read, and what a later one stored is neither refused nor lost.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod database;
mod later;
mod reading;

use a11ycheck_core::{clock::ManualClock, scanner::Script};
use a11ycheck_tests::release;
use chrono::TimeDelta;

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

/// A clock can't be moved back between two uses of one app, but on: the windows of requests are over after a minute.
fn next_window(clock: &ManualClock) {
    clock.advance(TimeDelta::seconds(61));
}
