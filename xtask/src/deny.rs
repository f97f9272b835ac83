//! `cargo xtask deny`: what we depend on, held against `deny.toml` by cargo-deny: licences, banned crates, sources, advisories.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::command::{run as run_command, shown};
use crate::error::Error;
use crate::machine::Machine;

/// The release that is compiled. No package of a distribution, of npm or of `PyPI` has one that knows today's licences.
const VERSION: &str = "0.20.2";

/// How long the database of advisories may take to arrive: it is a git repository of some 20 MB. Where a firewall swallows what is
/// asked of it, nothing ever comes.
const PATIENCE: Duration = Duration::from_secs(180);

/// Installs cargo-deny unless it is there, and runs its checks. Advisories are left out, which is said, where the database of
/// the `RustSec` project can't be had: it is not in a registry of packages, and not every machine reaches it.
///
/// # Errors
///
/// [`Error::DenyInstall`], [`Error::Deny`], [`Error::File`] and [`Error::Start`].
pub(crate) fn run(machine: &Machine) -> Result<(), Error> {
    let program = ensure(machine)?;
    let deny = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command
            .args(["--workspace", "--locked"])
            .args(arguments)
            .current_dir(&machine.root)
            .env("CARGO", &machine.cargo);
        command
    };
    check(deny(&["check", "bans", "licenses", "sources"]))?;
    match fetch(deny(&["fetch", "db"]))? {
        Ok(()) => check(deny(&["check", "advisories"])),
        Err(obstacle) => {
            eprintln!(
                "==> ADVISORIES WERE NOT CHECKED: the database of RustSec (https://github.com/RustSec/advisory-db) could not be \
                 fetched: {obstacle}. `cargo xtask deny` checks them where it can be"
            );
            Ok(())
        }
    }
}

/// The program of the right version, compiled unless it is there.
///
/// Without optimisation: cargo-deny's own profile for releases takes many times as long to compile, and a run of it two seconds.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn ensure(machine: &Machine) -> Result<PathBuf, Error> {
    let folder = machine.root.join("target/cargo-deny");
    let program = folder.join("bin/cargo-deny");
    let says = Command::new(&program).arg("--version").stdin(Stdio::null()).output();
    let wanted = format!("cargo-deny {VERSION}");
    if says.is_ok_and(|says| says.status.success() && says.stdout.trim_ascii() == wanted.as_bytes()) {
        return Ok(program);
    }
    eprintln!("==> {wanted} is not in {}: compiling it, which takes some minutes", folder.display());
    fs::create_dir_all(&folder).map_err(|source| Error::File { path: folder.clone(), source })?;
    let mut install = Command::new(&machine.cargo);
    install
        .args(["install", "cargo-deny", "--version", VERSION, "--locked", "--debug", "--force", "--root"])
        .arg(&folder);
    // Nobody debugs it, and half of what is written would be for that.
    install.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0").env_remove("CARGO_TARGET_DIR");
    let status = run_command(install.current_dir(&machine.root))?;
    if status.success() { Ok(program) } else { Err(Error::DenyInstall { status }) }
}

fn check(mut command: Command) -> Result<(), Error> {
    let status = run_command(&mut command)?;
    if status.success() { Ok(()) } else { Err(Error::Deny { status }) }
}

/// The inner error says why the database did not come.
fn fetch(mut command: Command) -> Result<Result<(), String>, Error> {
    eprintln!("    running {}", shown(&command));
    let start = |source| Error::Start { program: "cargo-deny".into(), source };
    let mut child = command.stdin(Stdio::null()).spawn().map_err(start)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match child.try_wait().map_err(start)? {
            Some(status) if status.success() => return Ok(Ok(())),
            Some(status) => return Ok(Err(format!("cargo-deny ended with {status}"))),
            None if Instant::now() >= deadline => {
                child.kill().map_err(start)?;
                child.wait().map_err(start)?;
                return Ok(Err(format!("it did not arrive within {} seconds", PATIENCE.as_secs())));
            }
            None => thread::sleep(Duration::from_millis(50)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    /// A workspace, and a cargo that installs a cargo-deny.
    fn bench() -> Bench {
        let bench = Bench::new();
        bench.add("cargo", "cargo");
        bench
    }

    fn calls(bench: &Bench) -> Vec<String> {
        let log = fs::read_to_string(bench.root().join("target/cargo-deny/bin/cargo-deny.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Makes a command of cargo-deny fail.
    fn withhold(bench: &Bench, name: &str) {
        ensure(&bench.machine()).unwrap();
        fs::write(bench.root().join(format!("target/cargo-deny/bin/{name}.withheld")), "").unwrap();
    }

    #[test]
    fn the_program_is_compiled_once_and_every_check_is_made() {
        let bench = bench();
        run(&bench.machine()).unwrap();
        let expected = ["check bans licenses sources", "fetch db", "check advisories"]
            .map(|call| format!("--workspace --locked {call}"));
        assert_eq!(calls(&bench), expected);
        run(&bench.machine()).unwrap();
        assert_eq!(bench.log("cargo").len(), 1, "{:?}", bench.log("cargo"));
    }

    #[test]
    fn what_is_not_allowed_fails_before_advisories_are_asked_for() {
        let bench = bench();
        withhold(&bench, "licenses");
        assert!(matches!(run(&bench.machine()).unwrap_err(), Error::Deny { .. }));
        assert_eq!(calls(&bench).len(), 1);
    }

    #[test]
    fn an_advisory_fails() {
        let bench = bench();
        withhold(&bench, "advisories");
        assert!(matches!(run(&bench.machine()).unwrap_err(), Error::Deny { .. }));
    }

    #[test]
    fn without_the_database_everything_else_counts() {
        let bench = bench();
        withhold(&bench, "db");
        run(&bench.machine()).unwrap();
        assert_eq!(calls(&bench).len(), 2, "no check of advisories against nothing");
    }

    #[test]
    fn a_program_that_does_not_compile_is_told_apart() {
        let bench = bench();
        bench.withhold("install");
        assert!(matches!(run(&bench.machine()).unwrap_err(), Error::DenyInstall { .. }));
    }
}
