//! The browser's sandbox from an operator's point of view: a browser of root can't have it, everybody else's has it or
//! says why not.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use a11ycheck_tests::{Client, Page, TestSite};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A user without rights that every system has.
const NOBODY: &str = "65534";

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns the path of axe-core for the tests.
fn axe() -> PathBuf {
    let pinned = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/axe-core/axe.min.js");
    env::var_os("A11YCHECK_AXE").map_or_else(pinned, PathBuf::from).canonicalize().unwrap()
}

/// The server in a folder that every user can read (which need not be so for that of the tests, nor for `TMPDIR`), with
/// axe-core beside it, and a folder for temporary files in it.
struct Installed(TempDir);

impl Installed {
    fn new() -> Self {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let installed = Self(folder);
        let temporary = installed.0.path().join("tmp");
        fs::create_dir(&temporary).unwrap();
        fs::set_permissions(temporary, fs::Permissions::from_mode(0o777)).unwrap();
        // Copied by another program: a file that this process has just written can't always be executed at once.
        for (mode, from, name) in [
            ("755", PathBuf::from(env!("CARGO_BIN_EXE_a11ycheck-server")), "a11ycheck-server"),
            ("644", axe(), "axe.min.js"),
        ] {
            let to = installed.0.path().join(name);
            assert!(Command::new("install").args(["-m", mode]).arg(from).arg(to).status().unwrap().success());
        }
        installed
    }

    /// Returns the folder in which every user may write.
    fn temporary(&self) -> PathBuf {
        self.0.path().join("tmp")
    }

    /// Builds the command for the server, run by the program `by`, or directly if that is empty.
    fn command(&self, by: &[&str], arguments: &[&str]) -> Command {
        let program = self.0.path().join("a11ycheck-server");
        let line: Vec<&str> = by.iter().copied().chain([program.to_str().unwrap()]).collect();
        let mut command = Command::new(line[0]);
        command.args(&line[1..]).args(arguments).current_dir("/");
        command.env("TMPDIR", self.temporary()).env("STATE_DIRECTORY", self.temporary());
        command.env_remove("A11YCHECK_AXE").env_remove("A11YCHECK_NO_SANDBOX");
        command
    }

    /// Runs it to its end.
    fn run(&self, by: &[&str], arguments: &[&str]) -> Output {
        self.command(by, arguments).output().unwrap()
    }
}

/// Returns the command that runs a program as a user who is not root.
fn as_another_user() -> Vec<&'static str> {
    if is_root() { vec!["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] } else { Vec::new() }
}

/// Returns whether the system lets that user make what the sandbox consists of. Some let everybody make a namespace and
/// nobody use one (Ubuntu 24.04), so the namespace is used.
fn permits_namespaces() -> bool {
    let mut unshare = as_another_user();
    unshare.extend(["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount", "true"]);
    Command::new(unshare[0]).args(&unshare[1..]).output().unwrap().status.success()
}

/// Returns state and details of one thing that `admin doctor` found.
fn thing(output: &Output, name: &str) -> (String, String) {
    let things: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let thing = things.as_array().unwrap().iter().find(|thing| thing["name"] == name).unwrap();
    let text = |field: &str| thing[field].as_str().unwrap().to_owned();
    (text("state"), text("details"))
}

#[test]
fn a_server_of_root_does_not_run_its_browser_without_the_sandbox_unless_a_setting_says_so() {
    let installed = Installed::new();
    let (state, details) = thing(&installed.run(&[], &["admin", "--json", "doctor"]), "sandbox");
    assert_eq!(state == "missing" && details.contains("as root"), is_root(), "{state}: {details}");
    let output = installed.run(&[], &["--no-sandbox", "admin", "--json", "doctor"]);
    let (state, details) = thing(&output, "sandbox");
    assert!(state == "warning" && details.contains("--no-sandbox"), "{state}: {details}");
    assert!(output.status.success());
    if is_root() {
        let refused = installed.run(&[], &["--memory", "--listen", "127.0.0.1:0"]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("as root") && said.contains("--no-sandbox"), "{said}");
    }
}

#[test]
fn another_user_than_root_has_the_sandbox_where_the_system_has_one_and_else_is_shown_the_way_out() {
    let installed = Installed::new();
    let output = installed.run(&as_another_user(), &["admin", "--json", "doctor"]);
    let (state, details) = thing(&output, "sandbox");
    assert_ne!(
        state,
        "unknown",
        "another user can't run this browser: set A11YCHECK_CHROMIUM to one that every user can read and execute. {}",
        thing(&output, "browser").1
    );
    if permits_namespaces() {
        assert_eq!((state.as_str(), details.as_str()), ("ok", "on"), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(output.status.success());
    } else if state != "ok" {
        // A profile of the system may permit it to the browser alone.
        assert!(
            state == "missing" && details.contains("apparmor") && details.contains("seccomp"),
            "{state}: {details}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_another_user_checks_sites_in_the_sandbox_where_the_system_has_one() {
    let site = TestSite::start([(
        "/",
        Page::html("<!doctype html><html lang=en><title>Home</title><main><h1>Home</h1><img src='data:,'></main>"),
    )])
    .await;
    let installed = Installed::new();
    let (ready, opened) = (installed.temporary().join("ready.json"), format!("127.0.0.1/32:{}", site.port()));
    let mut arguments = vec!["--memory", "--listen", "127.0.0.1:0", "--ready-file", ready.to_str().unwrap()];
    arguments.extend(["--allow-network", opened.as_str()]);
    if !permits_namespaces() {
        arguments.push("--no-sandbox");
    }
    let mut command = tokio::process::Command::from(installed.command(&as_another_user(), &arguments));
    let mut server = command.stdout(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    let ready = within_a_minute(async || {
        assert_eq!(server.try_wait().unwrap(), None, "the server ended before it was ready");
        fs::read(&ready).ok()
    });
    let ready: Value = serde_json::from_slice(&ready.await).unwrap();
    let client = Client::new(ready["base_url"].as_str().unwrap(), ready["token"].as_str());
    let added = client.post("/sites", json!({"url": site.url("/"), "report_locale": "en"})).await;
    let scans = format!("/sites/{}/scans", added.data(201)["id"].as_str().unwrap());
    let scan = within_a_minute(async || {
        let scan = client.get(&scans).await.body["data"][0].clone();
        (scan["status"] != "queued" && scan["status"] != "running").then_some(scan)
    });
    let scan = scan.await;
    assert_eq!((&scan["status"], &scan["issues"]), (&json!("completed"), &json!(1)), "{scan}");
    server.kill().await.unwrap();
}

async fn within_a_minute<T>(mut found: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = found().await {
            return found;
        }
        assert!(Instant::now() < deadline);
        // A token has 60 requests a minute.
        tokio::time::sleep(Duration::from_millis(1_200)).await;
    }
}

/// The user id of these tests is not root's.
#[test]
fn the_other_user_of_these_tests_is_not_root() {
    let mut id = as_another_user();
    id.extend(["id", "-u"]);
    let id = Command::new(id[0]).args(&id[1..]).output().unwrap();
    let id = String::from_utf8_lossy(&id.stdout).trim().to_owned();
    assert!(if is_root() { id == NOBODY } else { id != "0" }, "{id}");
}
