//! The e-mail addresses under which people sign in.

use std::{fmt, str::FromStr};

/// An e-mail address in lower case: people type theirs in any, and no provider that is known to us tells two people apart by it.
/// It has no white space and no control character, so that it can be a line of a letter's head.
///
/// ```
/// use a11ycheck_core::domain::EmailAddress;
///
/// let address: EmailAddress = " Jo.Miller@Example.org ".parse()?;
/// assert_eq!(address.as_str(), "jo.miller@example.org");
/// # Ok::<_, a11ycheck_core::domain::EmailAddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EmailAddress(String);

/// The error for a text that is not an e-mail address. Whether letters arrive there, only a letter can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an e-mail address of the form name@example.org")]
pub struct EmailAddressError;

impl EmailAddress {
    /// The greatest number of bytes of an address (RFC 5321, 4.5.3.1.3, less the angle brackets).
    pub const MAX_LENGTH: usize = 254;

    /// Returns the address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EmailAddress {
    type Err = EmailAddressError;

    /// Accepts an address with white space around it, in any case. Quoted local parts and comments, which nobody uses, are refused.
    fn from_str(text: &str) -> Result<Self, EmailAddressError> {
        let address = text.trim().to_lowercase();
        let (local, domain) = address.split_once('@').ok_or(EmailAddressError)?;
        let is_plain = |part: &str| {
            let is_odd = |c: char| c.is_whitespace() || c.is_control() || "@<>()[]\\,;:\"".contains(c);
            !part.is_empty() && !part.contains(is_odd) && part.split('.').all(|label| !label.is_empty())
        };
        let is_address = address.len() <= Self::MAX_LENGTH && is_plain(local) && is_plain(domain);
        if is_address { Ok(Self(address)) } else { Err(EmailAddressError) }
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_is_one_whatever_its_case() {
        for text in ["jo@example.org", "JO@EXAMPLE.ORG", "  jo@Example.org\n"] {
            assert_eq!(text.parse::<EmailAddress>().unwrap().as_str(), "jo@example.org");
        }
        for text in ["jo+a@localhost", "олена@приклад.укр", "o'brien@a-b.example"] {
            assert_eq!(text.parse::<EmailAddress>().unwrap().as_str(), text);
        }
    }

    #[test]
    fn a_text_that_could_be_more_than_one_address_or_line_is_refused() {
        let long = format!("{}@example.org", "x".repeat(EmailAddress::MAX_LENGTH));
        for text in [
            "",
            "jo",
            "@example.org",
            "jo@",
            "jo@@example.org",
            "a b@example.org",
            "jo@example.org, eve@example.org",
            "jo@example.org\r\nBcc: eve@example.org",
            "Jo <jo@example.org>",
            "jo@example..org",
            ".jo@example.org",
            &long,
        ] {
            assert_eq!(text.parse::<EmailAddress>(), Err(EmailAddressError), "{text:?}");
        }
    }
}
