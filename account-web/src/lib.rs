//! The account web interface: HTML pages for people, over any HTTP server (decision 0053).
//!
//! [`AccountWeb::answer`] takes a [`Request`] and returns a [`Response`]: routing, sign-in, protection against forged requests and the
//! pages themselves are here, while what a person may do is decided by [`a11ycheck_core::service::People`] and the handles that it
//! gives. The pages are complete without scripts. Nothing in them is inline, so that the Content-Security-Policy forbids it.

mod arrivals;
mod cookies;
mod failed_sign_ins;
mod fields;
mod forged;
mod form_errors;
mod installation;
mod known_browser;
mod locale;
mod mail;
mod markup;
#[cfg(feature = "oidc")]
mod oidc;
mod pages;
mod parts;
mod passwords;
mod pending_sign_in;
mod places;
mod qr_code;
mod request;
mod response;
mod routes;
mod shell;
mod time;
mod words;

use std::sync::{Arc, OnceLock};

use a11ycheck_core::Service;

#[cfg(feature = "oidc")]
pub use self::oidc::{OidcSettings, ProviderClient, ProviderError};
pub use self::{
    arrivals::Arrivals,
    installation::Installation,
    mail::{Smtp, SmtpError},
    passwords::{HashError, hash},
    request::{Fields, Request},
    response::{Body, Response},
    routes::{Access, Route, Verb, path_of, routes},
};
use self::{failed_sign_ins::FailedSignIns, parts::Parts, passwords::Passwords, places::Places};

/// The account web interface of one installation. It is cheap to clone, and its clones share the count of failed sign-ins.
#[derive(Debug, Clone)]
pub struct AccountWeb {
    parts: Arc<Parts>,
}

impl AccountWeb {
    /// Returns the interface of a service; `None` if the service was built without people. Links and cookies follow the service's
    /// base URL.
    pub fn new(service: &Service) -> Option<Self> {
        let people = service.people()?;
        let parts = Parts {
            service: service.clone(),
            people,
            places: Places::of(service.base_url()),
            passwords: Passwords::new(),
            failed: FailedSignIns::default(),
            forgotten: FailedSignIns::default(),
            installation: OnceLock::new(),
            arrivals: OnceLock::new(),
            #[cfg(feature = "oidc")]
            provider: OnceLock::new(),
        };
        Some(Self { parts: Arc::new(parts) })
    }

    /// Shows operators these facts about the process; those that were given first stay.
    #[must_use]
    pub fn with_installation(self, installation: Installation) -> Self {
        self.parts.installation.get_or_init(|| installation);
        self
    }

    /// Says what becomes of people who were signed in elsewhere; what was said first stays.
    #[must_use]
    pub fn with_arrivals(self, arrivals: Arrivals) -> Self {
        self.parts.arrivals.get_or_init(|| arrivals);
        self
    }

    /// Lets people sign in at an OpenID provider, which is reached by this client; the first one stays. The provider leads back to
    /// [`provider_answer`](Self::provider_answer), which it has to know.
    #[cfg(feature = "oidc")]
    #[must_use]
    pub fn with_provider(self, settings: OidcSettings, client: impl ProviderClient) -> Self {
        self.parts.provider.get_or_init(|| oidc::Oidc::new(settings, client));
        self
    }

    /// Returns the address to which a provider leads back.
    #[cfg(feature = "oidc")]
    pub fn provider_answer(&self) -> String {
        self.parts.places.absolute("/sign-in/provider/answer")
    }

    /// Returns the path below which all pages are, for example `/app`.
    pub fn root(&self) -> &str {
        self.parts.places.served_root()
    }

    /// Returns the address of the interface for people.
    pub fn address(&self) -> String {
        self.parts.places.absolute("")
    }

    /// Returns the address at which the first person of an installation is created with a secret of
    /// [`People::first_link`](a11ycheck_core::service::People::first_link).
    pub fn first_link(&self, secret: &a11ycheck_core::domain::PlainSecret) -> String {
        self.parts.places.absolute(&format!("/first?key={}", secret.reveal()))
    }

    /// Answers a request, whose path begins with [`root`](Self::root). It never fails: errors are pages.
    pub async fn answer(&self, request: Request) -> Response {
        pages::answer(&self.parts, request).await
    }
}
