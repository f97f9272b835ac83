//! Everything of a server moves from a file to PostgreSQL and back.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Output};

use a11ycheck_tests::SEALING_KEY;
use serde_json::Value;
use tokio::process::Command;

use crate::support::{Database, Server, get, text};

/// Runs an admin command on data in a folder.
async fn admin(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"));
    command.args(["--allow-network", "127.0.0.0/8"]).arg("--data-dir").arg(folder).arg("admin").args(arguments);
    command.env("A11YCHECK_SEALING_KEYS", SEALING_KEY).output().await.unwrap()
}

async fn admin_json(folder: &Path, arguments: &[&str]) -> Value {
    let output = admin(folder, &[arguments, &["--json"]].concat()).await;
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn id(thing: &Value) -> String {
    thing["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_operator_moves_everything_from_a_file_to_postgresql_and_back_and_tokens_stay_valid() {
    let folder = tempfile::tempdir().unwrap();
    let [here, back] = ["here", "back"].map(|name| folder.path().join(name));
    let [first, second] = ["first.export", "second.export"].map(|name| folder.path().join(name));
    let [first, second] = [first.to_str().unwrap(), second.to_str().unwrap()];
    let places = ["--roles", "api", "--allow-network", "127.0.0.0/8", "--base-url", "https://a11y.example.com/v1"];

    let server = Server::start(&[&["--data-dir", here.to_str().unwrap()], &places[..]].concat()).await;
    let team = id(&admin_json(&here, &["team", "create", "--name", "Крамниця", "--plan", "pro"]).await);
    let token = admin_json(&here, &["token", "create", &team, "--name", "CI"]).await;
    let token = token["token"].as_str().unwrap();
    admin_json(&here, &["endpoint", "create", &team, "--url", "https://127.0.0.1/hook"]).await;
    let (status, _, account) = get(&server.url("/v1/account"), Some(token)).await;
    assert_eq!(status, 200, "{account}");

    // Beside the server that works on it.
    let exported = admin_json(&here, &["export", first]).await;
    assert_eq!(fs::metadata(first).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!((&exported["counts"]["team"], &exported["counts"]["endpoint"]), (&1.into(), &1.into()), "{exported}");
    let again = admin(&here, &["export", first]).await;
    assert!(text(&again.stderr).contains("replace it with --overwrite"), "{}", text(&again.stderr));
    let busy = admin(&here, &["import", first]).await;
    assert!(text(&busy.stderr).contains("another server works on"), "{}", text(&busy.stderr));
    server.stop().await;

    let database = Database::empty().await;
    let imported = database.admin_json(&["import", first]).await;
    assert_eq!((&imported["counts"], &imported["keys"]), (&exported["counts"], &exported["keys"]));
    let refused = database.admin_refuses(&["import", first]).await;
    assert!(refused.contains("content of its own (plans): import into a new one"), "{refused}");
    let server = Server::start(&[&["--database-url", &*database.url], &places[..]].concat()).await;
    let (status, _, moved) = get(&server.url("/v1/account"), Some(token)).await;
    assert_eq!((status, moved), (200, account.clone()));
    server.stop().await;

    let exported = database.admin_json(&["export", second]).await;
    let imported = admin_json(&back, &["import", second]).await;
    assert_eq!(imported["counts"], exported["counts"]);
    let server = Server::start(&[&["--data-dir", back.to_str().unwrap()], &places[..]].concat()).await;
    let (status, _, moved) = get(&server.url("/v1/account"), Some(token)).await;
    assert_eq!((status, moved), (200, account));
    server.stop().await;
    database.remove().await;
}

#[tokio::test]
async fn a_file_that_was_cut_or_is_none_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let [here, there] = ["here", "there"].map(|name| folder.path().join(name));
    let file = folder.path().join("everything.export");
    let server =
        Server::start(&["--roles", "api", "--data-dir", here.to_str().unwrap(), "--base-url", "https://a.example/v1"])
            .await;
    server.stop().await;
    admin_json(&here, &["export", file.to_str().unwrap()]).await;
    let whole = fs::read(&file).unwrap();
    for (content, words) in [
        (&whole[..whole.len() / 2], "the export is not complete"),
        (b"SQLite format 3\0", "this is no export"),
        (b"", "this is no export"),
    ] {
        fs::write(&file, content).unwrap();
        let refused = admin(&there, &["import", file.to_str().unwrap()]).await;
        assert!(!refused.status.success() && text(&refused.stderr).contains(words), "{}", text(&refused.stderr));
    }
    fs::write(&file, &whole).unwrap();
    admin_json(&there, &["import", file.to_str().unwrap()]).await;
    let missing = admin(&there, &["import", folder.path().join("missing").to_str().unwrap()]).await;
    assert!(text(&missing.stderr).contains("is it there"), "{}", text(&missing.stderr));
}
