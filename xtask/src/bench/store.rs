//! `cargo xtask bench store`: the bench of `storage-postgres/benches/store` on a PostgreSQL of its own.

use std::ffi::OsString;
use std::process::Command;

use crate::apt::Apt;
use crate::command::run as run_command;
use crate::error::Error;
use crate::machine::Machine;
use crate::postgres;

/// Starts a database, unless `DATABASE_URL` names one, and runs the bench on it.
///
/// # Errors
///
/// Those of [`postgres::ensure`] and [`Database::start`](postgres::Database::start), [`Error::Bench`], and [`Error::Start`].
pub(crate) fn run(machine: &Machine, arguments: &[OsString]) -> Result<(), Error> {
    let database = postgres::ensure(machine, Apt::find(machine).as_mut())?;
    eprintln!("database: {database}");
    // Ends, and is removed, when this function does.
    let database = database.start(machine)?;
    let mut command = Command::new(&machine.cargo);
    command.args(["bench", "--package", "a11ycheck-storage-postgres", "--bench", "store", "--"]).args(arguments);
    let status = run_command(database.pass_to(command.current_dir(&machine.root)))?;
    if status.success() { Ok(()) } else { Err(Error::Bench { status }) }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    fn bench() -> Bench {
        let bench = Bench::debian();
        bench.add("cargo", "cargo");
        bench
    }

    #[test]
    fn the_bench_has_a_database_of_its_own_which_is_removed_afterwards() {
        let bench = bench();
        run(&bench.machine(), &["--factor".into(), "2".into()]).unwrap();
        let log = bench.log("cargo").pop().unwrap();
        assert!(log.starts_with("bench "), "{log}");
        let folder = log.split(&['=', ' ']).find(|word| word.starts_with("/tmp/a11ycheck-postgres-")).unwrap();
        assert!(!std::path::Path::new(folder).exists());
    }

    #[test]
    fn a_statement_that_does_not_scale_fails_the_command() {
        let bench = bench();
        bench.withhold("bench");
        let error = run(&bench.machine(), &[]).unwrap_err();
        assert!(matches!(error, Error::Bench { .. }), "{error}");
    }
}
