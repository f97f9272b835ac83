//! The commands of this repository: `cargo xtask setup`, `serve`, `test`, `deny`, `schemathesis`, `bench`, `screenshots` and `package`.
//!
//! Each says what it does before it does it, on standard error: standard output belongs to the programs it runs.

#![expect(clippy::print_stderr, reason = "a command-line tool talks to its user")]

mod bare;
mod bench;
mod command;
mod error;
mod judges;
mod machine;
mod package;
mod postgres;
mod sandbox;
mod screenshots;
mod serve;
mod service_user;
mod test;
mod tools;

#[cfg(test)]
mod fixture;

use std::error::Error as _;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::machine::Machine;

fn main() -> ExitCode {
    let machine = Machine::here();
    let outcome = match Cli::parse().command {
        Command::Setup => tools::ensure(&machine, &tools::OF_SETUP).map(|_| ()),
        Command::Serve { arguments } => serve::run(&machine, &arguments).map(|never| match never {}),
        Command::Test { bare: Some(story), .. } => bare::run(&machine, story),
        Command::Test { bare: None, arguments } => test::run(&machine, &arguments),
        Command::Deny => judges::deny(&machine).map(|_| ()),
        Command::Schemathesis => judges::schemathesis(&machine),
        Command::Bench { bench } => bench::run(&machine, &bench),
        Command::Screenshots => screenshots::run(&machine),
        Command::Package { package } => package::run(&machine, package),
    };
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    let mut cause = error.source();
    while let Some(source) = cause {
        eprintln!("  because: {source}");
        cause = source.source();
    }
    ExitCode::FAILURE
}

#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", about = "Sets up, runs and tests a11ycheck")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Installs what is missing: a browser, a font for it, axe-core and PostgreSQL. Does nothing the second time
    Setup,
    /// Sets up, then builds and runs the server, with its data in the folder .a11ycheck and a demo team
    #[command(disable_help_flag = true)]
    Serve {
        /// Everything after `serve` goes to the server as it is (`cargo xtask serve --help` is the server's help)
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Sets up, then runs every check: format, lints, tests (on a PostgreSQL of their own), documentation, dependencies,
    /// random requests
    Test {
        /// Make a bare Debian in a folder and run `cargo xtask test` and `cargo xtask serve` there, as of the last commit; or the first run
        /// of the command line
        #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "commands", conflicts_with = "arguments")]
        bare: Option<bare::Story>,
        /// Run only `cargo test` with these arguments, such as a part of a test's name (`NAME -- --nocapture` works too)
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Holds licences, bans, sources and advisories of all dependencies against deny.toml, with cargo-deny
    Deny,
    /// Has Schemathesis send a server some thousand requests, and compares its answers with the OpenAPI document that it serves
    Schemathesis,
    /// Sets up what a bench needs, and runs it
    Bench {
        #[command(subcommand)]
        bench: bench::Bench,
    },
    /// Takes the pictures of the README from the running interface, into `docs/pictures`
    Screenshots,
    /// Builds what an installation is made from, into `target/package`
    Package {
        #[command(subcommand)]
        package: package::Package,
    },
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, error::ErrorKind};

    use super::*;

    fn parse(arguments: &[&str]) -> Command {
        Cli::try_parse_from([&["xtask"], arguments].concat()).unwrap().command
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn serve_keeps_every_argument_for_the_server() {
        let given = ["--listen", "127.0.0.1:0", "--allow-network", "127.0.0.0/8", "--help"];
        let Command::Serve { arguments } = parse(&[&["serve"], &given[..]].concat()) else { panic!("not serve") };
        assert_eq!(arguments, given);
    }

    #[test]
    fn serve_keeps_a_help_flag_that_comes_first() {
        let Command::Serve { arguments } = parse(&["serve", "--help"]) else { panic!("not serve") };
        assert_eq!(arguments, ["--help"]);
    }

    #[test]
    fn a_bench_keeps_its_arguments() {
        let Command::Bench { bench: bench::Bench::Store { arguments } } = parse(&["bench", "store", "--factor", "2"])
        else {
            panic!("not a bench of the store")
        };
        assert_eq!(arguments, ["--factor", "2"]);
        let given = ["--sites", "10", "--help", "--", "-h"];
        let Command::Bench { bench: bench::Bench::Fleet { arguments } } =
            parse(&[&["bench", "fleet"], &given[..]].concat())
        else {
            panic!("not the bench of many sites")
        };
        assert_eq!(arguments, given);
    }

    #[test]
    fn a_bench_that_is_asked_for_help_lists_its_arguments_and_does_not_begin() {
        let benches = [
            ("api", ["--rounds N", "--seconds S"]),
            ("pages", ["--rounds N", "--store memory"]),
            ("fleet", ["--sites N", "--workers N"]),
            ("store", ["--factor N", "--plans"]),
        ];
        for (bench, arguments) in benches {
            for flag in ["--help", "-h"] {
                let help = Cli::try_parse_from(["xtask", "bench", bench, flag]).unwrap_err();
                assert_eq!(help.kind(), ErrorKind::DisplayHelp, "{bench} {flag}");
                // Lines may be broken anywhere.
                let text = help.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(arguments.iter().all(|argument| text.contains(argument)), "{text}");
            }
        }
    }

    #[test]
    fn test_keeps_the_arguments_of_the_test_program() {
        let Command::Test { bare: None, arguments } = parse(&["test", "leases", "--", "--nocapture"]) else {
            panic!("not test")
        };
        assert_eq!(arguments, ["leases", "--", "--nocapture"]);
        let Command::Test { bare: None, arguments } = parse(&["test", "--test", "crash"]) else { panic!("not test") };
        assert_eq!(arguments, ["--test", "crash"]);
    }

    #[test]
    fn a_bare_debian_runs_everything_and_not_a_choice() {
        assert!(matches!(parse(&["test", "--bare"]), Command::Test { bare: Some(bare::Story::Commands), .. }));
        assert!(matches!(
            parse(&["test", "--bare=first-run"]),
            Command::Test { bare: Some(bare::Story::FirstRun), .. }
        ));
        assert!(Cli::try_parse_from(["xtask", "test", "--bare", "leases"]).is_err());
    }
}
