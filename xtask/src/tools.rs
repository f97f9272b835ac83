//! Programs that others wrote and that tests and benches use: `xtask/tools/install.sh` says which, and installs what the files beside
//! it pin. What it lacks of Debian's packages is installed here.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::apt::Apt;
use crate::command::run;
use crate::error::Error;
use crate::machine::Machine;
use crate::serve;

const INSTALL: &str = "xtask/tools/install.sh";
const SCHEMATHESIS: &str = "xtask/tools/schemathesis.sh";
/// What the script ends with when packages are missing.
const MISSING: i32 = 3;

/// The groups that `cargo test` needs.
pub(crate) const OF_TESTS: &[&str] = &["pdf", "exports", "neighbours"];

/// Variables that say where the programs are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tools(Vec<(String, String)>);

impl Tools {
    /// The program that a variable names; one that the script has forgotten does not start.
    pub(crate) fn program(&self, variable: &str) -> PathBuf {
        self.0.iter().find(|(name, _)| name == variable).map_or_else(|| variable.into(), |(_, value)| value.into())
    }

    /// Tells a program where they are.
    pub(crate) fn pass_to<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command.envs(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Finds the programs of these groups, or installs them below `target`.
///
/// # Errors
///
/// [`Error::Script`] when the script fails, or lacks packages and nothing installs them, or lacks them still; [`Error::Start`], and those
/// of [`Apt::install`].
pub(crate) fn ensure(machine: &Machine, groups: &[&str]) -> Result<Tools, Error> {
    let mut installed = BTreeSet::new();
    loop {
        let mut script = Command::new("/bin/sh");
        script.arg(machine.root.join(INSTALL)).args(groups).stdin(Stdio::null()).stderr(Stdio::inherit());
        script.env("PATH", &machine.path).env("CARGO", &machine.cargo);
        let output = script.output().map_err(|source| Error::Start { program: INSTALL.into(), source })?;
        let answer = String::from_utf8_lossy(&output.stdout);
        if output.status.success() {
            return Ok(Tools(answer.lines().filter_map(variable).collect()));
        }
        let failed = Err(Error::Script { script: INSTALL, status: output.status });
        let missing: Vec<_> = answer.lines().filter_map(|line| line.strip_prefix("missing ")).collect();
        // What has been installed and is missing still will not be there the next time either.
        let is_new = missing.iter().any(|package| !installed.contains(*package));
        let Some(mut apt) = Apt::find(machine).filter(|_| output.status.code() == Some(MISSING) && is_new) else {
            return failed;
        };
        for package in missing {
            apt.install(package)?;
            installed.insert(package.to_owned());
        }
    }
}

/// `export NAME='value'`.
fn variable(line: &str) -> Option<(String, String)> {
    let (name, value) = line.strip_prefix("export ")?.split_once('=')?;
    Some((name.to_owned(), value.strip_prefix('\'')?.strip_suffix('\'')?.to_owned()))
}

/// `cargo xtask schemathesis`: builds the server and has it compared with its OpenAPI document.
///
/// # Errors
///
/// Those of [`ensure`] and [`serve::build`], [`Error::Script`] and [`Error::Start`].
pub(crate) fn schemathesis(machine: &Machine) -> Result<(), Error> {
    let tools = ensure(machine, &["schemathesis"])?;
    let server = serve::build(machine)?;
    let mut script = Command::new("sh");
    let status = run(tools.pass_to(script.arg(machine.root.join(SCHEMATHESIS)).arg(server)))?;
    if status.success() { Ok(()) } else { Err(Error::Script { script: SCHEMATHESIS, status }) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::fixture::Bench;

    use super::*;

    fn pins(name: &str) -> Vec<String> {
        let text =
            fs::read_to_string(Machine::here().root.join("xtask/tools").join(name)).unwrap().replace("\\\n", " ");
        text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn this_repository_pins_every_package_and_names_no_place_of_one_machine() {
        for name in ["pdf-validator.txt", "markdown-reader.txt", "s3-server.txt"] {
            let pins = pins(name);
            assert!(
                !pins.is_empty() && pins.iter().all(|pin| pin.contains("==") && pin.contains(" --hash=sha256:")),
                "{name}"
            );
        }
        let schemathesis = pins("schemathesis.txt");
        assert!(schemathesis.iter().all(|pin| pin.split_once("==").is_some()), "{schemathesis:?}");
        let [checksum] = &pins("openacr.sha512")[..] else { panic!("one package") };
        assert_eq!(checksum.find("  "), Some(128), "{checksum}");
        for name in ["pages", "peers"] {
            let lock = fs::read(Machine::here().root.join("xtask/tools").join(name).join("package-lock.json")).unwrap();
            let lock: serde_json::Value = serde_json::from_slice(&lock).unwrap();
            let packages = lock["packages"].as_object().unwrap().iter().filter(|(path, _)| !path.is_empty());
            for (path, package) in packages {
                assert!(package["integrity"].is_string() && package.get("resolved").is_none(), "{name}: {path}");
            }
        }
    }

    #[test]
    fn the_scripts_are_understood_by_a_shell_that_knows_no_more_than_posix() {
        let root = Machine::here().root;
        for script in [INSTALL, SCHEMATHESIS, "xtask/bare/bare.sh", "xtask/bare/debian.sh", "xtask/src/postgres.sh"] {
            assert!(Command::new("sh").arg("-n").arg(root.join(script)).status().unwrap().success(), "{script}");
        }
    }

    #[test]
    fn a_bare_debian_gets_every_package_once() {
        let bench = Bench::debian();
        bench.add_tools();
        let machine = bench.machine();
        let tools = ensure(&machine, OF_TESTS).unwrap();
        assert_eq!(tools.0, [("A11YCHECK_POOLER".to_owned(), "/with a space/pgbouncer".to_owned())]);
        let apt = bench.log("apt-get");
        assert_eq!(apt.len(), 3, "the lists and two packages: {apt:?}");
        assert_eq!(ensure(&machine, OF_TESTS).unwrap(), tools);
        assert_eq!(bench.log("apt-get"), apt);
    }

    #[test]
    fn what_is_still_missing_after_it_was_installed_is_an_error() {
        let bench = Bench::debian();
        bench.add_tools();
        bench.withhold("tools");
        let error = ensure(&bench.machine(), OF_TESTS).unwrap_err();
        assert!(matches!(error, Error::Script { .. }) && error.to_string().contains("reports above"), "{error}");
        assert_eq!(bench.log("apt-get").len(), 3);
    }

    #[test]
    fn without_a_package_installer_the_script_has_said_what_to_install() {
        let bench = Bench::new();
        bench.add_tools();
        assert!(matches!(ensure(&bench.machine(), OF_TESTS).unwrap_err(), Error::Script { .. }));
    }
}
