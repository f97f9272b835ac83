//! Names that a host program gives to teams in its own terms.

use std::{fmt, str::FromStr};

/// The key under which a host program knows a team: the number of an account, the id of a user. One to
/// [`ExternalKey::MAX_LENGTH`] characters, not all of them white space, none of them a control character. Keys are
/// compared exactly, including letter case and white space.
///
/// ```
/// use a11ycheck_core::domain::ExternalKey;
///
/// let key: ExternalKey = "customer-4711".parse()?;
/// assert_eq!(key.as_str(), "customer-4711");
/// # Ok::<_, a11ycheck_core::domain::ExternalKeyError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExternalKey(String);

/// The reason why a text is not a key. A key is never shortened or tidied, because two different keys could become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalKeyError {
    /// The text is blank.
    #[error("the key is blank")]
    Blank,
    /// The text is too long.
    #[error("the key has more than {} characters", ExternalKey::MAX_LENGTH)]
    TooLong,
    /// The text has a control character in it.
    #[error("the key has a line break or another control character in it")]
    Control,
}

impl ExternalKey {
    /// The greatest number of characters of a key.
    pub const MAX_LENGTH: usize = 200;

    /// Makes a key from a text.
    ///
    /// # Errors
    /// [`ExternalKeyError`].
    pub fn new(text: impl Into<String>) -> Result<Self, ExternalKeyError> {
        let text = text.into();
        if text.chars().any(char::is_control) {
            Err(ExternalKeyError::Control)
        } else if text.trim().is_empty() {
            Err(ExternalKeyError::Blank)
        } else if text.chars().count() > Self::MAX_LENGTH {
            Err(ExternalKeyError::TooLong)
        } else {
            Ok(Self(text))
        }
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ExternalKey {
    type Err = ExternalKeyError;

    fn from_str(text: &str) -> Result<Self, ExternalKeyError> {
        Self::new(text)
    }
}

impl fmt::Display for ExternalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_taken_as_it_is_or_not_at_all() {
        let longest = "ж".repeat(ExternalKey::MAX_LENGTH);
        for key in ["4711", " a b ", "User", "user", "Müller & Söhne", longest.as_str()] {
            assert_eq!(ExternalKey::new(key).unwrap().as_str(), key);
        }
        let too_long = longest + "ж";
        for (text, error) in [
            ("", ExternalKeyError::Blank),
            (" \u{a0}", ExternalKeyError::Blank),
            ("a\0b", ExternalKeyError::Control),
            ("\n", ExternalKeyError::Control),
            (too_long.as_str(), ExternalKeyError::TooLong),
        ] {
            assert_eq!(ExternalKey::new(text), Err(error), "{text:?}");
        }
    }
}
