//! `cargo xtask setup`: a browser with a font, and axe-core.

use std::path::PathBuf;
use std::process::Command;

use crate::apt::Apt;
use crate::error::Error;
use crate::machine::Machine;
use crate::{axe, browser, fonts};

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
        assert_eq!(apt.len(), 4, "the lists, a browser, a font and npm: {apt:?}");

        assert_eq!(run(&bench.machine()).unwrap(), first);
        assert_eq!((bench.log("apt-get"), bench.log("npm")), (apt, npm));
    }
}
