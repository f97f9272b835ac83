//! Failures of a check, or of one page of it.

use serde::{Deserialize, Serialize};

use super::{FailureFacts, UnknownWord, bounded, failure_facts::of_an_earlier_release, stored_word::stored_words};

/// The reason for a failure in one word, stable for clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureCode {
    /// No connection to the web server was established, or it broke off.
    Unreachable,
    /// The name has no address, or none that may be visited: the code does not distinguish the two.
    Dns,
    /// The certificate is not valid, or no secure connection was established.
    Tls,
    /// The web server responded with an error status.
    HttpStatus,
    /// The address leads to something other than a web page.
    NotHtml,
    /// The address leads to another web site.
    RedirectedAway,
    /// A login page is shown instead of the site.
    LoginRequired,
    /// The page did not become ready, or could not be checked, within its time.
    Timeout,
    /// The address, or one it leads to, is not public.
    RefusedAddress,
    /// The site's robots.txt asks not to be visited.
    BlockedByRobots,
    /// The page is larger than the bound of a check.
    TooLarge,
    /// The page crashed the browser repeatedly.
    BrowserCrashed,
    /// axe-core could not finish in the page.
    EngineError,
    /// The check was begun several times, and no worker finished it.
    WorkerLost,
    /// The operator's own proxy, through which all connections go, did not connect. This is not the site's fault.
    Proxy,
    /// A bot check is shown instead of the page: the site's protection takes the check for an attack.
    BotChallenge,
    /// The domain is parked: the page of a domain provider is shown instead of a site.
    Parked,
    /// A maintenance page is shown instead of the site, with a status that reports success.
    Maintenance,
    /// The page does not exist: the site shows the same page for an address that can't exist, with a status that
    /// reports success.
    SoftNotFound,
    /// The page shows a request for consent and no content.
    ConsentWall,
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
    BotChallenge = "bot_challenge",
    Parked = "parked",
    Maintenance = "maintenance",
    SoftNotFound = "soft_not_found",
    ConsentWall = "consent_wall",
});

impl FailureCode {
    /// Returns whether the same check may well succeed when it is tried again soon. Where it will not (a missing page,
    /// a login, another site), trying again only delays the result. A bot check becomes harder with each further
    /// attempt; maintenance passes.
    pub const fn is_worth_retrying(self) -> bool {
        match self {
            Self::Unreachable
            | Self::Dns
            | Self::Timeout
            | Self::BrowserCrashed
            | Self::EngineError
            | Self::Proxy
            | Self::Maintenance => true,
            Self::Tls
            | Self::HttpStatus
            | Self::NotHtml
            | Self::RedirectedAway
            | Self::LoginRequired
            | Self::RefusedAddress
            | Self::BlockedByRobots
            | Self::TooLarge
            | Self::WorkerLost
            | Self::BotChallenge
            | Self::Parked
            | Self::SoftNotFound
            | Self::ConsentWall
            | Self::Unknown(_) => false,
        }
    }
}

impl FailureCode {
    /// Returns whether the failure is the fault of this service, rather than of the site or the network.
    pub const fn is_our_fault(self) -> bool {
        matches!(self, Self::WorkerLost | Self::BrowserCrashed | Self::EngineError | Self::Proxy)
    }
}

/// The exact cause of a failure, if more is known than the code says. Reports have a sentence for each in every
/// language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureCause {
    /// The certificate has expired.
    CertificateExpired,
    /// The certificate is not valid yet.
    CertificateNotYetValid,
    /// The certificate has expired or is not valid yet; which of the two is not known.
    CertificateNotValidNow,
    /// The certificate is for another name.
    CertificateOtherName,
    /// The certificate was issued by no authority that this service trusts, or an intermediate certificate is missing.
    CertificateUnknownAuthority,
    /// The web server offers no version of TLS, or no cipher, that browsers still accept.
    TlsTooOld,
    /// The proxy could not be reached, or broke the connection off.
    ProxyUnreachable,
    /// The proxy demands credentials, or other ones.
    ProxyLogin,
    /// The proxy refuses the connection.
    ProxyRefused,
    /// The web server responded with the error status [`FailureFacts::status`].
    Status,
    /// The web server redirects in a loop.
    RedirectCircle,
    /// The web server did not respond in time.
    NoAnswerInTime,
    /// The page was still loading when its time was over.
    NeverLoaded,
    /// The page was still loading when its time was over, because there was no response from [`FailureFacts::address`].
    NoAnswerFrom,
    /// The page's scripts leave no time for the check.
    BrowserBusy,
    /// The page reloads itself, or leads on to others, without end.
    KeepsReloading,
    /// The page opens dialogs without end.
    KeepsOpeningDialogs,
    /// There was no connection, for a reason that the browser names: [`FailureFacts::error`].
    ConnectionError,
    /// There was no secure connection, for a reason that the browser names: [`FailureFacts::error`].
    TlsError,
    /// The web server demands a user name and a password (HTTP authentication).
    HttpLogin,
    /// Browsers, or this service, do not connect to web sites on [`FailureFacts::port`].
    PortRefused,
    /// The address leads to another site: [`FailureFacts::host`].
    LeadsToHost,
    /// The address leads to another site, [`FailureFacts::host`], which may not be visited.
    LeadsToRefusedHost,
    /// The site's robots.txt disallows the page for [`FailureFacts::agent`].
    RobotsDisallow,
    /// The request for the site's robots.txt got the error status [`FailureFacts::status`].
    RobotsStatus,
    /// The document alone is larger than [`FailureFacts::limit_mb`].
    DocumentTooLarge,
    /// The page with everything it loads is larger than [`FailureFacts::limit_mb`].
    PageTooLarge,
    /// The site has sent more data than one check may load.
    CheckTooLarge,
    /// The page takes more memory than the operator allows it, or than the node has.
    TooMuchMemory,
    /// The browser did not work, whatever the page was.
    BrowserBroken,
    /// The result of the scanner broke a rule of [`OutputError`](crate::scanner::OutputError), and was discarded.
    ResultDiscarded,
    /// The product that makes the bot check is known: [`FailureFacts::product`].
    ChallengeOf,
    /// A cause of a later release, for which the sentence of the code is shown.
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
    Status = "status",
    RedirectCircle = "redirect_circle",
    NoAnswerInTime = "no_answer_in_time",
    NeverLoaded = "never_loaded",
    NoAnswerFrom = "no_answer_from",
    BrowserBusy = "browser_busy",
    KeepsReloading = "keeps_reloading",
    KeepsOpeningDialogs = "keeps_opening_dialogs",
    ConnectionError = "connection_error",
    TlsError = "tls_error",
    HttpLogin = "http_login",
    PortRefused = "port_refused",
    LeadsToHost = "leads_to_host",
    LeadsToRefusedHost = "leads_to_refused_host",
    RobotsDisallow = "robots_disallow",
    RobotsStatus = "robots_status",
    DocumentTooLarge = "document_too_large",
    PageTooLarge = "page_too_large",
    CheckTooLarge = "check_too_large",
    TooMuchMemory = "too_much_memory",
    BrowserBroken = "browser_broken",
    ResultDiscarded = "result_discarded",
    ChallengeOf = "challenge_of",
});

impl FailureCause {
    /// Returns the code of a failure of this cause.
    pub const fn code(self) -> FailureCode {
        match self {
            Self::CertificateExpired
            | Self::CertificateNotYetValid
            | Self::CertificateNotValidNow
            | Self::CertificateOtherName
            | Self::CertificateUnknownAuthority
            | Self::TlsTooOld
            | Self::TlsError => FailureCode::Tls,
            Self::ProxyUnreachable | Self::ProxyLogin | Self::ProxyRefused => FailureCode::Proxy,
            Self::Status | Self::RedirectCircle => FailureCode::HttpStatus,
            Self::NoAnswerInTime
            | Self::NeverLoaded
            | Self::NoAnswerFrom
            | Self::BrowserBusy
            | Self::KeepsReloading
            | Self::KeepsOpeningDialogs => FailureCode::Timeout,
            Self::ConnectionError => FailureCode::Unreachable,
            Self::HttpLogin => FailureCode::LoginRequired,
            Self::PortRefused | Self::LeadsToRefusedHost => FailureCode::RefusedAddress,
            Self::LeadsToHost => FailureCode::RedirectedAway,
            Self::RobotsDisallow | Self::RobotsStatus => FailureCode::BlockedByRobots,
            Self::DocumentTooLarge | Self::PageTooLarge | Self::CheckTooLarge | Self::TooMuchMemory => {
                FailureCode::TooLarge
            }
            Self::BrowserBroken => FailureCode::BrowserCrashed,
            Self::ResultDiscarded => FailureCode::EngineError,
            Self::ChallengeOf => FailureCode::BotChallenge,
            Self::Unknown(word) => FailureCode::Unknown(word),
        }
    }
}

/// The reason why a check or a page failed: a code for programs, a sentence for people.
///
/// This is the form in which it is stored. Clients are shown code and message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("{code}: {message}")]
pub struct Failure {
    /// The reason in one word.
    pub code: FailureCode,
    /// The reason in one English sentence that a site owner understands; no secrets, no internals.
    pub message: String,
    /// The exact cause, if it is known. Boxed, because a failure is the error of many functions, and most have no
    /// cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<Box<FailureCause>>,
    /// The origin at which it failed (`https://www.a.example`), if the address that was asked for redirects to another
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) redirected_to: Option<Box<str>>,
    /// The facts that are filled into the sentence of the cause. Boxed for the same reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) facts: Option<Box<FailureFacts>>,
}

impl Failure {
    /// The greatest number of characters of a sentence that are kept.
    pub const MAX_MESSAGE: usize = 500;
    /// The greatest number of characters of an origin that are kept: the longest name that DNS has, with scheme and
    /// port.
    const MAX_ORIGIN: usize = 270;

    /// Makes a failure with its sentence, which is cut to [`MAX_MESSAGE`](Self::MAX_MESSAGE).
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: bounded(&message.into(), Self::MAX_MESSAGE),
            cause: None,
            redirected_to: None,
            facts: None,
        }
    }

    /// Sets the exact cause.
    #[must_use]
    pub fn because_of(self, cause: FailureCause) -> Self {
        Self { cause: Some(Box::new(cause)), ..self }
    }

    /// Sets the facts that are filled into the sentence of the cause.
    #[must_use]
    pub fn with_facts(self, facts: FailureFacts) -> Self {
        Self { facts: Some(Box::new(facts)), ..self }
    }

    /// Replaces the sentence.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: bounded(&message.into(), Self::MAX_MESSAGE), ..self }
    }

    /// Returns the exact cause, if it is known.
    pub fn cause(&self) -> Option<FailureCause> {
        self.cause.as_deref().copied()
    }

    /// Returns the facts that are filled into the sentence of the cause; none of them is set if nothing is known.
    pub fn facts(&self) -> FailureFacts {
        self.facts.as_deref().cloned().unwrap_or_default()
    }

    /// Reads cause and facts from the sentence if nothing else is stored, as by an earlier release or another scanner.
    #[must_use]
    pub fn understood(self) -> Self {
        match of_an_earlier_release(self.code, &self.message) {
            Some((cause, facts)) if self.cause.is_none() && self.facts.is_none() => {
                self.because_of(cause).with_facts(facts)
            }
            _ => self,
        }
    }

    /// Returns the origin at which it failed, if the address that was asked for redirects to another one.
    pub fn redirected_to(&self) -> Option<&str> {
        self.redirected_to.as_deref()
    }

    /// Sets the origin that the address redirects to.
    #[must_use]
    pub fn at_redirect_target(self, origin: &str) -> Self {
        Self { redirected_to: Some(bounded(origin, Self::MAX_ORIGIN).into_boxed_str()), ..self }
    }

    /// Returns the failure of a check that no worker finished.
    pub fn worker_lost() -> Self {
        Self::new(FailureCode::WorkerLost, "The check was interrupted several times and could not be completed.")
    }
}
