//! Finds axe-core in the version that `package-lock.json` pins, or installs it with npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::apt::Apt;
use crate::command::run;
use crate::error::Error;
use crate::machine::Machine;

/// Debian's package of npm; it brings Node.js.
const PACKAGE: &str = "npm";

/// axe-core, ready to be loaded into a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Axe {
    /// The script, as an absolute path.
    pub(crate) script: PathBuf,
    /// Where it comes from, for the user: its version, or that the environment names it.
    pub(crate) origin: String,
}

/// The script that `A11YCHECK_AXE` names, else the pinned one, which is installed unless it is there.
///
/// # Errors
///
/// [`Error::ConfiguredAxe`], [`Error::LockUnreadable`], [`Error::LockWithoutAxe`], [`Error::NpmMissing`], [`Error::Npm`],
/// [`Error::AxeStillMissing`], and those of [`Apt::install`].
pub(crate) fn ensure(machine: &Machine, apt: Option<&mut Apt<'_>>) -> Result<Axe, Error> {
    if let Some(path) = &machine.axe {
        let path = PathBuf::from(path);
        // Resolved, because tests run in other folders.
        let script = path.canonicalize().map_err(|source| Error::ConfiguredAxe { path, source })?;
        return Ok(Axe { script, origin: "named by A11YCHECK_AXE".to_owned() });
    }
    let version = pinned_version(&machine.root.join("package-lock.json"))?;
    let folder = machine.root.join("node_modules/axe-core");
    if !holds(&folder, &version) {
        eprintln!("==> axe-core {version} is not in node_modules: installing it");
        npm_ci(machine, apt)?;
        if !holds(&folder, &version) {
            return Err(Error::AxeStillMissing { version, folder });
        }
    }
    Ok(Axe { script: folder.join("axe.min.js"), origin: version })
}

fn pinned_version(lock: &Path) -> Result<String, Error> {
    let text = fs::read(lock).map_err(|source| Error::LockUnreadable { path: lock.into(), source })?;
    version_in_lock(&text).ok_or_else(|| Error::LockWithoutAxe { path: lock.into() })
}

fn version_in_lock(text: &[u8]) -> Option<String> {
    let lock: Value = serde_json::from_slice(text).ok()?;
    Some(lock["packages"]["node_modules/axe-core"]["version"].as_str()?.to_owned())
}

/// Whether this version lies in the folder. Anything unreadable counts as absent: npm puts it right.
fn holds(folder: &Path, version: &str) -> bool {
    let manifest = fs::read(folder.join("package.json")).ok().and_then(|text| serde_json::from_slice(&text).ok());
    manifest.is_some_and(|manifest: Value| manifest["version"] == version) && folder.join("axe.min.js").is_file()
}

fn npm_ci(machine: &Machine, apt: Option<&mut Apt<'_>>) -> Result<(), Error> {
    let npm = npm(machine, apt)?;
    // npm compares the content with the lock's checksum; no script of the package runs.
    let status = run(Command::new(npm).args(["ci", "--ignore-scripts"]).current_dir(&machine.root))?;
    if status.success() { Ok(()) } else { Err(Error::Npm { status }) }
}

/// npm, which is installed unless it is there.
fn npm(machine: &Machine, apt: Option<&mut Apt<'_>>) -> Result<PathBuf, Error> {
    if let Some(npm) = machine.program("npm") {
        return Ok(npm);
    }
    let apt = apt.ok_or(Error::NpmMissing)?;
    eprintln!("==> npm was not found: installing it");
    apt.install(PACKAGE)?;
    machine.program("npm").ok_or(Error::NpmMissing)
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    fn ensure_on(bench: &Bench) -> Result<Axe, Error> {
        let machine = bench.machine();
        ensure(&machine, Apt::find(&machine).as_mut())
    }

    #[test]
    fn this_repository_pins_an_exact_version_with_its_checksum() {
        let root = Machine::here().root;
        let pinned = pinned_version(&root.join("package-lock.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&fs::read(root.join("package.json")).unwrap()).unwrap();
        assert_eq!(manifest["dependencies"]["axe-core"], pinned.as_str());
        let lock: Value = serde_json::from_slice(&fs::read(root.join("package-lock.json")).unwrap()).unwrap();
        let package = &lock["packages"]["node_modules/axe-core"];
        assert!(package["integrity"].as_str().unwrap().starts_with("sha512-"));
        assert!(package.get("resolved").is_none(), "the lock must hold behind any registry");
        let notices = fs::read_to_string(root.join("NOTICES.md")).unwrap();
        let named = format!("axe-core ({})", package["license"].as_str().unwrap());
        assert!(notices.contains(&named), "npm names another licence than NOTICES.md: {named}");
    }

    #[test]
    fn the_pinned_version_is_installed_once() {
        let bench = Bench::new();
        bench.add("npm", "npm");
        let first = ensure_on(&bench).unwrap();
        assert_eq!(first.origin, "4.14.1");
        assert!(first.script.is_file());
        assert_eq!(ensure_on(&bench).unwrap(), first);
        assert_eq!(bench.log("npm"), ["ci --ignore-scripts"]);
    }

    #[test]
    fn another_version_or_a_torn_installation_is_replaced() {
        for (version, script) in [("4.10.0", "axe.min.js"), ("4.14.1", "axe.js")] {
            let bench = Bench::new();
            bench.add("npm", "npm");
            bench.add_axe(version, script);
            ensure_on(&bench).unwrap();
            assert_eq!(bench.log("npm"), ["ci --ignore-scripts"], "{version} {script}");
        }
    }

    #[test]
    fn on_debian_a_missing_npm_is_installed() {
        let bench = Bench::debian();
        ensure_on(&bench).unwrap();
        assert!(bench.log("apt-get").last().unwrap().ends_with("install -y --no-install-recommends npm"));
        assert_eq!(bench.log("npm"), ["ci --ignore-scripts"]);
    }

    #[test]
    fn without_npm_or_a_package_installer_the_error_names_what_to_install() {
        let error = ensure_on(&Bench::new()).unwrap_err();
        assert!(error.to_string().contains("install Node.js with npm"), "{error}");
    }

    #[test]
    fn npm_that_fails_is_an_error() {
        let bench = Bench::new();
        bench.add("npm", "fails");
        assert!(matches!(ensure_on(&bench).unwrap_err(), Error::Npm { .. }));
    }

    #[test]
    fn npm_that_installs_nothing_is_an_error() {
        let bench = Bench::new();
        bench.add("npm", "says-nothing");
        assert!(matches!(ensure_on(&bench).unwrap_err(), Error::AxeStillMissing { .. }));
    }

    #[test]
    fn a_configured_script_needs_no_npm() {
        let bench = Bench::new();
        bench.add_axe("4.10.0", "axe.min.js");
        let mut machine = bench.machine();
        let script = machine.root.join("node_modules/axe-core/axe.min.js");
        machine.axe = Some(script.clone().into());
        assert_eq!(ensure(&machine, None).unwrap().script, script.canonicalize().unwrap());
        machine.axe = Some("/nowhere/axe.min.js".into());
        assert!(ensure(&machine, None).unwrap_err().to_string().contains("/nowhere/axe.min.js"));
    }

    #[test]
    fn a_lock_without_axe_core_is_an_error() {
        assert_eq!(version_in_lock(b"{}"), None);
        assert_eq!(version_in_lock(b"not json"), None);
    }
}
