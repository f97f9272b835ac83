//! The requirements for the head of a request, checked before any route sees it.

use a11ycheck_api_v1::ErrorBody;
use hyper::{Request, Version, header};
use warp::{
    http::{HeaderValue, StatusCode, uri::Authority},
    reply::Response,
};

use crate::reply;

/// The most bytes of a request's address: the default of nginx and Apache.
const MAX_ADDRESS: usize = 8 * 1024;
/// The most bytes of a request's headers.
const MAX_HEADERS: usize = 32 * 1024;

/// A fault of a head. Hyper has bounds of its own, which are wider: within them a client gets its response, since the
/// head was read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It is not HTTP.
    Malformed,
    /// It has not exactly one `Host`, or an invalid one: RFC 9112, 3.2. Two of them can be read in two ways.
    Host,
    /// The address is too long.
    Address,
    /// The headers are too large.
    Headers,
}

/// Returns the fault of a request's head, if it has one.
pub(super) fn flaw<B>(request: &Request<B>) -> Option<Flaw> {
    if request.uri().path_and_query().is_some_and(|path| path.as_str().len() > MAX_ADDRESS) {
        return Some(Flaw::Address);
    }
    let headers = request.headers();
    // Each with its colon, its space and its line end.
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if bytes > MAX_HEADERS {
        return Some(Flaw::Headers);
    }
    let mut hosts = headers.get_all(header::HOST).iter();
    let is_fine = match (hosts.next(), hosts.next()) {
        (None, _) => request.version() < Version::HTTP_11,
        (Some(host), None) => is_host(host),
        (Some(_), Some(_)) => false,
    };
    if is_fine { None } else { Some(Flaw::Host) }
}

/// Returns whether a value is a host with at most a port; or nothing, which is the value for an address without a host.
fn is_host(value: &HeaderValue) -> bool {
    let bytes = value.as_bytes();
    bytes.is_empty() || (!bytes.contains(&b'@') && Authority::try_from(bytes).is_ok())
}

impl Flaw {
    /// Returns the fault that hyper refuses by itself with this status.
    pub(super) const fn of(status: StatusCode) -> Option<Self> {
        match status {
            StatusCode::BAD_REQUEST => Some(Self::Malformed),
            StatusCode::URI_TOO_LONG => Some(Self::Address),
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => Some(Self::Headers),
            _ => None,
        }
    }

    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::Malformed | Self::Host => StatusCode::BAD_REQUEST,
            Self::Address => StatusCode::URI_TOO_LONG,
            Self::Headers => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        }
    }

    pub(super) fn body(self) -> ErrorBody {
        ErrorBody::plain(match self {
            Self::Malformed => "The request is not valid HTTP.",
            Self::Host => "The request must have exactly one Host header, with the name of this service.",
            Self::Address => "The address of this request is too long.",
            Self::Headers => "The headers of this request are too large.",
        })
    }

    /// Returns the response, after which the connection ends: anything may follow such a head.
    pub(super) fn into_response(self) -> Response {
        let mut response = reply::json(self.status(), &self.body());
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(version: Version, address: &str, headers: &[(&str, &str)]) -> Request<()> {
        let request = Request::builder().version(version).uri(address);
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).body(()).unwrap()
    }

    #[test]
    fn a_request_that_could_be_read_as_meant_for_another_host_is_refused() {
        let host = |version, hosts: &[&str]| {
            let hosts: Vec<_> = hosts.iter().map(|host| ("host", *host)).collect();
            flaw(&request(version, "/v1/account", &hosts))
        };
        for fine in ["a.example", "a.example:8080", "127.0.0.1:80", "[::1]:8080", ""] {
            assert_eq!(host(Version::HTTP_11, &[fine]), None, "{fine}");
        }
        for odd in ["a.example, b.example", "a b", "user@a.example", "a.example/path"] {
            assert_eq!(host(Version::HTTP_11, &[odd]), Some(Flaw::Host), "{odd}");
        }
        assert_eq!(host(Version::HTTP_11, &[]), Some(Flaw::Host));
        assert_eq!(host(Version::HTTP_10, &[]), None, "before there was Host");
        for version in [Version::HTTP_10, Version::HTTP_11] {
            assert_eq!(host(version, &["a.example", "a.example"]), Some(Flaw::Host));
        }
    }

    #[test]
    fn long_addresses_and_large_headers_have_a_bound() {
        let long = |length| format!("/{}", "a".repeat(length - 1));
        let of = |address: &str, value: &str| {
            flaw(&request(Version::HTTP_11, address, &[("host", "a.example"), ("x", value)]))
        };
        assert_eq!(of(&long(MAX_ADDRESS), ""), None);
        assert_eq!(of(&long(MAX_ADDRESS + 1), ""), Some(Flaw::Address));
        let rest = "host".len() + "a.example".len() + "x".len() + 8;
        assert_eq!(of("/", &"a".repeat(MAX_HEADERS - rest)), None);
        assert_eq!(of("/", &"a".repeat(MAX_HEADERS - rest + 1)), Some(Flaw::Headers));
    }
}
