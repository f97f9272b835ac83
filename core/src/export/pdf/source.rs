//! The sources of files.

use std::fmt;

use crate::{
    export::{Brand, ExportSource},
    report::Report,
};

/// How much the file of a report shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Detail {
    /// What its readers finish: the first rules with at most three places each, the others in a line.
    #[default]
    Brief,
    /// Every rule with all examples of the report.
    Full,
}

/// The source of a report's file.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct PdfSource<'a> {
    /// The report; its language is that of the file.
    pub report: &'a Report,
    /// The brand whose name and colour the file carries.
    pub brand: &'a Brand,
    /// The program that makes the file, with its version, for example `a11ycheck 0.1.0`. The file of a team that shows its own
    /// brand names none, and its metadata say that the brand made it.
    pub generated_by: Option<&'a str>,
    /// Returns the picture of the example with this number: PNG, JPEG or WebP. An example whose picture is missing, or
    /// can't be read, is shown without it.
    pub pictures: &'a dyn Fn(u64) -> Option<&'a [u8]>,
    /// The picture of the first page, as those of examples.
    pub screen: Option<&'a [u8]>,
    /// How much the file shows.
    pub detail: Detail,
    /// True if pictures that the report refers to no longer exist: the file says so.
    pub pictures_lost: bool,
}

impl<'a> PdfSource<'a> {
    /// Returns the source of a file without pictures that names no program.
    pub const fn new(report: &'a Report, brand: &'a Brand) -> Self {
        Self {
            report,
            brand,
            generated_by: None,
            pictures: &|_| None,
            screen: None,
            detail: Detail::Brief,
            pictures_lost: false,
        }
    }

    /// Names the program that makes the file.
    #[must_use]
    pub fn with_generated_by(self, program: impl Into<Option<&'a str>>) -> Self {
        Self { generated_by: program.into(), ..self }
    }

    /// Sets the function that returns the picture of the example with a number.
    #[must_use]
    pub const fn with_pictures(self, pictures: &'a dyn Fn(u64) -> Option<&'a [u8]>) -> Self {
        Self { pictures, ..self }
    }

    /// Sets the picture of the first page.
    #[must_use]
    pub fn with_screen(self, screen: impl Into<Option<&'a [u8]>>) -> Self {
        Self { screen: screen.into(), ..self }
    }

    /// Sets how much the file shows.
    #[must_use]
    pub const fn with_detail(self, detail: Detail) -> Self {
        Self { detail, ..self }
    }

    /// Notes that pictures that the report refers to no longer exist.
    #[must_use]
    pub const fn with_pictures_lost(self) -> Self {
        Self { pictures_lost: true, ..self }
    }
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

/// The source of the file of a conformance report's draft.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct DraftSource<'a> {
    /// The check; its language is that of the file.
    pub export: &'a ExportSource<'a>,
    /// The brand whose name and colour the file carries.
    pub brand: &'a Brand,
    /// The program that makes the file, with its version, for example `a11ycheck 0.1.0`. The file of a team that shows its own
    /// brand names none, and its metadata say that the brand made it.
    pub generated_by: Option<&'a str>,
}

impl<'a> DraftSource<'a> {
    /// Returns the source of a file that names no program.
    pub const fn new(export: &'a ExportSource<'a>, brand: &'a Brand) -> Self {
        Self { export, brand, generated_by: None }
    }

    /// Names the program that makes the file.
    #[must_use]
    pub fn with_generated_by(self, program: impl Into<Option<&'a str>>) -> Self {
        Self { generated_by: program.into(), ..self }
    }
}
