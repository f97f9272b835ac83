//! The cookies of the interface.

use a11ycheck_core::{
    domain::{PlainSecret, Session},
    locale::Locale,
};
use http::header;

use crate::{known_browser, places::Places, request::Request, response::Response};

/// A cookie that the interface sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cookie {
    /// The secret of the session.
    Session,
    /// The language of who is not signed in.
    Language,
    /// The marks of those who have signed in with this browser. It says that it is known, and lets nobody in.
    Browser,
    /// The cookie that is kept while the person is at the provider.
    #[cfg(feature = "oidc")]
    AuthRequest,
}

impl Cookie {
    /// Returns the name. A browser accepts the prefix `__Host-` only over HTTPS, from this host and for all paths (RFC 6265bis, 4.1.3.2), so
    /// that no other host of the domain can set the cookie.
    const fn name(self, is_secure: bool) -> &'static str {
        match (self, is_secure) {
            (Self::Session, true) => "__Host-a11ycheck-session",
            (Self::Session, false) => "a11ycheck-session",
            (Self::Language, true) => "__Host-a11ycheck-language",
            (Self::Language, false) => "a11ycheck-language",
            (Self::Browser, true) => "__Host-a11ycheck-browser",
            (Self::Browser, false) => "a11ycheck-browser",
            #[cfg(feature = "oidc")]
            (Self::AuthRequest, true) => "__Host-a11ycheck-provider",
            #[cfg(feature = "oidc")]
            (Self::AuthRequest, false) => "a11ycheck-provider",
        }
    }

    fn read<'a>(self, request: &'a Request, places: &Places) -> Option<&'a str> {
        let name = self.name(places.is_secure());
        let lines = request.headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    fn written(self, value: &str, seconds: i64, places: &Places) -> String {
        let name = self.name(places.is_secure());
        let secure = if places.is_secure() { "; Secure" } else { "" };
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
    }
}

/// Returns the secret of the session that a request has, which may be any text.
pub(crate) fn session(request: &Request, places: &Places) -> Option<PlainSecret> {
    Cookie::Session.read(request, places).map(PlainSecret::presented)
}

/// Gives a session to the browser, for as long as it lasts at most.
pub(crate) fn with_session(response: Response, secret: &PlainSecret, places: &Places) -> Response {
    let cookie = Cookie::Session.written(secret.reveal(), Session::LONGEST.num_seconds(), places);
    response.with(header::SET_COOKIE, &cookie)
}

/// Takes the session from the browser.
pub(crate) fn without_session(response: Response, places: &Places) -> Response {
    response.with(header::SET_COOKIE, &Cookie::Session.written("", 0, places))
}

/// Returns the language that was chosen in this browser.
pub(crate) fn language(request: &Request, places: &Places) -> Option<Locale> {
    Cookie::Language.read(request, places)?.parse().ok()
}

/// Keeps the language in the browser, for a year.
pub(crate) fn with_language(response: Response, locale: Locale, places: &Places) -> Response {
    response.with(header::SET_COOKIE, &Cookie::Language.written(locale.code(), 365 * 24 * 60 * 60, places))
}

/// Returns the marks of a browser that is known; an empty text if it has none.
pub(crate) fn marks<'a>(request: &'a Request, places: &Places) -> &'a str {
    Cookie::Browser.read(request, places).unwrap_or_default()
}

/// Keeps the marks in the browser, for as long as the newest is valid.
pub(crate) fn with_marks(response: Response, marks: &str, places: &Places) -> Response {
    let cookie = Cookie::Browser.written(marks, known_browser::TERM.num_seconds(), places);
    response.with(header::SET_COOKIE, &cookie)
}

/// Returns the text of the authentication request that the browser has kept; empty if there is none.
#[cfg(feature = "oidc")]
pub(crate) fn auth_request<'a>(request: &'a Request, places: &Places) -> &'a str {
    Cookie::AuthRequest.read(request, places).unwrap_or_default()
}

/// Keeps an authentication request in the browser for ten minutes. `SameSite=Lax` lets it come back with the provider's
/// redirect.
#[cfg(feature = "oidc")]
pub(crate) fn with_auth_request(response: Response, auth_request: &str, places: &Places) -> Response {
    response.with(header::SET_COOKIE, &Cookie::AuthRequest.written(auth_request, 10 * 60, places))
}

/// Deletes the authentication request from the browser, so that it is answered at most once.
#[cfg(feature = "oidc")]
pub(crate) fn without_auth_request(response: Response, places: &Places) -> Response {
    response.with(header::SET_COOKIE, &Cookie::AuthRequest.written("", 0, places))
}
