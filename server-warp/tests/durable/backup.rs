//! The drill: a backup under load, a new folder, and every answer as before.

use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Folder, add, answers, completed, site, text};

/// Links begin with it, whatever folder a server works on.
const BASE_URL: &str = "https://a11y.example.com/v1";

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_busy_server_brings_back_every_answer_in_a_new_folder() {
    let (folder, site) = (Folder::new(), site().await);
    let server = folder.start(&["--base-url", BASE_URL]).await;
    let (token, team) = (server.token(), server.ready["team_id"].as_str().unwrap().to_owned());
    let client = server.client(&token);
    folder.admin(&["endpoint", "create", &team, "--url", "https://93.184.215.14/hook"]).await;
    let endpoints = folder.admin(&["endpoint", "list", &team]).await;
    let checked = add(&client, &site.url("/")).await;
    let scan = completed(&client, &checked).await;
    let before = answers(&client, BASE_URL, &scan).await;

    // Checks are queued, run and end while the backup is made.
    let adding = async {
        let mut added = Vec::new();
        for _ in 0..4 {
            added.push(add(&client, &site.url("/next")).await);
        }
        added
    };
    let file = folder.beside("backup.db");
    let path = file.to_str().unwrap().to_owned();
    let command = ["admin", "backup", &path];
    let (added, made) = tokio::join!(adding, folder.output(&command));
    let said = text(&made.stdout);
    assert!(made.status.success() && said.contains("sealing.key"), "{said}{}", text(&made.stderr));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let refusal = folder.refusal(&["admin", "backup", &path]).await;
    assert!(refusal.contains("--overwrite"), "{refusal}");
    let refusal = folder.refusal(&["admin", "restore", &path]).await;
    assert!(refusal.contains(&format!("its process id is {}", server.pid().as_raw_nonzero())), "{refusal}");
    server.kill().await;

    let other = Folder::new();
    let restored = other.admin(&["restore", &path]).await;
    let [key] = restored["keys"].as_array().unwrap().as_slice() else { panic!("{restored}") };
    assert_eq!(restored["missing_keys"], serde_json::json!([key]), "the key is not in the backup");
    let refusal = other.refusal(&["--listen", "127.0.0.1:0"]).await;
    assert!(refusal.contains(key.as_str().unwrap()), "{refusal}");
    std::fs::copy(folder.path().join("sealing.key"), other.path().join("sealing.key")).unwrap();

    let server = other.start(&["--base-url", BASE_URL]).await;
    let client = server.client(&token);
    assert_eq!(answers(&client, BASE_URL, &scan).await, before);
    assert_eq!(other.admin(&["endpoint", "list", &team]).await, endpoints);
    // What the backup has of the others is whole: each has its check, which ends.
    let sites = client.get("/sites?per_page=100").await;
    for there in sites.data(200).as_array().unwrap() {
        let id = there["id"].as_str().unwrap();
        assert!(id == checked || added.iter().any(|added| added == id), "{there}");
        completed(&client, id).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn what_a_restored_backup_replaces_is_kept_under_a_name_that_is_said() {
    let folder = Folder::new();
    let server = folder.start(&["--workers", "0"]).await;
    let file = folder.beside("backup.db");
    let path = file.to_str().unwrap();
    folder.admin(&["backup", path]).await;
    folder.admin(&["team", "create", "--name", "Late", "--plan", "pro"]).await;
    server.stop().await;

    let restored = folder.admin(&["restore", path]).await;
    assert_eq!(folder.admin(&["team", "list"]).await.as_array().unwrap().len(), 1);
    let kept = restored["kept"].as_str().unwrap().to_owned();
    let back = folder.admin(&["restore", &kept]).await;
    assert_eq!(back["teams"], 2, "the way back is the same command: {back}");
    assert_eq!(folder.admin(&["team", "list"]).await.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn whoever_keeps_data_elsewhere_is_told_how_they_are_backed_up() {
    let output = |arguments: &[&str]| {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_a11ycheck-server")).args(arguments).output().unwrap();
        assert!(!output.status.success());
        text(&output.stderr)
    };
    let refusal = output(&["--database-url", "postgres://localhost/a11y", "admin", "backup", "/nowhere/a.db"]);
    assert!(refusal.contains("pg_dump") && refusal.contains("docs/postgresql.md"), "{refusal}");
    let refusal = output(&["--memory", "admin", "backup", "/nowhere/a.db"]);
    assert!(refusal.contains("--memory keeps nothing"), "{refusal}");
}
