//! Whose files they are.

use crate::domain::{BrandName, Colour, Logo};

/// Whose file it is ("white label").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brand {
    /// The name, at the head of the file, and at the foot of each page. The first [`Brand::MAX_NAME`] characters are shown.
    pub name: String,
    /// The colour of the bar at the head; that of headings, and of links on paper, darkened as far as text on white needs.
    pub colour: Colour,
    /// A picture that stands for the name at the head. One that can't be read is left out, and the name stands.
    pub logo: Option<Logo>,
}

impl Brand {
    /// Characters of a name that are shown.
    pub const MAX_NAME: usize = BrandName::MAX_LENGTH;
}

/// The product's own.
impl Default for Brand {
    fn default() -> Self {
        Self { name: "a11ycheck".to_owned(), colour: Colour::new(0x1b, 0x4f, 0x8a), logo: None }
    }
}
