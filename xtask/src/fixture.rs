//! A machine to try things on: a temporary `PATH`, workspace and font folder, with programs of `xtask/fixtures`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::machine::{Attendance, Machine};

/// The fixture of this name.
pub(crate) fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// A machine with nothing on it but what a test adds; removed when dropped.
#[derive(Debug)]
pub(crate) struct Bench(TempDir);

impl Bench {
    /// No program at all, no font; the workspace pins axe-core 4.14.1.
    pub(crate) fn new() -> Self {
        let bench = Self(TempDir::new().unwrap());
        for folder in [bench.programs(), bench.root(), bench.fonts(), bench.postgres()] {
            fs::create_dir(folder).unwrap();
        }
        let lock = r#"{"packages": {"node_modules/axe-core": {"version": "4.14.1"}}}"#;
        fs::write(bench.root().join("package-lock.json"), lock).unwrap();
        bench
    }

    /// The same, with `apt-get`, and run by root.
    pub(crate) fn debian() -> Self {
        let bench = Self::new();
        bench.add("apt-get", "apt-get");
        bench.add("id", "id-root");
        for program in ["setpriv", "useradd", "install", "chown"] {
            bench.add(program, program);
        }
        bench
    }

    pub(crate) fn machine(&self) -> Machine {
        Machine {
            root: self.root(),
            path: self.programs().into(),
            system_folders: vec![self.0.path().join("sbin")],
            cargo: self.programs().join("cargo"),
            cargo_home: self.0.path().join("cargo-home"),
            chromium: None,
            no_sandbox: false,
            axe: None,
            database_url: None,
            postgres_folders: vec![self.postgres()],
            service_data: self.0.path().join("lib"),
            temporary: self.0.path().into(),
            own_state: Some(self.0.path().join("home/.local/state/a11ycheck")),
            font_folders: vec![self.fonts()],
            attendance: Attendance::Unattended,
            patience: Duration::from_secs(20),
        }
    }

    pub(crate) fn programs(&self) -> PathBuf {
        self.0.path().join("programs")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.0.path().join("workspace")
    }

    fn fonts(&self) -> PathBuf {
        self.0.path().join("fonts")
    }

    /// Where Debian has its versions of PostgreSQL.
    fn postgres(&self) -> PathBuf {
        self.0.path().join("postgresql")
    }

    /// Installs a version of PostgreSQL as Debian does; gives the folder of its programs.
    pub(crate) fn add_postgres(&self, version: &str) -> PathBuf {
        let programs = self.postgres().join(version).join("bin");
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

    /// Gives the workspace scripts: one that installs tools, or says what it lacks, and one that sends random requests.
    pub(crate) fn add_tools(&self) {
        fs::create_dir_all(self.root().join("xtask/tools")).unwrap();
        for name in ["install.sh", "schemathesis.sh"] {
            fs::copy(program(name), self.root().join("xtask/tools").join(name)).unwrap();
        }
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.programs().join(name)).unwrap();
    }

    /// Makes `apt-get` know no such package, or `cargo` or `pg_ctl` fail at this command.
    pub(crate) fn withhold(&self, name: &str) {
        fs::write(self.programs().join(format!("{name}.withheld")), "").unwrap();
    }

    pub(crate) fn add_font(&self) {
        fs::create_dir(self.fonts().join("some")).unwrap();
        fs::write(self.fonts().join("some/Font.TTF"), "").unwrap();
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
