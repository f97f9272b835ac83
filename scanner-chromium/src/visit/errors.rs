//! The reasons why a page was not checked, from what the browser and the guard know.

use std::time::Duration;

use a11ycheck_core::{
    catalog::{failure_of, terms},
    domain::{Failure, FailureCause, FailureCode, FailureFacts},
    locale::Locale,
    net::{PolicyError, Refusal},
};
use url::Url;

use super::walls::Wall;
use crate::{
    axe::AxeError,
    cdp::{CdpError, SessionEnd},
    guard::{GuardLog, Obstacle},
};

/// The end of a visit without a result.
#[derive(Debug)]
pub(crate) enum PageError {
    /// The page can't be checked. Its owner reads this failure.
    Failed(Failure),
    /// The same, because the site's server fails, which may pass.
    Unwell {
        /// The failure that its owner reads if it stays so.
        failure: Failure,
        /// The time for which the site asks not to be visited, if it gives one.
        retry_after: Option<Duration>,
    },
    /// The page leads to another site.
    LeavesSite {
        /// The address that it leads to.
        to: Url,
        /// True if the site's response to the request redirected there; false if a page did it.
        is_redirect: bool,
    },
    /// The site is too busy to respond, or considers itself to be visited too often.
    Busy {
        /// The failure that its owner reads if it stays so.
        failure: Failure,
        /// The time for which the site asks not to be visited, if it gives one.
        retry_after: Option<Duration>,
    },
    /// The page waited for a request without a response, which fails at once on all later visits. Another attempt may
    /// well succeed; its owner reads this failure if none does.
    HeldUp(Failure),
    /// The tab or the browser died. Another attempt may well succeed.
    Crashed,
    /// The tab died because it took more memory than its heap, or than the machine has. Another attempt may succeed if
    /// it was others that took the memory.
    OutOfMemory,
    /// The tab was ended because one takes too much of the browser's memory, and it seems to be this one. Another attempt
    /// shows whether it is.
    Suspected,
    /// The tab was ended to find out which one takes too much of the browser's memory, and it was not this one.
    MadeRoom,
}

impl PageError {
    pub(super) fn failed(code: FailureCode, message: impl Into<String>) -> Self {
        Self::Failed(Failure::new(code, message))
    }

    /// Returns the error of a page that can't be checked for this cause, without further facts.
    pub(super) fn because_of(cause: FailureCause) -> Self {
        Self::with_facts(cause, FailureFacts::default())
    }

    pub(super) fn with_facts(cause: FailureCause, facts: FailureFacts) -> Self {
        Self::Failed(failure_of(cause, facts))
    }

    /// Returns the error of a page that has a wall in its place.
    pub(crate) fn walled(wall: Wall) -> Self {
        let failure = wall.failure();
        match wall {
            Wall::Maintenance(retry_after) => Self::Unwell { failure, retry_after },
            Wall::Challenge(_) | Wall::Parked | Wall::NotFound | Wall::Consent => Self::Failed(failure),
        }
    }

    /// Returns whether the tab is known to be at rest: there was a response that is no page to check. In any other case
    /// the state of the tab is not known.
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
                    | Code::BotChallenge
            ),
            Self::HeldUp(_) | Self::Crashed | Self::OutOfMemory | Self::Suspected | Self::MadeRoom => false,
        }
    }

    /// Returns whether a page that was still open when this one was requested could have caused the error: by keeping
    /// its process busy, or by leading elsewhere.
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
            Self::Busy { .. }
            | Self::Unwell { .. }
            | Self::HeldUp(_)
            | Self::Crashed
            | Self::OutOfMemory
            | Self::Suspected
            | Self::MadeRoom => false,
        }
    }
}

impl From<AxeError> for PageError {
    fn from(error: AxeError) -> Self {
        match error {
            AxeError::TooLarge => {
                let message =
                    "The page has elements of a size that can't be checked: millions of pixels wide and high.";
                Self::failed(FailureCode::TooLarge, message)
            }
            AxeError::Failed(error) => {
                tracing::warn!(error, "axe-core could not run in a page");
                Self::failed(FailureCode::EngineError, "axe-core could not run to its end in the page.")
            }
            AxeError::Browser(error) => error.into(),
        }
    }
}

impl From<CdpError> for PageError {
    fn from(error: CdpError) -> Self {
        match &error {
            CdpError::Ended { end: SessionEnd::BrowserGone | SessionEnd::Crashed | SessionEnd::Detached, .. } => {
                tracing::debug!(error = &error as &dyn std::error::Error, "a tab was lost");
                Self::Crashed
            }
            CdpError::TimedOut { .. } => Self::because_of(FailureCause::BrowserBusy),
            CdpError::Refused { .. } | CdpError::Shape { .. } | CdpError::Arguments { .. } => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a page could not be checked");
                Self::failed(FailureCode::EngineError, "The page could not be examined to its end.")
            }
        }
    }
}

/// Returns the failure of a page that was not checked in its time.
pub(crate) fn timed_out() -> Failure {
    Failure::new(FailureCode::Timeout, "The page could not be checked within its time.")
}

/// Returns the failure that the guard caused at this address, if it did.
pub(crate) fn obstacle(address: &str, log: &GuardLog) -> Option<Failure> {
    let url = Url::parse(address).ok()?;
    let obstacle = log.obstacle(url.host_str()?, url.port_or_known_default()?)?;
    Some(match obstacle {
        Obstacle::Refused(Refusal::Port(port)) => failure_of(FailureCause::PortRefused, FailureFacts::of_port(port)),
        Obstacle::Refused(refusal) => Failure::new(FailureCode::RefusedAddress, refusal.to_string()),
        // The name may exist, and lead to an address that is not allowed: the guard does not say which.
        Obstacle::Dns => Failure::new(FailureCode::Dns, PolicyError::NO_ADDRESS),
        Obstacle::Unreachable => unreachable_site(),
        Obstacle::Proxy(cause) => failure_of(cause, FailureFacts::default()),
        Obstacle::TooMuch => failure_of(FailureCause::CheckTooLarge, FailureFacts::default()),
    })
}

/// Returns the failure of a site about which no more is known than that no page arrived.
pub(crate) fn unreachable_site() -> Failure {
    Failure::new(FailureCode::Unreachable, "The web server could not be reached, or it broke off.")
}

/// Returns the failure for Chromium's name of a network error at an address, such as `net::ERR_CERT_DATE_INVALID`.
pub(crate) fn network_failure(name: &str, at: &Url) -> Failure {
    let bare = name.strip_prefix("net::ERR_").unwrap_or(name);
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| bare.starts_with(prefix));
    if let Some(cause) = tls_cause(bare) {
        let failure = failure_of(cause, FailureFacts::of_error(bare));
        let message = format!("{} ({bare})", failure.message);
        failure.with_message(message)
    } else if is(&["CERT_", "SSL_", "BAD_SSL"]) {
        failure_of(FailureCause::TlsError, FailureFacts::of_error(bare))
    } else if is(&["NAME_NOT_RESOLVED", "NAME_RESOLUTION"]) {
        Failure::new(FailureCode::Dns, "The name of the web server has no address.")
    } else if is(&["TOO_MANY_REDIRECTS"]) {
        failure_of(FailureCause::RedirectCircle, FailureFacts::default())
    } else if is(&["TIMED_OUT", "CONNECTION_TIMED_OUT"]) {
        failure_of(FailureCause::NoAnswerInTime, FailureFacts::default())
    } else if is(&["UNSAFE_PORT"]) {
        // The browser sends no request, now or at any other time.
        let port = at.port_or_known_default().unwrap_or_default();
        failure_of(FailureCause::PortRefused, FailureFacts::of_port(port))
    } else if is(&["ABORTED"]) {
        // A download, which is not accepted, or a response without a page (204).
        Failure::new(FailureCode::NotHtml, "The address leads to a file or to nothing, not to a web page.")
    } else {
        failure_of(FailureCause::ConnectionError, FailureFacts::of_error(bare))
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

/// Returns the same failure with a cause that says more.
pub(crate) fn with_cause(failure: &Failure, cause: FailureCause) -> Failure {
    let better = failure_of(cause, failure.facts());
    match failure.redirected_to() {
        Some(target) => redirected(better, target),
        None => better,
    }
}

/// Returns the failure with the address to which `asked` redirected, if that is another host, or the same one over
/// HTTPS or on another port: `failed`.
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
    fn what_is_wrong_with_a_certificate_is_reported_in_words_and_with_the_browsers_own() {
        let failure = network_failure("net::ERR_CERT_COMMON_NAME_INVALID", &url("https://a.test/"));
        assert_eq!((failure.code, failure.cause()), (FailureCode::Tls, Some(FailureCause::CertificateOtherName)));
        assert!(failure.message.contains("another name. (CERT_COMMON_NAME_INVALID)"), "{failure}");
        let failure = network_failure("net::ERR_SSL_PROTOCOL_ERROR", &url("https://a.test/"));
        assert_eq!((failure.code, failure.cause()), (FailureCode::Tls, Some(FailureCause::TlsError)));
        assert!(failure.message.contains("SSL_PROTOCOL_ERROR"), "{failure}");
    }

    #[test]
    fn a_port_that_browsers_refuse_is_named_and_not_worth_another_try() {
        let failure = network_failure("net::ERR_UNSAFE_PORT", &url("http://site.example:25/"));
        assert_eq!((failure.code, failure.facts().port), (FailureCode::RefusedAddress, Some(25)));
        assert!(!failure.code.is_worth_retrying());
        assert!(failure.message.contains("port 25"), "{failure}");
    }

    #[test]
    fn a_redirect_to_another_host_or_to_https_is_named() {
        let at = |asked, failed| {
            at_redirect_target(
                failure_of(FailureCause::CertificateExpired, FailureFacts::default()),
                &url(asked),
                &url(failed),
            )
        };
        let failure = at("http://a.test/", "https://a.test/x");
        assert_eq!(failure.redirected_to(), Some("https://a.test"));
        assert!(failure.message.starts_with("The address redirects to https://a.test. The web"), "{failure}");
        assert_eq!(at("https://a.test/", "https://a.test/x").redirected_to(), None);
    }
}
