//! A machine to try things on: a temporary system with a `PATH` of one folder and a workspace, and with programs of `xtask/fixtures`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::machine::{Attendance, Machine};

/// The programs of the system that scripts and fixtures use.
const OF_SYSTEM: &[&str] = &[
    "basename", "cat", "cmp", "cp", "cut", "date", "dirname", "find", "grep", "head", "ln", "mkdir", "mktemp", "mv",
    "readlink", "rm", "sed", "sh", "sleep", "timeout", "tr", "wc",
];

/// The fixture of this name.
pub(crate) fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// A machine with nothing on it but what a test adds; removed when dropped.
#[derive(Debug)]
pub(crate) struct Bench(TempDir);

impl Bench {
    /// The machine of an ordinary user, without any program that set-up installs, and without a font; the workspace pins axe-core 4.14.1.
    pub(crate) fn new() -> Self {
        let bench = Self(TempDir::new().unwrap());
        let tools = bench.root().join("xtask/tools");
        for folder in [bench.programs(), tools.join("package")] {
            fs::create_dir_all(folder).unwrap();
        }
        for name in OF_SYSTEM {
            let path = env::var_os("PATH").unwrap();
            let found = env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file()).unwrap();
            symlink(found, bench.programs().join(name)).unwrap();
        }
        bench.add("id", "id-user");
        let lock = r#"{"packages": {"node_modules/axe-core": {"version": "4.14.1"}}}"#;
        fs::write(bench.root().join("package-lock.json"), lock).unwrap();
        // Our own scripts, but for what they would install for some minutes.
        for name in ["install.sh", "schemathesis.sh"] {
            symlink(program(name), tools.join(name)).unwrap();
        }
        for name in ["deb.sh", "prove.sh", "image.sh", "prove-image.sh"] {
            symlink(program("package.sh"), tools.join("package").join(name)).unwrap();
        }
        for (name, link) in
            [("install.sh", "itself.sh"), ("deny.sh", "deny.sh"), ("service-user.sh", "service-user.sh")]
        {
            symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("tools").join(name), tools.join(link)).unwrap();
        }
        bench
    }

    /// The same, with `apt-get`, and run by root.
    pub(crate) fn debian() -> Self {
        let bench = Self::new();
        bench.become_user("id-root");
        for program in ["apt-get", "setpriv", "useradd", "install", "chown"] {
            bench.add(program, program);
        }
        bench
    }

    /// Replaces `id`.
    pub(crate) fn become_user(&self, fixture: &str) {
        self.remove("id");
        self.add("id", fixture);
    }

    pub(crate) fn machine(&self) -> Machine {
        let variables = [
            ("CARGO", self.programs().join("cargo")),
            ("CARGO_HOME", self.home().join(".cargo")),
            ("HOME", self.home()),
            ("PATH", self.programs()),
            ("SETUP_SYSTEM_ROOT", self.0.path().into()),
            ("TMPDIR", self.0.path().into()),
        ];
        Machine {
            root: self.root(),
            environment: variables.map(|(name, value)| (OsString::from(name), value.into())).into(),
            attendance: Attendance::Unattended,
            patience: Duration::from_secs(20),
        }
    }

    /// The same machine with one variable more.
    pub(crate) fn machine_with(&self, name: &str, value: impl AsRef<OsStr>) -> Machine {
        let mut machine = self.machine();
        machine.environment.insert(name.into(), value.as_ref().into());
        machine
    }

    pub(crate) fn programs(&self) -> PathBuf {
        self.0.path().join("programs")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.0.path().join("workspace")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    /// Installs a version of PostgreSQL as Debian does; returns the folder of its programs.
    pub(crate) fn add_postgres(&self, version: &str) -> PathBuf {
        let programs = self.0.path().join("usr/lib/postgresql").join(version).join("bin");
        fs::create_dir_all(&programs).unwrap();
        for name in ["initdb", "pg_ctl"] {
            symlink(program(name), programs.join(name)).unwrap();
        }
        programs
    }

    /// Puts a fixture into the `PATH`.
    pub(crate) fn add(&self, name: &str, fixture: &str) {
        symlink(program(fixture), self.programs().join(name)).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.programs().join(name)).unwrap();
    }

    /// Makes `apt-get` know no such package, or `cargo` or `pg_ctl` fail at this command.
    pub(crate) fn withhold(&self, name: &str) {
        fs::write(self.programs().join(format!("{name}.withheld")), "").unwrap();
    }

    pub(crate) fn add_font(&self) {
        let folder = self.0.path().join("usr/share/fonts/some");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("Font.TTF"), "").unwrap();
    }

    pub(crate) fn add_axe(&self, version: &str, script: &str) {
        let folder = self.root().join("node_modules/axe-core");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("package.json"), format!(r#"{{"version": "{version}"}}"#)).unwrap();
        fs::write(folder.join(script), "").unwrap();
    }

    /// One line per call of a fixture: its arguments.
    pub(crate) fn log(&self, name: &str) -> Vec<String> {
        let log = fs::read_to_string(self.programs().join(format!("{name}.log"))).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }
}
