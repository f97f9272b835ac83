//! What a team says at the head of its drafts of conformance reports.

use std::{fmt, str::FromStr};

/// The facts at the head of a draft that no check can find out. What is `None` is left to the person who completes the draft.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DraftHead {
    /// The version of the product, for example `2027.1`.
    pub product_version: Option<HeadText>,
    /// The way to reach whoever answers for the document: an address for mail, a telephone number, a name.
    pub contact: Option<HeadText>,
    /// The person or the organisation that evaluates the product.
    pub evaluator: Option<HeadText>,
}

impl DraftHead {
    /// Sets the version of the product, if there is one.
    #[must_use]
    pub fn with_product_version(self, product_version: impl Into<Option<HeadText>>) -> Self {
        Self { product_version: product_version.into(), ..self }
    }

    /// Sets the contact, if there is one.
    #[must_use]
    pub fn with_contact(self, contact: impl Into<Option<HeadText>>) -> Self {
        Self { contact: contact.into(), ..self }
    }

    /// Sets who evaluates the product, if that is known.
    #[must_use]
    pub fn with_evaluator(self, evaluator: impl Into<Option<HeadText>>) -> Self {
        Self { evaluator: evaluator.into(), ..self }
    }

    /// Returns these facts, with those of `below` where they are missing.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        Self {
            product_version: self.product_version.or(below.product_version),
            contact: self.contact.or(below.contact),
            evaluator: self.evaluator.or(below.evaluator),
        }
    }
}

/// A line at the head of a draft: 1 to [`HeadText::MAX_LENGTH`] characters, none of them a control character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadText(String);

/// The reason why a text can't stand at the head of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeadTextError {
    /// The text is blank.
    #[error("the text is blank")]
    Blank,
    /// The text is too long.
    #[error("the text has more than {} characters", HeadText::MAX_LENGTH)]
    TooLong,
    /// The text has a line break or another control character in it.
    #[error("the text has a line break or another control character in it")]
    Control,
}

impl HeadText {
    /// The greatest number of characters.
    pub const MAX_LENGTH: usize = 200;

    /// Restores a stored text without checking it: it was checked when it was stored, perhaps by the rules of a later
    /// release.
    pub fn from_stored(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Parses a text; white space around it is removed.
impl FromStr for HeadText {
    type Err = HeadTextError;

    fn from_str(text: &str) -> Result<Self, HeadTextError> {
        let text = text.trim();
        let ends_line = |character: char| matches!(character, '\u{2028}' | '\u{2029}');
        if text.is_empty() {
            Err(HeadTextError::Blank)
        } else if text.chars().count() > Self::MAX_LENGTH {
            Err(HeadTextError::TooLong)
        } else if text.chars().any(|character| character.is_control() || ends_line(character)) {
            Err(HeadTextError::Control)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

impl fmt::Display for HeadText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_short_and_one_line() {
        assert_eq!(" 2027.1 ".parse::<HeadText>().unwrap().as_str(), "2027.1");
        assert_eq!(" ".parse::<HeadText>(), Err(HeadTextError::Blank));
        assert_eq!("ж".repeat(201).parse::<HeadText>(), Err(HeadTextError::TooLong));
        assert_eq!("a\u{2028}b".parse::<HeadText>(), Err(HeadTextError::Control));
        assert!("ж".repeat(200).parse::<HeadText>().is_ok());
    }

    #[test]
    fn what_a_request_says_outweighs_the_team_and_leaves_the_rest() {
        let text = |text: &str| Some(text.parse::<HeadText>().unwrap());
        let team = DraftHead::default().with_contact(text("a@b.example")).with_evaluator(text("Team"));
        let head = DraftHead::default().with_evaluator(text("Jo")).over(team);
        assert_eq!((head.contact, head.evaluator, head.product_version), (text("a@b.example"), text("Jo"), None));
    }
}
