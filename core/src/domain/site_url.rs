//! The address of a site.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// Why a text is not the address of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SiteUrlError {
    /// Longer than [`SiteUrl::MAX_LENGTH`].
    #[error("the address is longer than {} characters", SiteUrl::MAX_LENGTH)]
    TooLong,
    /// Not an `http` or `https` address with a host, or one that carries a user name.
    #[error("not a web address")]
    Invalid,
}

/// An `http` or `https` address with a host, without user name and fragment, normalised as browsers do (WHATWG URL):
/// odd spellings of a host, such as `0x7f.1`, are gone, and names are in ASCII form.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SiteUrl(Url);

impl SiteUrl {
    /// Characters of an address (contract, "Body of POST /sites").
    pub const MAX_LENGTH: usize = 500;

    /// Reads an address as a person types it; `https://` is added when the scheme was left out.
    ///
    /// # Errors
    /// [`SiteUrlError`], too long before invalid.
    pub fn parse(text: &str) -> Result<Self, SiteUrlError> {
        let text = text.trim();
        if text.chars().count() > Self::MAX_LENGTH {
            return Err(SiteUrlError::TooLong);
        }
        let with_scheme = if has_scheme(text) { text.to_owned() } else { format!("https://{text}") };
        let mut url = Url::parse(&with_scheme).map_err(|_| SiteUrlError::Invalid)?;
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
            return Err(SiteUrlError::Invalid);
        }
        url.set_fragment(None);
        drop_trailing_dot(&mut url)?;
        if url.host_str().is_none_or(str::is_empty) || url.as_str().chars().count() > Self::MAX_LENGTH {
            return Err(SiteUrlError::Invalid);
        }
        Ok(Self(url))
    }

    /// The host as the contract's `domain` shows it: ASCII form, lower case, no trailing dot; IPv6 in brackets.
    pub fn domain(&self) -> &str {
        // `parse` admits only addresses with a host.
        self.0.host_str().unwrap_or_default()
    }

    /// The whole address.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The parsed address.
    pub const fn url(&self) -> &Url {
        &self.0
    }
}

/// `example.com:8080` has no scheme although a URL parser would see one: what follows the colon decides.
fn has_scheme(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let is_port = rest
        .split(['/', '?', '#'])
        .next()
        .is_some_and(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()));
    is_scheme && !is_port
}

/// `example.com.` and `example.com` are one host; browsers keep the dot, our lists must not.
fn drop_trailing_dot(url: &mut Url) -> Result<(), SiteUrlError> {
    let Some(Host::Domain(name)) = url.host() else { return Ok(()) };
    let bare = name.trim_end_matches('.').to_owned();
    if bare.is_empty() {
        return Err(SiteUrlError::Invalid);
    }
    if bare.len() != name.len() {
        url.set_host(Some(&bare)).map_err(|_| SiteUrlError::Invalid)?;
    }
    Ok(())
}

impl fmt::Display for SiteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl TryFrom<String> for SiteUrl {
    type Error = SiteUrlError;

    fn try_from(text: String) -> Result<Self, SiteUrlError> {
        Self::parse(&text)
    }
}

impl From<SiteUrl> for String {
    fn from(url: SiteUrl) -> Self {
        url.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        SiteUrl::parse(text).unwrap().to_string()
    }

    #[test]
    fn https_is_added_when_the_scheme_was_left_out() {
        assert_eq!(parsed("example.com"), "https://example.com/");
        assert_eq!(parsed(" example.com:8080/shop "), "https://example.com:8080/shop");
        assert_eq!(parsed("http://example.com"), "http://example.com/");
        assert_eq!(parsed("HTTPS://EXAMPLE.com./a#b"), "https://example.com/a");
    }

    #[test]
    fn the_domain_is_ascii_lower_case_and_without_a_trailing_dot() {
        assert_eq!(SiteUrl::parse("https://Bücher.example./").unwrap().domain(), "xn--bcher-kva.example");
        assert_eq!(SiteUrl::parse("https://[2606:4700::1]/").unwrap().domain(), "[2606:4700::1]");
        assert_eq!(SiteUrl::parse("http://0x7f.1/").unwrap().domain(), "127.0.0.1");
    }

    #[test]
    fn what_is_not_a_web_address_is_refused() {
        for text in [
            "",
            "https://",
            "ftp://example.com",
            "javascript:alert(1)",
            "https://user@example.com",
            "https://a:b@example.com",
            "data:text/html,x",
            "https://exa mple.com",
            "https://.",
            "file:///etc/passwd",
        ] {
            assert_eq!(SiteUrl::parse(text), Err(SiteUrlError::Invalid), "{text}");
        }
    }

    #[test]
    fn five_hundred_characters_are_allowed_and_one_more_is_not() {
        let longest = format!("https://example.com/{}", "a".repeat(SiteUrl::MAX_LENGTH - 20));
        assert_eq!(longest.len(), 500);
        assert!(SiteUrl::parse(&longest).is_ok());
        assert_eq!(SiteUrl::parse(&format!("{longest}a")), Err(SiteUrlError::TooLong));
    }

    proptest::proptest! {
        #[test]
        fn what_was_parsed_parses_to_itself(text in ".{0,80}") {
            if let Ok(url) = SiteUrl::parse(&text) {
                proptest::prop_assert_eq!(SiteUrl::parse(url.as_str()), Ok(url));
            }
        }
    }
}
