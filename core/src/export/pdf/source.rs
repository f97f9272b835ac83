//! What a file is made of.

use std::fmt;

use crate::{
    domain::Findings,
    export::{Brand, ExportSource},
    report::Report,
};

/// What a report's file is made of.
#[derive(Clone, Copy)]
pub struct PdfSource<'a> {
    /// The report; its language is the file's.
    pub report: &'a Report,
    /// The findings that the report was made from: what checked, and what it could not decide.
    pub findings: &'a Findings,
    /// Whose name and colour the file carries.
    pub brand: &'a Brand,
    /// The program that makes the file, with its version, for example `a11ycheck 0.1.0`. The file of a team that shows its own
    /// brand names none, and its metadata say that the brand made it.
    pub generated_by: Option<&'a str>,
    /// The picture of the example with this number: PNG, JPEG or WebP. An example whose picture is not there, or can't be
    /// read, is shown without.
    pub pictures: &'a dyn Fn(u64) -> Option<&'a [u8]>,
    /// Whether pictures that the report refers to are no longer there: the file says so.
    pub pictures_lost: bool,
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
    /// The program that makes the file, with its version, for example `a11ycheck 0.1.0`. The file of a team that shows its own
    /// brand names none, and its metadata say that the brand made it.
    pub generated_by: Option<&'a str>,
}
