//! The sealing keys from an operator's point of view: real processes over a database of their own.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use std::{
    ffi::OsStr,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::{Duration, Instant},
};

use a11ycheck_tests::database_url;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::process::Command;
use url::Url;

/// The source of a process's keys.
enum Keys<'a> {
    Default,
    File(&'a Path),
    Variable(&'a OsStr),
}

impl Keys<'_> {
    fn give(&self, command: &mut Command) {
        match self {
            Self::Default => command,
            Self::File(file) => command.arg("--sealing-key").arg(file),
            Self::Variable(keys) => command.env("A11YCHECK_SEALING_KEYS", keys),
        };
    }
}

/// A database, and a folder where servers keep their state.
struct Operator {
    url: Url,
    database: String,
    folder: tempfile::TempDir,
}

impl Operator {
    async fn new() -> Self {
        let mut url: Url = database_url().parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let unique: String = folder.path().to_str().unwrap().chars().filter(char::is_ascii_alphanumeric).collect();
        let database = format!("a11ycheck_{}_{}", unique.to_lowercase(), std::process::id());
        // Letters, digits and underscores: nothing that needs quoting. Likewise below.
        run(&format!("CREATE DATABASE {database}")).await;
        url.set_path(&database);
        Self { url, database, folder }
    }

    async fn end(self) {
        run(&format!("DROP DATABASE {} WITH (FORCE)", self.database)).await;
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the program over this database, with a state folder of its own.
    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"));
        command
            .env("XDG_STATE_HOME", self.path("state"))
            .env_remove("STATE_DIRECTORY")
            .args(["--database-url", self.url.as_str(), "--listen", "127.0.0.1:0", "--roles", "api,webhooks"])
            .kill_on_drop(true);
        command
    }

    /// Starts a server, waits until it is ready, and stops it. Returns what it logged.
    async fn serves(&self, keys: Keys<'_>) -> String {
        let ready = self.path("ready.json");
        let _ = std::fs::remove_file(&ready);
        let mut command = self.command();
        command.arg("--ready-file").arg(&ready).stdout(Stdio::null()).stderr(Stdio::piped());
        keys.give(&mut command);
        let server = command.spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(server.id().unwrap()).unwrap()).unwrap();
        let ended = tokio::spawn(server.wait_with_output());
        let deadline = Instant::now() + Duration::from_secs(120);
        while !ready.exists() {
            if ended.is_finished() {
                panic!("the server ended before it was ready: {}", logged(&ended.await.unwrap().unwrap()));
            }
            assert!(Instant::now() < deadline, "the server is not ready in time");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        kill_process(pid, Signal::TERM).unwrap();
        let output = ended.await.unwrap().unwrap();
        assert!(output.status.success(), "{}", logged(&output));
        logged(&output)
    }

    /// Starts a server that must not come up. Returns its error output.
    async fn is_refused(&self, keys: Keys<'_>) -> String {
        let mut command = self.command();
        keys.give(&mut command);
        let output = tokio::time::timeout(Duration::from_secs(120), command.output()).await.expect("it ends").unwrap();
        assert!(!output.status.success());
        logged(&output)
    }

    /// Runs an admin command with these keys. Returns its output, as JSON.
    async fn admin(&self, keys: Keys<'_>, arguments: &[&str]) -> Value {
        let mut command = self.command();
        keys.give(&mut command);
        let output = command.arg("admin").arg("--json").args(arguments).output().await.unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", logged(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Makes a key. Returns its line for a file, and its id.
    async fn new_key(&self) -> (String, String) {
        let output = self.command().args(["admin", "sealing", "new-key"]).output().await.unwrap();
        let line = String::from_utf8(output.stdout).unwrap();
        let id = line.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(line.starts_with("a11ykey_") && id.starts_with("key_"));
        (line, id)
    }

    /// Writes a file with these lines that only its owner can read.
    fn keys(&self, name: &str, lines: &[&str]) -> PathBuf {
        let file = self.path(name);
        std::fs::write(&file, lines.concat()).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        file
    }
}

async fn run(statement: &str) {
    let mut db = PgConnection::connect(&database_url()).await.unwrap();
    db.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
}

fn logged(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn a_first_start_makes_a_key_and_says_where_and_no_later_start_goes_without_it() {
    let operator = Operator::new().await;
    let file = operator.path("state/a11ycheck/sealing.key");
    let path = file.to_str().unwrap();
    let log = operator.serves(Keys::Default).await;
    let warning = log.lines().find(|line| line.contains("WARN") && line.contains(path));
    assert!(warning.is_some(), "{log}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let line = std::fs::read_to_string(&file).unwrap();
    let id = line.trim().rsplit(' ').next().unwrap();
    assert!(!log.contains("a11ykey_"), "no key in the log");

    let log = operator.serves(Keys::Default).await;
    assert!(!log.contains("WARN"), "it is there: {log}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), line);

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let refusal = operator.is_refused(Keys::Default).await;
    assert!(refusal.contains(&format!("chmod 600 {path}")), "{refusal}");

    std::fs::remove_file(&file).unwrap();
    let refusal = operator.is_refused(Keys::Default).await;
    for words in [id, path, "--sealing-key", "A11YCHECK_SEALING_KEYS"] {
        assert!(refusal.contains(words), "{words}: {refusal}");
    }
    assert!(!file.exists(), "no other key is made in its place");
    operator.serves(Keys::Variable(line.as_ref())).await;
    operator.end().await;
}

#[tokio::test]
async fn keys_in_another_encoding_are_refused_and_no_other_key_is_made_in_their_place() {
    let operator = Operator::new().await;
    // "a11ykey_…" as a file in UTF-16 has it.
    let refusal = operator.is_refused(Keys::Variable(OsStr::from_bytes(b"\xff\xfea1"))).await;
    assert!(refusal.contains("A11YCHECK_SEALING_KEYS") && refusal.contains("UTF-8"), "{refusal}");
    assert!(!operator.path("state").exists(), "a key was made, and may seal secrets by now");
    operator.end().await;
}

#[tokio::test]
async fn a_key_is_replaced_while_endpoints_keep_their_secrets() {
    let operator = Operator::new().await;
    let [(old, old_id), (new, new_id)] = [operator.new_key().await, operator.new_key().await];
    let before = operator.keys("before", &[&old, &new]);
    let after = operator.keys("after", &[&new, &old]);
    operator.serves(Keys::File(&before)).await;

    let team = operator.admin(Keys::Default, &["team", "create", "--name", "Blue", "--plan", "pro"]).await;
    let team = team["id"].as_str().unwrap().to_owned();
    let create = ["endpoint", "create", &team, "--url", "https://93.184.215.14/hook"];
    let without = operator.command().arg("admin").args(create).output().await.unwrap();
    assert!(!without.status.success() && logged(&without).contains("--sealing-key"), "{}", logged(&without));
    let created = operator.admin(Keys::File(&before), &create).await;
    assert!(created["secret"].as_str().unwrap().starts_with("whsec_"));
    let status = operator.admin(Keys::Default, &["sealing", "status"]).await;
    assert_eq!(status, serde_json::json!([{"key": old_id, "secrets": 1, "seals_new_ones": true}]));

    let refusal = operator.is_refused(Keys::File(&after)).await;
    assert!(refusal.contains(&old_id) && refusal.contains(&new_id) && refusal.contains("rotate"), "{refusal}");
    let rotation = operator.admin(Keys::File(&after), &["sealing", "rotate"]).await;
    assert_eq!(rotation, serde_json::json!({"from": old_id, "to": new_id, "resealed": 1}));
    let status = operator.admin(Keys::Default, &["sealing", "status"]).await;
    assert_eq!(status, serde_json::json!([{"key": new_id, "secrets": 1, "seals_new_ones": true}]));

    let refusal = operator.is_refused(Keys::File(&before)).await;
    assert!(refusal.contains(&old_id) && refusal.contains(&new_id), "{refusal}");
    operator.serves(Keys::File(&after)).await;
    let alone = operator.keys("alone", &[&new]);
    operator.serves(Keys::File(&alone)).await;
    operator.end().await;
}
