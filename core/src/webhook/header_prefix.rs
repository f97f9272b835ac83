//! The prefix of the service's own headers.

use std::fmt;

/// The prefix of the names of the service's own headers, those of webhooks and of files: the contract's neutral `Svc-`, or
/// the operator's brand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderPrefix(String);

/// The error for a text that no header's name can begin with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the beginning of a header's name: letters, digits and hyphens, 40 at most")]
pub struct InvalidPrefix(String);

impl HeaderPrefix {
    /// The most characters of a prefix.
    const MAX_LENGTH: usize = 40;

    /// Returns a prefix of letters, digits and hyphens; the hyphen at its end is part of it.
    ///
    /// # Errors
    /// [`InvalidPrefix`] for any other text.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidPrefix> {
        let text = text.into();
        let is_valid = (1..=Self::MAX_LENGTH).contains(&text.len())
            && text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if is_valid { Ok(Self(text)) } else { Err(InvalidPrefix(text)) }
    }

    /// Returns the name of a header.
    pub fn header(&self, name: &str) -> String {
        format!("{}{name}", self.0)
    }
}

impl fmt::Display for HeaderPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Default for HeaderPrefix {
    fn default() -> Self {
        Self("Svc-".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_makes_header_names_and_nothing_else() {
        assert_eq!(HeaderPrefix::default().header("Event"), "Svc-Event");
        assert_eq!(HeaderPrefix::new("Acme-A11y-").unwrap().header("Signature"), "Acme-A11y-Signature");
        for text in ["", "-", "Svc_", "Svc: ", "Svc\r\n", "ü-", &"a".repeat(41)] {
            assert!(HeaderPrefix::new(text).is_err(), "{text:?}");
        }
    }
}
