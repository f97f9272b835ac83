//! Programs of Python, each in an environment of its own below `target`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::apt::Apt;
use crate::command::run;
use crate::error::Error;
use crate::machine::Machine;

/// Debian's package of Python's module for environments; it brings Python.
const PACKAGE: &str = "python3-venv";

/// A program, and what pip installs to have it.
#[derive(Debug)]
pub(crate) struct PythonProgram<'a> {
    /// What it is called to people.
    pub(crate) name: &'a str,
    /// The program's file.
    pub(crate) program: &'a str,
    /// Arguments of `pip install`.
    pub(crate) install: &'a [&'a str],
    /// The file that pins what is installed, given to pip with the last of the arguments.
    pub(crate) pins: &'a Path,
}

impl PythonProgram<'_> {
    /// The program in an environment in `folder`, which is made anew unless all that is wanted is there.
    ///
    /// # Errors
    ///
    /// [`Error::PythonMissing`], [`Error::Venv`], [`Error::PipInstall`], [`Error::File`], and those of [`Apt::install`].
    pub(crate) fn ensure(&self, machine: &Machine, folder: &Path) -> Result<PathBuf, Error> {
        let file = |path: &Path| {
            let path = path.to_path_buf();
            move |source| Error::File { path, source }
        };
        let pins = fs::read_to_string(self.pins).map_err(file(self.pins))?;
        let (environment, stamp) = (folder.join("venv"), folder.join("installed.txt"));
        let program = environment.join("bin").join(self.program);
        let wanted = format!("{}\n{pins}", self.install.join(" "));
        let is_installed = fs::read_to_string(&stamp).is_ok_and(|found| found == wanted);
        if is_installed && runs(&program) {
            return Ok(program);
        }
        eprintln!("==> {} is not in {}: installing it", self.name, environment.display());
        fs::create_dir_all(folder).map_err(file(folder))?;
        match fs::remove_file(&stamp) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => return Err(file(&stamp)(source)),
            _ => {}
        }
        make_environment(machine, &environment)?;
        let mut pip = Command::new(environment.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(self.install).arg(self.pins);
        let status = run(&mut pip)?;
        if !status.success() {
            return Err(Error::PipInstall { status });
        }
        fs::write(&stamp, wanted).map_err(file(&stamp))?;
        Ok(program)
    }
}

/// An environment that outlived its Python does not run.
fn runs(program: &Path) -> bool {
    let asked = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    asked.is_ok_and(|answer| answer.status.success())
}

fn make_environment(machine: &Machine, environment: &Path) -> Result<(), Error> {
    let make = |python| run(Command::new(python).args(["-m", "venv", "--clear"]).arg(environment));
    if let Some(python) = machine.program("python3")
        && make(python)?.success()
    {
        return Ok(());
    }
    // Debian's python3 comes without what an environment takes, and says so.
    let mut apt = Apt::find(machine).ok_or(Error::PythonMissing)?;
    eprintln!("==> Python's module venv was not found: installing it");
    apt.install(PACKAGE)?;
    let status = make(machine.program("python3").ok_or(Error::PythonMissing)?)?;
    if status.success() { Ok(()) } else { Err(Error::Venv { status }) }
}
