//! Patterns of pages, as people write them.

use std::{fmt, str::FromStr};

use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Serialize};
use url::Url;

/// A pattern of pages: `/legacy/**` for all below `/legacy`, `/*/contact`, `https://shop.example/**` for one host.
///
/// `*` stands for any characters within one part of a path, `**` for any number of parts, `?` for one character, `[ab]` for one
/// of these and `{a,b}` for either. A pattern that begins with `/` is compared with the path of an address, on any host; one
/// with a scheme with the whole address. Without a `?` of its own, the address's query does not count, nor does a slash at its
/// end; a fragment never does.
#[derive(Debug, Clone)]
pub struct PagePattern {
    written: String,
    matcher: GlobMatcher,
}

/// The error for a text that is no pattern of pages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{written}` is no pattern of pages: write a path such as /legacy/**, or an address such as https://shop.example/**"
)]
pub struct InvalidPagePattern {
    written: String,
    #[source]
    source: Option<globset::Error>,
}

impl PagePattern {
    /// Returns whether the page at this address is one of those that the pattern means.
    pub fn matches(&self, address: &str) -> bool {
        let Ok(url) = Url::parse(address) else { return self.matcher.is_match(address) };
        let path = if self.written.starts_with('/') {
            url.path().to_owned()
        } else {
            format!("{}{}", url.origin().ascii_serialization(), url.path())
        };
        let bare = path.trim_end_matches('/');
        if [path.as_str(), bare].iter().any(|path| self.matcher.is_match(path))
            || self.matcher.is_match(format!("{bare}/"))
        {
            return true;
        }
        url.query().is_some_and(|query| self.matcher.is_match(format!("{path}?{query}")))
    }

    /// Returns the pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }
}

impl FromStr for PagePattern {
    type Err = InvalidPagePattern;

    fn from_str(written: &str) -> Result<Self, InvalidPagePattern> {
        let invalid = |source| InvalidPagePattern { written: written.to_owned(), source };
        if !written.starts_with('/') && !written.starts_with("http://") && !written.starts_with("https://") {
            return Err(invalid(None));
        }
        let glob = GlobBuilder::new(written).literal_separator(true).backslash_escape(true).build();
        let matcher = glob.map_err(|error| invalid(Some(error)))?.compile_matcher();
        Ok(Self { written: written.to_owned(), matcher })
    }
}

impl fmt::Display for PagePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl PartialEq for PagePattern {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for PagePattern {}

impl Serialize for PagePattern {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written)
    }
}

impl<'de> Deserialize<'de> for PagePattern {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_means_the_pages_that_a_reader_would_expect() {
        for (pattern, address, means) in [
            ("/legacy/**", "https://a.example/legacy/a/b?x=1", true),
            ("/legacy/**", "https://a.example/legacy", true),
            ("/legacy/**", "https://a.example/legacy-new/", false),
            ("/*/contact", "http://127.0.0.1:4173/en/contact/", true),
            ("/*/contact", "https://a.example/en/at/contact", false),
            ("/", "https://a.example", true),
            ("/", "https://a.example/x", false),
            ("/{a,b}", "https://a.example/b#top", true),
            ("/search?q=*", "https://a.example/search?q=x", true),
            ("https://a.example/**", "https://a.example/x", true),
            ("https://a.example/**", "https://b.example/x", false),
        ] {
            let read: PagePattern = pattern.parse().unwrap();
            assert_eq!(read.matches(address), means, "{pattern} {address}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in ["", "legacy/**", "/[", "ftp://a.example/"] {
            assert!(text.parse::<PagePattern>().is_err(), "{text}");
        }
    }
}
