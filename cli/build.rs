//! Finds the axe-core that the feature `embed-axe` puts into the program.

#![expect(clippy::panic, reason = "cargo shows the message of a build script that panics")]

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The release whose rules the catalogue knows; the scanner asks for the same one.
const BANNER: &str = "/*! axe v4.14.";

fn main() {
    println!("cargo::rerun-if-env-changed=A11YCHECK_EMBEDDED_AXE");
    if env::var_os("CARGO_FEATURE_EMBED_AXE").is_none() {
        return;
    }
    let file = file();
    println!("cargo::rerun-if-changed={}", file.display());
    println!("cargo::rustc-env=A11YCHECK_EMBEDDED_AXE_FILE={}", file.display());
}

/// Returns the file that is embedded, as it is.
fn file() -> PathBuf {
    if env::var_os("DOCS_RS").is_some() {
        // Documentation is built where nothing can be fetched, and is of no other content for it.
        let file = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("none.js");
        fs::write(&file, "").unwrap_or_else(|error| panic!("{} could not be written: {error}", file.display()));
        return file;
    }
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/axe-core/axe.min.js");
    let named = env::var_os("A11YCHECK_EMBEDDED_AXE").map_or(fetched, PathBuf::from);
    let file = named.canonicalize().unwrap_or_else(|error| {
        panic!(
            "the feature embed-axe needs axe-core 4.14 at {}: {error}. `cargo xtask setup` fetches it, and A11YCHECK_EMBEDDED_AXE may \
             name another axe.min.js",
            named.display()
        )
    });
    let text =
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{} could not be read: {error}", file.display()));
    assert!(
        text.starts_with(BANNER) && text.contains("Mozilla Public"),
        "{} is no axe.min.js of release 4.14 with the notice of its licence",
        file.display()
    );
    file
}
