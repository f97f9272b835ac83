//! `cargo xtask test`: everything that a change must pass, the cheapest first.

use std::ffi::OsString;
use std::process::Command;

use crate::command::{run as run_command, shown};
use crate::deny::{self, Advisories};
use crate::error::Error;
use crate::machine::Machine;
use crate::postgres::Running;
use crate::sandbox::Sandbox;
use crate::setup;
use crate::tools;

/// Sets up, then runs every step; with arguments, only `cargo test` with them.
///
/// # Errors
///
/// Those of [`setup::for_tests`], [`tools::ensure`] and [`Database::start`](crate::postgres::Database::start), [`Error::Step`] for the
/// first step that fails, and [`Error::Start`].
pub(crate) fn run(machine: &Machine, arguments: &[OsString]) -> Result<(), Error> {
    let (tools, database) = setup::for_tests(machine)?;
    let others = tools::ensure(machine, tools::OF_TESTS)?;
    let sandbox = Sandbox::of_caller(machine, &tools.chromium)?;
    sandbox.announce();
    let tools = TestTools { tools, others, sandbox };
    // Ends, and is removed, when this function does.
    let database = database.start(machine)?;
    let steps = if arguments.is_empty() { every_step() } else { vec![chosen_tests(arguments)] };
    let advisories = run_steps(machine, &tools, &database, &steps)?;
    match arguments {
        [] => eprintln!("==> {}", conclusion(steps.len(), &advisories)),
        _ => eprintln!("==> The chosen tests passed; `cargo xtask test` without arguments runs everything"),
    }
    Ok(())
}

/// The last line, which is the one that is read.
fn conclusion(steps: usize, advisories: &Advisories) -> String {
    match advisories {
        Advisories::Checked => format!("All {steps} steps passed"),
        gap @ Advisories::NotChecked(_) => format!("All {steps} steps passed, but {gap}"),
    }
}

/// What the tests need beside a database.
struct TestTools {
    tools: setup::Tools,
    others: tools::Tools,
    sandbox: Sandbox,
}

/// One thing that is checked.
#[derive(Debug)]
struct Step {
    name: &'static str,
    work: Work,
    /// What a reader of its failure does next.
    mend: &'static str,
}

#[derive(Debug)]
enum Work {
    /// A command of cargo, with these arguments.
    Cargo(Vec<OsString>),
    /// `cargo xtask deny`, here, because it gives what it has left out.
    Dependencies,
    /// `cargo xtask schemathesis`.
    RandomRequests,
}

impl Step {
    fn cargo(name: &'static str, arguments: &[&str], mend: &'static str) -> Self {
        Self { name, work: Work::Cargo(arguments.iter().map(OsString::from).collect()), mend }
    }
}

/// Lints, tests, documentation and the server of the random requests select the whole workspace with what tests depend on, so
/// that all resolve to one set of features: each dependency is compiled once to check and once to run. A package apart or
/// `--all-features` would compile many of them once more, which hurts on two cores. Two exceptions: core without features, and
/// `cargo xtask` itself, which is a package apart so that it runs from every folder, and compiles a dozen small crates for it.
fn every_step() -> Vec<Step> {
    vec![
        Step::cargo("Format", &["fmt", "--all", "--check"], "Run `cargo fmt --all`"),
        Step::cargo(
            "Lints",
            &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
            "Mend what clippy reports above",
        ),
        // The one step with features of its own, because that is what it is about: an embedder may leave all of them out.
        Step::cargo(
            "Core without features",
            &["clippy", "--package", "a11ycheck-core", "--no-default-features", "--", "-D", "warnings"],
            "Mend what clippy reports above; code that belongs to a feature is behind `#[cfg(feature = …)]`",
        ),
        // Includes the examples of the documentation, which a choice of targets (`--all-targets`) would leave out.
        Step::cargo("Tests", &["test", "--workspace"], "`cargo xtask test NAME` runs only the tests of that name"),
        // An example, for the features: without one, cargo leaves out what tests depend on.
        Step::cargo(
            "Documentation",
            &["doc", "--workspace", "--no-deps", "--lib", "--bins", "--example", "embed"],
            "Mend what rustdoc reports above",
        ),
        Step { name: "Dependencies", work: Work::Dependencies, mend: "`cargo xtask deny` runs this alone" },
        Step {
            name: "Random requests",
            work: Work::RandomRequests,
            mend: "`cargo xtask schemathesis` runs this alone",
        },
    ]
}

fn chosen_tests(arguments: &[OsString]) -> Step {
    let work = ["test", "--workspace"].iter().map(OsString::from).chain(arguments.iter().cloned()).collect();
    Step { name: "Chosen tests", work: Work::Cargo(work), mend: "Mend the tests that failed above" }
}

fn run_steps(machine: &Machine, tools: &TestTools, database: &Running, steps: &[Step]) -> Result<Advisories, Error> {
    let (mut advisories, count) = (Advisories::Checked, steps.len());
    for (step, number) in steps.iter().zip(1..) {
        eprintln!("==> [{number}/{count}] {}", step.name);
        let outcome = match &step.work {
            Work::Cargo(arguments) => run_cargo(cargo(machine, tools, database, arguments)),
            Work::Dependencies => deny::run(machine).map(|found| advisories = found),
            Work::RandomRequests => tools::schemathesis(machine),
        };
        outcome.map_err(|cause| Error::Step { number, count, mend: step.mend, source: Box::new(cause) })?;
    }
    Ok(advisories)
}

fn run_cargo(mut command: Command) -> Result<(), Error> {
    let status = run_command(&mut command)?;
    if status.success() { Ok(()) } else { Err(Error::Failed { command: shown(&command), status }) }
}

fn cargo(machine: &Machine, tools: &TestTools, database: &Running, arguments: &[OsString]) -> Command {
    let mut command = Command::new(&machine.cargo);
    command.args(arguments).current_dir(&machine.root).env("RUST_BACKTRACE", "1");
    // Read by rustdoc alone: `RUSTFLAGS` would build every dependency anew.
    command.env("RUSTDOCFLAGS", "-D warnings");
    tools.others.pass_to(tools.tools.pass_to(&mut command));
    tools.sandbox.pass_to(&mut command);
    database.pass_to(&mut command);
    command
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    /// A bench where set-up finds everything, and a cargo that keeps a log.
    fn bench() -> Bench {
        let bench = Bench::debian();
        bench.add("cargo", "cargo");
        bench.add_tools();
        bench.add("cargo-deny", "cargo-deny");
        setup::run(&bench.machine()).unwrap();
        bench
    }

    fn commands(bench: &Bench) -> Vec<String> {
        bench.log("cargo").iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    }

    #[test]
    fn every_step_runs_in_order() {
        let bench = bench();
        run(&bench.machine(), &[]).unwrap();
        let expected = ["fmt", "clippy", "clippy", "test", "doc", "build"];
        assert_eq!(commands(&bench), expected, "`build` is that of random requests");
        let tested = std::fs::read_to_string(bench.root().join("xtask/tools/schemathesis.log")).unwrap();
        assert_eq!(tested, "/bin/true\n");
    }

    #[test]
    fn what_was_not_checked_stands_in_the_last_line() {
        let checked = conclusion(7, &Advisories::Checked);
        assert_eq!(checked, "All 7 steps passed");
        let gap = conclusion(7, &Advisories::NotChecked("it did not arrive".to_owned()));
        assert!(gap.starts_with("All 7 steps passed, but ADVISORIES"), "{gap}");
        assert!(gap.contains("NOT CHECKED") && gap.contains("it did not arrive"), "{gap}");
    }

    #[test]
    fn the_first_failure_stops_the_rest_and_says_how_to_mend_it() {
        let bench = bench();
        bench.withhold("clippy");
        let error = run(&bench.machine(), &[]).unwrap_err();
        assert_eq!(commands(&bench), ["fmt", "clippy"]);
        let text = error.to_string();
        assert!(text.contains("step 2 of 7 failed") && text.contains("Mend what clippy reports"), "{text}");
    }

    #[test]
    fn chosen_tests_run_alone() {
        let bench = bench();
        run(&bench.machine(), &["leases".into()]).unwrap();
        assert_eq!(commands(&bench), ["test"]);
    }

    #[test]
    fn tests_find_the_tools_and_start_from_the_workspace() {
        let bench = bench();
        let tools = setup::run(&bench.machine()).unwrap();
        let machine = Machine { database_url: Some("postgres://given".into()), ..bench.machine() };
        run(&machine, &["leases".into()]).unwrap();
        let root = bench.root().canonicalize().unwrap();
        assert_eq!(
            bench.log("cargo"),
            [format!(
                "test browser={} axe={} sandbox=none database=postgres://given backtrace=1 folder={}",
                tools.chromium.display(),
                tools.axe.display(),
                root.display()
            )]
        );
    }

    #[test]
    fn a_missing_tool_stops_before_the_first_step() {
        let bench = Bench::new();
        bench.add("cargo", "cargo");
        assert!(matches!(run(&bench.machine(), &[]).unwrap_err(), Error::BrowserMissing));
        assert_eq!(commands(&bench), [] as [&str; 0]);
    }

    #[test]
    fn tests_have_a_database_of_their_own_which_is_removed_when_they_fail() {
        let bench = bench();
        bench.withhold("test");
        run(&bench.machine(), &["leases".into()]).unwrap_err();
        let log = bench.log("cargo").pop().unwrap();
        let folder = log.split(&['=', ' ']).find(|word| word.starts_with("/tmp/a11ycheck-postgres-")).unwrap();
        assert!(log.contains(&format!("database=postgres://postgres@localhost/postgres?host={folder} ")), "{log}");
        assert!(!std::path::Path::new(folder).exists());
    }
}
