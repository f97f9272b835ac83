//! The address of a site.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// The reason why a text is not the address of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SiteUrlError {
    /// The address was typed with more than [`SiteUrl::MAX_TYPED`] characters, or is longer than
    /// [`SiteUrl::MAX_LENGTH`].
    #[error("the address is too long")]
    TooLong,
    /// The text is not an `http` or `https` address with a host, or the address contains credentials.
    #[error("not a web address")]
    Invalid,
}

/// An `http` or `https` address with a host, without credentials and fragment, normalised as browsers do (WHATWG URL):
/// unusual spellings of a host, such as `0x7f.1`, are resolved, and names are in ASCII form.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SiteUrl(Url);

impl SiteUrl {
    /// The greatest number of characters of an address as it is typed (contract §6.3).
    pub const MAX_TYPED: usize = 500;

    /// The greatest length of an address as it is stored and shown: room for [`MAX_TYPED`](Self::MAX_TYPED) characters
    /// of four bytes, each of which becomes twelve (`%F0%9F%9B%92`), and for the scheme.
    pub const MAX_LENGTH: usize = 12 * Self::MAX_TYPED + "https://".len();

    /// The greatest length of a name in the DNS, without the dot at its end (RFC 1035, 2.3.4, in text form).
    const MAX_DOMAIN: usize = 253;

    /// Parses an address as a person types it: at most [`MAX_TYPED`](Self::MAX_TYPED) characters after trimming,
    /// whatever their length after encoding.
    ///
    /// # Errors
    /// [`SiteUrlError`], where too long takes precedence over invalid. A host that is too long for the DNS is invalid.
    pub fn typed(text: &str) -> Result<Self, SiteUrlError> {
        if text.trim().chars().count() > Self::MAX_TYPED {
            return Err(SiteUrlError::TooLong);
        }
        // Only a host can still be too long: some characters are normalised to a dozen others in a name.
        let url = Self::parse(text).map_err(|_| SiteUrlError::Invalid)?;
        if url.domain().len() > Self::MAX_DOMAIN { Err(SiteUrlError::Invalid) } else { Ok(url) }
    }

    /// Parses an address, normalised or not; `https://` is added if the scheme is missing.
    ///
    /// # Errors
    /// [`SiteUrlError`], where too long takes precedence over invalid.
    pub fn parse(text: &str) -> Result<Self, SiteUrlError> {
        let text = text.trim();
        if text.len() > Self::MAX_LENGTH {
            return Err(SiteUrlError::TooLong);
        }
        let with_scheme = if has_scheme(text) { Cow::Borrowed(text) } else { Cow::Owned(format!("https://{text}")) };
        let mut url = Url::parse(&with_scheme).map_err(|_| SiteUrlError::Invalid)?;
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
            return Err(SiteUrlError::Invalid);
        }
        if url.fragment().is_some() {
            url.set_fragment(None);
        }
        drop_trailing_dot(&mut url)?;
        if url.host_str().is_none_or(str::is_empty) {
            return Err(SiteUrlError::Invalid);
        }
        if url.as_str().len() > Self::MAX_LENGTH { Err(SiteUrlError::TooLong) } else { Ok(Self(url)) }
    }

    /// Returns the host in the form of the contract's `domain`: ASCII, lower case, without a dot at its end; IPv6 in
    /// brackets.
    pub fn domain(&self) -> &str {
        // `parse` accepts only addresses with a host.
        self.0.host_str().unwrap_or_default()
    }

    /// Returns the whole address.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the parsed address.
    pub const fn url(&self) -> &Url {
        &self.0
    }
}

/// Returns whether a text has a scheme. `example.com:8080` has none, although a URL parser would see one: the part
/// after the colon decides.
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

/// Removes the dot at the end of a host: `example.com.` and `example.com` are one host; browsers keep the dot, our
/// lists must not.
fn drop_trailing_dot(url: &mut Url) -> Result<(), SiteUrlError> {
    let Some(Host::Domain(name)) = url.host() else { return Ok(()) };
    let bare = name.trim_end_matches('.');
    if bare.is_empty() {
        return Err(SiteUrlError::Invalid);
    }
    if bare.len() != name.len() {
        let bare = bare.to_owned();
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
    fn five_hundred_typed_characters_are_allowed_whatever_they_become_and_one_more_is_not() {
        for (start, letter) in [
            ("https://example.com/", "a"),
            ("example.com/", "a"),
            ("example.com/", "я"),
            ("example.com/", "\u{1f6d2}"),
            ("example.com?", "\u{1f6d2}"),
            ("приклад.укр/", "ґ"),
        ] {
            let longest = format!("{start}{}", letter.repeat(SiteUrl::MAX_TYPED - start.chars().count()));
            let url = SiteUrl::typed(&format!("  {longest}\n")).unwrap_or_else(|error| panic!("{start}: {error}"));
            assert!(url.as_str().len() <= SiteUrl::MAX_LENGTH, "{start}: {}", url.as_str().len());
            assert_eq!(SiteUrl::parse(url.as_str()), Ok(url), "a store reads it back");
            assert_eq!(SiteUrl::typed(&format!("{longest}{letter}")), Err(SiteUrlError::TooLong), "{start}");
        }
    }

    #[test]
    fn a_host_that_is_too_long_for_the_dns_is_no_web_address() {
        let domain = format!("{}example.com", "a.".repeat(121));
        assert_eq!(domain.len(), 253);
        assert!(SiteUrl::typed(&domain).is_ok());
        // Each of these letters is normalised to eighteen others.
        for host in [format!("b.{domain}"), "\u{fdfa}.".repeat(200), "\u{fdfa}".repeat(400)] {
            assert_eq!(SiteUrl::typed(&host), Err(SiteUrlError::Invalid), "{host}");
        }
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
