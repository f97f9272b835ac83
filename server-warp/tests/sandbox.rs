//! The browser's sandbox, as an operator meets it: root's browser can't have it, everybody else's has it or says why not.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

/// A user without rights that every system has.
const NOBODY: &str = "65534";

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Where the tests find axe-core.
fn axe() -> PathBuf {
    let pinned = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/axe-core/axe.min.js");
    env::var_os("A11YCHECK_AXE").map_or_else(pinned, PathBuf::from).canonicalize().unwrap()
}

/// The server in a folder that every user can read, which that of the tests need not be, with axe-core beside it, and a folder for
/// temporary files in it.
struct Installed(TempDir);

impl Installed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let installed = Self(folder);
        let temporary = installed.0.path().join("tmp");
        fs::create_dir(&temporary).unwrap();
        fs::set_permissions(temporary, fs::Permissions::from_mode(0o777)).unwrap();
        // By another program: a file that this process has just written can't always be executed at once.
        for (mode, from, name) in [
            ("755", PathBuf::from(env!("CARGO_BIN_EXE_a11ycheck-server")), "a11ycheck-server"),
            ("644", axe(), "axe.min.js"),
        ] {
            let to = installed.0.path().join(name);
            assert!(Command::new("install").args(["-m", mode]).arg(from).arg(to).status().unwrap().success());
        }
        installed
    }

    /// Runs the server by way of a program of its own, or as we are.
    fn run(&self, by: &[&str], arguments: &[&str]) -> Output {
        let program = self.0.path().join("a11ycheck-server");
        let line: Vec<&str> = by.iter().copied().chain([program.to_str().unwrap()]).collect();
        let mut command = Command::new(line[0]);
        command.args(&line[1..]).args(arguments).current_dir("/").env("TMPDIR", self.0.path().join("tmp"));
        command.env_remove("A11YCHECK_AXE").env_remove("A11YCHECK_NO_SANDBOX").output().unwrap()
    }
}

/// What runs a program as a user who is not root.
fn as_another_user() -> Vec<&'static str> {
    if is_root() { vec!["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] } else { Vec::new() }
}

/// State and details of one thing that `admin doctor` found.
fn thing(output: &Output, name: &str) -> (String, String) {
    let things: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let thing = things.as_array().unwrap().iter().find(|thing| thing["name"] == name).unwrap();
    let text = |field: &str| thing[field].as_str().unwrap().to_owned();
    (text("state"), text("details"))
}

#[test]
fn a_server_of_root_does_not_run_its_browser_without_the_sandbox_unless_it_is_told_to() {
    let installed = Installed::new();
    let (state, details) = thing(&installed.run(&[], &["admin", "--json", "doctor"]), "sandbox");
    assert_eq!(state == "missing" && details.contains("as root"), is_root(), "{state}: {details}");
    let told = installed.run(&[], &["--no-sandbox", "admin", "--json", "doctor"]);
    let (state, details) = thing(&told, "sandbox");
    assert!(state == "warning" && details.contains("--no-sandbox"), "{state}: {details}");
    assert!(told.status.success());
    if is_root() {
        let refused = installed.run(&[], &["--listen", "127.0.0.1:0"]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("as root") && said.contains("--no-sandbox"), "{said}");
    }
}

#[test]
fn another_user_than_root_has_the_sandbox_where_the_system_has_one_and_else_is_told_the_way_out() {
    let installed = Installed::new();
    let output = installed.run(&as_another_user(), &["admin", "--json", "doctor"]);
    let (state, details) = thing(&output, "sandbox");
    // What the sandbox is made of, asked of the system itself.
    let mut unshare = as_another_user();
    unshare.extend(["unshare", "--user", "--pid", "--fork", "true"]);
    let permits = Command::new(unshare[0]).args(&unshare[1..]).output().unwrap().status.success();
    if permits {
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

/// That `nobody` is who we think it is.
#[test]
fn the_other_user_of_these_tests_is_not_root() {
    let mut id = as_another_user();
    id.extend(["id", "-u"]);
    let id = Command::new(id[0]).args(&id[1..]).output().unwrap();
    let id = String::from_utf8_lossy(&id.stdout).trim().to_owned();
    assert!(if is_root() { id == NOBODY } else { id != "0" }, "{id}");
}
