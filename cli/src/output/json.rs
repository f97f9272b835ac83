//! The whole run as JSON, which [`Run::read`](crate::run::Run::read) reads again.

use std::io::{self, Write};

use super::safe::JsonWithoutCommands;
use crate::run::Run;

pub(super) fn write(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    pretty(run, out)
}

/// Writes any value as JSON over several lines, without anything that a CI runner takes for a command.
pub(super) fn pretty(value: &impl serde::Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = JsonWithoutCommands::new(out);
    serde_json::to_writer_pretty(&mut out, value)?;
    out.write_all(b"\n")
}
