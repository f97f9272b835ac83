//! The declaration that a person has read the texts of a language.

use chrono::NaiveDate;

/// The declaration of an operator that a person has read the texts of a language, and stands by them.
///
/// It goes for the texts of the program's version on that day; an operator who installs a later one decides whether to read them
/// again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Review {
    by: String,
    on: NaiveDate,
}

/// The reason why a text is not the name of a reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError {
    /// The name is blank.
    #[error("the name is blank")]
    Blank,
    /// The name is too long.
    #[error("the name has more than {} characters", Review::MAX_NAME)]
    TooLong,
    /// The name has a character in it that is not shown, or that changes how the line is read.
    #[error("the name has a line break or another character in it that can't be shown in a line")]
    Control,
}

impl Review {
    /// The greatest number of characters of a name.
    pub const MAX_NAME: usize = 80;

    /// Returns the declaration of a review by this person or firm, which ended on this day. White space around the name is
    /// removed.
    ///
    /// # Errors
    /// A [`ReviewError`] if reports can't show the name in a line.
    pub fn new(by: &str, on: NaiveDate) -> Result<Self, ReviewError> {
        let by = by.trim();
        let is_unfit = |character: char| {
            character.is_control()
                || matches!(character, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{061c}')
                || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        if by.is_empty() {
            Err(ReviewError::Blank)
        } else if by.chars().count() > Self::MAX_NAME {
            Err(ReviewError::TooLong)
        } else if by.chars().any(is_unfit) {
            Err(ReviewError::Control)
        } else {
            Ok(Self { by: by.to_owned(), on })
        }
    }

    /// Returns the name of the person or firm.
    pub fn by(&self) -> &str {
        &self.by
    }

    /// Returns the day on which the review ended.
    pub const fn on(&self) -> NaiveDate {
        self.on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_reviewer_fits_into_a_line_of_a_report() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        assert_eq!(Review::new("  Anna Müller, Berlin ", day).unwrap().by(), "Anna Müller, Berlin");
        assert_eq!(Review::new(" \t", day), Err(ReviewError::Blank));
        assert_eq!(Review::new(&"ж".repeat(81), day), Err(ReviewError::TooLong));
        assert!(Review::new(&"ж".repeat(80), day).is_ok());
        for unfit in ["a\nb", "a\u{2028}b", "exe.\u{202e}fdp"] {
            assert_eq!(Review::new(unfit, day), Err(ReviewError::Control));
        }
    }
}
