//! The command `a11ycheck`.

use std::process::ExitCode;

fn main() -> ExitCode {
    a11ycheck_cli::program::main()
}
