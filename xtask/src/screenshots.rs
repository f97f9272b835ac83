//! `cargo xtask screenshots`: the pictures of the README, from the running interface.

use crate::command;
use crate::error::Error;
use crate::machine::Machine;
use crate::sandbox::Sandbox;
use crate::{serve, tools};

/// The program that takes the pictures.
const PROGRAM: &str = "a11ycheck-screenshots";

/// Takes the pictures into `docs/pictures`.
///
/// # Errors
///
/// Those of [`tools::ensure`], [`Sandbox::of_caller`], [`serve::build_beside`] and [`command::run`].
pub(crate) fn run(machine: &Machine) -> Result<(), Error> {
    let tools = tools::ensure(machine, &tools::OF_SERVER)?;
    let sandbox = Sandbox::of_caller(machine, &tools.chromium())?;
    sandbox.announce();
    let server = serve::build_beside(machine, PROGRAM)?;
    let mut camera = machine.command(server.with_file_name(PROGRAM));
    camera.arg(server).arg(machine.root.join("docs/pictures"));
    command::run(sandbox.pass_to(tools.pass_to(&mut camera)))
}
