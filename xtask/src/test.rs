//! `cargo xtask test`: everything that a change must pass, the cheapest first.

use std::ffi::OsString;
use std::process::Command;

use crate::command::run as run_command;
use crate::error::Error;
use crate::judges;
use crate::machine::Machine;
use crate::postgres::{Database, Disk};
use crate::sandbox::Sandbox;
use crate::tools::{self, Tools};

/// Sets up, then runs every step; with arguments, only `cargo test` with them.
///
/// # Errors
///
/// Those of [`tools::ensure`], [`Sandbox::of_caller`] and [`Database::start`], and [`Error::Step`] for the first step that fails.
pub(crate) fn run(machine: &Machine, arguments: &[OsString]) -> Result<(), Error> {
    let tools = tools::ensure(machine, &[&tools::OF_SETUP[..], &tools::OF_TESTS].concat())?;
    let sandbox = Sandbox::of_caller(machine, &tools.chromium())?;
    sandbox.announce();
    // Ends, and is removed, when this function does.
    let database = Database::start(machine, &tools, Disk::Unsynced)?;
    let surroundings = Surroundings { machine, tools, sandbox, database };
    let steps = if arguments.is_empty() { every_step() } else { vec![chosen_tests(arguments)] };
    let gap = surroundings.run(&steps)?;
    match arguments {
        [] => eprintln!("==> {}", conclusion(steps.len(), gap)),
        _ => eprintln!("==> The chosen tests passed; `cargo xtask test` without arguments runs everything"),
    }
    Ok(())
}

/// The last line, which is the one that is read.
fn conclusion(steps: usize, gap: Option<String>) -> String {
    let but = gap.map(|gap| format!(", but {gap}")).unwrap_or_default();
    format!("All {steps} steps passed{but}")
}

/// One thing that is checked.
#[derive(Debug)]
struct Step {
    name: &'static str,
    work: Work,
    /// Says what a reader of its failure does next.
    remedy: &'static str,
}

#[derive(Debug)]
enum Work {
    /// A command of cargo, with these arguments.
    Cargo(Vec<OsString>),
    /// `cargo xtask deny`, here, because it says what it has left out.
    Dependencies,
    /// `cargo xtask schemathesis`.
    RandomRequests,
}

impl Step {
    fn cargo(name: &'static str, arguments: &[&str], remedy: &'static str) -> Self {
        Self { name, work: Work::Cargo(arguments.iter().map(OsString::from).collect()), remedy }
    }
}

/// The feature that puts axe-core into the command line.
const EMBED_AXE: &str = "a11ycheck-cli/embed-axe";

/// Lints, tests, documentation and the server of the random requests select the whole workspace with what tests depend on, so
/// that all resolve to one set of features: each dependency is compiled once to check and once to run. A package apart or
/// `--all-features` would compile many of them once more, which hurts on two cores. Two exceptions: core without features, and
/// `cargo xtask` itself, which is a package apart so that it runs from every folder, and compiles a dozen small crates for it.
fn every_step() -> Vec<Step> {
    vec![
        Step::cargo("Format", &["fmt", "--all", "--check"], "Run `cargo fmt --all`"),
        // Released binaries of the command line have axe-core within them. No other step builds that, and no dependency knows of it.
        Step::cargo(
            "Lints",
            &["clippy", "--workspace", "--all-targets", "--features", EMBED_AXE, "--", "-D", "warnings"],
            "Correct what clippy reports above",
        ),
        // The one step with features of its own, because that is what it is about: an embedder may leave all of them out.
        Step::cargo(
            "Core without features",
            &["clippy", "--package", "a11ycheck-core", "--no-default-features", "--", "-D", "warnings"],
            "Correct what clippy reports above; code that belongs to a feature is behind `#[cfg(feature = …)]`",
        ),
        // Includes the examples of the documentation, which a choice of targets (`--all-targets`) would leave out.
        Step::cargo("Tests", &["test", "--workspace"], "`cargo xtask test NAME` runs only the tests of that name"),
        // An example, for the features: without one, cargo leaves out what tests depend on.
        Step::cargo(
            "Documentation",
            &["doc", "--workspace", "--no-deps", "--lib", "--bin=a11ycheck-server", "--bin=xtask", "--example=embed"],
            "Correct what rustdoc reports above",
        ),
        Step { name: "Dependencies", work: Work::Dependencies, remedy: "`cargo xtask deny` runs this alone" },
        Step {
            name: "Random requests",
            work: Work::RandomRequests,
            remedy: "`cargo xtask schemathesis` runs this alone",
        },
    ]
}

fn chosen_tests(arguments: &[OsString]) -> Step {
    let work = ["test", "--workspace"].iter().map(OsString::from).chain(arguments.iter().cloned()).collect();
    Step { name: "Chosen tests", work: Work::Cargo(work), remedy: "Correct the tests that failed above" }
}

/// The machine, with what the tests need.
struct Surroundings<'machine> {
    machine: &'machine Machine,
    tools: Tools,
    sandbox: Sandbox,
    database: Database,
}

impl Surroundings<'_> {
    /// Runs the steps up to the first that fails. Returns what was left out, if something was.
    fn run(&self, steps: &[Step]) -> Result<Option<String>, Error> {
        let (mut gap, count) = (None, steps.len());
        for (step, number) in steps.iter().zip(1..) {
            eprintln!("==> [{number}/{count}] {}", step.name);
            let outcome = match &step.work {
                Work::Cargo(arguments) => run_command(&mut self.cargo(arguments)),
                Work::Dependencies => judges::deny(self.machine).map(|found| gap = found),
                Work::RandomRequests => judges::schemathesis(self.machine),
            };
            outcome.map_err(|cause| Error::Step { number, count, remedy: step.remedy, source: Box::new(cause) })?;
        }
        Ok(gap)
    }

    fn cargo(&self, arguments: &[OsString]) -> Command {
        let mut command = self.machine.cargo();
        // The second is read by rustdoc alone: `RUSTFLAGS` would compile every dependency once more.
        command.args(arguments).env("RUST_BACKTRACE", "1").env("RUSTDOCFLAGS", "-D warnings");
        self.tools.pass_to(&mut command);
        if arguments.iter().any(|argument| argument == EMBED_AXE) {
            // Whoever names another axe-core may have none in the folder of the repository.
            command.env("A11YCHECK_EMBEDDED_AXE", self.tools.path("A11YCHECK_AXE"));
        }
        self.sandbox.pass_to(&mut command);
        self.database.pass_to(&mut command);
        command
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    /// A bench where set-up finds everything, and a cargo that keeps a log.
    fn bench() -> Bench {
        let bench = Bench::debian();
        bench.add("cargo", "cargo");
        bench.add("cargo-deny", "cargo-deny");
        tools::ensure(&bench.machine(), &tools::OF_SETUP).unwrap();
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
    fn the_command_line_is_built_as_it_is_released_with_axe_core_within_it() {
        let bench = bench();
        bench.withhold("test");
        run(&bench.machine(), &[]).unwrap_err();
        let embedded: Vec<_> = bench.log("cargo").into_iter().filter(|line| !line.ends_with(" embedded=")).collect();
        assert_eq!(embedded.len(), 1, "{embedded:?}");
        let axe = tools::ensure(&bench.machine(), &tools::OF_SETUP).unwrap().path("A11YCHECK_AXE");
        assert!(embedded[0].starts_with("clippy ") && embedded[0].ends_with(&format!("embedded={}", axe.display())));
    }

    #[test]
    fn what_was_not_checked_stands_in_the_last_line() {
        assert_eq!(conclusion(7, None), "All 7 steps passed");
        let gap = conclusion(7, Some("ADVISORIES were NOT CHECKED".to_owned()));
        assert_eq!(gap, "All 7 steps passed, but ADVISORIES were NOT CHECKED");
    }

    #[test]
    fn the_first_failure_stops_the_rest_and_says_what_to_do() {
        let bench = bench();
        bench.withhold("clippy");
        let error = run(&bench.machine(), &[]).unwrap_err();
        assert_eq!(commands(&bench), ["fmt", "clippy"]);
        let text = error.to_string();
        assert!(text.contains("step 2 of 7 failed") && text.contains("Correct what clippy reports"), "{text}");
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
        let machine = bench.machine_with("DATABASE_URL", "postgres://given");
        let tools = tools::ensure(&machine, &tools::OF_SERVER).unwrap();
        run(&machine, &["leases".into()]).unwrap();
        let root = bench.root().canonicalize().unwrap();
        assert_eq!(
            bench.log("cargo"),
            [format!(
                "test browser={} axe={} sandbox=none database=postgres://given backtrace=1 folder={} embedded=",
                tools.chromium().display(),
                tools.path("A11YCHECK_AXE").display(),
                root.display()
            )]
        );
    }

    #[test]
    fn a_missing_tool_stops_before_the_first_step() {
        let bench = Bench::new();
        bench.add("cargo", "cargo");
        assert!(matches!(run(&bench.machine(), &[]).unwrap_err(), Error::Failed { .. }));
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
