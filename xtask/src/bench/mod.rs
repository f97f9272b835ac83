//! `cargo xtask bench …`: how fast things are, and whether they stay so. What is measured is the machine's, so a bench prints
//! and judges no time.

mod scan;
mod store;

use std::ffi::OsString;

use clap::Subcommand;

use crate::error::Error;
use crate::machine::Machine;

/// What is measured.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// The scanner on real pages, beside axe-core run by a bare script
    Scan(scan::Arguments),
    /// The store's steps on PostgreSQL, with 20,000 checks and with 2,000,000; fails where a statement reads a table whole.
    /// Takes some minutes, and 6 GB of disk until it ends
    #[command(disable_help_flag = true)]
    Store {
        /// For the bench itself: `--factor N` (in place of 100), `--plans` (every plan in full)
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

/// Runs a bench.
///
/// # Errors
///
/// Those of [`scan::run`] and [`store::run`].
pub(crate) fn run(machine: &Machine, bench: &Bench) -> Result<(), Error> {
    match bench {
        Bench::Scan(arguments) => scan::run(machine, arguments),
        Bench::Store { arguments } => store::run(machine, arguments),
    }
}
