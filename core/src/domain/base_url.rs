//! The address of an installation.

use url::Url;

/// The address at which clients reach the API of an installation: `http` or `https`, with the version, `v1`, as its
/// last segment and without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// Parses an address. Slashes at its end are ignored.
    ///
    /// Returns `None` for an address of another scheme, without a host, with a query or a fragment, or with another
    /// last segment.
    pub fn parse(text: &str) -> Option<Self> {
        let base = text.trim_end_matches('/');
        let url = Url::parse(base).ok()?;
        let is_base = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none()
            && url.path_segments().and_then(|mut segments| segments.next_back()) == Some("v1");
        is_base.then(|| Self(base.to_owned()))
    }

    /// Returns the address as it was given, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address in the form for a header, with an international name in ASCII.
    pub fn in_ascii(&self) -> String {
        Url::parse(&self.0).map(String::from).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_address_ends_with_the_version() {
        assert_eq!(BaseUrl::parse("https://a11y.example/api/v1/").unwrap().as_str(), "https://a11y.example/api/v1");
        for text in [
            "https://a11y.example",
            "ftp://a.example/v1",
            "a.example/v1",
            "https://a.example/v1?x=1",
            "https://a.example/v10",
        ] {
            assert_eq!(BaseUrl::parse(text), None, "{text}");
        }
    }
}
