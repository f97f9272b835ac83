//! The command `a11ycheck`.

use clap::Parser;

/// Checks the accessibility of web pages.
#[derive(Debug, Parser)]
#[command(name = "a11ycheck", version)]
struct Arguments {}

fn main() {
    let Arguments {} = Arguments::parse();
}
