//! The folder of one browser: its profile, its temporary files, its home.

use std::{
    fs::{self, DirEntry, File},
    io::{self, Write as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::{
    fs::{Mode, OFlags},
    process::geteuid,
};
use tempfile::TempDir;

/// The prefix of the name of every such folder.
const PREFIX: &str = "a11ycheck-browser-";
/// A file that is locked while the folder is in use. The system unlocks it however its owner ends.
const LOCK: &str = ".a11ycheck-lock";

/// A folder in the system's temporary folder. It is deleted when dropped, or when the next browser starts if this
/// process is killed before.
#[derive(Debug)]
pub(super) struct Profile {
    folder: TempDir,
    _lock: File,
}

impl Profile {
    /// Makes a folder, and deletes those that killed processes left behind, which may take a while.
    pub(super) async fn create() -> io::Result<Self> {
        tokio::task::spawn_blocking(Self::create_blocking).await.unwrap_or_else(|error| Err(io::Error::other(error)))
    }

    fn create_blocking() -> io::Result<Self> {
        for folder in abandoned(&std::env::temp_dir()) {
            match fs::remove_dir_all(&folder) {
                Ok(()) => tracing::info!(path = %folder.display(), "deleted the folder of a browser that was killed"),
                Err(error) => tracing::warn!(%error, path = %folder.display(), "an old folder could not be deleted"),
            }
        }
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let mut lock = File::create_new(folder.path().join(LOCK))?;
        lock.lock()?;
        lock.write_all(b"locked while in use\n")?;
        Ok(Self { folder, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Deletes the folder of a browser that has ended.
    pub(super) async fn delete(self) {
        // If the runtime ends meanwhile, the folder is still deleted when this is dropped.
        let path = self.path();
        for _ in 0..20 {
            match tokio::fs::remove_dir_all(path).await {
                Ok(()) => return,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return,
                // Helpers that were just killed may still write for a moment.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        tracing::warn!(path = %path.display(), "a browser's folder could not be deleted");
    }
}

/// Returns those of our user's folders that no process has locked. A folder without a lock file is just being made, or
/// is not a browser's.
///
/// Any user of the machine may put anything into the system's temporary folder, under any name.
fn abandoned(parent: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(parent) else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX))
        .filter(is_own_folder)
        .map(|entry| entry.path())
        .filter(|folder| is_abandoned(folder))
        .collect()
}

/// Returns whether an entry is a folder of our user; a link is none.
fn is_own_folder(entry: &DirEntry) -> bool {
    entry.metadata().is_ok_and(|entry| entry.is_dir() && entry.uid() == geteuid().as_raw())
}

fn is_abandoned(folder: &Path) -> bool {
    // Whatever is there is opened without waiting: a pipe that nobody writes to would never be open.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(lock) = rustix::fs::open(folder.join(LOCK), flags, Mode::empty()).map(File::from) else { return false };
    // An empty file was created and is about to be locked: only a lock that was held once counts.
    let is_lock = |file: fs::Metadata| file.is_file() && file.uid() == geteuid().as_raw() && file.len() > 0;
    lock.metadata().is_ok_and(is_lock) && lock.try_lock().is_ok()
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType};

    use super::*;

    #[test]
    fn what_another_user_puts_in_the_way_of_a_start_neither_holds_it_up_nor_is_followed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = parent.path().join(format!("{PREFIX}{name}"));
            fs::create_dir(&folder).unwrap();
            folder
        };
        let (pipe, link, place) = (folder("pipe"), folder("link"), folder("folder"));
        rustix::fs::mknodat(CWD, pipe.join(LOCK), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let elsewhere = parent.path().join("elsewhere");
        fs::write(&elsewhere, "locked").unwrap();
        std::os::unix::fs::symlink(&elsewhere, link.join(LOCK)).unwrap();
        fs::create_dir_all(place.join(LOCK).join("more")).unwrap();
        std::os::unix::fs::symlink(&place, parent.path().join(format!("{PREFIX}linked"))).unwrap();
        let (found, look) = std::sync::mpsc::channel();
        let path = parent.path().to_owned();
        std::thread::spawn(move || found.send(abandoned(&path)));
        assert!(look.recv_timeout(Duration::from_secs(20)).unwrap().is_empty());
    }

    #[test]
    fn a_folder_in_use_is_left_alone_and_one_of_a_killed_process_is_deleted() {
        let parent = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = parent.path().join(format!("{PREFIX}{name}"));
            fs::create_dir(&folder).unwrap();
            folder
        };
        let (used, killed, _new) = (folder("used"), folder("killed"), folder("new"));
        fs::create_dir(parent.path().join("other")).unwrap();
        fs::write(used.join(LOCK), "locked").unwrap();
        fs::write(killed.join(LOCK), "locked").unwrap();
        let lock = File::open(used.join(LOCK)).unwrap();
        lock.lock().unwrap();
        assert_eq!(abandoned(parent.path()), [killed]);
    }
}
