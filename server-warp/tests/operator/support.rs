//! A database for each test, servers on it, and the command line.

use std::{
    process::{Output, Stdio},
    time::Duration,
};

use a11ycheck_tests::{SEALING_KEY, database_url, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::process::{Child, Command};
use url::Url;

/// A database of its own, since servers keep their tables in one schema.
pub(crate) struct Database {
    name: String,
    pub(crate) url: String,
}

impl Database {
    /// Creates a database in which there are the plans that are shipped.
    pub(crate) async fn create() -> Self {
        let database = Self::empty().await;
        database.admin_json(&["plan", "put", concat!(env!("CARGO_MANIFEST_DIR"), "/../core/plans.toml")]).await;
        database
    }

    /// Creates a database in which there is nothing.
    pub(crate) async fn empty() -> Self {
        let name = format!("a11ycheck_test_{:032x}", rand::random::<u128>());
        // Not the default template, to which another client may be connected at this moment.
        run(&format!("CREATE DATABASE {name} TEMPLATE template0")).await;
        let mut url: Url = database_url().parse().unwrap();
        url.set_path(&name);
        Self { name, url: url.into() }
    }

    /// Removes the database, whoever is still connected to it.
    pub(crate) async fn remove(&self) {
        run(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)).await;
    }

    /// Runs an admin command.
    pub(crate) async fn admin(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"));
        command.args(["--allow-network", "127.0.0.0/8", "--database-url", &self.url, "admin"]).args(arguments);
        command.env("A11YCHECK_SEALING_KEYS", SEALING_KEY).stdin(Stdio::null()).output().await.unwrap()
    }

    /// Returns the output of an admin command, as JSON.
    pub(crate) async fn admin_json(&self, arguments: &[&str]) -> Value {
        let output = self.admin(&[arguments, &["--json"]].concat()).await;
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Returns the error output of an admin command that must fail.
    pub(crate) async fn admin_refuses(&self, arguments: &[&str]) -> String {
        let output = self.admin(arguments).await;
        assert!(!output.status.success(), "{arguments:?}: {}", text(&output.stdout));
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
        text(&output.stderr)
    }
}

async fn run(statement: &str) {
    let mut db = PgConnection::connect(&database_url()).await.expect("the test database can be used");
    // The name is ours: nothing in it needs quoting.
    db.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A running server.
pub(crate) struct Server {
    process: Child,
    folder: tempfile::TempDir,
    /// The content of the ready file.
    pub(crate) ready: Value,
}

impl Server {
    pub(crate) async fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| std::fs::File::create(folder.path().join(name)).unwrap();
        let path = folder.path().join("ready.json");
        let mut process = Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"))
            .args(["--listen", "127.0.0.1:0", "--ready-file"])
            .arg(&path)
            .args(arguments)
            .env("TMPDIR", folder.path())
            .env("A11YCHECK_SEALING_KEYS", SEALING_KEY)
            .stdout(file("stdout"))
            .stderr(file("stderr"))
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let ready = wait_for("the ready file", async || {
            let said = || std::fs::read_to_string(folder.path().join("stderr")).unwrap();
            assert_eq!(process.try_wait().unwrap(), None, "the server ended before it was ready: {}", said());
            std::fs::read(&path).ok()
        });
        let ready = serde_json::from_slice(&ready.await).unwrap();
        Self { process, folder, ready }
    }

    /// Returns the address of a path beside the API.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.ready["listen"].as_str().unwrap())
    }

    /// Stops the server; returns its output, standard output and standard error.
    pub(crate) async fn stop(self) -> (String, String) {
        self.ask_to_stop();
        self.stopped().await
    }

    pub(crate) fn ask_to_stop(&self) {
        let pid = Pid::from_raw(i32::try_from(self.process.id().unwrap()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
    }

    /// Waits for the end of a server that was asked to stop; returns its output.
    pub(crate) async fn stopped(mut self) -> (String, String) {
        let ended = tokio::time::timeout(Duration::from_secs(90), self.process.wait()).await;
        assert!(ended.expect("the server stops in time").unwrap().success());
        let read = |name: &str| std::fs::read_to_string(self.folder.path().join(name)).unwrap();
        (read("stdout"), read("stderr"))
    }
}

/// Returns status, request id and body of a response.
pub(crate) async fn get(url: &str, token: Option<&str>) -> (u16, String, String) {
    // reqwest needs it even for addresses without TLS.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let request = reqwest::Client::new().get(url);
    let request = match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    let answer = request.send().await.unwrap();
    let id = answer.headers().get("x-request-id").unwrap().to_str().unwrap().to_owned();
    (answer.status().as_u16(), id, answer.text().await.unwrap())
}
