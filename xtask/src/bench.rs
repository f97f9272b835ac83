//! `cargo xtask bench …`: how fast things are, and if they stay so. Times are the machine's, so a bench prints and judges none.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use clap::Subcommand;

use crate::error::Error;
use crate::machine::Machine;
use crate::postgres::{Database, Disk};
use crate::sandbox::Sandbox;
use crate::{command, tools};

/// The benches.
// All arguments after a name go to the bench, except for `--help` right after the name, which lists them here.
// Otherwise the bench and its database would be started first.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Requests per second of the API on each store, beside bare warp handlers. Takes some five minutes
    Api {
        /// For the bench itself: `--rounds N` (in place of 7), `--seconds S` (in place of 1)
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// The pages of the account interface on each store, with 1,000 sites and 500,000 findings in one team. Takes some ten minutes
    Pages {
        /// For the bench itself: `--rounds N` requests a page (in place of 60), `--store memory|SQLite|PostgreSQL` alone
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// A day of 100,000 sites on one PostgreSQL, with three servers and a scripted scanner. Takes an hour and some GB of disk
    Fleet {
        /// For the bench itself: `--sites N`, `--minutes N` for the day (in place of 30), `--servers N`, `--workers N` of each
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// The scanner on real pages, beside axe-core run by a bare script
    Scan {
        /// Measure pa11y-ci, @axe-core/cli and @axe-core/playwright as well; they are installed into `target/bench`
        #[arg(long)]
        peers: bool,
        /// Check a site of 48 pages twice, and compare the second check with the first, and nothing else
        #[arg(long, conflicts_with = "peers")]
        again: bool,
        /// Everything after `--` goes to the benchmark (`-- --help` lists what it takes)
        #[arg(last = true)]
        rest: Vec<OsString>,
    },
    /// `a11ycheck check` on real pages beside the commands of others, with the same browser and axe-core: time, memory, exit codes
    Cli {
        /// For the bench itself: `--rounds N`, `--pages N`, `--only NAME`, `--outcomes` (exit codes alone)
        #[arg(last = true)]
        rest: Vec<OsString>,
    },
    /// W3C's test cases of ACT rules: what is caught, missed and said wrongly, and how consistent that is
    Act(Corpus),
    /// Pages with one barrier each: what is said about them
    Barriers(Corpus),
    /// The store's steps on PostgreSQL and on SQLite, with 20,000 checks and with 2,000,000; fails where a statement reads a table whole.
    /// Takes some minutes, and 12 GB of disk until it ends
    Store {
        /// For the bench itself: `--factor N` (in place of 100), `--plans` (every plan in full)
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

/// A public corpus of test cases.
#[derive(Debug, clap::Args)]
pub(crate) struct Corpus {
    /// The folder with the pages and `expected.json`
    #[arg(long, value_name = "DIR")]
    cases: PathBuf,
    /// Everything after `--` goes to the bench: `--earl FILE`, `--run FILE`, `--published FILE` (a report of W3C, counted again)
    #[arg(last = true)]
    rest: Vec<OsString>,
}

/// Runs a bench.
///
/// # Errors
///
/// Those of [`tools::ensure`], [`Database::start`] and [`command::run`].
pub(crate) fn run(machine: &Machine, bench: &Bench) -> Result<(), Error> {
    match bench {
        Bench::Api { arguments } => with_database(machine, &mut program(machine, "a11ycheck-bench-api", arguments)),
        Bench::Pages { arguments } => {
            with_database(machine, program(machine, "a11ycheck-bench-api", arguments).arg("--pages"))
        }
        Bench::Fleet { arguments } => {
            with_database(machine, program(machine, "a11ycheck-bench-api", arguments).arg("--fleet"))
        }
        Bench::Scan { peers: true, rest, .. } => scan(machine, &["browser", "axe", "pages", "peers"], rest),
        Bench::Scan { peers: false, again, rest } => {
            let again = again.then(|| OsString::from("--again"));
            let arguments: Vec<OsString> = again.into_iter().chain(rest.iter().cloned()).collect();
            scan(machine, &["browser", "axe", "pages"], &arguments)
        }
        Bench::Cli { rest } => cli(machine, rest),
        Bench::Act(corpus) => corpora(machine, "act", corpus),
        Bench::Barriers(corpus) => corpora(machine, "barriers", corpus),
        Bench::Store { arguments } => {
            with_database(machine, &mut benchmark(machine, "a11ycheck-storage-postgres", "store", arguments))
        }
    }
}

/// Fetches the pages, and the peers if they are wanted, and runs the scanner's benchmark.
fn scan(machine: &Machine, groups: &[&str], arguments: &[OsString]) -> Result<(), Error> {
    let tools = tools::ensure(machine, groups)?;
    let sandbox = Sandbox::of_caller(machine, &tools.chromium())?;
    sandbox.announce();
    let mut command = benchmark(machine, "a11ycheck-scanner-chromium", "scan", arguments);
    command::run(sandbox.pass_to(tools.pass_to(&mut command)))
}

/// Builds the command line as it is released, and compares it with the commands of others.
fn cli(machine: &Machine, arguments: &[OsString]) -> Result<(), Error> {
    let tools = tools::ensure(machine, &["browser", "axe", "pages", "peers"])?;
    command::run(machine.cargo().args(["build", "--release", "--package", "a11ycheck-cli"]))?;
    let mut bench = machine.command("node");
    bench.arg(machine.root.join("xtask/tools/cli-bench.mjs")).args(arguments);
    bench.env("A11YCHECK_BENCH_PROGRAM", machine.root.join("target/release/a11ycheck"));
    command::run(tools.pass_to(&mut bench))
}

/// Checks a corpus with the command line, and counts what it finds.
fn corpora(machine: &Machine, kind: &str, Corpus { cases, rest }: &Corpus) -> Result<(), Error> {
    let tools = tools::ensure(machine, &["browser", "axe"])?;
    let sandbox = Sandbox::of_caller(machine, &tools.chromium())?;
    sandbox.announce();
    // Cargo runs a bench in the folder of its package.
    let cases = std::path::absolute(cases).unwrap_or_else(|_| cases.clone());
    let mut command = benchmark(machine, "a11ycheck-cli", "corpora", &[]);
    command.arg(kind).arg("--cases").arg(cases).args(rest);
    command::run(sandbox.pass_to(tools.pass_to(&mut command)))
}

/// Starts a database, unless `DATABASE_URL` names one, and runs a bench on it.
fn with_database(machine: &Machine, bench: &mut Command) -> Result<(), Error> {
    let tools = tools::ensure(machine, &["compile", "postgres"])?;
    // Ends, and is removed, when this function does. It waits for the disk, as a database in use does.
    let database = Database::start(machine, &tools, Disk::Synced)?;
    command::run(database.pass_to(bench))
}

fn benchmark(machine: &Machine, package: &str, name: &str, arguments: &[OsString]) -> Command {
    let mut command = machine.cargo();
    command.args(["bench", "--package", package, "--bench", name, "--"]).args(arguments);
    command
}

/// A bench that is a program of its own.
fn program(machine: &Machine, package: &str, arguments: &[OsString]) -> Command {
    let mut command = machine.cargo();
    command.args(["run", "--release", "--package", package, "--"]).args(arguments);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn prepared() -> fixture::Bench {
        let bench = fixture::Bench::debian();
        bench.add("cargo", "cargo");
        bench
    }

    #[test]
    fn the_bench_has_a_database_of_its_own_which_is_removed_afterwards() {
        let bench = prepared();
        run(&bench.machine(), &Bench::Store { arguments: vec!["--factor".into(), "2".into()] }).unwrap();
        let log = bench.log("cargo").pop().unwrap();
        assert!(log.starts_with("bench "), "{log}");
        let folder = log.split(&['=', ' ']).find(|word| word.starts_with("/tmp/a11ycheck-postgres-")).unwrap();
        assert!(!std::path::Path::new(folder).exists());
    }

    #[test]
    fn a_bench_that_fails_fails_the_command() {
        let bench = prepared();
        bench.withhold("bench");
        let error = run(&bench.machine(), &Bench::Store { arguments: vec![] }).unwrap_err();
        assert!(matches!(error, Error::Failed { .. }), "{error}");
    }
}
