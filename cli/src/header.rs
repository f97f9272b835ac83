//! Headers that requests to the site have in addition.

use std::{convert::Infallible, fmt, str::FromStr};

use a11ycheck_scanner_chromium::{InvalidHeader, RequestHeaders};

/// A header as the command line or the environment has it: `Name: value`. The value is a secret: no message and no result shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct HeaderLine(String);

/// A header whose name and value are valid.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// The reason why there is no such header. It never has the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// There is no colon.
    #[error("a header has no colon: write --header 'Name: value'")]
    NoColon,
    /// Name or value are wrong.
    #[error(transparent)]
    Invalid(#[from] InvalidHeader),
}

impl FromStr for HeaderLine {
    // Any text is taken, since the message of an argument that can't be read would show it.
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl HeaderLine {
    /// Returns the header; `None` for an empty line.
    ///
    /// # Errors
    /// [`HeaderError`].
    pub fn header(&self) -> Result<Option<Header>, HeaderError> {
        if self.0.trim().is_empty() {
            return Ok(None);
        }
        let (name, value) = self.0.split_once(':').ok_or(HeaderError::NoColon)?;
        Header::new(name, value).map(Some)
    }
}

impl Header {
    /// Returns the header with this name and value.
    ///
    /// # Errors
    /// [`HeaderError::Invalid`].
    pub fn new(name: &str, value: &str) -> Result<Self, HeaderError> {
        RequestHeaders::check(name, value)?;
        Ok(Self { name: name.trim().to_owned(), value: value.trim().to_owned() })
    }
}

impl fmt::Debug for HeaderLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeaderLine")
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Header({})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<Header>, HeaderError> {
        line.parse::<HeaderLine>().unwrap_or_else(|never| match never {}).header()
    }

    #[test]
    fn a_line_is_a_name_and_all_that_follows_the_first_colon() {
        let header = read("Authorization:  Bearer a:b ").unwrap().unwrap();
        assert_eq!((header.name.as_str(), header.value.as_str()), ("Authorization", "Bearer a:b"));
        assert_eq!(read("  "), Ok(None));
    }

    #[test]
    fn no_message_has_the_value() {
        for line in ["Bearer s3cret", "Host: s3cret", "X A: s3cret", "X-A: s3cret\u{1}"] {
            let error = read(line).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
        }
        assert!(!format!("{:?} {:?}", read("X-A: s3cret"), "X-A: s3cret".parse::<HeaderLine>()).contains("s3cret"));
    }
}
