//! The arrows of ARCHITECTURE.md, read from the dependencies that cargo lists for each part and from the sources.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod citations;
mod inside;
mod sources;

use std::{collections::BTreeSet, process::Command};

/// Returns the crates that `package` pulls in, including the dependencies of its dependencies, without tests and build
/// scripts.
fn pulled_in(package: &str, features: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap();
    let tree = Command::new(cargo)
        .args(["tree", "--offline", "--edges", "normal", "--prefix", "none", "--format", "{p}", "--package", package])
        .args(features)
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).unwrap();
    text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

fn parts(package: &str) -> Vec<String> {
    let own = pulled_in(package, &[]).into_iter().filter(|name| name.starts_with("a11ycheck-") && name != package);
    own.collect()
}

#[test]
fn an_embedder_of_core_alone_gets_no_http_server_no_sql_and_no_browser() {
    const HEAVY: &[&str] =
        &["warp", "sqlx", "sqlx-core", "schemars", "chromiumoxide", "headless_chrome", "a11ycheck-scanner-chromium"];
    // Crates that come with features can be left out.
    const OPTIONAL: &[&str] = &["hyper", "hyper-util", "reqwest", "rustls", "ring", "h2"];
    let with_default_features = pulled_in("a11ycheck-core", &[]);
    let without = pulled_in("a11ycheck-core", &["--no-default-features"]);
    for name in HEAVY {
        assert!(!with_default_features.contains(*name) && !without.contains(*name), "core pulls in {name}");
    }
    for name in OPTIONAL {
        assert!(!without.contains(*name), "core pulls in {name} without being asked to");
    }
}

#[test]
fn a_store_or_a_scanner_asks_for_no_feature_that_an_embedder_left_out() {
    // A crate that only a feature of core brings; the scanner's crawler has its own use for reqwest, and so has an
    // object store.
    for (part, features, marks) in [
        ("a11ycheck-storage-memory", &[][..], &["reqwest", "printpdf", "schemars"][..]),
        ("a11ycheck-storage-postgres", &[], &["printpdf", "schemars"]),
        (
            "a11ycheck-storage-postgres",
            &["--no-default-features"],
            &["reqwest", "object_store", "printpdf", "sqlx-sqlite"],
        ),
        ("a11ycheck-storage-sqlite", &[], &["reqwest", "printpdf", "schemars", "sqlx-postgres"]),
        ("a11ycheck-scanner-chromium", &[], &["printpdf", "schemars"]),
    ] {
        let crates = pulled_in(part, features);
        assert!(!marks.iter().any(|mark| crates.contains(*mark)), "{part} turns features of core on");
    }
}

#[test]
fn stores_and_scanners_know_core_and_not_each_other() {
    // Core signs its own requests.
    const CORE: [&str; 2] = ["a11ycheck-core", "a11ycheck-signing"];
    assert_eq!(parts("a11ycheck-signing"), [""; 0]);
    assert_eq!(parts("a11ycheck-core"), ["a11ycheck-signing"]);
    assert_eq!(parts("a11ycheck-api-v1"), CORE);
    assert_eq!(parts("a11ycheck-storage-memory"), CORE);
    assert_eq!(parts("a11ycheck-storage-postgres"), CORE);
    assert_eq!(parts("a11ycheck-storage-sqlite"), CORE);
    assert_eq!(parts("a11ycheck-scanner-chromium"), CORE);
    assert_eq!(parts("a11ycheck-storage-testkit"), CORE);
}

#[test]
fn the_command_line_needs_no_server_and_no_database() {
    let crates = pulled_in("a11ycheck-cli", &[]);
    for name in ["warp", "sqlx", "sqlx-core", "a11ycheck-api-v1", "a11ycheck-server-warp", "schemars"] {
        assert!(!crates.contains(name), "the command line pulls in {name}");
    }
}

#[test]
fn the_facade_brings_the_parts_that_are_asked_for_and_no_other() {
    const CORE: [&str; 2] = ["a11ycheck-core", "a11ycheck-signing"];
    for (features, brought) in [
        ("dns", &[][..]),
        ("chromium", &["a11ycheck-scanner-chromium"]),
        ("memory", &["a11ycheck-storage-memory"]),
        ("pdf", &[]),
        ("postgres", &["a11ycheck-storage-postgres"]),
        ("sqlite", &["a11ycheck-storage-sqlite"]),
        ("testing", &["a11ycheck-storage-memory", "a11ycheck-storage-testkit"]),
        ("webhooks", &["a11ycheck-api-v1"]),
    ] {
        let crates = pulled_in("a11ycheck", &["--no-default-features", "--features", features]);
        let ours: BTreeSet<_> =
            crates.iter().filter(|name| name.starts_with("a11ycheck-")).map(String::as_str).collect();
        assert_eq!(ours, CORE.iter().chain(brought).copied().collect(), "{features}");
        let has_pdf = crates.contains("printpdf");
        assert_eq!(has_pdf, features == "pdf", "{features}");
    }
    let by_default = pulled_in("a11ycheck", &[]);
    assert!(by_default.contains("hickory-resolver") && !by_default.contains("reqwest"), "{by_default:?}");
}

#[test]
fn a_receiver_of_webhooks_gets_no_more_than_it_takes_to_verify_them() {
    let crates = pulled_in("a11ycheck-signing", &[]);
    for name in ["tokio", "chrono", "serde_json", "url"] {
        assert!(!crates.contains(name), "signing pulls in {name}");
    }
}

/// Cargo turns a feature on for the whole program of an embedder: every map of that program's `serde_json` would change
/// its order, its type and its cost. Our tests are included in the question, since they would hide that an order
/// depends on it.
#[test]
fn nothing_changes_the_maps_of_a_hosts_serde_json() {
    let cargo = std::env::var_os("CARGO").unwrap();
    let mut tree = Command::new(cargo);
    tree.args(["tree", "--offline", "--workspace", "--edges", "features", "--invert", "serde_json", "--depth", "3"]);
    let tree = tree.output().unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).unwrap();
    assert!(text.contains("serde_json feature \"std\""), "features are read: {text}");
    assert!(!text.contains("serde_json feature \"preserve_order\""), "{text}");
}

/// A version would have cargo look for it in the registry when the crate is packaged, and the suites of the test kit and the
/// stores that run them could then never be published for the first time.
#[test]
fn our_own_crates_are_among_dev_dependencies_by_path_alone() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    for folder in [
        "a11ycheck",
        "account-web",
        "api-v1",
        "cli",
        "core",
        "signing",
        "storage-memory",
        "storage-postgres",
        "storage-sqlite",
        "storage-testkit",
        "scanner-chromium",
    ] {
        let manifest = std::fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap();
        let from = manifest.split_once("[dev-dependencies]\n").map(|(_, after)| after).unwrap_or_default();
        let lines = from.lines().take_while(|line| !line.starts_with('['));
        for line in lines.filter(|line| line.starts_with("a11ycheck-")) {
            assert!(line.contains("path = ") && !line.contains("version"), "{folder} names {line}");
        }
    }
}

#[test]
fn the_domain_does_no_io_and_reads_no_clock() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/src/domain");
    for path in rust_files(std::path::Path::new(folder)) {
        let text = std::fs::read_to_string(&path).unwrap();
        let code =
            text.split("#[cfg(test)]").next().unwrap().lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = code.collect::<Vec<_>>().join("\n");
        for word in ["async fn", ".await", "dyn ", "Utc::now", "SystemTime", "Instant::now", "std::fs", "tokio"] {
            assert!(!code.contains(word), "{} has `{word}`", path.display());
        }
    }
}

#[test]
fn no_part_names_what_it_must_not_know() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for (folder, words) in [
        ("core/src", &["warp::", "sqlx::", "chromium"][..]),
        ("signing/src", &["a11ycheck_core", "a11ycheck_storage", "a11ycheck_scanner"]),
        ("api-v1/src", &["warp::", "hyper::", "a11ycheck_storage", "a11ycheck_scanner"]),
        (
            "account-web/src",
            &["warp::", "hyper::", "a11ycheck_storage", "a11ycheck_scanner", "a11ycheck_server", "a11ycheck_api_v1"],
        ),
        ("storage-memory/src", &["warp::", "a11ycheck_scanner"]),
        ("storage-postgres/src", &["warp::", "a11ycheck_scanner"]),
        ("storage-sqlite/src", &["warp::", "a11ycheck_scanner"]),
        ("storage-testkit/src", &["warp::", "sqlx::", "a11ycheck_storage_memory", "a11ycheck_scanner"]),
        ("scanner-chromium/src", &["warp::", "a11ycheck_storage", "a11ycheck_server"]),
        ("cli/src", &["warp::", "sqlx::", "a11ycheck_storage", "a11ycheck_server", "a11ycheck_api_v1"]),
        ("server-warp/src/routes", &["a11ycheck_storage", "a11ycheck_scanner"]),
    ] {
        for path in rust_files(&std::path::Path::new(root).join(folder)) {
            let text = std::fs::read_to_string(&path).unwrap();
            for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
                for word in words {
                    assert!(!line.contains(word), "{} names `{word}`: {line}", path.display());
                }
            }
        }
    }
}

fn rust_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    found.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}
