//! Why a check, or one page of it, could not be done.

use serde::{Deserialize, Serialize};

use super::{FailureFacts, UnknownWord, bounded, failure_facts::of_an_earlier_release, stored_word::stored_words};

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
    /// A bot check stands in place of the page: the site's protection takes the check for an attack.
    BotChallenge,
    /// The domain is parked: the page of a domain provider stands in place of a site.
    Parked,
    /// A maintenance page stands in place of the site, with a status that says that all is well.
    Maintenance,
    /// The page does not exist: the site shows the same one for an address that can't exist, with a status that says that all is well.
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
    /// Whether the same check may well succeed when tried again soon. Where it may not (a missing page, a login,
    /// another site), trying again only delays the answer. A bot check is made harder by each further try; maintenance passes.
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
    /// The web server answered with an error: [`FailureFacts::status`].
    Status,
    /// The web server redirects in a circle.
    RedirectCircle,
    /// The web server did not answer in time.
    NoAnswerInTime,
    /// The page was still loading when its time was over.
    NeverLoaded,
    /// The same, because there was no answer from [`FailureFacts::address`].
    NoAnswerFrom,
    /// The page's scripts leave no time for the check.
    BrowserBusy,
    /// The page reloads itself, or leads on to others, without an end.
    KeepsReloading,
    /// The page opens dialogs without an end.
    KeepsOpeningDialogs,
    /// No connection, for a reason that the browser has a name for: [`FailureFacts::error`].
    ConnectionError,
    /// No secure connection, likewise.
    TlsError,
    /// The web server wants a user name and a password (HTTP authentication).
    HttpLogin,
    /// Browsers, or this service, connect to no web site on [`FailureFacts::port`].
    PortRefused,
    /// The address leads to another site: [`FailureFacts::host`].
    LeadsToHost,
    /// The same, and that one may not be visited.
    LeadsToRefusedHost,
    /// The site's robots.txt closes the page to [`FailureFacts::agent`].
    RobotsDisallow,
    /// The site's robots.txt was answered with an error: [`FailureFacts::status`].
    RobotsStatus,
    /// The document alone is larger than [`FailureFacts::limit_mb`].
    DocumentTooLarge,
    /// The page is, with all that it loads.
    PageTooLarge,
    /// The site has sent more data than one check may load.
    CheckTooLarge,
    /// The page takes more memory than the operator allows it, or than the machine has.
    TooMuchMemory,
    /// The browser did not work, whatever the page.
    BrowserBroken,
    /// What the scanner returned broke a rule of [`OutputError`](crate::scanner::OutputError), and was discarded.
    ResultDiscarded,
    /// The bot check is known by its maker: [`FailureFacts::product`].
    ChallengeOf,
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
    /// The code of a failure of this cause.
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
    pub(crate) redirected_to: Option<Box<str>>,
    /// What the words of the cause are filled with. Boxed for the same reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) facts: Option<Box<FailureFacts>>,
}

impl Failure {
    /// Characters of a sentence that are kept.
    pub const MAX_MESSAGE: usize = 500;
    /// Characters of an origin that are kept: the longest name that DNS has, with scheme and port.
    const MAX_ORIGIN: usize = 270;

    /// A failure with its sentence.
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: bounded(&message.into(), Self::MAX_MESSAGE),
            cause: None,
            redirected_to: None,
            facts: None,
        }
    }

    /// The same, with what exactly it was.
    #[must_use]
    pub fn because_of(self, cause: FailureCause) -> Self {
        Self { cause: Some(Box::new(cause)), ..self }
    }

    /// The same, with what the words of its cause are filled with.
    #[must_use]
    pub fn with_facts(self, facts: FailureFacts) -> Self {
        Self { facts: Some(Box::new(facts)), ..self }
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

    /// What the words of its cause are filled with; nothing where nothing is known.
    pub fn facts(&self) -> FailureFacts {
        self.facts.as_deref().cloned().unwrap_or_default()
    }

    /// The same, with cause and facts read from the sentence where an earlier release, or another scanner, has stored nothing else.
    #[must_use]
    pub fn understood(self) -> Self {
        match of_an_earlier_release(self.code, &self.message) {
            Some((cause, facts)) if self.cause.is_none() && self.facts.is_none() => {
                self.because_of(cause).with_facts(facts)
            }
            _ => self,
        }
    }

    /// The origin at which it failed, where the address that was asked for redirects to another one.
    pub fn redirected_to(&self) -> Option<&str> {
        self.redirected_to.as_deref()
    }

    /// The same, at the origin that the address redirects to.
    #[must_use]
    pub fn at_redirect_target(self, origin: &str) -> Self {
        Self { redirected_to: Some(bounded(origin, Self::MAX_ORIGIN).into_boxed_str()), ..self }
    }

    /// What stands in a check which no worker brought to its end.
    pub fn worker_lost() -> Self {
        Self::new(FailureCode::WorkerLost, "The check was interrupted several times and could not be completed.")
    }
}
