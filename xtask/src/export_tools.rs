//! The programs that read our exports in the tests, because others wrote them: LibreOffice, Python's `csv`, markdown-it, and
//! the published schema of OpenACR.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apt::Apt;
use crate::command::run;
use crate::error::Error;
use crate::machine::Machine;
use crate::program;

/// Programs with Debian's packages of them. LibreOffice without its windows: 90 MB to fetch, half a minute to install.
const PROGRAMS: [(&str, &str); 2] = [("soffice", "libreoffice-calc-nogui"), ("python3", "python3")];

/// The packages that `markdown-reader.txt` pins. Python reads them as they are.
const MARKDOWN: [&str; 2] = ["markdown_it_py-4.3.0-py3-none-any.whl", "mdurl-0.1.2-py3-none-any.whl"];

/// GSA's package with the schema of OpenACR, as npm knows it; `openacr.sha512` pins its content.
const OPENACR: &str = "@openacr/openacr@0.3.5";
/// The file that npm makes of it.
const OPENACR_ARCHIVE: &str = "openacr-openacr-0.3.5.tgz";
/// What is taken out of it: the schema, and a catalogue of requirements.
const OPENACR_FILES: [&str; 2] =
    ["package/schema/openacr-0.1.0.json", "package/catalog/2.4-edition-wcag-2.1-508-en.yaml"];

/// What the tests of exports need, found and ready.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ExportTools {
    /// Where Python finds markdown-it.
    markdown: OsString,
    /// The folder of the OpenACR package.
    openacr: PathBuf,
}

impl ExportTools {
    /// Tells a program where the tools are.
    pub(crate) fn pass_to<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command.env("A11YCHECK_MARKDOWN_READER", &self.markdown).env("A11YCHECK_OPENACR", &self.openacr)
    }
}

/// Finds what reads our exports, or installs it; packages go into the folder `target`.
///
/// # Errors
///
/// [`Error::ToolMissing`], [`Error::Pip`], [`Error::NpmPack`], [`Error::Archive`], [`Error::ExportToolMissing`],
/// [`Error::Folder`], [`Error::ClassPath`], and those of [`Apt::install`].
pub(crate) fn ensure(machine: &Machine, mut apt: Option<&mut Apt<'_>>) -> Result<ExportTools, Error> {
    for (program, package) in PROGRAMS {
        program::ensure(machine, apt.as_deref_mut(), program, package)?;
    }
    let folder = machine.root.join("target/export-tools");
    let wheels = MARKDOWN.map(|wheel| folder.join(wheel));
    if !wheels.iter().all(|wheel| wheel.is_file()) {
        eprintln!("==> markdown-it is not in target/export-tools: fetching it");
        program::ensure(machine, apt.as_deref_mut(), "pip3", "python3-pip")?;
        program::pip_download(machine, "xtask/tools/markdown-reader.txt", &folder)?;
        there(&folder, &MARKDOWN)?;
    }
    let unpacked = folder.join(OPENACR_ARCHIVE.trim_end_matches(".tgz"));
    if there(&unpacked, &OPENACR_FILES).is_err() {
        eprintln!("==> The schema of OpenACR is not in target/export-tools: fetching it");
        program::ensure(machine, apt, "npm", "npm")?;
        fetch_openacr(machine, &folder, &unpacked)?;
        there(&unpacked, &OPENACR_FILES)?;
    }
    let markdown = env::join_paths(&wheels).map_err(|source| Error::ClassPath { folder, source })?;
    Ok(ExportTools { markdown, openacr: unpacked.join("package") })
}

fn there(folder: &Path, files: &[&'static str]) -> Result<(), Error> {
    match files.iter().find(|file| !folder.join(file).is_file()) {
        Some(file) => Err(Error::ExportToolMissing { file, folder: folder.into() }),
        None => Ok(()),
    }
}

/// Fetches the one package, without those that it needs to run, and takes out the files that are looked at.
fn fetch_openacr(machine: &Machine, folder: &Path, unpacked: &Path) -> Result<(), Error> {
    fs::create_dir_all(unpacked).map_err(|source| Error::Folder { path: unpacked.into(), source })?;
    let program = |name: &str| Command::new(program::found(machine, name));
    let status = run(program("npm").args(["pack", "--silent", OPENACR]).current_dir(folder))?;
    if !status.success() {
        return Err(Error::NpmPack { package: OPENACR, status });
    }
    let checksum = machine.root.join("xtask/tools/openacr.sha512");
    let status = run(program("sha512sum").args(["--check", "--strict", "--quiet"]).arg(checksum).current_dir(folder))?;
    if !status.success() {
        return Err(Error::Archive { command: "sha512sum --check", status });
    }
    let archive = folder.join(OPENACR_ARCHIVE);
    let status =
        run(program("tar").arg("--extract").arg("--file").arg(archive).args(OPENACR_FILES).current_dir(unpacked))?;
    if status.success() { Ok(()) } else { Err(Error::Archive { command: "tar --extract", status }) }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    fn debian() -> Bench {
        let bench = Bench::debian();
        for name in ["sha512sum", "tar"] {
            bench.add(name, name);
        }
        bench
    }

    fn ensure_on(bench: &Bench) -> Result<ExportTools, Error> {
        let machine = bench.machine();
        ensure(&machine, Apt::find(&machine).as_mut())
    }

    #[test]
    fn this_repository_pins_every_package_with_its_checksum() {
        let root = Machine::here().root.join("xtask/tools");
        let pinned = fs::read_to_string(root.join("markdown-reader.txt")).unwrap();
        for wheel in MARKDOWN {
            let [name, version] = wheel.splitn(3, '-').take(2).collect::<Vec<_>>()[..] else { panic!("{wheel}") };
            assert!(pinned.contains(&format!("{}=={version} --hash=sha256:", name.replace('_', "-"))), "{wheel}");
        }
        let checksum = fs::read_to_string(root.join("openacr.sha512")).unwrap();
        let (digits, file) = checksum.trim_end().split_once("  ").unwrap();
        assert_eq!((digits.len(), file), (128, OPENACR_ARCHIVE));
        assert!(OPENACR_ARCHIVE.contains(OPENACR.rsplit('@').next().unwrap()));
    }

    #[test]
    fn a_bare_debian_gets_every_tool_once() {
        let bench = debian();
        let first = ensure_on(&bench).unwrap();
        assert!(env::split_paths(&first.markdown).all(|wheel| wheel.is_file()));
        assert!(first.openacr.join("schema/openacr-0.1.0.json").is_file());
        let installed = |bench: &Bench| (bench.log("apt-get"), bench.log("pip3"), bench.log("npm"));
        let logs = installed(&bench);
        assert_eq!(logs.0.len(), 5, "the lists, LibreOffice, Python, pip and npm: {:?}", logs.0);
        assert_eq!(ensure_on(&bench).unwrap(), first);
        assert_eq!(installed(&bench), logs);
    }

    #[test]
    fn a_package_that_is_not_what_was_pinned_is_refused() {
        let bench = debian();
        bench.remove("sha512sum");
        bench.add("sha512sum", "fails");
        let error = ensure_on(&bench).unwrap_err();
        assert!(matches!(error, Error::Archive { command: "sha512sum --check", .. }), "{error}");
        assert!(
            !bench.root().join("target/export-tools/openacr-openacr-0.3.5/package").exists(),
            "nothing is unpacked"
        );
    }

    #[test]
    fn a_package_without_what_is_needed_says_so() {
        let bench = debian();
        bench.remove("tar");
        bench.add("tar", "says-nothing");
        assert!(matches!(ensure_on(&bench).unwrap_err(), Error::ExportToolMissing { .. }));
    }

    #[test]
    fn without_a_package_installer_the_error_names_program_and_package() {
        let error = ensure(&Bench::new().machine(), None).unwrap_err().to_string();
        assert!(error.contains("soffice") && error.contains("libreoffice-calc-nogui"), "{error}");
    }
}
