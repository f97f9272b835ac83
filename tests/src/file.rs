//! Files for databases of tests.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

/// The beginning of the names of tests' folders; the rest is the process id.
const PREFIX: &str = "a11ycheck-contract-test-";
/// Folders of earlier runs that are older than this are removed: those runs are over.
const LEFT_OVER: Duration = Duration::from_secs(1_800);

/// Returns the path of a file for one test, which does not exist yet. Its folder is removed by a later run.
pub(crate) fn data_file() -> PathBuf {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let all = std::env::temp_dir();
        remove_left_over(&all);
        let folder = all.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    });
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    FOLDER.join(format!("{}.db", NUMBER.fetch_add(1, Ordering::Relaxed)))
}

fn remove_left_over(all: &Path) {
    for entry in fs::read_dir(all).unwrap().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let modified = entry.metadata().and_then(|folder| folder.modified()).ok();
        if is_ours && modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > LEFT_OVER) {
            // Another process may be at it, too.
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}
