//! What the commands know of the machine they run on.

use std::env;
use std::ffi::OsString;
use std::io::{IsTerminal, stdin};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::error::Error;

/// The surroundings of a command, read once, so that a test can describe other ones.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    /// The workspace's folder.
    pub(crate) root: PathBuf,
    /// The folders of programs, as in `PATH`.
    pub(crate) path: OsString,
    /// Folders of programs that are not in every user's `PATH`.
    pub(crate) system_folders: Vec<PathBuf>,
    /// The cargo that runs us.
    pub(crate) cargo: PathBuf,
    /// Where cargo keeps what it has downloaded.
    pub(crate) cargo_home: PathBuf,
    /// `A11YCHECK_CHROMIUM`, unless empty.
    pub(crate) chromium: Option<OsString>,
    /// Whether `A11YCHECK_NO_SANDBOX` is `true`.
    pub(crate) no_sandbox: bool,
    /// `A11YCHECK_AXE`, unless empty.
    pub(crate) axe: Option<OsString>,
    /// `DATABASE_URL`, unless empty.
    pub(crate) database_url: Option<OsString>,
    /// Folders with a folder for each installed version of PostgreSQL, whose programs are not in `PATH`.
    pub(crate) postgres_folders: Vec<PathBuf>,
    /// Where the system keeps the data of services.
    pub(crate) service_data: PathBuf,
    /// Where temporary files go.
    pub(crate) temporary: PathBuf,
    /// Where a server of ours keeps its state unless it is told otherwise.
    pub(crate) own_state: Option<PathBuf>,
    /// Where font files lie, for when fontconfig's `fc-list` is not installed.
    pub(crate) font_folders: Vec<PathBuf>,
    /// Whether someone can type a password.
    pub(crate) attendance: Attendance,
    /// How long a browser may take to answer. On a cold disk it takes a few seconds; one that waits for a question never answers.
    pub(crate) patience: Duration,
}

/// Whether someone watches the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attendance {
    /// Standard input is a terminal.
    Attended,
    /// A script, or continuous integration (`CI=true`): a question would wait for ever.
    Unattended,
}

impl Machine {
    /// The machine as it is.
    pub(crate) fn here() -> Self {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let home_fonts = set("HOME").map(|home| {
            let home = PathBuf::from(home);
            [home.join(".local/share/fonts"), home.join(".fonts"), home.join("Library/Fonts")]
        });
        let shared_fonts = ["/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts"];
        let unattended = env::var_os("CI").is_some_and(|value| value == "true") || !stdin().is_terminal();
        Self {
            root: Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default(),
            path: env::var_os("PATH").unwrap_or_default(),
            system_folders: vec!["/usr/sbin".into(), "/usr/local/sbin".into()],
            cargo: set("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from),
            cargo_home: set("CARGO_HOME")
                .map_or_else(|| PathBuf::from(set("HOME").unwrap_or_default()).join(".cargo"), PathBuf::from),
            chromium: set("A11YCHECK_CHROMIUM"),
            no_sandbox: set("A11YCHECK_NO_SANDBOX").is_some_and(|value| value == "true"),
            axe: set("A11YCHECK_AXE"),
            database_url: set("DATABASE_URL"),
            postgres_folders: vec!["/usr/lib/postgresql".into()],
            service_data: "/var/lib".into(),
            temporary: env::temp_dir(),
            own_state: set("XDG_STATE_HOME")
                .map(|folder| PathBuf::from(folder).join("a11ycheck"))
                .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".local/state/a11ycheck"))),
            font_folders: shared_fonts.map(PathBuf::from).into_iter().chain(home_fonts.into_iter().flatten()).collect(),
            attendance: if unattended { Attendance::Unattended } else { Attendance::Attended },
            patience: Duration::from_secs(20),
        }
    }

    /// Whether we may do everything.
    ///
    /// # Errors
    ///
    /// [`Error::Start`].
    pub(crate) fn is_root(&self) -> Result<bool, Error> {
        let program = self.program("id").unwrap_or_else(|| "id".into());
        let user = Command::new(&program).arg("-u").output().map_err(|source| Error::Start { program, source })?;
        Ok(user.stdout.trim_ascii() == b"0")
    }

    /// The first program of this name in `PATH`.
    ///
    /// Relative and empty entries are passed over: what is run must not depend on the folder one stands in.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        env::split_paths(&self.path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name))
            .find(|file| is_executable(file))
    }

    /// The same, where administrators' programs lie as well.
    pub(crate) fn system_program(&self, name: &str) -> Option<PathBuf> {
        let system = || self.system_folders.iter().map(|folder| folder.join(name)).find(|file| is_executable(file));
        self.program(name).or_else(system)
    }
}

pub(crate) fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::fixture::Bench;

    #[test]
    fn the_first_folder_of_the_path_wins() {
        let bench = Bench::new();
        bench.add("chromium", "chromium");
        let mut machine = bench.machine();
        machine.path = format!("relative::{}:/usr/bin:/bin", bench.programs().display()).into();
        assert_eq!(machine.program("chromium"), Some(bench.programs().join("chromium")));
    }

    #[test]
    fn a_file_that_may_not_be_executed_is_not_a_program() {
        let bench = Bench::new();
        fs::write(bench.programs().join("chromium"), "text").unwrap();
        fs::create_dir(bench.programs().join("npm")).unwrap();
        assert_eq!(bench.machine().program("chromium"), None);
        assert_eq!(bench.machine().program("npm"), None);
    }
}
