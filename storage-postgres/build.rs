//! Recompiles the crate when a migration is added: `migrate!` alone does not notice a new file.

#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
