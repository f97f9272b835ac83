//! The published OpenAPI document used by others: generated clients walk the whole workflow, and linters report
//! nothing.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use a11ycheck_core::{
    domain::{Ability, Impact},
    scanner::Script,
};
use chrono::TimeDelta;
use serde_json::Value;
use tokio::process::Command;

type TestApp = a11ycheck_tests::TestApp<a11ycheck_tests::Memory>;

/// The folder with the files beside this one.
const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");

/// A server, its document as a client has fetched it, and a folder to work in.
struct Served {
    app: TestApp,
    folder: tempfile::TempDir,
    address: String,
    token: String,
}

impl Served {
    async fn start() -> Self {
        let script = Script::page("https://example.com/").with_problem("image-alt", Impact::Critical, "img", "<img>");
        let app = TestApp::start([script.with_pictures()]).await;
        let document = app.anonymous().get("/openapi.json").await;
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("openapi.json"), &document.bytes).unwrap();
        let address = document.body["servers"][0]["url"].as_str().unwrap().to_owned();
        let (_, secret) = app.team.token(&[Ability::Read, Ability::Write]).await;
        Self { app, folder, address, token: secret.reveal().to_owned() }
    }

    /// Copies a file beside this one into the folder.
    fn take(&self, name: &str) {
        fs::copy(Path::new(HERE).join(name), self.folder.path().join(name)).unwrap();
    }

    /// Runs a program to its successful end, in the folder.
    async fn run(&self, program: impl AsRef<Path>, arguments: &[&str]) -> String {
        let mut command = Command::new(program.as_ref());
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null()).kill_on_drop(true);
        // The server is on this machine, whatever proxy is set. No tool checks for a newer version.
        command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1").env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
        let Output { status, stdout, stderr } = command.output().await.expect("the tool starts");
        let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        assert!(status.success(), "{} {arguments:?}:\n{stdout}{stderr}", program.as_ref().display());
        stdout.into_owned()
    }

    /// Runs a program that walks through the workflow, and meanwhile the checks that it starts.
    async fn walk(&self, program: impl AsRef<Path>, script: &str) {
        let arguments = [script, &self.address, &self.token];
        let walk = self.run(program, &arguments);
        let checks = async {
            loop {
                self.app.run_checks().await;
                // The clock runs ahead, so that the walk never reaches the rate limits, which it does not test.
                self.app.clock.advance(TimeDelta::seconds(5));
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::select! {
            _ = walk => {}
            () = checks => {}
        }
    }
}

/// Returns the path that a variable of `install.sh` names.
fn installed(variable: &str) -> PathBuf {
    let path = env::var_os(variable).unwrap_or_else(|| {
        panic!(
            "{variable} is not set: run the tests with `cargo xtask test`, or prepare the shell with \
             `eval \"$(sh xtask/tools/install.sh clients)\"`"
        )
    });
    path.into()
}

fn node_module(program: &str) -> PathBuf {
    installed("A11YCHECK_CLIENT_TOOLS").join(".bin").join(program)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_generated_python_client_walks_the_whole_workflow() {
    let generator = installed("A11YCHECK_PYTHON_CLIENT");
    let served = Served::start().await;
    served.take("python.yaml");
    served.take("walk.py");
    let output = "--meta none --output-path a11ycheck_client --fail-on-warning".split(' ');
    let arguments: Vec<&str> = "generate --path openapi.json --config python.yaml".split(' ').chain(output).collect();
    served.run(&generator, &arguments).await;
    served.walk(generator.with_file_name("python"), "walk.py").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_generated_typescript_client_compiles_and_walks_the_whole_workflow() {
    let served = Served::start().await;
    served.take("tsconfig.json");
    served.take("walk.ts");
    fs::write(served.folder.path().join("package.json"), r#"{"type": "module"}"#).unwrap();
    let modules = installed("A11YCHECK_CLIENT_TOOLS");
    std::os::unix::fs::symlink(modules, served.folder.path().join("node_modules")).unwrap();
    served.run(node_module("openapi-typescript"), &["openapi.json", "--output", "schema.d.ts"]).await;
    served.run(node_module("tsc"), &["--project", "."]).await;
    served.walk("node", "walk.js").await;
}

#[tokio::test]
async fn linters_report_nothing_of_the_served_document() {
    let served = Served::start().await;
    served.take("spectral.yaml");
    let least = ["lint", "openapi.json", "--ruleset", "spectral.yaml", "--fail-severity", "hint"];
    served.run(node_module("spectral"), &least).await;
    // It fails only for errors.
    let report = served.run(node_module("redocly"), &["lint", "openapi.json", "--format=json"]).await;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(report["totals"]["errors"] == 0 && report["totals"]["warnings"] == 0, "{report:#}");
}
