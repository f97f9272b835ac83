//! What the commands know of the machine they run on.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, stdin};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The surroundings of a command, read once, so that a test can describe other ones.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    /// The workspace's folder.
    pub(crate) root: PathBuf,
    /// The environment of all programs that are started.
    pub(crate) environment: BTreeMap<OsString, OsString>,
    /// Says if someone can type a password.
    pub(crate) attendance: Attendance,
    /// The time that a browser has to answer. On a cold disk it takes a few seconds; one that waits for a question never answers.
    pub(crate) patience: Duration,
}

/// Says if someone watches the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attendance {
    /// Standard input is a terminal.
    Attended,
    /// The caller is a script, or continuous integration (`CI=true`), where nobody answers a question.
    Unattended,
}

impl Machine {
    /// The machine as it is.
    pub(crate) fn here() -> Self {
        let mut environment: BTreeMap<_, _> = env::vars_os().filter(|(name, _)| !is_of_our_package(name)).collect();
        environment.insert("PATH".into(), without_relative_folders(&env::var_os("PATH").unwrap_or_default()));
        let is_unattended = env::var_os("CI").is_some_and(|value| value == "true") || !stdin().is_terminal();
        Self {
            root: Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default(),
            environment,
            attendance: if is_unattended { Attendance::Unattended } else { Attendance::Attended },
            patience: Duration::from_secs(20),
        }
    }

    /// The value of a variable, unless it is empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.environment.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The folder in which the system keeps the data of services.
    pub(crate) fn service_data(&self) -> PathBuf {
        Path::new(self.variable("SETUP_SYSTEM_ROOT").unwrap_or(OsStr::new("/"))).join("var/lib")
    }

    /// Returns a command, whose program is looked up in `PATH` unless it has a folder.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.environment);
        command
    }

    /// Returns a command that root runs as another user.
    pub(crate) fn command_as(&self, user: &str, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.command("setpriv");
        command.args([&format!("--reuid={user}"), &format!("--regid={user}"), "--clear-groups", "--"]).arg(program);
        command
    }

    /// Returns the cargo that runs us, in the workspace's folder.
    pub(crate) fn cargo(&self) -> Command {
        let mut cargo = self.command(self.variable("CARGO").unwrap_or(OsStr::new("cargo")));
        cargo.current_dir(&self.root);
        cargo
    }

    /// Returns a script of the workspace.
    pub(crate) fn script(&self, path: &str) -> Command {
        let mut script = self.command("sh");
        script.arg(self.root.join(path));
        script
    }

    /// Says if we may do everything.
    pub(crate) fn is_root(&self) -> bool {
        self.command("id").arg("-u").output().is_ok_and(|user| user.stdout.trim_ascii() == b"0")
    }
}

/// Says if `cargo run` set this variable to describe us. Another cargo that is given them builds `ring` again, whose build script reads
/// them, and all that depends on it; and so does the next that is not.
fn is_of_our_package(name: &OsStr) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| name.as_encoded_bytes().starts_with(prefix.as_bytes()))
}

/// Removes relative and empty entries of `PATH`: programs must not depend on the folder in which a command is called.
fn without_relative_folders(path: &OsStr) -> OsString {
    let absolute = env::split_paths(path).filter(|folder| folder.is_absolute());
    env::join_paths(absolute).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever calls `cargo test` and `cargo xtask test` in turns would else wait for 28 crates each time.
    #[test]
    fn what_describes_this_program_is_not_passed_on() {
        let passed_on: Vec<_> =
            Machine::here().environment.into_keys().filter(|name| is_of_our_package(name)).collect();
        assert!(passed_on.is_empty(), "{passed_on:?}");
        let ours = |name: &str| is_of_our_package(name.as_ref());
        assert!(ours("CARGO_PKG_NAME") && ours("CARGO_MANIFEST_DIR"));
        assert!(!ours("CARGO") && !ours("CARGO_HOME") && !ours("CARGO_INCREMENTAL"));
    }

    #[test]
    fn programs_of_the_current_folder_are_never_found() {
        assert_eq!(without_relative_folders("relative::/usr/bin:./bin:/bin:".as_ref()), "/usr/bin:/bin");
    }
}
