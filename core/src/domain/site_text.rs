//! The name of a site and its tags.

use std::fmt;

/// The reason why a text can't be a name or a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SiteTextError {
    /// The text is empty, or consists of white space and U+0000.
    #[error("the text is blank")]
    Blank,
    /// The text has more characters than this.
    #[error("the text has more than {0} characters")]
    TooLong(usize),
}

/// The name that a site's owner gives it: one to 120 characters without white space around them (contract §6.3).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SiteName(String);

impl SiteName {
    /// The greatest number of characters.
    pub const MAX_LENGTH: usize = 120;

    /// Makes a name of a text. White space around it is removed, and so is U+0000 anywhere.
    ///
    /// # Errors
    /// Returns [`SiteTextError`] for a name that is blank or too long.
    pub fn new(text: &str) -> Result<Self, SiteTextError> {
        read(text, Self::MAX_LENGTH).map(Self)
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A label for finding sites: one to 40 characters without white space around them (contract §6.3). Case-sensitive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tag(String);

impl Tag {
    /// The greatest number of characters.
    pub const MAX_LENGTH: usize = 40;

    /// Makes a tag of a text. White space around it is removed, and so is U+0000 anywhere.
    ///
    /// # Errors
    /// Returns [`SiteTextError`] for a tag that is blank or too long.
    pub fn new(text: &str) -> Result<Self, SiteTextError> {
        read(text, Self::MAX_LENGTH).map(Self)
    }

    /// Returns the tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Trims a text and checks its length. U+0000, which is invisible, is removed because PostgreSQL text can't hold it.
fn read(text: &str, max: usize) -> Result<String, SiteTextError> {
    let text = text.replace('\0', "");
    let text = text.trim();
    if text.is_empty() {
        return Err(SiteTextError::Blank);
    }
    if text.chars().count() > max { Err(SiteTextError::TooLong(max)) } else { Ok(text.to_owned()) }
}

impl fmt::Display for SiteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<SiteName> for String {
    fn from(name: SiteName) -> Self {
        name.0
    }
}

impl From<Tag> for String {
    fn from(tag: Tag) -> Self {
        tag.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_trimmed_and_neither_blank_nor_too_long() {
        assert_eq!(Tag::new(" a\0b \0").unwrap().as_str(), "ab");
        assert_eq!(Tag::new(" \0\t"), Err(SiteTextError::Blank));
        assert_eq!(Tag::new(&"a\0".repeat(40)).unwrap().as_str(), "a".repeat(40));
        assert_eq!(Tag::new("\0 a \0 ").unwrap().as_str(), "a");
        assert_eq!(Tag::new(&"ж".repeat(40)).unwrap().as_str().chars().count(), 40);
        assert_eq!(Tag::new(&"ж".repeat(41)), Err(SiteTextError::TooLong(40)));
        assert_eq!(SiteName::new(&"ж".repeat(121)), Err(SiteTextError::TooLong(120)));
    }
}
