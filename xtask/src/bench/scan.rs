//! `cargo xtask bench scan`: fetches the pages, and the peers if they are wanted, and runs the scanner's benchmark.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::apt::Apt;
use crate::axe;
use crate::command::run as run_command;
use crate::error::Error;
use crate::machine::Machine;
use crate::sandbox::Sandbox;
use crate::setup;

/// Debian's package of the program through which `@axe-core/cli` speaks to the browser.
const DRIVER: (&str, &str) = ("chromedriver", "chromium-driver");
/// The browser that its users have, whole.
const WHOLE_BROWSER: (&str, &str) = ("chromium", "chromium");

/// How it is measured.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Measure pa11y-ci, @axe-core/cli and @axe-core/playwright as well; they are installed into `target/bench`
    #[arg(long)]
    peers: bool,
    /// Everything after `--` goes to the benchmark (`-- --help` lists what it takes)
    #[arg(last = true)]
    rest: Vec<OsString>,
}

/// Runs the benchmark.
///
/// # Errors
///
/// Those of [`setup::run`] and [`axe::npm`], [`Error::ProgramMissing`], [`Error::File`], [`Error::Npm`],
/// [`Error::Bench`] and [`Error::Start`].
pub(crate) fn run(machine: &Machine, arguments: &Arguments) -> Result<(), Error> {
    let tools = setup::run(machine)?;
    let mut command = Command::new(&machine.cargo);
    command.args(["bench", "--package", "a11ycheck-scanner-chromium", "--bench", "scan", "--"]).args(&arguments.rest);
    command.current_dir(&machine.root).env("A11YCHECK_BENCH_CORPUS", install(machine, "pages")?);
    if arguments.peers {
        command.env("A11YCHECK_BENCH_PEERS", install(machine, "peers")?);
        command.env("A11YCHECK_BENCH_CHROMEDRIVER", program(machine, DRIVER)?);
        command.env("A11YCHECK_BENCH_CHROMIUM", program(machine, WHOLE_BROWSER)?);
    }
    let sandbox = Sandbox::of_caller(machine, &tools.chromium)?;
    sandbox.announce();
    let status = run_command(sandbox.pass_to(tools.pass_to(&mut command)))?;
    if status.success() { Ok(()) } else { Err(Error::Bench { status }) }
}

/// Installs what `xtask/tools/NAME` pins, unless it is there; the `node_modules` that hold it.
fn install(machine: &Machine, name: &str) -> Result<PathBuf, Error> {
    let (pins, folder) = (machine.root.join("xtask/tools").join(name), machine.root.join("target/bench").join(name));
    let (modules, stamp) = (folder.join("node_modules"), folder.join("installed.json"));
    let lock = read(&pins.join("package-lock.json"))?;
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(modules);
    }
    eprintln!("==> Installing what xtask/tools/{name} pins into target/bench");
    let npm = axe::npm(machine, Apt::find(machine).as_mut())?;
    fs::create_dir_all(&folder).map_err(|source| Error::File { path: folder.clone(), source })?;
    write(&folder.join("package.json"), &read(&pins.join("package.json"))?)?;
    write(&folder.join("package-lock.json"), &lock)?;
    let status = run_command(Command::new(npm).args(["ci", "--ignore-scripts", "--no-fund"]).current_dir(&folder))?;
    if !status.success() {
        return Err(Error::Npm { status });
    }
    // Last, so that what was interrupted is begun anew.
    write(&stamp, &lock)?;
    Ok(modules)
}

/// A program, from Debian's package if it is not there.
fn program(machine: &Machine, (program, package): (&'static str, &'static str)) -> Result<PathBuf, Error> {
    if let Some(found) = machine.program(program) {
        return Ok(found);
    }
    let mut apt = Apt::find(machine).ok_or(Error::ProgramMissing { program, package })?;
    apt.install(package)?;
    machine.program(program).ok_or(Error::ProgramMissing { program, package })
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|source| Error::File { path: path.into(), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).map_err(|source| Error::File { path: path.into(), source })
}
