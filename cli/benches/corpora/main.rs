//! How much of a public corpus of barriers the command finds: `cargo xtask bench act` and `cargo xtask bench barriers` run this.
//!
//! A corpus is a folder with pages and an `expected.json`, which says of each case what is wrong on its page, if anything. The folder is
//! served and checked with the command itself, and its formats `json` and `earl` are what is counted and handed on.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and stops when anything is wrong")]

mod act;
mod barriers;
mod corpus;
mod w3c;

use std::{collections::BTreeMap, fs, path::PathBuf};

use clap::{Parser, ValueEnum};

use self::{corpus::Checked, w3c::Published};

#[derive(Debug, Parser)]
#[command(about = "Counts what is found in a corpus of barriers; `cargo xtask bench act` and `bench barriers` run it")]
struct Arguments {
    /// The corpus
    kind: Kind,
    /// The folder with the pages and `expected.json`
    #[arg(long, value_name = "DIR")]
    cases: PathBuf,
    /// Writes the outcomes as EARL
    #[arg(long, value_name = "FILE")]
    earl: Option<PathBuf>,
    /// Keeps the run as JSON; counts the one that is there instead of checking again
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
    /// Reports that W3C has published of other implementations of ACT rules: they are counted again and compared, and the criteria of rules
    /// are taken from them
    #[arg(long, value_name = "FILE")]
    published: Vec<PathBuf>,
    /// The flag that cargo passes to each benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// W3C's test cases of ACT rules
    Act,
    /// Pages with one barrier each
    Barriers,
}

fn main() {
    let arguments = Arguments::parse();
    match arguments.kind {
        Kind::Act => {
            let mut required = BTreeMap::new();
            for path in &arguments.published {
                let published: Published = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
                for line in published.compare() {
                    println!("{line}");
                }
                required.extend(published.criteria());
            }
            act::count(&Checked::of(&arguments), &required);
        }
        Kind::Barriers => barriers::count(&Checked::of(&arguments)),
    }
}
