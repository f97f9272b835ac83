//! Requests, as a server hands them over.

use std::net::IpAddr;

use a11ycheck_core::domain::PlainSecret;
use http::{HeaderMap, Method};

/// The fields of a query or a form, in their order.
#[derive(Debug, Clone, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads `application/x-www-form-urlencoded` text, of which at most 500 fields are kept.
    pub fn parse(text: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(text).into_owned().take(500).collect())
    }

    /// Returns the last value of a field, without white space around it; an empty text if there is none.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.iter().rev().find(|(key, _)| key == name).map_or("", |(_, value)| value.trim())
    }

    /// Returns the last value of a field as it was sent.
    pub(crate) fn raw(&self, name: &str) -> &str {
        self.0.iter().rev().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// Returns whether a field was sent, whatever its value.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// Returns all values of a field.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.trim())
    }
}

/// A request to a page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The path as the server received it, without the query.
    pub path: String,
    /// The fields of the query.
    pub query: Fields,
    /// The fields of the form in the body, of at most [`Request::MAX_BODY`] bytes; none for other bodies.
    pub form: Fields,
    /// The headers.
    pub headers: HeaderMap,
    /// The address of the browser, if that is known.
    pub address: Option<IpAddr>,
}

impl Request {
    /// The most bytes of a body that a server reads for a request.
    pub const MAX_BODY: usize = 1024 * 1024;

    /// Returns a request without a form.
    pub fn new(method: Method, path: impl Into<String>, headers: HeaderMap) -> Self {
        let (query, form) = (Fields::default(), Fields::default());
        Self { method, path: path.into(), query, form, headers, address: None }
    }

    /// Sets the query.
    #[must_use]
    pub fn with_query(self, query: &str) -> Self {
        Self { query: Fields::parse(query.as_bytes()), ..self }
    }

    /// Sets the form.
    #[must_use]
    pub fn with_form(self, body: &[u8]) -> Self {
        Self { form: Fields::parse(body), ..self }
    }

    /// Sets the address of the browser.
    #[must_use]
    pub fn with_address(self, address: impl Into<Option<IpAddr>>) -> Self {
        Self { address: address.into(), ..self }
    }

    /// Returns the value of a header, if it is there once and text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        value.to_str().ok()
    }

    /// Returns the name that the browser gives itself.
    pub(crate) fn browser(&self) -> &str {
        self.header("user-agent").unwrap_or_default()
    }

    /// Returns the key of a link to this page.
    pub(crate) fn key(&self) -> PlainSecret {
        let key = if self.method == Method::POST { self.form.get("key") } else { self.query.get("key") };
        PlainSecret::presented(key)
    }
}
