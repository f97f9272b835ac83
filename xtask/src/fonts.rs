//! A browser without any font draws text as nothing: sizes, positions and contrast would all be wrong.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::apt::Apt;
use crate::error::Error;
use crate::machine::Machine;

/// Small, and covers the scripts of all our languages.
const PACKAGE: &str = "fonts-dejavu-core";

/// Latin, Cyrillic: a font without the letters of the languages that pages and reports are in is none for the browser. What
/// draws symbols only, such as the font that LibreOffice brings, would otherwise count as one.
const LANGUAGES: &str = ":lang=en:lang=uk:lang=de:lang=pl:lang=cs:lang=ro:lang=ru";

/// Font folders are shallow; this stops at a loop of links.
const MAX_DEPTH: usize = 6;

/// Makes sure that the browser finds at least one font for the languages of reports. Which one does not matter: no test depends
/// on it.
///
/// # Errors
///
/// [`Error::FontMissing`] and those of [`Apt::install`].
pub(crate) fn ensure(machine: &Machine, apt: Option<&mut Apt<'_>>) -> Result<(), Error> {
    if any(machine) {
        return Ok(());
    }
    let apt = apt.ok_or(Error::FontMissing)?;
    eprintln!("==> No font was found: installing one");
    apt.install(PACKAGE)?;
    if any(machine) { Ok(()) } else { Err(Error::FontMissing) }
}

/// Asks fontconfig, which the browser asks too; where its tool is not installed, looks for font files.
fn any(machine: &Machine) -> bool {
    let listed = machine
        .program("fc-list")
        .and_then(|program| {
            Command::new(program).arg(LANGUAGES).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()
        })
        .filter(|listing| listing.status.success());
    match listed {
        Some(listing) => !listing.stdout.trim_ascii().is_empty(),
        None => machine.font_folders.iter().any(|folder| holds_font(folder, MAX_DEPTH)),
    }
}

fn holds_font(folder: &Path, depth: usize) -> bool {
    // A folder that is not there or not ours to read holds no font that the browser could use.
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries
        .flatten()
        .map(|entry| entry.path())
        .any(|entry| if entry.is_dir() { depth > 0 && holds_font(&entry, depth - 1) } else { is_font(&entry) })
}

fn is_font(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["ttf", "otf", "ttc"].iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use crate::fixture::Bench;

    use super::*;

    #[test]
    fn a_font_file_is_found_without_fontconfig() {
        let bench = Bench::new();
        assert!(!any(&bench.machine()));
        bench.add_font();
        assert!(any(&bench.machine()));
    }

    #[test]
    fn what_fontconfig_says_counts_more_than_files() {
        let bench = Bench::new();
        bench.add_font();
        bench.add("fc-list", "says-nothing");
        assert!(!any(&bench.machine()));
    }

    #[test]
    fn a_font_without_letters_does_not_count() {
        let bench = Bench::new();
        bench.add("fc-list", "fc-list");
        assert!(!any(&bench.machine()));
        assert_eq!(bench.log("fc-list"), [LANGUAGES]);
    }

    #[test]
    fn on_debian_a_missing_font_is_installed() {
        let bench = Bench::debian();
        let machine = bench.machine();
        ensure(&machine, Apt::find(&machine).as_mut()).unwrap();
        assert!(bench.log("apt-get").last().unwrap().ends_with("install -y --no-install-recommends fonts-dejavu-core"));
    }

    #[test]
    fn without_a_package_installer_the_error_names_the_package() {
        let error = ensure(&Bench::new().machine(), None).unwrap_err();
        assert!(error.to_string().contains("fonts-dejavu-core"), "{error}");
    }
}
