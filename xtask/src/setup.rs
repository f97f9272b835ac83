//! `cargo xtask setup`: a browser with a font, axe-core, and for the tests a database.

use std::path::PathBuf;
use std::process::Command;

use crate::apt::Apt;
use crate::error::Error;
use crate::machine::Machine;
use crate::postgres::{self, Database};
use crate::{axe, browser, fonts, program};

/// Programs with Debian's packages of them, for tests of secure sites and of proxies: NSS's tool, which makes the browser trust
/// an authority, OpenSSL and Python for sites with old suites, and a proxy that others wrote.
const FOR_TESTS: [(&str, &str); 4] =
    [("certutil", "libnss3-tools"), ("openssl", "openssl"), ("python3", "python3"), ("tinyproxy", "tinyproxy")];

/// What a check needs beside our own code, found and ready.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tools {
    /// The browser's program.
    pub(crate) chromium: PathBuf,
    /// axe-core's script.
    pub(crate) axe: PathBuf,
}

impl Tools {
    /// Tells a program where the tools are.
    pub(crate) fn pass_to<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command.env("A11YCHECK_CHROMIUM", &self.chromium).env("A11YCHECK_AXE", &self.axe)
    }
}

/// Installs what is missing, and says what is there.
///
/// # Errors
///
/// Those of [`browser::ensure`], [`fonts::ensure`] and [`axe::ensure`].
pub(crate) fn run(machine: &Machine) -> Result<Tools, Error> {
    let mut apt = Apt::find(machine);
    let browser = browser::ensure(machine, apt.as_mut())?;
    fonts::ensure(machine, apt.as_mut())?;
    eprintln!("browser:  {} ({})", browser.version, browser.program.display());
    let axe = axe::ensure(machine, apt.as_mut())?;
    eprintln!("axe-core: {} ({})", axe.origin, axe.script.display());
    Ok(Tools { chromium: browser.program, axe: axe.script })
}

/// The same, with what only the tests need.
///
/// # Errors
///
/// Those of [`run`], [`postgres::ensure`] and [`program::ensure`].
pub(crate) fn for_tests(machine: &Machine) -> Result<(Tools, Database), Error> {
    let tools = run(machine)?;
    let mut apt = Apt::find(machine);
    let database = postgres::ensure(machine, apt.as_mut())?;
    for (program, package) in FOR_TESTS {
        program::ensure(machine, apt.as_mut(), program, package)?;
    }
    eprintln!("database: {database}");
    Ok((tools, database))
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    #[test]
    fn a_bare_debian_is_set_up_whole_and_the_second_time_nothing_is_done() {
        let bench = Bench::debian();
        let first = run(&bench.machine()).unwrap();
        assert_eq!(first.chromium, bench.programs().join("chromium-headless-shell"));
        assert!(first.axe.is_file());
        let (apt, npm) = (bench.log("apt-get"), bench.log("npm"));
        assert_eq!(apt.len(), 5, "the lists, a browser, certificate authorities, a font and npm: {apt:?}");

        assert_eq!(run(&bench.machine()).unwrap(), first);
        assert_eq!((bench.log("apt-get"), bench.log("npm")), (apt, npm));
    }

    #[test]
    fn the_tests_need_a_database_too_and_a_server_needs_none() {
        let bench = Bench::debian();
        run(&bench.machine()).unwrap();
        assert!(!bench.log("apt-get").iter().any(|line| line.ends_with(" postgresql")));
        let first = for_tests(&bench.machine()).unwrap();
        let apt = bench.log("apt-get");
        assert!(apt.iter().any(|line| line.ends_with(" postgresql")), "{apt:?}");
        assert_eq!(for_tests(&bench.machine()).unwrap(), first);
        assert_eq!(bench.log("apt-get"), apt);
    }
}
