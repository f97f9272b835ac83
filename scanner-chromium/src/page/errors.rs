//! Why a page was not checked, from what the browser and the guard know.

use std::time::Duration;

use a11ycheck_core::{
    catalog::terms,
    domain::{Failure, FailureCause, FailureCode},
    locale::Locale,
};
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
    /// The page waited for something without an answer, which fails at once from now on. Another try may well succeed; this is
    /// what its owner reads if none does.
    HeldUp(Failure),
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
                    | Code::Proxy
            ),
            Self::HeldUp(_) | Self::Crashed | Self::OutOfMemory => false,
        }
    }

    /// Whether a page that was still open when this one was asked for could have brought it about: by keeping its process
    /// busy, or by leading elsewhere.
    pub(crate) fn may_be_of_the_page_before(&self) -> bool {
        use FailureCode as Code;
        match self {
            Self::Failed(failure) => matches!(
                failure.code,
                Code::Timeout
                    | Code::NotHtml
                    | Code::RedirectedAway
                    | Code::EngineError
                    | Code::TooLarge
                    | Code::Unreachable
            ),
            Self::LeavesSite { is_redirect, .. } => !is_redirect,
            Self::Busy { .. } | Self::Unwell { .. } | Self::HeldUp(_) | Self::Crashed | Self::OutOfMemory => false,
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
pub(crate) fn obstacle(address: &str, log: &GuardLog) -> Option<Failure> {
    let url = Url::parse(address).ok()?;
    let obstacle = log.obstacle(url.host_str()?, url.port_or_known_default()?)?;
    Some(match obstacle {
        Obstacle::Refused(refusal) => Failure::new(FailureCode::RefusedAddress, refusal.to_string()),
        Obstacle::Dns => Failure::new(FailureCode::Dns, "The name of the web server has no address."),
        Obstacle::Unreachable => unreachable_site(),
        Obstacle::Proxy(cause) => failure_of(cause),
        Obstacle::TooMuch => Failure::new(FailureCode::TooLarge, "The site sends more data than one check may load."),
    })
}

/// Nothing more is known than that no page came.
pub(crate) fn unreachable_site() -> Failure {
    Failure::new(FailureCode::Unreachable, "The web server could not be reached, or it broke off.")
}

/// The meaning of Chromium's name for a network error, such as `net::ERR_CERT_DATE_INVALID`.
pub(crate) fn network_failure(name: &str) -> Failure {
    let bare = name.strip_prefix("net::ERR_").unwrap_or(name);
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| bare.starts_with(prefix));
    if let Some(cause) = tls_cause(bare) {
        let failure = failure_of(cause);
        let message = format!("{} ({bare})", failure.message);
        failure.with_message(message)
    } else if is(&["CERT_", "SSL_", "BAD_SSL"]) {
        Failure::new(FailureCode::Tls, format!("No secure connection to the web server was possible ({bare})."))
    } else if is(&["NAME_NOT_RESOLVED", "NAME_RESOLUTION"]) {
        Failure::new(FailureCode::Dns, "The name of the web server has no address.")
    } else if is(&["TOO_MANY_REDIRECTS"]) {
        Failure::new(FailureCode::HttpStatus, "The web server redirects in a circle.")
    } else if is(&["TIMED_OUT", "CONNECTION_TIMED_OUT"]) {
        Failure::new(FailureCode::Timeout, "The web server did not answer in time.")
    } else if is(&["ABORTED"]) {
        // A download, which is not taken, or an answer without a page (204).
        Failure::new(FailureCode::NotHtml, "The address leads to a file or to nothing, not to a web page.")
    } else {
        Failure::new(FailureCode::Unreachable, format!("The web server could not be reached ({bare})."))
    }
}

fn tls_cause(bare: &str) -> Option<FailureCause> {
    Some(match bare {
        "CERT_DATE_INVALID" => FailureCause::CertificateNotValidNow,
        "CERT_COMMON_NAME_INVALID" => FailureCause::CertificateOtherName,
        "CERT_AUTHORITY_INVALID" => FailureCause::CertificateUnknownAuthority,
        "SSL_VERSION_OR_CIPHER_MISMATCH"
        | "SSL_OBSOLETE_VERSION"
        | "SSL_OBSOLETE_CIPHER"
        | "SSL_UNSAFE_NEGOTIATION"
        | "SSL_WEAK_SERVER_EPHEMERAL_DH_KEY" => FailureCause::TlsTooOld,
        _ => return None,
    })
}

/// The failure with the catalogue's sentence for a cause.
pub(crate) fn failure_of(cause: FailureCause) -> Failure {
    let code = match cause {
        FailureCause::ProxyUnreachable | FailureCause::ProxyLogin | FailureCause::ProxyRefused => FailureCode::Proxy,
        _ => FailureCode::Tls,
    };
    Failure::new(code, terms(Locale::En).cause(cause).unwrap_or_default()).because_of(cause)
}

/// The same failure, with a cause that says more.
pub(crate) fn with_cause(failure: &Failure, cause: FailureCause) -> Failure {
    let better = failure_of(cause);
    match failure.redirected_to() {
        Some(target) => redirected(better, target),
        None => better,
    }
}

/// The failure as its owner is told it where `asked` redirected to `failed`: another host, or the same one over HTTPS or on another port.
pub(crate) fn at_redirect_target(failure: Failure, asked: &Url, failed: &Url) -> Failure {
    if asked.origin() == failed.origin() {
        return failure;
    }
    redirected(failure, &failed.origin().unicode_serialization())
}

fn redirected(failure: Failure, target: &str) -> Failure {
    let message = terms(Locale::En).at_redirect_target(target, &failure.message);
    failure.at_redirect_target(target).with_message(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn what_is_wrong_with_a_certificate_is_told_in_words_and_with_the_browsers_own() {
        let failure = network_failure("net::ERR_CERT_COMMON_NAME_INVALID");
        assert_eq!((failure.code, failure.cause()), (FailureCode::Tls, Some(FailureCause::CertificateOtherName)));
        assert!(failure.message.contains("another name. (CERT_COMMON_NAME_INVALID)"), "{failure}");
        let failure = network_failure("net::ERR_SSL_PROTOCOL_ERROR");
        assert_eq!((failure.code, failure.cause()), (FailureCode::Tls, None));
    }

    #[test]
    fn a_redirect_to_another_host_or_to_https_is_named() {
        let at =
            |asked, failed| at_redirect_target(failure_of(FailureCause::CertificateExpired), &url(asked), &url(failed));
        let failure = at("http://a.test/", "https://a.test/x");
        assert_eq!(failure.redirected_to(), Some("https://a.test"));
        assert!(failure.message.starts_with("The address redirects to https://a.test. The web"), "{failure}");
        assert_eq!(at("https://a.test/", "https://a.test/x").redirected_to(), None);
    }
}
