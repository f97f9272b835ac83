//! The command line beside a running server.

use std::os::unix::fs::PermissionsExt as _;

use a11ycheck_tests::{Receiver, Reply, wait_for};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};

use crate::support::{Database, Server, get, text};

fn id(thing: &Value) -> String {
    thing["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_operator_sees_why_a_webhook_fails_and_can_change_switch_off_and_test_its_endpoint() {
    let database = Database::create().await;
    let admin = async |arguments: &[&str]| database.admin_json(arguments).await;
    let (broken, well) = (Receiver::start([Reply::Status(500)]).await, Receiver::start([Reply::Status(204)]).await);
    let team = id(&admin(&["team", "create", "--name", "Blue Team", "--plan", "pro"]).await);
    let url = broken.url("/hook");
    let endpoint = id(&admin(&["endpoint", "create", &team, "--url", &url, "--events", "issues.new"]).await);
    let server = Server::start(&[
        "--database-url",
        &database.url,
        "--roles",
        "webhooks",
        "--base-url",
        "https://a11y.example.com/v1",
        "--allow-network",
        "127.0.0.0/8",
    ])
    .await;

    let sent = id(&admin(&["endpoint", "ping", &team, &endpoint]).await);
    let failing = wait_for("the first attempt", async || {
        let page = admin(&["endpoint", "deliveries", &team, &endpoint]).await;
        page["data"].as_array().unwrap().iter().find(|delivery| delivery["attempts"] == 1).cloned()
    })
    .await;
    assert_eq!((&failing["id"], &failing["state"]), (&json!(sent), &json!("pending")));
    assert_eq!((&failing["last_status"], &failing["last_error"]), (&json!(500), &Value::Null));
    assert!(failing["next_attempt_at"].is_string() && failing["finished_at"].is_null(), "{failing}");
    let whole = admin(&["endpoint", "delivery", &team, &sent]).await;
    let log = whole["log"].as_array().unwrap();
    assert_eq!((log.len(), &log[0]["number"], &log[0]["status"]), (1, &json!(1), &json!(500)), "{whole}");
    assert_eq!(log[0]["answer"], "Answered with 500.");
    let printed = text(&database.admin(&["endpoint", "delivery", &team, &sent]).await.stdout);
    assert_eq!(printed.lines().count(), 2, "the delivery, and an attempt: {printed}");

    // What is not named stays.
    let changed = admin(&["endpoint", "change", &team, &endpoint, "--url", &well.url("/new")]).await;
    assert_eq!((&changed["url"], &changed["events"]), (&json!(well.url("/new")), &json!(["issues.new"])));
    let changed = admin(&["endpoint", "change", &team, &endpoint, "--events", "scan.completed"]).await;
    assert_eq!((&changed["url"], &changed["events"]), (&json!(well.url("/new")), &json!(["scan.completed"])));

    // A new secret signs alone, unless an overlap is asked for.
    admin(&["endpoint", "rotate", &team, &endpoint]).await;
    admin(&["endpoint", "ping", &team, &endpoint]).await;
    well.wait_for(1).await;
    admin(&["endpoint", "rotate", &team, &endpoint, "--overlap-hours", "24"]).await;
    admin(&["endpoint", "ping", &team, &endpoint]).await;
    well.wait_for(2).await;
    let signatures: Vec<usize> =
        well.received().iter().map(|received| received.header("Svc-Signature").matches("v1=").count()).collect();
    assert_eq!(signatures, [1, 2]);
    let refused = database.admin_refuses(&["endpoint", "rotate", &team, &endpoint, "--overlap-hours", "721"]).await;
    assert!(refused.contains("720 hours"), "{refused}");

    let first = admin(&["endpoint", "deliveries", &team, &endpoint, "--per-page", "2"]).await;
    assert_eq!(first["meta"], json!({"current_page": 1, "per_page": 2, "last_page": 2, "total": 3}));
    let second = admin(&["endpoint", "deliveries", &team, &endpoint, "--per-page", "2", "--page", "2"]).await;
    assert_eq!((second["data"].as_array().unwrap().len(), &second["data"][0]["id"]), (1, &json!(sent)));
    let printed = text(&database.admin(&["endpoint", "deliveries", &team, &endpoint, "--per-page", "2"]).await.stdout);
    assert!(printed.ends_with("page 1 of 2, 3 in all\n"), "{printed}");

    let off = admin(&["endpoint", "disable", &team, &endpoint]).await;
    assert!(off["on"] == false && off["off_since"].is_string(), "{off}");
    let page = admin(&["endpoint", "deliveries", &team, &endpoint]).await;
    assert!(page["data"].as_array().unwrap().iter().all(|delivery| delivery["state"] != "pending"), "{page}");
    let refused = database.admin_refuses(&["endpoint", "ping", &team, &endpoint]).await;
    assert!(refused.contains("switched off"), "{refused}");
    assert_eq!(admin(&["endpoint", "enable", &team, &endpoint]).await["on"], true);
    server.stop().await;

    for arguments in [
        &["endpoint", "list", "team_01ARZ3NDEKTSV4RRFFQ69G5FAV"][..],
        &["endpoint", "disable", &team, "whe_01ARZ3NDEKTSV4RRFFQ69G5FAV"],
        &["endpoint", "delivery", &team, "dlv_01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ] {
        let refused = database.admin_refuses(arguments).await;
        assert!(refused.contains("not found"), "{arguments:?}: {refused}");
    }
    database.remove().await;
}

#[tokio::test]
async fn a_deleted_team_is_refused_at_once_and_a_name_can_not_break_the_output() {
    let database = Database::create().await;
    let admin = async |arguments: &[&str]| database.admin_json(arguments).await;
    let (name, plan) = ("Zwei\nZeilen", "agency");
    let team = id(&admin(&["team", "create", "--name", name, "--plan", plan]).await);
    let other = id(&admin(&["team", "create", "--name", "Other", "--plan", plan]).await);
    let listed = text(&database.admin(&["team", "list"]).await.stdout);
    assert!(listed.lines().count() == 2 && listed.contains(r"name: Zwei\nZeilen  plan: agency"), "{listed}");
    let refused = database.admin_refuses(&["team", "create", "--name", "  ", "--plan", plan]).await;
    assert!(refused.contains("name is blank"), "{refused}");

    let token = async |team: &str| admin(&["token", "create", team, "--name", "CI"]).await;
    let (gone, kept) = (token(&team).await, token(&other).await);
    let (gone, kept) = (gone["token"].as_str().unwrap(), kept["token"].as_str().unwrap());
    let server = Server::start(&["--database-url", &database.url, "--roles", "api"]).await;
    let account = server.url("/v1/account");
    assert_eq!((get(&account, Some(gone)).await.0, get(&account, Some(kept)).await.0), (200, 200));
    // Without a terminal there is no person to ask.
    let refused = database.admin_refuses(&["team", "delete", &team]).await;
    assert!(refused.contains("--yes"), "{refused}");
    assert_eq!(get(&account, Some(gone)).await.0, 200);
    assert_eq!(admin(&["team", "delete", &team, "--yes"]).await["deleted"], true);
    assert_eq!((get(&account, Some(gone)).await.0, get(&account, Some(kept)).await.0), (401, 200));
    assert_eq!(admin(&["team", "list"]).await.as_array().unwrap().len(), 1);
    server.stop().await;
    database.remove().await;
}

#[tokio::test]
async fn what_an_operator_got_wrong_is_named_once_with_the_flag_or_the_file() {
    let database = Database::create().await;
    let message = database.admin_refuses(&["plan", "put", "/nonexistent/plans.toml"]).await;
    assert!(message.contains("/nonexistent/plans.toml"), "{message}");
    assert_eq!(message.matches("No such file").count(), 1, "{message}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plans.toml");
    std::fs::write(&file, "[[plan]]\ncode = 7\n").unwrap();
    let message = database.admin_refuses(&["plan", "put", file.to_str().unwrap()]).await;
    assert!(message.contains("plans.toml"), "{message}");
    let lines: Vec<&str> = message.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim().trim_start_matches("because: ");
        assert!(
            line.is_empty() || !lines[..index].iter().any(|before| before.contains(line)),
            "twice: {line:?} in {message}"
        );
    }

    let mut server = tokio::process::Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"));
    let output = server.args(["--log", "foo=bar=baz"]).output().await.unwrap();
    let message = text(&output.stderr);
    assert!(!output.status.success() && message.contains("--log foo=bar=baz"), "{message}");
    database.remove().await;
}

#[tokio::test]
async fn who_has_lost_the_second_step_gets_in_again_and_the_audit_log_says_so() {
    let database = Database::create().await;
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    std::fs::write(&password, "correct horse battery\n").unwrap();
    std::fs::set_permissions(&password, std::fs::Permissions::from_mode(0o600)).unwrap();
    let (file, email) = (password.to_str().unwrap(), "jo@example.org");
    let create = ["person", "create", "--email", email, "--name", "Jo", "--password-file", file];
    let jo = id(&database.admin_json(&create).await);
    let reset = ["person", "reset-second-factor", "--email", email];
    let refused = database.admin_refuses(&reset).await;
    assert!(refused.contains("not switched on"), "{refused}");

    // What an app and a browser would switch on; nobody opens the secret here.
    let mut db = PgConnection::connect(&database.url).await.unwrap();
    sqlx::query("INSERT INTO a11ycheck.second_factors VALUES ($1, 'sealed', 'key', 1, '', now())")
        .bind(&jo)
        .execute(&mut db)
        .await
        .unwrap();
    assert_eq!(database.admin_json(&reset).await["id"], json!(jo));
    let left: i64 =
        sqlx::query_scalar("SELECT count(*) FROM a11ycheck.second_factors").fetch_one(&mut db).await.unwrap();
    assert_eq!(left, 0);
    let entries: Vec<(String, String, String)> =
        sqlx::query_as("SELECT actor, action, subject FROM a11ycheck.audit_records ORDER BY at DESC, id DESC LIMIT 1")
            .fetch_all(&mut db)
            .await
            .unwrap();
    let expected = ("admin", "second_factor.disabled", email);
    assert_eq!(entries, [(expected.0.to_owned(), expected.1.to_owned(), expected.2.to_owned())]);
    let refused = database.admin_refuses(&["person", "reset-second-factor", "--email", "nobody@example.org"]).await;
    assert!(refused.contains("not found"), "{refused}");
    drop(db);
    database.remove().await;
}
