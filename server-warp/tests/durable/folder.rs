//! Who may use a folder, what a new one begins with, and what is said about it.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::support::{Folder, text};

#[tokio::test]
async fn a_second_server_on_a_folder_is_refused_with_the_process_id_of_the_first_and_admin_is_not() {
    let folder = Folder::new();
    let server = folder.start(&["--workers", "0"]).await;
    // On the port of the first, too: what is wrong is not the port.
    let listen = server.ready["listen"].as_str().unwrap();
    let refusal = folder.refusal(&["--workers", "0", "--listen", listen]).await;
    let (pid, file) = (server.pid().as_raw_nonzero(), folder.path().join("a11ycheck.db"));
    assert!(refusal.contains(&format!("{} (its process id is {pid})", file.display())), "{refusal}");
    assert!(refusal.contains("--data-dir") && refusal.contains("`admin` works beside it"), "{refusal}");
    assert_eq!(folder.admin(&["team", "list"]).await.as_array().unwrap().len(), 1);
    server.kill().await;
    folder.start(&["--workers", "0"]).await.stop().await;
}

#[tokio::test]
async fn only_the_owner_can_look_into_a_folder_that_a_server_has_made() {
    let folder = Folder::new();
    let server = folder.start(&["--workers", "0"]).await;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder.path()), 0o700);
    for name in ["a11ycheck.db", "sealing.key"] {
        assert_eq!(mode(&folder.path().join(name)), 0o600, "{name}");
    }
    let file = folder.path().join("a11ycheck.db").display().to_string();
    assert!(server.output().contains(&file) && server.log().contains(&file), "it says where the data are");
    server.stop().await;
}

#[tokio::test]
async fn a_demo_team_is_made_once_shown_once_and_a_lost_token_is_replaced_by_the_line_that_is_printed() {
    let folder = Folder::new();
    let first = folder.start(&["--workers", "0"]).await;
    let (token, team) = (first.token(), first.ready["team_id"].clone());
    assert!(first.output().contains(&token) && !first.log().contains(&token));
    first.stop().await;

    let second = folder.start(&["--workers", "0"]).await;
    assert_eq!((&second.ready["token"], &second.ready["team_id"]), (&json!(null), &team));
    let printed = second.output();
    assert!(!printed.contains(&token), "{printed}");
    let line = printed.lines().find(|line| line.contains("admin token create")).expect(&printed);
    let output = tokio::process::Command::new("sh").args(["-c", line]).output().await.unwrap();
    let created = text(&output.stdout);
    let other = created.split_whitespace().find(|word| word.starts_with("a11y_")).expect(&created);
    for token in [&token, other] {
        assert_eq!(second.client(token).get("/account").await.status, 200);
    }
    assert_eq!(folder.admin(&["team", "list"]).await.as_array().unwrap().len(), 1);
    second.stop().await;
}

#[tokio::test]
async fn a_service_makes_no_team_with_a_token_that_nobody_asked_for_and_says_how_to_make_one() {
    let folder = Folder::new();
    let server = folder.start_with(&["--workers", "0"]).await;
    assert_eq!((&server.ready["token"], &server.ready["team_id"]), (&json!(null), &json!(null)));
    assert_eq!(folder.admin(&["team", "list"]).await, json!([]));
    let printed = server.output();
    let line = printed.lines().find(|line| line.contains("admin team create")).expect(&printed);
    let output = tokio::process::Command::new("sh").args(["-c", line]).output().await.unwrap();
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    server.stop().await;
    let server = folder.start(&["--workers", "0"]).await;
    assert_eq!(server.ready["token"], json!(null), "--demo makes none beside a team that is there");
    server.stop().await;
}

#[tokio::test]
async fn a_command_on_a_folder_without_data_says_where_they_may_be() {
    let folder = Folder::new();
    let refusal = folder.refusal(&["admin", "team", "list"]).await;
    for part in ["a11ycheck.db", "--data-dir", "--database-url", "/var/lib"] {
        assert!(refusal.contains(part), "{part}: {refusal}");
    }
    assert!(!folder.path().exists(), "a command makes nothing");
    let nothing = folder.refusal(&["--memory", "admin", "team", "list"]).await;
    assert!(nothing.contains("--memory and --data-dir name different places"), "{nothing}");
}
