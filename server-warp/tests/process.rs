//! The binary as an operator runs it: a real process, a real browser, real signals.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use std::{path::Path, process::Stdio, time::Duration};

use a11ycheck_tests::{Client, Page, TestSite, wait_for};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    process::{Child, Command},
};

/// A running server.
struct Server {
    process: Child,
    client: Client,
    token: String,
    /// The host and the port.
    address: String,
    folder: tempfile::TempDir,
}

impl Server {
    async fn start(arguments: &[&str]) -> Self {
        Self::start_with_log(arguments, Stdio::inherit()).await
    }

    async fn start_with_log(arguments: &[&str], log: Stdio) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ready = folder.path().join("ready.json");
        let mut process = Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"))
            .args(["--memory", "--listen", "127.0.0.1:0", "--ready-file"])
            .arg(&ready)
            .args(arguments)
            // The browser makes its folders where the test can look for leftovers.
            .env("TMPDIR", folder.path())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let ready = wait_for("the ready file", async || {
            assert_eq!(process.try_wait().unwrap(), None, "the server ended before it was ready");
            std::fs::read(&ready).ok()
        });
        let ready: Value = serde_json::from_slice(&ready.await).unwrap();
        assert!(ready["team_id"].as_str().unwrap().starts_with("team_"));
        let base_url = ready["base_url"].as_str().unwrap();
        let token = ready["token"].as_str().unwrap().to_owned();
        let client = Client::new(base_url, Some(&token));
        let address = base_url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
        Self { process, client, token, address, folder }
    }

    fn pid(&self) -> u32 {
        self.process.id().unwrap()
    }

    async fn stop(self) {
        self.stop_by(Signal::TERM).await;
    }

    async fn stop_by(mut self, signal: Signal) {
        kill_process(pid(self.pid()), signal).unwrap();
        let status = tokio::time::timeout(Duration::from_secs(30), self.process.wait()).await;
        assert!(status.expect("the server stops in time").unwrap().success());
        assert_nothing_left(self.folder.path());
    }

    /// Adds a site and follows its first check to the end; returns every state seen on the way.
    async fn check(&self, url: &str) -> Vec<Value> {
        let site = self.client.post("/sites", json!({"url": url, "report_locale": "en"})).await.data(201)["id"].clone();
        let list = self.client.get(&format!("/sites/{}/scans", site.as_str().unwrap())).await;
        let scan = format!("/scans/{}", list.body["data"][0]["id"].as_str().unwrap());
        let mut seen: Vec<Value> = Vec::new();
        wait_for("the end of the check", async || {
            let answer = self.client.get(&scan).await;
            if answer.status == 429 {
                let wait = answer.header("retry-after").parse().unwrap_or(1);
                tokio::time::sleep(Duration::from_secs(wait)).await;
                return None;
            }
            let state = answer.data(200).clone();
            let has_ended = state["finished_at"].is_string();
            if seen.last() != Some(&state) {
                seen.push(state);
            }
            if !has_ended {
                // A token has 60 requests a minute.
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            has_ended.then_some(())
        })
        .await;
        seen
    }
}

fn pid(number: u32) -> Pid {
    Pid::from_raw(i32::try_from(number).unwrap()).unwrap()
}

/// Returns the processes whose parent is `parent`.
fn children(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        status.lines().any(|line| line.strip_prefix("PPid:").is_some_and(|ppid| ppid.trim() == parent.to_string()))
    })
    .collect()
}

/// Asserts that there is no process that was started with a folder below `folder`, and no such folder.
fn assert_nothing_left(folder: &Path) {
    let needle = folder.to_str().unwrap();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&command).contains(needle), "{} is left running", entry.path().display());
    }
    let left: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["ready.json"]);
}

fn html(title: &str, body: &str) -> Page {
    Page::html(format!(
        "<!doctype html><html lang=en><head><title>{title}</title></head><body><main><h1>{title}</h1>{body}</main></body></html>"
    ))
}

/// Starts a site with linked pages: one built by JavaScript, one with a frame, one that responds with 500.
async fn site() -> TestSite {
    let links =
        "<p><a href=/script>Script</a> <a href=/frame>Frame</a> <a href=/broken>Broken</a></p><img src=/logo.png>";
    TestSite::start([
        ("/", html("Home", links)),
        ("/script", html("Script", "<div id=app></div><script>setTimeout(() => { app.innerHTML = '<input><a href=/late>Late</a>' })</script>")),
        ("/late", html("Late", "<button></button>")),
        ("/frame", html("Frame", "<iframe title=Inner src=/inner></iframe>")),
        ("/inner", Page::html("<!doctype html><html lang=en><title>Inner</title><main><h1>Inner</h1><img src=x.png></main>")),
        ("/broken", Page::status(500)),
    ])
    .await
}

fn elements(report: &Value, rule: &str) -> u64 {
    let groups = report["groups"].as_array().unwrap().iter();
    groups.filter(|group| group["rule"] == rule).map(|group| group["count"].as_u64().unwrap()).sum()
}

#[tokio::test]
async fn a_site_is_checked_end_to_end_and_the_server_stops_without_leaving_anything_behind() {
    let (server, site) = (Server::start(&["--allow-network", "127.0.0.0/8"]).await, site().await);
    let seen = server.check(&site.url("/")).await;
    let last = seen.last().unwrap();
    assert_eq!((&last["status"], &last["pages_scanned"]), (&json!("completed"), &json!(5)), "{last}");

    let report = server.client.get(last["links"]["report"].as_str().unwrap()).await;
    let report = report.data(200);
    let pages: Vec<_> =
        report["pages"].as_array().unwrap().iter().map(|page| (&page["title"], &page["error"]["code"])).collect();
    assert!(pages.contains(&(&json!("Late"), &Value::Null)), "a page that only a script links to: {pages:?}");
    assert!(pages.iter().any(|(_, code)| *code == "http_status"), "{pages:?}");
    assert_eq!(elements(report, "image-alt"), 2, "one of them stands in a frame");
    assert_eq!(elements(report, "label"), 1, "built by a script");
    assert_eq!(elements(report, "button-name"), 1);
    server.stop().await;
}

#[tokio::test]
async fn a_browser_that_is_killed_in_the_middle_loses_neither_the_check_nor_the_server() {
    let server = Server::start(&["--allow-network", "127.0.0.0/8"]).await;
    let pages = html(
        "Busy",
        "<script>const end = performance.now() + 1500; while (performance.now() < end);</script><img src=x.png><a href=/b>B</a>",
    );
    let site = TestSite::start([("/", pages.clone()), ("/b", pages)]).await;
    let killer = async {
        let browser = wait_for("a browser", async || children(server.pid()).first().copied()).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        kill_process(pid(browser), Signal::KILL).unwrap();
    };
    let start = site.url("/");
    let (seen, ()) = tokio::join!(server.check(&start), killer);
    let last = seen.last().unwrap();
    assert_eq!((&last["status"], &last["issues"]), (&json!("completed"), &json!(2)), "{last}");
    server.stop().await;
}

#[tokio::test]
async fn a_private_address_is_refused_unless_its_network_is_allowed() {
    let (server, site) = (Server::start(&[]).await, site().await);
    let answer = server.client.post("/sites", json!({"url": site.url("/"), "report_locale": "en"})).await;
    assert_eq!(answer.status, 422, "{}", answer.body);
    server.stop().await;
}

#[tokio::test]
async fn a_setting_that_makes_no_sense_is_refused_in_plain_words() {
    for (arguments, words) in [
        (&["--allow-network", "10.0.0.0/99"][..], "--allow-network"),
        (&["--base-url", "https://a.example"], "ends with /v1"),
        (&["--plans", "/nowhere/plans.toml"], "/nowhere/plans.toml"),
        (&["--listen", "203.0.113.9:80"], "203.0.113.9:80"),
        (&["--data-dir", "/nowhere"], "--memory and --data-dir name different places"),
    ] {
        let mut server = Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"));
        let output =
            server.env("A11YCHECK_LISTEN", "127.0.0.1:0").arg("--memory").args(arguments).output().await.unwrap();
        let logged = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && logged.contains(words), "{arguments:?}: {logged}");
    }
}

#[tokio::test]
async fn a_server_stops_in_order_by_whichever_signal_it_is_asked_to() {
    for signal in [Signal::INT, Signal::HUP] {
        Server::start(&["--workers", "1"]).await.stop_by(signal).await;
    }
}

#[tokio::test]
async fn no_token_and_no_password_is_in_the_log_however_detailed_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let file = std::fs::File::create(&log).unwrap();
    let server = Server::start_with_log(&["--log", "trace", "--allow-network", "127.0.0.0/8"], file.into()).await;
    let base_url = format!("http://{}/v1", server.address);
    let token = server.token.clone();
    let mistyped = format!("{token}-mistyped");
    assert_eq!(server.client.get("/account").await.status, 200);
    assert_eq!(server.client.get(&format!("/sites?token={token}&page=x")).await.status, 422);
    assert_eq!(Client::new(&base_url, Some(&mistyped)).get("/account").await.status, 401);
    let site = site().await;
    server.check(&site.url("/")).await;
    server.stop().await;
    let logged = std::fs::read_to_string(&log).unwrap();
    assert!(logged.contains("Answered a request") && logged.contains("TRACE"), "it is detailed");
    // The prefix is the same for all tokens.
    let secret = token.strip_prefix("a11y_").unwrap();
    let line = logged.lines().find(|line| line.contains(secret));
    assert_eq!(line, None);

    let mut server = Command::new(env!("CARGO_BIN_EXE_a11ycheck-server"));
    server.args(["--log", "trace", "--database-url", "postgres://a11y:open-sesame@127.0.0.1:9/a11y"]);
    let ended = tokio::time::timeout(Duration::from_secs(60), server.output()).await.expect("it ends").unwrap();
    let logged = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && logged.contains("database") && !logged.contains("open-sesame"), "{logged}");
}

#[tokio::test]
async fn ten_thousand_idle_connections_and_one_that_drips_are_cut_off_and_the_server_stays_up() {
    // Each connection is an open file of this process, too.
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    // All of them come from one address, so the limit per address is the limit for all.
    let limits = ["--head-timeout", "3", "--max-connections-per-peer", "4096"];
    let server = Server::start(&[&["--workers", "0"], &limits[..]].concat()).await;
    let address = server.address.clone();
    let mut dripping = TcpStream::connect(&address).await.unwrap();
    let drip = tokio::spawn(async move {
        for byte in b"GET /v1/account HTTP/1.1\r\nHost: a\r\nX-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".iter().cycle() {
            if dripping.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    let mut idle = Vec::new();
    for number in 0..10_000 {
        let connecting = tokio::time::timeout(Duration::from_secs(30), TcpStream::connect(&address)).await;
        let mut stream = connecting.unwrap_or_else(|_| panic!("connection {number} was not taken in time")).unwrap();
        // A write error shows that it was cut off already, which proves as much.
        let _ = stream.write_all(b"GET /v1/account HTTP/1.1\r\nHo").await;
        idle.push(stream);
    }
    assert_eq!(server.client.get("/account").await.status, 200, "with ten thousand idle connections open");
    let mut rest = Vec::new();
    for mut stream in idle.drain(..10) {
        let cut = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut rest)).await;
        assert!(cut.is_ok(), "an idle connection is never cut off");
    }
    let dripped = tokio::time::timeout(Duration::from_secs(30), drip).await;
    assert!(dripped.is_ok(), "a head that never ends is never cut off");
    drop(idle);
    server.stop().await;
}
