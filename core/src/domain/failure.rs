//! Why a check, or one page of it, could not be done.

use serde::{Deserialize, Serialize};

use super::{UnknownWord, bounded, stored_word::stored_words};

/// The reason in one word, stable for clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureCode {
    /// No connection to the web server, or it broke off.
    Unreachable,
    /// The name has no address.
    Dns,
    /// The certificate is not valid, or no secure connection came about.
    Tls,
    /// The web server answered with an error status.
    HttpStatus,
    /// The address leads to something other than a web page.
    NotHtml,
    /// The address leads to another web site.
    RedirectedAway,
    /// A login page stands in place of the site.
    LoginRequired,
    /// The page did not become ready, or could not be checked, within its time.
    Timeout,
    /// The address, or one it leads to, is not public.
    RefusedAddress,
    /// The site's robots.txt asks not to be visited.
    BlockedByRobots,
    /// The page is larger than a check can hold.
    TooLarge,
    /// The page brought the browser down, repeatedly.
    BrowserCrashed,
    /// axe-core could not run to its end in the page.
    EngineError,
    /// The check was begun several times, and no worker brought it to its end.
    WorkerLost,
    /// A code of a later release, shown as it is stored: the contract lets codes be added.
    Unknown(UnknownWord),
}

stored_words!(FailureCode {
    Unreachable = "unreachable",
    Dns = "dns",
    Tls = "tls",
    HttpStatus = "http_status",
    NotHtml = "not_html",
    RedirectedAway = "redirected_away",
    LoginRequired = "login_required",
    Timeout = "timeout",
    RefusedAddress = "refused_address",
    BlockedByRobots = "blocked_by_robots",
    TooLarge = "too_large",
    BrowserCrashed = "browser_crashed",
    EngineError = "engine_error",
    WorkerLost = "worker_lost",
});

impl FailureCode {
    /// Whether the same check may well succeed when tried again soon. Where it may not (a missing page, a login,
    /// another site), trying again only delays the answer.
    pub const fn is_worth_retrying(self) -> bool {
        match self {
            Self::Unreachable | Self::Dns | Self::Timeout | Self::BrowserCrashed | Self::EngineError => true,
            Self::Tls
            | Self::HttpStatus
            | Self::NotHtml
            | Self::RedirectedAway
            | Self::LoginRequired
            | Self::RefusedAddress
            | Self::BlockedByRobots
            | Self::TooLarge
            | Self::WorkerLost
            | Self::Unknown(_) => false,
        }
    }
}

impl FailureCode {
    /// Whether the check failed through our own fault, and neither the site's nor the network's.
    pub const fn is_our_fault(self) -> bool {
        matches!(self, Self::WorkerLost | Self::BrowserCrashed | Self::EngineError)
    }
}

/// Why a check or a page failed: a code for programs, a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Failure {
    /// The reason in one word.
    pub code: FailureCode,
    /// The reason in one English sentence that a site owner understands; no secrets, no internals.
    pub message: String,
}

impl Failure {
    /// Characters of a sentence that are kept.
    pub const MAX_MESSAGE: usize = 500;

    /// A failure with its sentence.
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self { code, message: bounded(&message.into(), Self::MAX_MESSAGE) }
    }

    /// What stands in a check which no worker brought to its end.
    pub fn worker_lost() -> Self {
        Self::new(FailureCode::WorkerLost, "The check was interrupted several times and could not be completed.")
    }
}
