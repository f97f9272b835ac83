//! Programs and packages that tests need beside a browser and a database.

use std::path::PathBuf;

use crate::apt::Apt;
use crate::error::Error;
use crate::machine::Machine;

/// The program of this name, installed with Debian's package if it is missing.
///
/// # Errors
///
/// [`Error::ToolMissing`], and those of [`Apt::install`].
pub(crate) fn ensure(
    machine: &Machine,
    apt: Option<&mut Apt<'_>>,
    program: &'static str,
    package: &'static str,
) -> Result<PathBuf, Error> {
    if let Some(found) = machine.program(program) {
        return Ok(found);
    }
    install(apt, program, package)?;
    machine.program(program).ok_or(Error::ToolMissing { program, package })
}

/// Installs Debian's package, because `program` is missing.
///
/// # Errors
///
/// As [`ensure`].
pub(crate) fn install(apt: Option<&mut Apt<'_>>, program: &'static str, package: &'static str) -> Result<(), Error> {
    let apt = apt.ok_or(Error::ToolMissing { program, package })?;
    eprintln!("==> {program} was not found: installing {package}");
    apt.install(package)
}

/// The program of this name; where there is none, its start will say so.
pub(crate) fn found(machine: &Machine, program: &str) -> PathBuf {
    machine.program(program).unwrap_or_else(|| program.into())
}
