//! `cargo xtask deny`: what we depend on, held against `deny.toml` by cargo-deny: licences, banned crates, sources, advisories.

use std::fmt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::command::{leashed, run as run_command, shown};
use crate::error::Error;
use crate::machine::Machine;
use crate::tools;

/// How long the database of advisories may take to arrive: it is a git repository of some 20 MB. Where a firewall swallows what is
/// asked of it, nothing ever comes.
const PATIENCE: Duration = Duration::from_secs(180);

/// What became of the advisories.
#[derive(Debug)]
#[must_use = "whoever reports success says what was left out"]
pub(crate) enum Advisories {
    Checked,
    /// Neither they nor yanked releases were looked at, for this reason.
    NotChecked(String),
}

impl fmt::Display for Advisories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checked => f.write_str("advisories were checked"),
            Self::NotChecked(reason) => write!(
                f,
                "ADVISORIES AND YANKED RELEASES WERE NOT CHECKED: the database of RustSec (https://github.com/RustSec/advisory-db) \
                 could not be fetched: {reason}. `cargo xtask deny` checks them where it can be"
            ),
        }
    }
}

/// Installs cargo-deny unless it is there, and runs its checks. Advisories are left out, which the caller has to say, where the
/// database of the `RustSec` project can't be had: it is not in a registry of packages, and not every machine reaches it.
///
/// # Errors
///
/// Those of [`tools::ensure`], [`Error::Deny`] and [`Error::Start`].
pub(crate) fn run(machine: &Machine) -> Result<Advisories, Error> {
    let program = tools::ensure(machine, &["deny"])?.program("A11YCHECK_CARGO_DENY");
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
    if let Err(reason) = fetch(&deny(&["fetch", "db"]), PATIENCE)? {
        let advisories = Advisories::NotChecked(reason);
        eprintln!("==> {advisories}");
        return Ok(advisories);
    }
    // Without `--offline` it would fetch the database once more, and nothing would bound that.
    check(deny(&["--offline", "check", "advisories"]))?;
    Ok(Advisories::Checked)
}

fn check(mut command: Command) -> Result<(), Error> {
    let status = run_command(&mut command)?;
    if status.success() { Ok(()) } else { Err(Error::Deny { status }) }
}

/// The inner error says why the database did not come.
fn fetch(command: &Command, patience: Duration) -> Result<Result<(), String>, Error> {
    eprintln!("    running {}", shown(command));
    let start = |source| Error::Start { program: "cargo-deny".into(), source };
    // It has git fetch the database, which must not outlive it.
    let mut child = leashed(command).spawn().map_err(start)?;
    let leash = child.stdin.take();
    let deadline = Instant::now() + patience;
    loop {
        match child.try_wait().map_err(start)? {
            Some(status) if status.success() => return Ok(Ok(())),
            Some(status) => return Ok(Err(format!("cargo-deny ended with {status}"))),
            None if Instant::now() >= deadline => {
                drop(leash);
                child.wait().map_err(start)?;
                return Ok(Err(format!("it did not arrive within {} seconds", patience.as_secs())));
            }
            None => thread::sleep(Duration::from_millis(50)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    /// A workspace whose script finds a cargo-deny.
    fn bench() -> Bench {
        let bench = Bench::new();
        bench.add_tools();
        bench.add("cargo-deny", "cargo-deny");
        bench
    }

    #[test]
    fn every_check_is_made() {
        let bench = bench();
        assert!(matches!(run(&bench.machine()).unwrap(), Advisories::Checked));
        let expected = ["check bans licenses sources", "fetch db", "--offline check advisories"]
            .map(|call| format!("--workspace --locked {call}"));
        assert_eq!(bench.log("cargo-deny"), expected);
    }

    #[test]
    fn what_is_not_allowed_fails_before_advisories_are_asked_for() {
        let bench = bench();
        bench.withhold("licenses");
        assert!(matches!(run(&bench.machine()).unwrap_err(), Error::Deny { .. }));
        assert_eq!(bench.log("cargo-deny").len(), 1);
    }

    #[test]
    fn an_advisory_fails() {
        let bench = bench();
        bench.withhold("advisories");
        assert!(matches!(run(&bench.machine()).unwrap_err(), Error::Deny { .. }));
    }

    #[test]
    fn without_the_database_everything_else_counts_and_what_was_left_out_is_given_to_the_caller() {
        let bench = bench();
        bench.withhold("db");
        let advisories = run(&bench.machine()).unwrap();
        assert!(matches!(&advisories, Advisories::NotChecked(reason) if reason.contains("exit status: 1")));
        assert!(advisories.to_string().contains("NOT CHECKED"), "{advisories}");
        assert_eq!(bench.log("cargo-deny").len(), 2, "no check of advisories against nothing");
    }

    #[test]
    fn a_database_that_never_arrives_is_given_up() {
        let mut endless = Command::new("sleep");
        let reason = fetch(endless.arg("600"), Duration::from_millis(200)).unwrap().unwrap_err();
        assert!(reason.contains("did not arrive"), "{reason}");
    }
}
