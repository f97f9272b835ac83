//! A hash of the font files of this machine. Pages look different with other fonts, so no outcome is taken over from a
//! check that had other fonts (decision 0062).
//!
//! The hash depends on the names and sizes of the files, and not on their folders, so that servers with the same
//! packages have the same hash. Fonts in a home directory are left out, because the browser gets an empty one.

use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use sha2::{Digest as _, Sha256};

/// The greatest number of files and folders that are listed. All fonts of a distribution are some 10,000.
const MAX_ENTRIES: usize = 100_000;
/// The greatest depth of a folder, because links may lead in circles.
const MAX_DEPTH: usize = 16;
/// The time limit for listing all files.
const LIMIT: Duration = Duration::from_secs(10);
/// The extensions of font files, of compressed ones, and of the files with fontconfig's rules.
const ENDINGS: [&str; 13] =
    ["bdf", "conf", "dfont", "gz", "otc", "otf", "pcf", "pfa", "pfb", "ttc", "ttf", "woff", "woff2"];
/// The folders of a machine without a configuration of fontconfig.
const FOLDERS: [&str; 4] = ["/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts"];

/// Returns the SHA-256 of the list of all font files that the browser may draw with, and of fontconfig's rules. Takes at most
/// [`LIMIT`].
///
/// # Errors
/// Returns the error of a file or folder that can't be read, with its path, and [`io::ErrorKind::TimedOut`] after
/// [`LIMIT`].
pub(crate) async fn installed_fonts() -> io::Result<[u8; 32]> {
    let listed = tokio::task::spawn_blocking(|| digest(&configuration()));
    tokio::time::timeout(LIMIT, listed).await??
}

/// Returns the path of fontconfig's configuration, from the environment variables that the browser gets as well.
fn configuration() -> PathBuf {
    let folder = env::var_os("FONTCONFIG_PATH").map_or_else(|| PathBuf::from("/etc/fonts"), PathBuf::from);
    folder.join(env::var_os("FONTCONFIG_FILE").unwrap_or_else(|| OsString::from("fonts.conf")))
}

fn digest(configuration: &Path) -> io::Result<[u8; 32]> {
    let mut listing = Listing::default();
    let mut folders = match fs::read_to_string(configuration) {
        Ok(text) => {
            listing.add(configuration, text.len() as u64);
            named_folders(&text)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => FOLDERS.map(PathBuf::from).into(),
        Err(error) => return Err(at(configuration, &error)),
    };
    folders.extend(configuration.parent().map(|folder| folder.join("conf.d")));
    for folder in &folders {
        listing.add_folder(folder, 0)?;
    }
    listing.files.sort_unstable();
    Ok(Sha256::digest(listing.files.concat()).into())
}

/// Returns the absolute folders that a configuration names. Relative ones are left out, because they are in a home
/// directory.
fn named_folders(configuration: &str) -> Vec<PathBuf> {
    let folders = configuration.split("<dir").skip(1).filter_map(|element| {
        let (_, text) = element.split_once('>')?;
        let (folder, _) = text.split_once("</dir>")?;
        Some(PathBuf::from(folder.trim()))
    });
    folders.filter(|folder| folder.is_absolute()).collect()
}

#[derive(Default)]
struct Listing {
    /// A line for each file.
    files: Vec<String>,
    /// The number of files and folders that were listed.
    seen: usize,
}

impl Listing {
    fn add(&mut self, file: &Path, bytes: u64) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        self.files.push(format!("{name}\0{bytes}\n"));
    }

    fn add_folder(&mut self, folder: &Path, depth: usize) -> io::Result<()> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            // Configurations name folders that most machines do not have.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(at(folder, &error)),
        };
        for entry in entries {
            let path = entry.map_err(|error| at(folder, &error))?.path();
            self.seen += 1;
            if self.seen > MAX_ENTRIES || depth >= MAX_DEPTH {
                return Err(io::Error::other(format!("{}: more files or folders than fonts take", folder.display())));
            }
            // Links are followed: fontconfig's rules are links.
            match fs::metadata(&path) {
                Ok(found) if found.is_dir() => self.add_folder(&path, depth + 1)?,
                Ok(found) if has_font_ending(&path) => self.add(&path, found.len()),
                Ok(_) => {}
                // A link to a file that does not exist.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(at(&path, &error)),
            }
        }
        Ok(())
    }
}

fn has_font_ending(file: &Path) -> bool {
    let ending = file.extension().unwrap_or_default();
    ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with one font in a folder of its configuration.
    fn machine() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let (fonts, file) = (folder.path().join("fonts"), folder.path().join("etc/fonts.conf"));
        fs::create_dir_all(fonts.join("truetype")).unwrap();
        fs::create_dir_all(folder.path().join("etc/conf.d")).unwrap();
        let dirs = format!("<dir>{}</dir>\n<dir>/not/there</dir><dir prefix=\"xdg\">fonts</dir>", fonts.display());
        fs::write(&file, format!("<fontconfig><!-- directories -->{dirs}<dir>~/.fonts</dir></fontconfig>")).unwrap();
        fs::write(fonts.join("truetype/A.TTF"), "one").unwrap();
        (folder, fonts, file)
    }

    #[test]
    fn a_font_that_is_added_changed_or_removed_and_a_rule_are_noticed_and_nothing_else_is() {
        let (_folder, fonts, file) = machine();
        let first = digest(&file).unwrap();
        fs::write(fonts.join("README"), "none").unwrap();
        fs::write(fonts.join("truetype/.uuid"), "none").unwrap();
        assert_eq!(digest(&file).unwrap(), first);
        fs::rename(fonts.join("truetype/A.TTF"), fonts.join("A.TTF")).unwrap();
        assert_eq!(digest(&file).unwrap(), first, "wherever it lies");
        fs::write(fonts.join("B.otf"), "two").unwrap();
        let second = digest(&file).unwrap();
        assert_ne!(second, first);
        fs::write(fonts.join("B.otf"), "a later version").unwrap();
        assert_ne!(digest(&file).unwrap(), second);
        fs::remove_file(fonts.join("B.otf")).unwrap();
        assert_eq!(digest(&file).unwrap(), first);
        fs::write(file.with_file_name("conf.d").join("10-rule.conf"), "<match/>").unwrap();
        assert_ne!(digest(&file).unwrap(), first);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_those_that_lead_nowhere_or_in_circles_end() {
        let (folder, fonts, file) = machine();
        let first = digest(&file).unwrap();
        std::os::unix::fs::symlink(folder.path().join("gone.ttf"), fonts.join("gone.ttf")).unwrap();
        assert_eq!(digest(&file).unwrap(), first);
        fs::write(folder.path().join("linked.ttf"), "x").unwrap();
        std::os::unix::fs::symlink(folder.path().join("linked.ttf"), fonts.join("linked.ttf")).unwrap();
        assert_ne!(digest(&file).unwrap(), first);
        std::os::unix::fs::symlink(&fonts, fonts.join("again")).unwrap();
        let error = digest(&file).unwrap_err();
        assert!(error.to_string().contains("more files or folders"), "{error}");
    }

    #[test]
    fn what_can_not_be_read_is_no_list() {
        let (folder, _fonts, file) = machine();
        let no_folder = folder.path().join("no-folder");
        fs::write(&no_folder, "").unwrap();
        fs::write(&file, format!("<dir>{}</dir>", no_folder.display())).unwrap();
        let error = digest(&file).unwrap_err();
        assert!(error.to_string().contains("no-folder"), "{error}");
    }

    #[tokio::test]
    async fn this_machine_has_a_number_that_stays() {
        assert_eq!(installed_fonts().await.unwrap(), installed_fonts().await.unwrap());
    }
}
