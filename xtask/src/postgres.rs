//! Runs a PostgreSQL while tests or a bench need it.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use crate::command::started;
use crate::error::Error;
use crate::machine::Machine;
use crate::tools::Tools;

/// The user that Debian's package makes: PostgreSQL refuses to be run by root.
const USER: &str = "postgres";
/// Sets up a server, waits until its standard input ends, and removes it. That user may not see the file.
const SUPERVISOR: &str = include_str!("postgres.sh");

/// Whether a database that is started waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disk {
    /// As PostgreSQL does by default: for measures.
    Synced,
    /// It does not: for tests, whose data are worth nothing afterwards.
    Unsynced,
}

impl Disk {
    const fn word(self) -> &'static str {
        match self {
            Self::Synced => "synced",
            Self::Unsynced => "unsynced",
        }
    }
}

/// A database that can be used. One that was started here is stopped and removed when this is dropped, or when this process
/// ends in whatever way.
#[derive(Debug)]
pub(crate) struct Database {
    url: OsString,
    supervisor: Option<Child>,
}

impl Database {
    /// Starts a server in a folder of its own, unless `DATABASE_URL` names a database. `tools` are those of the group `postgres`.
    ///
    /// # Errors
    ///
    /// [`Error::PostgresStart`] and [`Error::Start`].
    pub(crate) fn start(machine: &Machine, tools: &Tools, disk: Disk) -> Result<Self, Error> {
        if let Some(url) = machine.variable("DATABASE_URL") {
            return Ok(Self { url: url.into(), supervisor: None });
        }
        eprintln!("==> Starting a PostgreSQL in a temporary folder");
        let mut command = if machine.is_root() { machine.command_as(USER, "sh") } else { machine.command("sh") };
        command.args(["-c", SUPERVISOR, "postgres.sh"]).arg(tools.path("POSTGRES_PROGRAMS")).arg(disk.word());
        // Ctrl-C is for us and the tests: the server goes when we have gone, by the end of its input.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let supervisor = command.spawn();
        let mut supervisor = started(&command, supervisor)?;
        let mut line = String::new();
        if let Some(output) = supervisor.stdout.take() {
            started(&command, BufReader::new(output).read_line(&mut line))?;
        }
        let url = line.trim_end();
        if url.is_empty() {
            let status = started(&command, supervisor.wait())?;
            return Err(Error::PostgresStart { status });
        }
        Ok(Self { url: url.into(), supervisor: Some(supervisor) })
    }

    /// Sets the variable that names it for a program.
    pub(crate) fn pass_to<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command.env("DATABASE_URL", &self.url)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let Some(mut supervisor) = self.supervisor.take() else { return };
        // `wait` closes its standard input first.
        if let Err(error) = supervisor.wait() {
            eprintln!("    the PostgreSQL of the tests may still run: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use crate::fixture::Bench;
    use crate::tools;

    use super::*;

    fn start_on(machine: &Machine) -> Result<Database, Error> {
        Database::start(machine, &tools::ensure(machine, &["postgres"]).unwrap(), Disk::Unsynced)
    }

    fn log(programs: &Path, name: &str) -> String {
        fs::read_to_string(programs.join(format!("{name}.log"))).unwrap_or_default()
    }

    #[test]
    fn a_given_database_is_used_and_none_is_installed_or_started() {
        let bench = Bench::debian();
        let database = start_on(&bench.machine_with("DATABASE_URL", "postgres://given")).unwrap();
        assert_eq!((database.url.to_str(), database.supervisor.is_none()), (Some("postgres://given"), true));
        assert_eq!(bench.log("apt-get"), [] as [&str; 0]);
    }

    #[test]
    fn a_started_server_is_stopped_and_its_folder_removed() {
        let bench = Bench::debian();
        let programs = bench.add_postgres("15");
        let database = start_on(&bench.machine()).unwrap();
        let url = database.url.clone().into_string().unwrap();
        let folder = PathBuf::from(url.strip_prefix("postgres://postgres@localhost/postgres?host=").unwrap());
        assert!(folder.is_dir());
        assert!(log(&programs, "pg_ctl").starts_with("start "));
        drop(database);
        assert!(!folder.exists());
        assert!(log(&programs, "pg_ctl").lines().last().unwrap().starts_with("stop "));
    }

    #[test]
    fn root_becomes_the_packages_user_for_it() {
        let bench = Bench::debian();
        bench.add_postgres("15");
        start_on(&bench.machine()).unwrap();
        assert!(bench.log("setpriv")[0].starts_with("--reuid=postgres --regid=postgres --clear-groups -- sh -c "));
    }

    #[test]
    fn another_user_stays_who_it_is() {
        let bench = Bench::new();
        bench.add_postgres("15");
        start_on(&bench.machine()).unwrap();
        assert_eq!(bench.log("setpriv"), [] as [&str; 0]);
    }

    #[test]
    fn a_server_that_does_not_come_up_stops_the_tests() {
        let bench = Bench::debian();
        let programs = bench.add_postgres("15");
        fs::write(programs.join("start.withheld"), "").unwrap();
        let error = start_on(&bench.machine()).unwrap_err();
        assert!(matches!(error, Error::PostgresStart { status } if !status.success()), "{error}");
    }
}
