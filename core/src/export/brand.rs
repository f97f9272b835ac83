//! The brand of files.

use crate::domain::{BrandName, Colour, Logo};

/// The brand that a file shows ("white label").
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Brand {
    /// The name, at the head of the file, and at the foot of each page of a PDF. The first [`Brand::MAX_NAME`] characters
    /// are shown.
    pub name: String,
    /// The colour of the bar at the head. Headings, and links in PDFs, have this colour darkened as far as text on white needs.
    pub colour: Colour,
    /// A picture in place of the name at the head. One that can't be read is left out, and the name is shown.
    pub logo: Option<Logo>,
}

impl Brand {
    /// The most characters of a name that are shown.
    pub const MAX_NAME: usize = BrandName::MAX_LENGTH;

    /// Returns a brand that shows its name in place of a logo.
    pub fn new(name: impl Into<String>, colour: Colour) -> Self {
        Self { name: name.into(), colour, logo: None }
    }

    /// Sets the logo, which is shown in place of the name at the head.
    #[must_use]
    pub fn with_logo(self, logo: Logo) -> Self {
        Self { logo: Some(logo), ..self }
    }
}

/// The product's own brand.
impl Default for Brand {
    fn default() -> Self {
        Self { name: "a11ycheck".to_owned(), colour: Colour::new(0x1b, 0x4f, 0x8a), logo: None }
    }
}
