//! Finds a PostgreSQL for the tests or installs one, and runs it while they need it.

use std::ffi::OsString;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::apt::Apt;
use crate::error::Error;
use crate::machine::{Machine, is_executable};

/// The oldest version that the store works with.
const OLDEST: u32 = 14;
/// The package that brings the server.
const PACKAGE: &str = "postgresql";
/// The user that Debian's package makes: PostgreSQL refuses to be run by root.
const USER: &str = "postgres";
/// Sets up a server, waits until its standard input ends, and removes it.
const SUPERVISOR: &str = include_str!("postgres.sh");

/// Where the tests find their database.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Database {
    /// `DATABASE_URL` names it.
    Given(OsString),
    /// It is to be started with the programs in this folder.
    Programs(PathBuf),
}

/// The database that `DATABASE_URL` names, else the newest PostgreSQL that is installed, else one that was installed just now.
///
/// Debian's package starts a server of the system too. It is left alone: what is in it is somebody's.
///
/// # Errors
///
/// [`Error::PostgresMissing`], [`Error::PostgresStillMissing`] and those of [`Apt::install`].
pub(crate) fn ensure(machine: &Machine, apt: Option<&mut Apt<'_>>) -> Result<Database, Error> {
    if let Some(url) = &machine.database_url {
        return Ok(Database::Given(url.clone()));
    }
    if let Some(programs) = find(machine) {
        return Ok(Database::Programs(programs));
    }
    let apt = apt.ok_or(Error::PostgresMissing)?;
    eprintln!("==> No PostgreSQL was found: installing one");
    apt.install(PACKAGE)?;
    find(machine).map(Database::Programs).ok_or(Error::PostgresStillMissing)
}

/// The programs of the newest version that Debian has put aside, else those in `PATH`.
fn find(machine: &Machine) -> Option<PathBuf> {
    let entries = machine.postgres_folders.iter().filter_map(|folder| folder.read_dir().ok()).flatten();
    let versions = entries.filter_map(|entry| {
        let folder = entry.ok()?;
        let version: u32 = folder.file_name().to_str()?.parse().ok()?;
        Some((version, folder.path().join("bin")))
    });
    let newest = versions.filter(|(version, programs)| *version >= OLDEST && is_server(programs)).max();
    let in_path = || machine.program("pg_ctl")?.parent().map(Path::to_path_buf).filter(|programs| is_server(programs));
    newest.map(|(_, programs)| programs).or_else(in_path)
}

fn is_server(programs: &Path) -> bool {
    ["initdb", "pg_ctl"].iter().all(|name| is_executable(&programs.join(name)))
}

impl Database {
    /// Starts a server in a folder of its own, unless a database was given.
    ///
    /// # Errors
    ///
    /// [`Error::PostgresStart`], [`Error::SetprivMissing`] and [`Error::Start`].
    pub(crate) fn start(self, machine: &Machine) -> Result<Running, Error> {
        let programs = match self {
            Self::Given(url) => return Ok(Running { url, supervisor: None }),
            Self::Programs(programs) => programs,
        };
        eprintln!("==> Starting a PostgreSQL in a temporary folder");
        let mut command = supervisor(machine, &programs)?;
        let program = PathBuf::from(command.get_program());
        let mut supervisor = command.spawn().map_err(|source| Error::Start { program: program.clone(), source })?;
        let mut line = String::new();
        if let Some(output) = supervisor.stdout.take() {
            BufReader::new(output)
                .read_line(&mut line)
                .map_err(|source| Error::Start { program: program.clone(), source })?;
        }
        let Some(folder) = line.trim_end().strip_prefix("ready ") else {
            let status = supervisor.wait().map_err(|source| Error::Start { program, source })?;
            return Err(Error::PostgresStart { status });
        };
        let url = format!("postgres://postgres@localhost/postgres?host={folder}").into();
        Ok(Running { url, supervisor: Some(supervisor) })
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Not its text, which may hold a password.
            Self::Given(_) => f.write_str("the one that DATABASE_URL names"),
            Self::Programs(programs) => write!(f, "PostgreSQL ({})", programs.display()),
        }
    }
}

fn supervisor(machine: &Machine, programs: &Path) -> Result<Command, Error> {
    let shell = ["sh", "-c", SUPERVISOR, "postgres.sh"];
    let mut command = if machine.is_root()? {
        let mut setpriv = Command::new(machine.program("setpriv").ok_or(Error::SetprivMissing)?);
        setpriv.args([&format!("--reuid={USER}"), &format!("--regid={USER}"), "--clear-groups", "--"]).args(shell);
        setpriv
    } else {
        let mut command = Command::new(shell[0]);
        command.args(&shell[1..]);
        command
    };
    command.arg(programs).stdin(Stdio::piped()).stdout(Stdio::piped());
    // Ctrl-C is for us and the tests: the server goes when we have gone, by the end of its input.
    command.process_group(0);
    Ok(command)
}

/// A database that can be used. One that was started here is stopped and removed when this is dropped, or when this process
/// ends in whatever way.
#[derive(Debug)]
pub(crate) struct Running {
    url: OsString,
    supervisor: Option<Child>,
}

impl Running {
    /// Tells a program where the database is.
    pub(crate) fn pass_to<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command.env("DATABASE_URL", &self.url)
    }
}

impl Drop for Running {
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

    use crate::fixture::Bench;

    use super::*;

    fn ensure_on(bench: &Bench) -> Result<Database, Error> {
        let machine = bench.machine();
        ensure(&machine, Apt::find(&machine).as_mut())
    }

    fn log(programs: &Path, name: &str) -> String {
        fs::read_to_string(programs.join(format!("{name}.log"))).unwrap_or_default()
    }

    #[test]
    fn a_given_database_is_used_and_none_is_installed_or_started() {
        let bench = Bench::debian();
        let machine = Machine { database_url: Some("postgres://given".into()), ..bench.machine() };
        let database = ensure(&machine, Apt::find(&machine).as_mut()).unwrap();
        assert!(!database.to_string().contains("given"), "an address may hold a password");
        let running = database.start(&machine).unwrap();
        assert_eq!((running.url.to_str(), running.supervisor.is_none()), (Some("postgres://given"), true));
        assert_eq!(bench.log("apt-get"), [] as [&str; 0]);
    }

    #[test]
    fn the_newest_installed_version_is_used() {
        let bench = Bench::debian();
        bench.add_postgres("9");
        bench.add_postgres("15");
        let newest = bench.add_postgres("100");
        assert_eq!(ensure_on(&bench).unwrap(), Database::Programs(newest));
    }

    #[test]
    fn a_version_that_is_too_old_is_passed_over() {
        let bench = Bench::new();
        bench.add_postgres("13");
        assert!(matches!(ensure_on(&bench).unwrap_err(), Error::PostgresMissing));
    }

    #[test]
    fn programs_in_the_path_will_do() {
        let bench = Bench::new();
        bench.add("initdb", "initdb");
        bench.add("pg_ctl", "pg_ctl");
        assert_eq!(ensure_on(&bench).unwrap(), Database::Programs(bench.programs()));
    }

    #[test]
    fn on_debian_it_is_installed() {
        let bench = Bench::debian();
        assert!(matches!(ensure_on(&bench).unwrap(), Database::Programs(programs) if programs.ends_with("17/bin")));
    }

    #[test]
    fn without_a_package_installer_the_error_names_the_package_and_the_way_round_it() {
        let error = ensure_on(&Bench::new()).unwrap_err().to_string();
        assert!(error.contains("package: postgresql") && error.contains("DATABASE_URL"), "{error}");
    }

    #[test]
    fn a_started_server_is_stopped_and_its_folder_removed() {
        let bench = Bench::debian();
        let programs = bench.add_postgres("15");
        let running = ensure_on(&bench).unwrap().start(&bench.machine()).unwrap();
        let url = running.url.clone().into_string().unwrap();
        let folder = PathBuf::from(url.split_once("host=").unwrap().1);
        assert!(folder.is_dir());
        assert!(log(&programs, "pg_ctl").starts_with("start "));
        drop(running);
        assert!(!folder.exists());
        assert!(log(&programs, "pg_ctl").lines().last().unwrap().starts_with("stop "));
    }

    #[test]
    fn root_becomes_the_packages_user_for_it() {
        let bench = Bench::debian();
        bench.add_postgres("15");
        ensure_on(&bench).unwrap().start(&bench.machine()).unwrap();
        assert!(bench.log("setpriv")[0].starts_with("--reuid=postgres --regid=postgres --clear-groups -- sh -c "));
    }

    #[test]
    fn another_user_stays_who_it_is() {
        let bench = Bench::new();
        bench.add("id", "id-user");
        bench.add_postgres("15");
        ensure_on(&bench).unwrap().start(&bench.machine()).unwrap();
        assert_eq!(bench.log("setpriv"), [] as [&str; 0]);
    }

    #[test]
    fn a_server_that_does_not_come_up_stops_the_tests() {
        let bench = Bench::debian();
        let programs = bench.add_postgres("15");
        fs::write(programs.join("start.withheld"), "").unwrap();
        let error = ensure_on(&bench).unwrap().start(&bench.machine()).unwrap_err();
        assert!(matches!(error, Error::PostgresStart { status } if !status.success()), "{error}");
    }
}
