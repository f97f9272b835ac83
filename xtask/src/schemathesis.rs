//! `cargo xtask schemathesis`: a server under random requests, its answers held against the OpenAPI document.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::command::run as run_command;
use crate::error::Error;
use crate::machine::Machine;
use crate::python::PythonProgram;
use crate::serve;

/// The release that is installed; `xtask/tools/schemathesis.txt` pins what it runs on.
const VERSION: &str = "4.32.5";

/// Fewer cases than this prove too little.
const CASES: u64 = 2_000;

/// How long the server may take to come up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a server of its own on the memory store, and has it tested as `xtask/tools/schemathesis.toml` says.
///
/// The server answers and does nothing else, so that nothing is visited, and its plans admit as many requests as there are.
///
/// # Errors
///
/// Those of [`serve::build`], [`Error::PythonMissing`], [`Error::Venv`], [`Error::PipInstall`],
/// [`Error::ServerNotReady`], [`Error::Schemathesis`], [`Error::FewCases`], [`Error::File`] and [`Error::Start`].
pub(crate) fn run(machine: &Machine) -> Result<(), Error> {
    let folder = machine.root.join("target/schemathesis");
    fs::create_dir_all(&folder).map_err(|source| Error::File { path: folder.clone(), source })?;
    let schemathesis = ensure(machine, &folder)?;
    let program = serve::build(machine)?;
    let server = Server::start(machine, &program, &folder)?;

    let report = folder.join("report.json");
    remove(&report)?;
    let mut command = Command::new(schemathesis);
    command.arg("--config-file").arg(machine.root.join("xtask/tools/schemathesis.toml"));
    command.arg("run").arg(machine.root.join("server-warp/openapi.json"));
    command.args(["--url", &server.base_url]);
    command.args(["--no-color", "--report", "json", "--report-json-path"]).arg(&report);
    // It leaves files of its own where it runs.
    command.env("A11YCHECK_TOKEN", &server.token).env("NO_PROXY", "127.0.0.1").current_dir(&folder);
    eprintln!("==> Testing {} with Schemathesis {VERSION}", server.base_url);
    let status = run_command(&mut command)?;
    drop(server);
    if !status.success() {
        return Err(Error::Schemathesis { status });
    }
    let cases = cases(&read(&report)?);
    if cases < CASES {
        return Err(Error::FewCases { cases, wanted: CASES });
    }
    eprintln!("==> Server and document agree in {cases} cases");
    Ok(())
}

/// Schemathesis in its pinned version, which is installed into an environment of its own unless it is there.
fn ensure(machine: &Machine, folder: &Path) -> Result<PathBuf, Error> {
    let wanted = format!("schemathesis=={VERSION}");
    let name = format!("Schemathesis {VERSION}");
    let program = PythonProgram {
        name: &name,
        program: "st",
        install: &[&wanted, "--constraint"],
        pins: &machine.root.join("xtask/tools/schemathesis.txt"),
    };
    program.ensure(machine, folder)
}

/// A running server; stopped when dropped.
#[derive(Debug)]
struct Server {
    child: Child,
    base_url: String,
    token: String,
}

impl Server {
    fn start(machine: &Machine, program: &Path, folder: &Path) -> Result<Self, Error> {
        let (plans, ready) = (folder.join("plans.toml"), folder.join("ready.json"));
        remove(&ready)?;
        let shipped = read(&machine.root.join("core/plans.toml"))?;
        fs::write(&plans, raised(&shipped)).map_err(|source| Error::File { path: plans.clone(), source })?;
        let mut command = Command::new(program);
        // Nobody's database is tested by accident.
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("A11YCHECK_")) {
            command.env_remove(name);
        }
        command.args(["--listen", "127.0.0.1:0", "--roles", "api", "--log", "warn"]);
        // Requests without a token count by address, and here all have one address.
        command.args(["--anonymous-requests", "1000000", "--plans"]).arg(&plans).arg("--ready-file").arg(&ready);
        // Its welcome shows the token.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.spawn().map_err(|source| Error::Start { program: program.into(), source })?;
        let mut server = Self { child, base_url: String::new(), token: String::new() };
        server.wait_for(&ready)?;
        Ok(server)
    }

    /// The file appears whole, as soon as the server answers.
    fn wait_for(&mut self, ready: &Path) -> Result<(), Error> {
        let deadline = Instant::now() + PATIENCE;
        while !ready.is_file() {
            if Instant::now() >= deadline || !matches!(self.child.try_wait(), Ok(None)) {
                return Err(Error::ServerNotReady);
            }
            thread::sleep(Duration::from_millis(50));
        }
        let said: Value = serde_json::from_str(&read(ready)?).map_err(|_| Error::ServerNotReady)?;
        let text = |field: &str| said[field].as_str().map(str::to_owned).ok_or(Error::ServerNotReady);
        (self.base_url, self.token) = (text("base_url")?, text("token")?);
        Ok(())
    }
}

impl Drop for Server {
    /// It holds nothing that outlives it.
    fn drop(&mut self) {
        // Both fail only for a process that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The plans with so much of everything countable that no case is refused for the number of those before it.
fn raised(plans: &str) -> String {
    let raised = |line: &str| match line.split_once(" = ") {
        Some(("files_per_minute", _)) => String::new(),
        Some(("requests_per_minute", _)) => "requests_per_minute = 1000000\nfiles_per_minute = 1000000\n".to_owned(),
        // Keeps the order of the plans: the demo team gets the largest.
        Some(("sites", number)) => format!("sites = {number}0000\n"),
        _ => format!("{line}\n"),
    };
    plans.lines().map(raised).collect()
}

/// The cases that a report counts.
fn cases(report: &str) -> u64 {
    let report: Value = serde_json::from_str(report).unwrap_or_default();
    report["test_cases"]["generated"].as_u64().unwrap_or(0)
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::File { path: path.into(), source })
}

fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(Error::File { path: path.into(), source }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    /// A bench whose workspace pins what Schemathesis runs on.
    fn pinned(bench: Bench) -> Bench {
        fs::create_dir_all(bench.root().join("xtask/tools")).unwrap();
        fs::create_dir_all(bench.root().join("target")).unwrap();
        fs::write(bench.root().join("xtask/tools/schemathesis.txt"), "requests==2\n").unwrap();
        bench
    }

    fn ensure_on(bench: &Bench) -> Result<PathBuf, Error> {
        ensure(&bench.machine(), &bench.root().join("target"))
    }

    #[test]
    fn it_is_installed_once_into_an_environment_of_its_own() {
        let bench = pinned(Bench::new());
        bench.add("python3", "python3");
        let program = ensure_on(&bench).unwrap();
        assert_eq!(program, bench.root().join("target/venv/bin/st"));
        assert_eq!(bench.log("python3").len(), 1);
        assert_eq!(ensure_on(&bench).unwrap(), program);
        assert_eq!(bench.log("python3").len(), 1, "the second time nothing is done");
    }

    #[test]
    fn other_pins_or_an_environment_that_no_longer_runs_are_installed_anew() {
        let bench = pinned(Bench::new());
        bench.add("python3", "python3");
        let program = ensure_on(&bench).unwrap();
        fs::write(bench.root().join("xtask/tools/schemathesis.txt"), "requests==3\n").unwrap();
        ensure_on(&bench).unwrap();
        assert_eq!(bench.log("python3").len(), 2);
        fs::remove_file(program).unwrap();
        ensure_on(&bench).unwrap();
        assert_eq!(bench.log("python3").len(), 3);
    }

    #[test]
    fn on_debian_what_python_lacks_is_installed() {
        for has_python in [true, false] {
            let bench = pinned(Bench::debian());
            if has_python {
                bench.add("python3", "python3");
                bench.withhold("python3");
            }
            ensure_on(&bench).unwrap();
            assert!(bench.log("apt-get").last().unwrap().ends_with("install -y --no-install-recommends python3-venv"));
        }
    }

    #[test]
    fn without_python_or_a_package_installer_the_error_names_what_to_install() {
        let error = ensure_on(&pinned(Bench::new())).unwrap_err();
        assert!(error.to_string().contains("python3-venv"), "{error}");
    }

    #[test]
    fn pip_that_fails_is_an_error_and_is_tried_again() {
        let bench = pinned(Bench::new());
        bench.add("python3", "python3");
        bench.withhold("pip");
        assert!(matches!(ensure_on(&bench).unwrap_err(), Error::PipInstall { .. }));
        assert!(matches!(ensure_on(&bench).unwrap_err(), Error::PipInstall { .. }));
    }

    #[test]
    fn the_shipped_plans_are_raised_and_keep_their_order() {
        let shipped = fs::read_to_string(Machine::here().root.join("core/plans.toml")).unwrap();
        let raised = raised(&shipped);
        let values = |text: &str, name: &str| {
            let lines = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(" = ")?.parse().ok());
            lines.collect::<Vec<u64>>()
        };
        let sites: Vec<u64> = values(&shipped, "sites").iter().map(|sites| sites * 10_000).collect();
        assert_eq!(values(&raised, "sites"), sites);
        assert_eq!(values(&raised, "requests_per_minute"), vec![1_000_000; sites.len()]);
        assert_eq!(values(&raised, "files_per_minute"), vec![1_000_000; sites.len()]);
    }

    #[test]
    fn a_report_that_counts_nothing_is_one_of_no_cases() {
        assert_eq!(cases(r#"{"test_cases": {"generated": 2345}}"#), 2345);
        assert_eq!((cases("{}"), cases("not json")), (0, 0));
    }
}
