//! The folder of one browser: its profile, its temporary files, its home.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use tempfile::TempDir;

/// What the name of every such folder begins with.
const PREFIX: &str = "a11ycheck-browser-";
/// A file that is locked for as long as the folder is in use. The system unlocks it however its owner ends.
const LOCK: &str = ".a11ycheck-lock";

/// A folder in the system's temporary folder. Deleted when dropped, and by the next browser's start if this process was
/// killed before.
#[derive(Debug)]
pub(super) struct Profile {
    folder: TempDir,
    _lock: File,
}

impl Profile {
    /// Makes a folder, and deletes those that killed processes left behind.
    pub(super) fn create() -> io::Result<Self> {
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
        // Should the runtime end meanwhile, the folder still deletes itself when it is dropped.
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

/// Our folders that nobody holds any more. One without a lock file is just being made, or not ours.
fn abandoned(parent: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(parent) else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX))
        // Not through a link, which somebody else may have put there.
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .filter(|folder| is_abandoned(folder))
        .collect()
}

fn is_abandoned(folder: &Path) -> bool {
    let Ok(lock) = File::open(folder.join(LOCK)) else { return false };
    // An empty file was created and is about to be locked: only a lock that was held once counts.
    lock.metadata().is_ok_and(|file| file.len() > 0) && lock.try_lock().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
