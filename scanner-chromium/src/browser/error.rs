//! The errors of a browser.

use std::{io, path::PathBuf};

use super::authorities::AuthoritiesError;
use crate::{
    cdp::{CdpError, SessionEnd},
    guard::GuardError,
};

/// The reason why there is no usable browser.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// The folder for its profile and its temporary files could not be made.
    #[error("no folder could be made for the browser in {}", folder.display())]
    Folder {
        /// The folder that was to contain it: the system's temporary folder.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The program could not be started.
    #[error("{} could not be started", program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The program started, but ended or did not respond before it was ready.
    #[error("{} did not become ready{complaints}", program.display())]
    NotReady {
        /// The program.
        program: PathBuf,
        /// The last lines that it wrote, after a colon, or nothing.
        complaints: String,
        /// The error of the command that waited for it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The program started, but later did not respond to a command.
    #[error("the browser did not answer")]
    NoAnswer {
        /// The error of the command.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The guard that blocks the browser's own traffic could not be opened.
    #[error("the egress guard could not be opened")]
    Guard(#[from] GuardError),
    /// The browser makes connections around the guard: it must not be used.
    #[error("the browser does not send its traffic through the egress guard")]
    GuardNotInForce,
    /// The browser does not trust the operator's own authorities.
    #[error("the browser does not trust the authorities of --ca-certificates")]
    Authorities(#[from] AuthoritiesError),
    /// [`ChromiumScanner::close`](crate::ChromiumScanner::close) was called.
    #[error("the scanner was closed")]
    Closed,
}

impl BrowserError {
    /// Returns whether the program ended by itself before it was ready.
    pub(super) fn is_sudden_end(&self) -> bool {
        let Self::NotReady { source, .. } = self else { return false };
        matches!(source.downcast_ref(), Some(CdpError::Ended { end: SessionEnd::BrowserGone, .. }))
    }
}
