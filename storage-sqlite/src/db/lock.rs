//! The lock that keeps a second server from the same file.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Write as _},
    path::Path,
};

use crate::{OpenError, SqliteConfig};

/// The lock of the process that serves a file, held for as long as this exists: an advisory lock of the system on a file
/// beside the database, which ends with the process however that ends. The file itself stays; it holds the process id, as
/// text, for the message to whoever comes second.
///
/// It can't be SQLite's own: those are held for the time of a transaction, and a program that administers the data is to
/// work beside the server.
#[derive(Debug)]
pub(crate) struct ServerLock {
    _file: File,
}

impl ServerLock {
    /// The end of the lock file's name.
    pub(crate) const END: &'static str = "-lock";

    /// Takes the lock.
    ///
    /// # Errors
    /// [`OpenError::InUse`] if another process has it, or another store of this one.
    pub(crate) fn take(config: &SqliteConfig) -> Result<Self, OpenError> {
        let path = config.beside(Self::END);
        let unreachable = |error| OpenError::unreachable(&path, error);
        let mut options = OpenOptions::new();
        // Not truncated: it may hold the id of the process that has the lock.
        options.read(true).write(true).create(true).truncate(false);
        // Whoever can open it can keep a server from starting.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(unreachable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(OpenError::InUse { path: config.path().to_owned(), pid: written(&path) });
            }
            Err(TryLockError::Error(error)) => return Err(unreachable(error)),
        }
        file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())).map_err(unreachable)?;
        Ok(Self { _file: file })
    }
}

/// The process that has the lock of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    Nobody,
    /// This one; `None` if the lock does not say which.
    Process(Option<u32>),
}

/// Returns the process that has the lock. A server that starts at the very moment when this looks may be refused.
///
/// # Errors
/// Returns an error if the lock's file can't be opened.
pub(crate) fn holder(config: &SqliteConfig) -> io::Result<Holder> {
    let path = config.beside(ServerLock::END);
    match File::open(&path) {
        // It ends with the handle, at once.
        Ok(file) => match file.try_lock_shared() {
            Ok(()) => Ok(Holder::Nobody),
            Err(TryLockError::WouldBlock) => Ok(Holder::Process(written(&path))),
            Err(TryLockError::Error(error)) => Err(error),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Holder::Nobody),
        Err(error) => Err(error),
    }
}

/// Returns the process id that a lock file holds.
fn written(path: &Path) -> Option<u32> {
    // The longest id has ten digits.
    let mut text = String::new();
    File::open(path).ok()?.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
