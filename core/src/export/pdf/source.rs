//! What a file is made of.

use std::fmt;

use super::Colour;
use crate::{domain::Findings, export::ExportSource, report::Report};

/// What a report's file is made of.
#[derive(Clone, Copy)]
pub struct PdfSource<'a> {
    /// The report; its language is the file's.
    pub report: &'a Report,
    /// The findings that the report was made from: what checked, and what it could not decide.
    pub findings: &'a Findings,
    /// Whose name and colour the file carries.
    pub brand: &'a Brand,
    /// The program that makes the file, with its version, for example `a11ycheck 0.1.0`.
    pub generated_by: &'a str,
    /// The picture of the example with this number: PNG, JPEG or WebP. An example whose picture is not there, or can't be
    /// read, is shown without.
    pub pictures: &'a dyn Fn(u64) -> Option<&'a [u8]>,
}

impl fmt::Debug for PdfSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { report, brand, generated_by, .. } = self;
        f.debug_struct("PdfSource")
            .field("scan", &report.scan_id)
            .field("locale", &report.locale)
            .field("brand", brand)
            .field("generated_by", generated_by)
            .finish_non_exhaustive()
    }
}

/// What the file of a conformance report's draft is made of.
#[derive(Debug, Clone, Copy)]
pub struct DraftSource<'a> {
    /// The check; its language is the file's.
    pub export: &'a ExportSource<'a>,
    /// Whose name and colour the file carries.
    pub brand: &'a Brand,
    /// The program that makes the file, with its version, for example `a11ycheck 0.1.0`.
    pub generated_by: &'a str,
}

/// Whose report it is ("white label").
#[derive(Clone, PartialEq, Eq)]
pub struct Brand {
    /// The name, in the head of the first page and at the foot of each. The first [`Brand::MAX_NAME`] characters are shown.
    pub name: String,
    /// The colour of headings and links; darkened where white paper needs it.
    pub colour: Colour,
    /// A picture that stands for the name: PNG, JPEG or WebP. One that can't be read is left out, and the name stands.
    pub logo: Option<Vec<u8>>,
}

impl Brand {
    /// Characters of a name that are shown.
    pub const MAX_NAME: usize = 80;
}

/// The product's own.
impl Default for Brand {
    fn default() -> Self {
        Self { name: "a11ycheck".to_owned(), colour: Colour::new(0x1b, 0x4f, 0x8a), logo: None }
    }
}

impl fmt::Debug for Brand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brand")
            .field("name", &self.name)
            .field("colour", &self.colour)
            .field("logo_bytes", &self.logo.as_ref().map(Vec::len))
            .finish()
    }
}
