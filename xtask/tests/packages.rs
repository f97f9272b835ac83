//! What a registry of crates wants of our packages, and what `rust-version` promises.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Returns cargo's description of the workspace and its dependencies.
fn metadata() -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo.args(["metadata", "--format-version", "1", "--locked"]).current_dir(root).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn packages(metadata: &Value) -> &[Value] {
    metadata["packages"].as_array().unwrap()
}

fn is_ours(package: &Value) -> bool {
    package["source"].is_null()
}

/// Of ours, those that are published: the others say `publish = false`.
fn published(metadata: &Value) -> impl Iterator<Item = &Value> {
    packages(metadata).iter().filter(|package| is_ours(package) && package["publish"].is_null())
}

#[test]
fn every_package_that_is_published_says_what_a_registry_asks_for() {
    let metadata = metadata();
    assert!(published(&metadata).count() >= 5);
    for package in published(&metadata) {
        let name = package["name"].as_str().unwrap();
        for field in ["description", "documentation", "license", "readme", "rust_version"] {
            assert!(package[field].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {field}");
        }
        // The bounds of crates.io.
        let words = package["keywords"].as_array().unwrap();
        assert!(
            (1..=5).contains(&words.len()) && words.iter().all(|word| word.as_str().unwrap().len() <= 20),
            "{name}: {words:?}"
        );
        assert!((1..=5).contains(&package["categories"].as_array().unwrap().len()), "{name} has no category");
        assert_eq!(package["metadata"]["docs"]["rs"]["all-features"], true, "{name}");
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        // Links, which cargo follows: an archive holds the texts.
        for (file, words) in [("LICENSE-APACHE", "Apache License"), ("LICENSE-MIT", "Permission is hereby granted")] {
            let text = fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{name}, {file}: {error}"));
            assert!(text.contains(words), "{name}: {file}");
        }
        assert!(folder.join(package["readme"].as_str().unwrap()).is_file(), "{name} has no readme");
    }
}

/// Whoever publishes one needs the others in the registry first: what they depend on by path alone can't be there.
#[test]
fn packages_that_are_published_depend_on_such_packages_by_version() {
    let metadata = metadata();
    let names: Vec<&str> = published(&metadata).map(|package| package["name"].as_str().unwrap()).collect();
    for package in published(&metadata) {
        let all = package["dependencies"].as_array().unwrap();
        for needed in all.iter().filter(|needed| needed["path"].is_string() && needed["kind"] != "dev") {
            let named = needed["name"].as_str().unwrap();
            assert!(
                names.contains(&named) && needed["req"] != "*",
                "{} needs {named} {}",
                package["name"],
                needed["req"]
            );
        }
    }
}

/// An archive lacks what is read at compile time from beyond the package's folder, and what only set-up fetches.
///
/// The archives are checked in a copy of our workspace, where each stands for the package that it was made of: its siblings come from
/// archives, too, as they would from a registry. The packages that are not published are members of the copy for the sake of the features
/// that third-party crates get. With the same choice of targets as in the step "Documentation", these are what lints have compiled
/// already, so that nothing but our own code is compiled here. The folder's name is always the same: cargo would leave files in the
/// target folder for each new one.
#[test]
fn every_package_that_is_published_compiles_from_its_own_archive() {
    let metadata = metadata();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("archives");
    if copy.exists() {
        fs::remove_dir_all(&copy).unwrap();
    }
    fs::create_dir(&copy).unwrap();
    let run = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["package", "--no-verify", "--allow-dirty", "--offline", "--target-dir"]).arg(&copy).current_dir(root);
    for package in published(&metadata) {
        cargo.args(["--package", package["name"].as_str().unwrap()]);
    }
    run(&mut cargo);

    let mut manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let mut patches = String::new();
    for package in packages(&metadata).iter().filter(|package| is_ours(package)) {
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        let member = folder.file_name().unwrap().to_str().unwrap();
        let (name, version) = (package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        let archive = format!("package/{name}-{version}");
        if package["publish"].is_null() {
            // Not with the times of the archive, which are older than what cargo has compiled before.
            let mut tar = Command::new("tar");
            run(tar.args(["-xmzf", &format!("{name}-{version}.crate")]).current_dir(copy.join("package")));
            manifest = manifest.replace(&format!("\"{member}\""), &format!("\"{archive}\""));
            writeln!(patches, "{name} = {{ path = \"{archive}\" }}").unwrap();
        } else {
            symlink(folder, copy.join(member)).unwrap();
        }
    }
    fs::write(copy.join("Cargo.toml"), format!("{manifest}\n[patch.crates-io]\n{patches}")).unwrap();
    fs::copy(root.join("Cargo.lock"), copy.join("Cargo.lock")).unwrap();

    let mut cargo = Command::new(env!("CARGO"));
    // What describes this test's package, the build script of `ring` reads: it and all that depends on it would be compiled once more,
    // and again by the next cargo that is not told.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            cargo.env_remove(name);
        }
    }
    cargo.args(["check", "--workspace", "--lib", "--bins", "--example", "embed", "--offline", "--target-dir"]);
    run(cargo.arg(metadata["target_directory"].as_str().unwrap()).current_dir(&copy));
}

/// Clippy's `incompatible_msrv` checks the same of our own code.
#[test]
fn no_dependency_needs_a_newer_rust_than_we_say() {
    let version = |text: &str| -> Vec<u32> {
        // 1.94 is 1.94.0.
        let parts = text.split('.').map(|part| part.parse().unwrap()).chain([0, 0]);
        parts.take(3).collect()
    };
    let metadata = metadata();
    let declared = |package: &Value| package["rust_version"].as_str().map(version);
    let promised = published(&metadata).filter_map(declared).min().unwrap();
    for package in packages(&metadata).iter().filter(|package| !is_ours(package)) {
        let needed = declared(package).unwrap_or_default();
        assert!(
            needed <= promised,
            "{} {} needs Rust {}",
            package["name"],
            package["version"],
            package["rust_version"]
        );
    }
}
