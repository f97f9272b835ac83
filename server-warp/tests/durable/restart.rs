//! Data survive their server, however it ends.

use a11ycheck_tests::wait_for;
use serde_json::json;

use crate::support::{Folder, add, answers, completed, pictures, site};

/// Links begin with it, whatever port a server listens on.
const BASE_URL: &str = "https://a11y.example.com/v1";

#[tokio::test(flavor = "multi_thread")]
async fn sites_reports_pictures_tokens_and_pending_webhooks_are_there_after_a_server_was_killed() {
    let (folder, site) = (Folder::new(), site().await);
    // Without the role webhooks, deliveries stay pending.
    let flags = ["--base-url", BASE_URL, "--roles", "api,worker,scheduler"];
    let server = folder.start(&flags).await;
    let (token, team) = (server.token(), server.ready["team_id"].as_str().unwrap().to_owned());
    let client = server.client(&token);
    // `admin` works beside the server, which sees at once what it has made.
    let endpoint = folder.admin(&["endpoint", "create", &team, "--url", "https://93.184.215.14/hook"]).await;
    let endpoint = endpoint["id"].as_str().unwrap().to_owned();
    let second = folder.admin(&["token", "create", &team, "--name", "CI"]).await["token"].as_str().unwrap().to_owned();
    assert_eq!(server.client(&second).get("/account").await.status, 200);
    let added = add(&client, &site.url("/")).await;
    let scan = completed(&client, &added).await;
    let before = answers(&client, BASE_URL, &scan).await;
    let waiting = ["endpoint", "deliveries", &team, &endpoint];
    let pending = folder.admin(&waiting).await;
    assert_eq!(pending["meta"]["total"], 1, "{pending}");
    server.kill().await;

    let server = folder.start(&flags).await;
    assert_eq!((&server.ready["token"], &server.ready["team_id"]), (&json!(null), &json!(team)), "no second demo team");
    let client = server.client(&second);
    assert_eq!(answers(&client, BASE_URL, &scan).await, before);
    assert_eq!(server.client(&token).get("/sites").await.data(200)[0]["id"], added);
    assert_eq!(folder.admin(&waiting).await, pending);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_a_killed_server_had_begun_or_queued_is_made_by_the_next() {
    let (folder, site) = (Folder::new(), site().await);
    let server = folder.start(&["--roles", "api"]).await;
    let token = server.token();
    let waiting = add(&server.client(&token), &site.url("/")).await;
    server.kill().await;
    let server = folder.start(&[]).await;
    completed(&server.client(&token), &waiting).await;
    server.stop().await;
}

#[tokio::test]
async fn another_port_at_the_next_start_changes_links_and_stops_no_server() {
    let folder = Folder::new();
    let first = folder.start(&["--workers", "0"]).await;
    let (token, first_url) = (first.token(), first.url());
    assert_eq!(first.ready["base_url"], first_url);
    first.stop().await;
    let second = folder.start(&["--workers", "0"]).await;
    assert_eq!(second.ready["base_url"], second.url());
    assert_eq!(second.client(&token).get("/account").await.status, 200);
    second.stop().await;
}

#[tokio::test]
async fn a_flag_holds_for_as_long_as_it_is_given_and_what_admin_has_set_where_none_is_given() {
    let (folder, site) = (Folder::new(), site().await);
    let (start, opened) = (["--demo", "--workers", "0"], ["--allow-network", "127.0.0.0/8"]);
    let server = folder.start_with(&[&start[..], &opened].concat()).await;
    let token = server.token();
    add(&server.client(&token), &site.url("/")).await;
    server.stop().await;

    // The network is closed again, and nobody had to know that it was opened once.
    let server = folder.start_with(&start).await;
    let body = json!({"url": site.url("/next"), "report_locale": "en"});
    assert_eq!(server.client(&token).post("/sites", body.clone()).await.status, 422);
    folder.admin(&["setting", "set", "base-url", "https://set.example.com/v1"]).await;
    server.stop().await;

    let server = folder.start_with(&start).await;
    assert_eq!(server.ready["base_url"], "https://set.example.com/v1");
    server.stop().await;
    let server = folder.start_with(&[&start[..], &["--base-url", "https://flag.example.com/v1"]].concat()).await;
    assert_eq!(server.ready["base_url"], "https://flag.example.com/v1", "a flag outweighs it, and nothing differs");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_of_a_report_is_in_the_one_file() {
    let (folder, site) = (Folder::new(), site().await);
    let server = folder.start(&[]).await;
    let client = server.client(&server.token());
    let scan = completed(&client, &add(&client, &site.url("/")).await).await;
    let report = client.get(&format!("{scan}/report?lang=en")).await;
    assert!(!pictures(&report.body).is_empty());
    let mut names = Vec::new();
    wait_for("the files of the folder", async || {
        let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
        names = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        (names.len() >= 5).then_some(())
    })
    .await;
    assert_eq!(names, ["a11ycheck.db", "a11ycheck.db-lock", "a11ycheck.db-shm", "a11ycheck.db-wal", "sealing.key"]);
    server.stop().await;
}
