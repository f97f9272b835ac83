//! `cargo xtask deny` and `cargo xtask schemathesis`: what others wrote judges our dependencies and our server.

use crate::command::{answer, run};
use crate::error::Error;
use crate::machine::Machine;
use crate::{serve, tools};

/// Seconds within which the database of advisories has to arrive.
const PATIENCE: u32 = 180;

/// Compares all dependencies with `deny.toml`, and returns a sentence if something was left out, which the caller has to say, too:
/// advisories are where the database of the `RustSec` project can't be had.
///
/// # Errors
///
/// Those of [`tools::ensure`].
pub(crate) fn deny(machine: &Machine) -> Result<Option<String>, Error> {
    deny_within(PATIENCE, machine)
}

fn deny_within(patience: u32, machine: &Machine) -> Result<Option<String>, Error> {
    let program = tools::ensure(machine, &["deny"])?.path("A11YCHECK_CARGO_DENY");
    let mut script = machine.script("xtask/tools/deny.sh");
    let gap = answer(script.arg(program).arg(patience.to_string()).current_dir(&machine.root))?.trim_end().to_owned();
    if gap.is_empty() {
        return Ok(None);
    }
    eprintln!("==> {gap}");
    Ok(Some(gap))
}

/// Builds the server and has it compared with its OpenAPI document.
///
/// # Errors
///
/// Those of [`tools::ensure`] and [`serve::build`].
pub(crate) fn schemathesis(machine: &Machine) -> Result<(), Error> {
    let tools = tools::ensure(machine, &["schemathesis"])?;
    let server = serve::build(machine)?;
    run(tools.pass_to(machine.script("xtask/tools/schemathesis.sh").arg(server)))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::fixture::Bench;

    use super::*;

    /// A workspace whose script finds a cargo-deny.
    fn bench() -> Bench {
        let bench = Bench::new();
        bench.add("cargo-deny", "cargo-deny");
        bench
    }

    #[test]
    fn every_check_is_made() {
        let bench = bench();
        assert!(deny(&bench.machine()).unwrap().is_none());
        let expected = ["check bans licenses sources", "fetch db", "--offline check advisories"]
            .map(|call| format!("--workspace --locked {call}"));
        assert_eq!(bench.log("cargo-deny"), expected);
    }

    #[test]
    fn what_is_not_allowed_fails_before_advisories_are_asked_for() {
        let bench = bench();
        bench.withhold("licenses");
        assert!(matches!(deny(&bench.machine()).unwrap_err(), Error::Failed { .. }));
        assert_eq!(bench.log("cargo-deny").len(), 1);
    }

    #[test]
    fn an_advisory_fails() {
        let bench = bench();
        bench.withhold("advisories");
        assert!(matches!(deny(&bench.machine()).unwrap_err(), Error::Failed { .. }));
    }

    #[test]
    fn without_the_database_everything_else_counts_and_what_was_left_out_is_given_to_the_caller() {
        let bench = bench();
        bench.withhold("db");
        let gap = deny(&bench.machine()).unwrap().unwrap();
        assert!(gap.contains("NOT CHECKED") && gap.contains("exit status: 1"), "{gap}");
        assert_eq!(bench.log("cargo-deny").len(), 2, "no check of advisories against nothing");
    }

    #[test]
    fn a_database_that_never_arrives_is_given_up_and_what_asked_for_it_is_ended() {
        let bench = bench();
        std::fs::write(bench.programs().join("cargo-deny.hangs"), "").unwrap();
        let gap = deny_within(1, &bench.machine()).unwrap().unwrap();
        assert!(gap.contains("did not arrive within 1 seconds"), "{gap}");
        let pid = std::fs::read_to_string(bench.programs().join("cargo-deny.pid")).unwrap();
        let stat = format!("/proc/{}/stat", pid.trim());
        let deadline = Instant::now() + Duration::from_secs(30);
        // It may be left as a zombie where nobody collects what lost its parent.
        while !std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z ")) {
            assert!(Instant::now() < deadline, "{pid} still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
