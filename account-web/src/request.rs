//! Requests, as a server hands them over.

use std::{convert::Infallible, net::IpAddr};

use a11ycheck_core::domain::{EmailAddress, PlainSecret};
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, Method};

/// The most fields of a query or a form.
const MOST_FIELDS: usize = 500;

/// The fields of a query or a form, in their order.
#[derive(Debug, Clone, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads `application/x-www-form-urlencoded` text, of which at most 500 fields are kept.
    pub fn parse(text: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(text).into_owned().take(MOST_FIELDS).collect())
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

    /// Returns the fields as `application/x-www-form-urlencoded` text, without one of them.
    pub(crate) fn without(&self, name: &str) -> String {
        let others = self.0.iter().filter(|(key, _)| key != name);
        url::form_urlencoded::Serializer::new(String::new()).extend_pairs(others).finish()
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
    /// The files of the form, each with the name of its field.
    pub files: Vec<(String, Bytes)>,
    /// The headers.
    pub headers: HeaderMap,
    /// The address of the browser, if that is known.
    pub address: Option<IpAddr>,
    /// The e-mail address of who makes the request, where a proxy in front of the server has signed the person in. Hosts take it from
    /// nobody else.
    pub proven: Option<EmailAddress>,
}

impl Request {
    /// The most bytes of a body that a server reads for a request.
    pub const MAX_BODY: usize = 1024 * 1024;

    /// Returns a request without a form.
    pub fn new(method: Method, path: impl Into<String>, headers: HeaderMap) -> Self {
        let (query, form) = (Fields::default(), Fields::default());
        Self { method, path: path.into(), query, form, files: Vec::new(), headers, address: None, proven: None }
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

    /// Sets the form and its files from a body of `multipart/form-data` (RFC 7578), given the value of its `Content-Type`. At most 500 parts are
    /// kept, and none behind one that is broken off.
    #[must_use]
    pub async fn with_multipart(mut self, content_type: &str, body: Bytes) -> Self {
        let Ok(boundary) = multer::parse_boundary(content_type) else { return self };
        let whole = stream::once(std::future::ready(Ok::<_, Infallible>(body)));
        let mut parts = multer::Multipart::new(whole, boundary);
        let mut form = Vec::new();
        while form.len() + self.files.len() < MOST_FIELDS {
            let Ok(Some(part)) = parts.next_field().await else { break };
            let (name, is_file) = (part.name().unwrap_or_default().to_owned(), part.file_name().is_some());
            let Ok(bytes) = part.bytes().await else { break };
            if is_file {
                self.files.push((name, bytes));
            } else {
                form.push((name, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
        Self { form: Fields(form), ..self }
    }

    /// Sets the address of the browser.
    #[must_use]
    pub fn with_address(self, address: impl Into<Option<IpAddr>>) -> Self {
        Self { address: address.into(), ..self }
    }

    /// Sets who makes the request, as a trusted proxy has found out.
    #[must_use]
    pub fn with_proven(self, email: impl Into<Option<EmailAddress>>) -> Self {
        Self { proven: email.into(), ..self }
    }

    /// Returns the file of a field.
    pub(crate) fn file(&self, name: &str) -> Option<&Bytes> {
        self.files.iter().find(|(field, _)| field == name).map(|(_, file)| file)
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

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(body: &str) -> Request {
        let request = Request::new(Method::POST, "/app/x", HeaderMap::new());
        let body = Bytes::from(body.replace('\n', "\r\n"));
        request.with_multipart("multipart/form-data; boundary=----x", body).await
    }

    #[tokio::test]
    async fn a_file_comes_with_the_fields_beside_it() {
        let body = "------x\nContent-Disposition: form-data; name=\"first\"\n\n1\n------x\n\
                    Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\nContent-Type: text/csv\n\n\
                    url\na.example\n\n------x--\n";
        let request = read(body).await;
        assert!(request.form.has("first") && !request.form.has("file"));
        assert_eq!(request.file("file").map(AsRef::as_ref), Some("url\r\na.example\r\n".as_bytes()));
        for end in 0..body.len() {
            // Nothing of a part that is broken off is taken for whole.
            let broken = read(&body[..end]).await;
            assert!(broken.file("file").is_none_or(|file| Some(file) == request.file("file")), "{end}");
        }
        let without = Request::new(Method::POST, "/app/x", HeaderMap::new());
        assert!(without.with_multipart("multipart/form-data", Bytes::new()).await.files.is_empty());
    }
}
