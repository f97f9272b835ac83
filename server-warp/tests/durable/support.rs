//! A folder, servers on it, and the command line.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use a11ycheck_tests::{Client, Page, TestSite, wait_for};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

/// A data folder, which does not exist until a server makes it.
pub(crate) struct Folder {
    around: tempfile::TempDir,
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let around = tempfile::tempdir().unwrap();
        let path = around.path().join("state/data");
        Self { around, path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a file beside the folder.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.around.path().join(name)
    }

    /// Returns the program on this folder. A shell starts it, that ignores the signal which goes with a limit to the size of
    /// files, since a signal's handling is not safe Rust's; it becomes the program.
    fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_a11ycheck-server"), "--data-dir"])
            .arg(&self.path)
            .args(arguments)
            .env("TMPDIR", self.around.path())
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Runs the program to its end.
    pub(crate) async fn output(&self, arguments: &[&str]) -> Output {
        let output = tokio::time::timeout(Duration::from_secs(120), self.command(arguments).output()).await;
        output.expect("it ends").unwrap()
    }

    /// Returns the output of an admin command, as JSON.
    pub(crate) async fn admin(&self, arguments: &[&str]) -> Value {
        let output = self.output(&[&["admin", "--json"], arguments].concat()).await;
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Returns the error output of a command that must fail.
    pub(crate) async fn refusal(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments).await;
        assert!(!output.status.success(), "{arguments:?} was not refused: {}", text(&output.stdout));
        text(&output.stderr)
    }

    /// Starts a server with a demo team, which may check sites on loopback, and waits until it is ready.
    pub(crate) async fn start(&self, arguments: &[&str]) -> Server {
        self.start_with(&[&["--demo", "--allow-network", "127.0.0.0/8"], arguments].concat()).await
    }

    /// Starts a server with these arguments alone, and waits until it is ready.
    pub(crate) async fn start_with(&self, arguments: &[&str]) -> Server {
        let started = rand::random::<u64>();
        let [ready, out, log] = ["ready.json", "out", "log"].map(|name| self.beside(&format!("{started}-{name}")));
        let mut process = self
            .command(arguments)
            .args(["--listen", "127.0.0.1:0", "--ready-file"])
            .arg(&ready)
            .stdout(std::fs::File::create(&out).unwrap())
            .stderr(std::fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let ready = wait_for("the ready file", async || {
            assert_eq!(process.try_wait().unwrap(), None, "{}", std::fs::read_to_string(&log).unwrap());
            std::fs::read(&ready).ok()
        });
        let ready = serde_json::from_slice(&ready.await).unwrap();
        Server { process, ready, out, log }
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A running server.
pub(crate) struct Server {
    process: Child,
    /// The content of the ready file.
    pub(crate) ready: Value,
    out: PathBuf,
    log: PathBuf,
}

impl Server {
    /// Returns the token that this start has made.
    pub(crate) fn token(&self) -> String {
        self.ready["token"].as_str().expect("this start has made a token").to_owned()
    }

    pub(crate) fn client(&self, token: &str) -> Client {
        Client::new(&self.url(), Some(token))
    }

    /// Returns the address of the API, wherever links lead.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.ready["listen"].as_str().unwrap())
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.process.id().unwrap()).unwrap()).unwrap()
    }

    /// Returns standard output so far.
    pub(crate) fn output(&self) -> String {
        std::fs::read_to_string(&self.out).unwrap()
    }

    /// Returns the log so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Lets no file of this server grow above so many bytes, as a full disk would; without a number, any size.
    pub(crate) fn limit_files(&self, bytes: Option<u64>) {
        prlimit(Some(self.pid()), Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
    }

    pub(crate) async fn stop(mut self) {
        kill_process(self.pid(), Signal::TERM).unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(90), self.process.wait()).await;
        assert!(ended.expect("the server stops in time").unwrap().success(), "{}", self.log());
    }

    /// Ends the server without a word, as a power cut would.
    pub(crate) async fn kill(mut self) {
        kill_process(self.pid(), Signal::KILL).unwrap();
        self.process.wait().await.unwrap();
    }
}

/// Starts a site with two pages on which something fails.
pub(crate) async fn site() -> TestSite {
    let page = |title: &str| {
        Page::html(format!(
            "<!doctype html><html lang=en><title>{title}</title><main><h1>{title}</h1><img src=x.png><button></button>\
             <a href=/next>Next</a></main></html>"
        ))
    };
    TestSite::start([("/", page("Home")), ("/next", page("Next"))]).await
}

/// Adds a site; returns its id.
pub(crate) async fn add(client: &Client, url: &str) -> String {
    let added = client.post("/sites", json!({"url": url, "report_locale": "en"})).await;
    added.data(201)["id"].as_str().unwrap().to_owned()
}

/// Waits until the first check of a site has completed; returns the path of that check.
pub(crate) async fn completed(client: &Client, site: &str) -> String {
    let scan = wait_for("the end of the check", async || {
        let scans = client.get(&format!("/sites/{site}/scans")).await;
        // A token has so many requests a minute.
        if scans.status == 429 {
            tokio::time::sleep(Duration::from_secs(scans.header("retry-after").parse().unwrap_or(1))).await;
            return None;
        }
        let scan = scans.data(200)[0].clone();
        if scan["finished_at"].is_null() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        scan["finished_at"].is_string().then_some(scan)
    });
    let scan = scan.await;
    assert_eq!(scan["status"], "completed", "{scan}");
    format!("/scans/{}", scan["id"].as_str().unwrap())
}

/// Returns the addresses of files in an answer: of pictures.
pub(crate) fn pictures(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.contains("/evidence/") => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(pictures).collect(),
        Value::Object(fields) => fields.values().flat_map(pictures).collect(),
        _ => Vec::new(),
    }
}

/// Returns every answer about a check, as a client reads it: its state, report, exports and pictures.
pub(crate) async fn answers(client: &Client, base_url: &str, scan: &str) -> Vec<(String, Vec<u8>)> {
    let report = client.get(&format!("{scan}/report?lang=de")).await;
    assert_eq!(report.status, 200, "{}", report.body);
    let mut paths: Vec<String> =
        ["", "/report?lang=de", "/export?format=json", "/export?format=csv&lang=uk", "/acr?format=html"]
            .map(|end| format!("{scan}{end}"))
            .into();
    let found = pictures(&report.body);
    assert!(!found.is_empty(), "there are pictures: {}", report.body);
    paths.extend(found.iter().map(|link| link.strip_prefix(base_url).unwrap_or(link).to_owned()));
    let mut answers = Vec::new();
    for path in paths {
        let answer = client.get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answers.push((path, answer.bytes));
    }
    answers
}
