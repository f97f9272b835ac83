//! Why there is no browser.

use std::{io, path::PathBuf};

use super::authorities::AuthoritiesError;
use crate::guard::GuardError;

/// Why there is no browser.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// The folder for its profile and its temporary files could not be made.
    #[error("no folder could be made for the browser in {}", folder.display())]
    Folder {
        /// Where it was to be: the system's temporary folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program could not be started.
    #[error("{} could not be started", program.display())]
    Spawn {
        /// What was started.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The program started, and ended or fell silent before it was ready.
    #[error("{} did not become ready{complaints}", program.display())]
    NotReady {
        /// What was started.
        program: PathBuf,
        /// The last lines that it wrote, or nothing.
        complaints: String,
        /// What was waited for.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The program started, and fell silent later.
    #[error("the browser did not answer")]
    NoAnswer {
        /// What was waited for.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The listener that keeps the browser's own traffic inside could not be opened.
    #[error("the egress guard could not be opened")]
    Guard(#[from] GuardError),
    /// The browser reaches out past the guard: it must not be used.
    #[error("the browser does not send its traffic through the egress guard")]
    GuardNotInForce,
    /// It does not trust the operator's own authorities.
    #[error("the browser does not trust the authorities of --ca-certificates")]
    Authorities(#[from] AuthoritiesError),
    /// [`ChromiumScanner::close`](crate::ChromiumScanner::close) was called.
    #[error("the scanner was closed")]
    Closed,
}
