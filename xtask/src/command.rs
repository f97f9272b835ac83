//! Runs other programs, and says so first.

use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::error::Error;

/// Announces the command, runs it to its end with our own input and output, and gives how it ended.
pub(crate) fn run(command: &mut Command) -> Result<ExitStatus, Error> {
    eprintln!("    running {}", shown(command));
    command.status().map_err(|source| Error::Start { program: command.get_program().into(), source })
}

/// The command as one would type it: the program without its folder, and nothing quoted.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = [name].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
