//! Debian's and Ubuntu's package installer.

use std::path::PathBuf;
use std::process::Command;

use crate::command::run;
use crate::error::Error;
use crate::machine::{Attendance, Machine};

/// `apt-get` of this machine, as root or through `sudo`.
#[derive(Debug)]
pub(crate) struct Apt<'machine> {
    machine: &'machine Machine,
    program: PathBuf,
    lists: Lists,
}

impl<'machine> Apt<'machine> {
    /// The installer, or `None` where there is no `apt-get`.
    pub(crate) fn find(machine: &'machine Machine) -> Option<Self> {
        let program = machine.program("apt-get")?;
        Some(Self { machine, program, lists: Lists::Unknown })
    }

    /// Installs one package without what it merely recommends.
    ///
    /// # Errors
    ///
    /// [`Error::SudoMissing`], [`Error::Apt`] and [`Error::Start`].
    pub(crate) fn install(&mut self, package: &str) -> Result<(), Error> {
        let right = self.right(package)?;
        if self.lists == Lists::Unknown {
            if !run(self.command(&right).arg("update"))?.success() {
                // One dead third-party source is no reason to stop: the installation decides.
                eprintln!("    not every list of packages could be fetched; trying to install all the same");
            }
            self.lists = Lists::Fetched;
        }
        let status = run(self.command(&right).args(["install", "-y", "--no-install-recommends", package]))?;
        if status.success() { Ok(()) } else { Err(Error::Apt { package: package.to_owned(), status }) }
    }

    fn right(&self, package: &str) -> Result<Right, Error> {
        if self.machine.is_root()? {
            return Ok(Right::Root);
        }
        let program = self.machine.program("sudo").ok_or_else(|| Error::SudoMissing { package: package.to_owned() })?;
        Ok(Right::Sudo { program, attendance: self.machine.attendance })
    }

    fn command(&self, right: &Right) -> Command {
        let mut command = match right {
            Right::Root => Command::new(&self.program),
            Right::Sudo { program, attendance } => {
                let mut sudo = Command::new(program);
                if *attendance == Attendance::Unattended {
                    sudo.arg("-n");
                }
                sudo.arg(&self.program);
                sudo
            }
        };
        // Another installation may hold the lock, above all on a machine that has just started.
        command.args(["-o", "DPkg::Lock::Timeout=300"]).env("DEBIAN_FRONTEND", "noninteractive");
        command
    }
}

/// The lists of packages are fetched once, before the first package: a fresh image has none.
#[derive(Debug, PartialEq, Eq)]
enum Lists {
    Unknown,
    Fetched,
}

/// By what right packages are installed.
#[derive(Debug)]
enum Right {
    Root,
    Sudo { program: PathBuf, attendance: Attendance },
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    #[test]
    fn the_lists_are_fetched_once_for_all_packages() {
        let bench = Bench::debian();
        let machine = bench.machine();
        let mut apt = Apt::find(&machine).unwrap();
        apt.install("fonts-dejavu-core").unwrap();
        apt.install("chromium").unwrap();
        assert_eq!(
            bench.log("apt-get"),
            [
                "-o DPkg::Lock::Timeout=300 update",
                "-o DPkg::Lock::Timeout=300 install -y --no-install-recommends fonts-dejavu-core",
                "-o DPkg::Lock::Timeout=300 install -y --no-install-recommends chromium",
            ]
        );
    }

    #[test]
    fn without_a_terminal_sudo_never_waits_for_a_password() {
        let bench = Bench::debian();
        bench.remove("id");
        bench.add("id", "id-user");
        bench.add("sudo", "sudo");
        let mut machine = bench.machine();
        Apt::find(&machine).unwrap().install("chromium").unwrap();
        assert!(bench.log("sudo").iter().all(|line| line.starts_with("-n ")), "{:?}", bench.log("sudo"));

        machine.attendance = Attendance::Attended;
        Apt::find(&machine).unwrap().install("chromium").unwrap();
        assert!(!bench.log("sudo").last().unwrap().starts_with("-n "), "{:?}", bench.log("sudo"));
    }

    #[test]
    fn an_ordinary_user_without_sudo_is_told_what_to_run_as_root() {
        let bench = Bench::debian();
        bench.remove("id");
        bench.add("id", "id-user");
        let machine = bench.machine();
        let error = Apt::find(&machine).unwrap().install("chromium").unwrap_err();
        assert!(error.to_string().contains("apt-get install --no-install-recommends chromium"), "{error}");
        assert_eq!(bench.log("apt-get"), [] as [&str; 0]);
    }

    #[test]
    fn an_unknown_package_is_an_error_that_names_it() {
        let bench = Bench::debian();
        let machine = bench.machine();
        let error = Apt::find(&machine).unwrap().install("no-such-package").unwrap_err();
        assert!(matches!(&error, Error::Apt { package, .. } if package == "no-such-package"), "{error}");
    }
}
