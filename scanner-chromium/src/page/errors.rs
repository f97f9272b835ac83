//! Why a page was not checked, from what the browser and the guard know.

use std::time::Duration;

use a11ycheck_core::domain::{Failure, FailureCode};
use url::Url;

use crate::{
    cdp::{CdpError, SessionEnd},
    guard::{GuardLog, Obstacle},
};

/// How a visit ends without a result.
#[derive(Debug)]
pub(crate) enum PageError {
    /// The page can't be checked, and this is what its owner reads.
    Failed(Failure),
    /// The same, because the site's server fails, which may pass.
    Unwell {
        /// What its owner reads if it stays so.
        failure: Failure,
        /// How long the site asks to be left alone, if it says.
        retry_after: Option<Duration>,
    },
    /// The page leads to another site.
    LeavesSite {
        /// Where.
        to: Url,
        /// Whether that is the answer to what was asked for; else some page did it.
        is_redirect: bool,
    },
    /// The site is too busy to answer, or finds that it is asked too often.
    Busy {
        /// What its owner reads if it stays so.
        failure: Failure,
        /// How long the site asks to be left alone, if it says.
        retry_after: Option<Duration>,
    },
    /// The tab or the browser died. Another try may well succeed.
    Crashed,
    /// The tab died because it took more memory than it may have, or than the machine has. Another try may succeed where
    /// others took the memory.
    OutOfMemory,
}

impl PageError {
    pub(super) fn failed(code: FailureCode, message: impl Into<String>) -> Self {
        Self::Failed(Failure::new(code, message))
    }

    /// Whether the tab is known to be at rest: an answer came that is no page to check. In any other case nobody knows
    /// what it is busy with.
    pub(crate) fn leaves_tab_at_rest(&self) -> bool {
        use FailureCode as Code;
        match self {
            Self::LeavesSite { .. } | Self::Busy { .. } | Self::Unwell { .. } => true,
            Self::Failed(failure) => matches!(
                failure.code,
                Code::HttpStatus
                    | Code::LoginRequired
                    | Code::NotHtml
                    | Code::RefusedAddress
                    | Code::Dns
                    | Code::Tls
                    | Code::Unreachable
            ),
            Self::Crashed | Self::OutOfMemory => false,
        }
    }

    /// Whether a page that was still open when this one was asked for could have brought it about: by keeping its process
    /// busy, or by leading elsewhere.
    pub(crate) fn may_be_of_the_page_before(&self) -> bool {
        use FailureCode as Code;
        match self {
            Self::Failed(failure) => matches!(
                failure.code,
                Code::Timeout | Code::NotHtml | Code::EngineError | Code::TooLarge | Code::Unreachable
            ),
            Self::LeavesSite { is_redirect, .. } => !is_redirect,
            Self::Busy { .. } | Self::Unwell { .. } | Self::Crashed | Self::OutOfMemory => false,
        }
    }

    /// The page did not get done.
    pub(super) fn timeout(what: &str) -> Self {
        Self::failed(FailureCode::Timeout, what)
    }
}

impl From<CdpError> for PageError {
    fn from(error: CdpError) -> Self {
        match &error {
            CdpError::Ended { end: SessionEnd::BrowserGone | SessionEnd::Crashed | SessionEnd::Detached, .. } => {
                tracing::debug!(error = &error as &dyn std::error::Error, "a tab was lost");
                Self::Crashed
            }
            CdpError::TimedOut { .. } => {
                Self::timeout("The page keeps the browser busy and could not be checked in time.")
            }
            CdpError::Refused { .. } | CdpError::Shape { .. } | CdpError::Arguments { .. } => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a page could not be checked");
                Self::failed(FailureCode::EngineError, "The page could not be examined to its end.")
            }
        }
    }
}

/// What the guard knows about this address, if it stood in the way.
pub(super) fn obstacle(address: &str, log: &GuardLog) -> Option<PageError> {
    let url = Url::parse(address).ok()?;
    let obstacle = log.obstacle(url.host_str()?, url.port_or_known_default()?)?;
    Some(match obstacle {
        Obstacle::Refused(refusal) => PageError::failed(FailureCode::RefusedAddress, refusal.to_string()),
        Obstacle::Dns => PageError::failed(FailureCode::Dns, "The name of the web server has no address."),
        Obstacle::Unreachable => unreachable_site(),
        Obstacle::TooMuch => {
            PageError::failed(FailureCode::TooLarge, "The site sends more data than one check may load.")
        }
    })
}

/// Nothing more is known than that no page came.
pub(super) fn unreachable_site() -> PageError {
    PageError::failed(FailureCode::Unreachable, "The web server could not be reached, or it broke off.")
}

/// The meaning of Chromium's name for a network error, such as `net::ERR_CERT_DATE_INVALID`.
pub(super) fn network_error(name: &str) -> PageError {
    let bare = name.strip_prefix("net::ERR_").unwrap_or(name);
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| bare.starts_with(prefix));
    if is(&["CERT_", "SSL_", "BAD_SSL"]) {
        let message = format!("No secure connection to the web server came about ({bare}).");
        PageError::failed(FailureCode::Tls, message)
    } else if is(&["NAME_NOT_RESOLVED", "NAME_RESOLUTION"]) {
        PageError::failed(FailureCode::Dns, "The name of the web server has no address.")
    } else if is(&["TOO_MANY_REDIRECTS"]) {
        PageError::failed(FailureCode::HttpStatus, "The web server redirects in a circle.")
    } else if is(&["TIMED_OUT", "CONNECTION_TIMED_OUT"]) {
        PageError::timeout("The web server did not answer in time.")
    } else if is(&["ABORTED"]) {
        // A download, which is not taken, or an answer without a page (204).
        PageError::failed(FailureCode::NotHtml, "The address leads to a file or to nothing, not to a web page.")
    } else {
        PageError::failed(FailureCode::Unreachable, format!("The web server could not be reached ({bare})."))
    }
}
