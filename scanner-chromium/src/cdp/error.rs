//! The errors of commands.

/// The reason why a session takes no more commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionEnd {
    /// The tab was closed, or the browser ended the session.
    Detached,
    /// The process behind the tab died.
    Crashed,
    /// The browser has ended, and every session with it.
    BrowserGone,
}

/// The reason why a command gave no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CdpError {
    #[error("{method} was not answered: {end:?}")]
    Ended { method: &'static str, end: SessionEnd },
    #[error("{method} was not answered in time")]
    TimedOut { method: &'static str },
    #[error("{method} was refused: {message} ({code})")]
    Refused { method: &'static str, code: i64, message: String },
    #[error("the answer to {method} has another shape than expected")]
    Shape { method: &'static str, source: serde_json::Error },
    #[error("the arguments of {method} could not be written")]
    Arguments { method: &'static str, source: serde_json::Error },
}
