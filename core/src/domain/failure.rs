//! Why a check, or one page of it, could not be done.

use serde::{Deserialize, Serialize};

use super::{UnknownWord, bounded, stored_word::stored_words};

/// The reason in one word, stable for clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureCode {
    /// No connection to the web server, or it broke off.
    Unreachable,
    /// The name has no address, or none that may be visited: the two are not told apart.
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
    /// The operator's own proxy, through which all connections go, passed none on. Not the site's fault.
    Proxy,
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
    Proxy = "proxy",
});

impl FailureCode {
    /// Whether the same check may well succeed when tried again soon. Where it may not (a missing page, a login,
    /// another site), trying again only delays the answer.
    pub const fn is_worth_retrying(self) -> bool {
        match self {
            Self::Unreachable | Self::Dns | Self::Timeout | Self::BrowserCrashed | Self::EngineError | Self::Proxy => {
                true
            }
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
        matches!(self, Self::WorkerLost | Self::BrowserCrashed | Self::EngineError | Self::Proxy)
    }
}

/// What exactly was wrong, where more is known than the code says. Reports have a sentence for each in every language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureCause {
    /// The certificate has expired.
    CertificateExpired,
    /// The certificate is not valid yet.
    CertificateNotYetValid,
    /// One of the two; which one is not known.
    CertificateNotValidNow,
    /// The certificate is for another name.
    CertificateOtherName,
    /// Nobody whom this service trusts issued the certificate, or a certificate between the two is missing.
    CertificateUnknownAuthority,
    /// The web server offers no version of TLS and no method of encryption that browsers still accept.
    TlsTooOld,
    /// The proxy could not be reached, or broke off.
    ProxyUnreachable,
    /// The proxy wants credentials, or others.
    ProxyLogin,
    /// The proxy does not let the connection pass.
    ProxyRefused,
    /// A cause of a later release. The code's own sentence stands in its place.
    Unknown(UnknownWord),
}

stored_words!(FailureCause {
    CertificateExpired = "certificate_expired",
    CertificateNotYetValid = "certificate_not_yet_valid",
    CertificateNotValidNow = "certificate_not_valid_now",
    CertificateOtherName = "certificate_other_name",
    CertificateUnknownAuthority = "certificate_unknown_authority",
    TlsTooOld = "tls_too_old",
    ProxyUnreachable = "proxy_unreachable",
    ProxyLogin = "proxy_login",
    ProxyRefused = "proxy_refused",
});

/// Why a check or a page failed: a code for programs, a sentence for people.
///
/// This is the form in which it is stored. Clients are shown code and message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Failure {
    /// The reason in one word.
    pub code: FailureCode,
    /// The reason in one English sentence that a site owner understands; no secrets, no internals.
    pub message: String,
    /// What exactly it was, if that is known. Boxed, because a failure is the error of many functions, and most have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<Box<FailureCause>>,
    /// The origin at which it failed (`https://www.a.example`), where the address that was asked for redirects to another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) redirected_to: Option<String>,
}

impl Failure {
    /// Characters of a sentence that are kept.
    pub const MAX_MESSAGE: usize = 500;
    /// Characters of an origin that are kept: the longest name that DNS has, with scheme and port.
    const MAX_ORIGIN: usize = 270;

    /// A failure with its sentence.
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self { code, message: bounded(&message.into(), Self::MAX_MESSAGE), cause: None, redirected_to: None }
    }

    /// The same, with what exactly it was.
    #[must_use]
    pub fn because_of(self, cause: FailureCause) -> Self {
        Self { cause: Some(Box::new(cause)), ..self }
    }

    /// The same with another sentence.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: bounded(&message.into(), Self::MAX_MESSAGE), ..self }
    }

    /// What exactly it was, if that is known.
    pub fn cause(&self) -> Option<FailureCause> {
        self.cause.as_deref().copied()
    }

    /// The origin at which it failed, where the address that was asked for redirects to another one.
    pub fn redirected_to(&self) -> Option<&str> {
        self.redirected_to.as_deref()
    }

    /// The same, at the origin that the address redirects to.
    #[must_use]
    pub fn at_redirect_target(self, origin: &str) -> Self {
        Self { redirected_to: Some(bounded(origin, Self::MAX_ORIGIN)), ..self }
    }

    /// What stands in a check which no worker brought to its end.
    pub fn worker_lost() -> Self {
        Self::new(FailureCode::WorkerLost, "The check was interrupted several times and could not be completed.")
    }
}
