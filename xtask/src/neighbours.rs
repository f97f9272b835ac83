//! The programs that stand beside the server in the tests, because others wrote them: PgBouncer, and moto, an S3 server.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apt::Apt;
use crate::error::Error;
use crate::machine::Machine;
use crate::program;
use crate::python::PythonProgram;

/// The file that pins moto and what it runs on, with checksums.
const S3_SERVER: &str = "xtask/tools/s3-server.txt";

/// What the tests put in front of the database, and what they keep files in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Neighbours {
    pgbouncer: PathBuf,
    s3_server: PathBuf,
}

impl Neighbours {
    /// Tells a program where they are.
    pub(crate) fn pass_to<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command.env("A11YCHECK_PGBOUNCER", &self.pgbouncer).env("A11YCHECK_S3_SERVER", &self.s3_server)
    }
}

/// Finds them, or installs them; moto goes into the folder `target`.
///
/// # Errors
///
/// [`Error::ToolMissing`], those of [`Apt::install`] and of [`PythonProgram::ensure`].
pub(crate) fn ensure(machine: &Machine, apt: Option<&mut Apt<'_>>) -> Result<Neighbours, Error> {
    const PGBOUNCER: &str = "pgbouncer";
    // Debian has it where only root's PATH leads.
    let pgbouncer = match machine.system_program(PGBOUNCER) {
        Some(found) => found,
        None => {
            program::install(apt, PGBOUNCER, PGBOUNCER)?;
            let missing = Error::ToolMissing { program: PGBOUNCER, package: PGBOUNCER };
            machine.system_program(PGBOUNCER).ok_or(missing)?
        }
    };
    let s3_server = s3_server(&machine.root.join(S3_SERVER)).ensure(machine, &machine.root.join("target/s3-server"))?;
    Ok(Neighbours { pgbouncer, s3_server })
}

fn s3_server(pins: &Path) -> PythonProgram<'_> {
    const INSTALL: [&str; 4] = ["--no-deps", "--only-binary=:all:", "--require-hashes", "-r"];
    PythonProgram { name: "moto, an S3 server,", program: "moto_server", install: &INSTALL, pins }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::fixture::Bench;

    use super::*;

    fn ensure_on(bench: &Bench) -> Result<Neighbours, Error> {
        let machine = bench.machine();
        ensure(&machine, Apt::find(&machine).as_mut())
    }

    #[test]
    fn this_repository_pins_every_package_of_the_s3_server_with_checksums() {
        let pinned = fs::read_to_string(Machine::here().root.join(S3_SERVER)).unwrap();
        let pins = pinned.replace("\\\n", " ");
        let pins: Vec<_> = pins.lines().filter(|line| line.contains("==")).collect();
        assert!(pins.iter().any(|pin| pin.starts_with("moto==")), "{pins:?}");
        assert!(pins.iter().all(|pin| pin.contains("--hash=sha256:")), "{pins:?}");
    }

    #[test]
    fn a_bare_debian_gets_both_once() {
        let bench = Bench::debian();
        bench.pin_packages();
        let first = ensure_on(&bench).unwrap();
        assert!(first.pgbouncer.is_file() && first.s3_server.is_file());
        let installed = |bench: &Bench| (bench.log("apt-get"), bench.log("python3"));
        let logs = installed(&bench);
        assert!(logs.0.iter().any(|line| line.ends_with(" pgbouncer")), "{:?}", logs.0);
        assert_eq!(ensure_on(&bench).unwrap(), first);
        assert_eq!(installed(&bench), logs);
    }

    #[test]
    fn a_pooler_where_only_roots_path_leads_is_found() {
        let bench = Bench::new();
        bench.pin_packages();
        bench.add("python3", "python3");
        let folder = bench.add_system_program("pgbouncer");
        assert_eq!(ensure_on(&bench).unwrap().pgbouncer, folder.join("pgbouncer"));
    }

    #[test]
    fn without_a_package_installer_the_error_names_program_and_package() {
        let error = ensure(&Bench::new().machine(), None).unwrap_err().to_string();
        assert!(error.contains("pgbouncer"), "{error}");
    }
}
