//! Headers of requests to one site, such as those of a login.

use std::fmt;

use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use url::{Origin, Url};

use crate::cdp::{commands::HeaderEntry, events::PausedRequest};

/// The most headers.
const MAX_HEADERS: usize = 50;
/// The most bytes of the value of a header.
const MAX_VALUE: usize = 16 * 1024;

/// The headers that the browser, or the connection, makes itself (Fetch standard, “forbidden request-header”).
const OWN: [&str; 16] = [
    "accept-charset",
    "accept-encoding",
    "connection",
    "content-length",
    "date",
    "expect",
    "host",
    "keep-alive",
    "origin",
    "referer",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// Headers that requests to one origin have in addition, whatever asks for it: the scanner itself, a document, a script. Requests
/// to other origins never have them, nor have redirects that lead there.
///
/// Requests of workers and WebSocket connections do not have them. Values are secrets: they are in no log and no result.
#[derive(Clone, PartialEq, Eq)]
pub struct RequestHeaders {
    origin: Origin,
    headers: HeaderMap,
}

/// The reason why there can't be such a header. It never has the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidHeader {
    /// The name is none.
    #[error("the name of a header has letters, digits and hyphens alone")]
    Name,
    /// The value has a line break or a control character, or is too long.
    #[error("the value of the header {name} has a control character, or more than {MAX_VALUE} bytes")]
    Value {
        /// The name.
        name: String,
    },
    /// The browser makes this header itself.
    #[error("the header {name} can't be set: the browser makes it itself")]
    Own {
        /// The name.
        name: String,
    },
    /// There are too many of them.
    #[error("there are more than {MAX_HEADERS} headers")]
    TooMany,
}

impl RequestHeaders {
    /// Returns the headers, as name and value, for the origin of an address: its scheme, host and port. Of several values of one name the
    /// last counts.
    ///
    /// # Errors
    /// [`InvalidHeader`].
    pub fn new<'a>(site: &Url, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, InvalidHeader> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let (name, value) = header(name, value)?;
            map.insert(name, value);
            if map.len() > MAX_HEADERS {
                return Err(InvalidHeader::TooMany);
            }
        }
        Ok(Self { origin: site.origin(), headers: map })
    }

    /// Returns whether a header can be one of them.
    ///
    /// # Errors
    /// [`InvalidHeader`].
    pub fn check(name: &str, value: &str) -> Result<(), InvalidHeader> {
        header(name, value).map(drop)
    }

    /// Returns those that a request to this address has in addition; `None` if it goes to another origin.
    pub(crate) fn of(&self, url: &Url) -> Option<&HeaderMap> {
        (url.origin() == self.origin).then_some(&self.headers)
    }

    /// Returns the headers with which a paused request goes on; `None` if it keeps those that it has.
    pub(crate) fn instead<'a>(&'a self, request: &'a PausedRequest) -> Option<Vec<HeaderEntry<'a>>> {
        let entry = |(name, value): (&'a str, &'a str)| HeaderEntry { name, value: value.into() };
        let own = Url::parse(&request.url).ok().and_then(|url| self.of(&url));
        if let Some(added) = own {
            let kept = request.headers().filter(|(name, _)| !added.contains_key(*name)).map(entry);
            let added = added.iter().filter_map(|(name, value)| {
                let (name, value) = (name.as_str(), value.to_str().ok()?);
                let stored =
                    request.headers().find(|(own, _)| *name == header::COOKIE && own.eq_ignore_ascii_case(name));
                let value = stored.map_or_else(|| value.into(), |(_, stored)| with_cookies(value, stored).into());
                Some(HeaderEntry { name, value })
            });
            return Some(kept.chain(added).collect());
        }
        // A request that was redirected may still have those of the request before.
        let is_ours = |(name, value): &(&str, &str)| {
            self.headers.get(*name).is_some_and(|ours| ours.as_bytes() == value.as_bytes())
        };
        let has_ours = request.headers().any(|header| is_ours(&header));
        has_ours.then(|| request.headers().filter(|header| !is_ours(header)).map(entry).collect())
    }
}

/// Returns cookies with those that the site has set itself, unless they have the same names.
fn with_cookies(cookies: &str, stored: &str) -> String {
    let name = |cookie: &str| cookie.split('=').next().unwrap_or_default().trim().to_owned();
    let names: Vec<String> = cookies.split(';').map(name).collect();
    let others = stored.split(';').filter(|cookie| !names.contains(&name(cookie))).map(str::trim);
    [cookies].into_iter().chain(others).collect::<Vec<_>>().join("; ")
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), InvalidHeader> {
    let parsed: HeaderName = name.trim().parse().map_err(|_| InvalidHeader::Name)?;
    let is_own = |name: &str| OWN.contains(&name) || name.starts_with("proxy-") || name.starts_with("sec-");
    if is_own(parsed.as_str()) {
        return Err(InvalidHeader::Own { name: parsed.to_string() });
    }
    let wrong = || InvalidHeader::Value { name: parsed.to_string() };
    // Bytes beyond ASCII have no one meaning, and the protocol of the browser has texts.
    let mut value = HeaderValue::from_str(value.trim())
        .ok()
        .filter(|value| value.to_str().is_ok() && value.len() <= MAX_VALUE)
        .ok_or_else(wrong)?;
    value.set_sensitive(true);
    Ok((parsed, value))
}

impl fmt::Debug for RequestHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(HeaderName::as_str).collect();
        let origin = self.origin.ascii_serialization();
        f.debug_struct("RequestHeaders").field("origin", &origin).field("names", &names).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn the_site_is_scheme_host_and_port_and_nothing_near_them() {
        let headers = RequestHeaders::new(&url("https://a.example/x"), [("X-Key", "secret")]).unwrap();
        assert!(
            headers.of(&url("https://a.example/y?z")).is_some() && headers.of(&url("https://a.example:443/")).is_some()
        );
        for other in ["http://a.example/", "https://a.example:444/", "https://www.a.example/", "https://b.example/"] {
            assert_eq!(headers.of(&url(other)), None, "{other}");
        }
    }

    #[test]
    fn what_is_no_header_or_the_browsers_own_is_refused_without_its_value() {
        for (name, value) in [
            ("", "s3cret"),
            ("a b", "s3cret"),
            ("X-A\r\nX-B", "s3cret"),
            ("X-A", "s3cret\r\nX-B: y"),
            ("X-A", "s3cret\u{0}"),
            ("X-A", "s3cretü"),
            ("Host", "s3cret"),
            ("Content-Length", "s3cret"),
            ("Sec-Fetch-Site", "s3cret"),
            ("Proxy-Authorization", "s3cret"),
        ] {
            let error = RequestHeaders::new(&url("https://a.example/"), [(name, value)]).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
        }
        let long = "x".repeat(MAX_VALUE + 1);
        assert!(matches!(RequestHeaders::check("X-A", &long), Err(InvalidHeader::Value { .. })));
        let many: Vec<String> = (0..=MAX_HEADERS).map(|number| format!("x-{number}")).collect();
        let many = RequestHeaders::new(&url("https://a.example/"), many.iter().map(|name| (name.as_str(), "")));
        assert_eq!(many, Err(InvalidHeader::TooMany));
    }

    #[test]
    fn a_redirect_to_another_site_loses_them_and_keeps_the_rest() {
        let headers = RequestHeaders::new(&url("https://a.example/"), [("X-Key", "secret")]).unwrap();
        let continued = |address: &str, own: serde_json::Value| {
            let request = serde_json::json!({ "url": address, "headers": own });
            let request: PausedRequest = serde_json::from_value(request).unwrap();
            let entries = headers.instead(&request)?;
            Some(entries.iter().map(|entry| format!("{}: {}", entry.name, entry.value)).collect::<Vec<_>>())
        };
        let own = serde_json::json!({ "Accept": "*/*", "X-KEY": "older" });
        assert_eq!(continued("https://a.example/x", own).unwrap(), ["Accept: */*", "x-key: secret"]);
        let cookies = RequestHeaders::new(&url("https://a.example/"), [("Cookie", "a=1; b=2")]).unwrap();
        let request = serde_json::json!({ "url": "https://a.example/", "headers": { "Cookie": "b=old; c=3" } });
        let request: PausedRequest = serde_json::from_value(request).unwrap();
        assert_eq!(cookies.instead(&request).unwrap()[0].value, "a=1; b=2; c=3", "a login stays, and so does the rest");
        let redirected = serde_json::json!({ "Accept": "*/*", "x-key": "secret" });
        assert_eq!(continued("https://b.example/x", redirected).unwrap(), ["Accept: */*"]);
        assert_eq!(continued("https://b.example/x", serde_json::json!({ "x-key": "of the page" })), None);
    }

    #[test]
    fn a_value_is_in_no_log() {
        let headers = RequestHeaders::new(&url("https://a.example/"), [("Authorization", "Bearer s3cret")]).unwrap();
        let shown = format!("{headers:?} {:?}", headers.of(&url("https://a.example/")));
        assert!(shown.contains("authorization") && !shown.contains("s3cret"), "{shown}");
    }
}
