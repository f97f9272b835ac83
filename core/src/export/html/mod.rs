//! The report as one HTML file: without scripts, without anything from outside, readable from a disk (decision 0047).
//!
//! It shows what the PDF shows, in the same order, as [`report::brief`](crate::report::brief) decides, and in further parts
//! that open on demand: more examples of each rule, the rules that the PDF has in a line only, and each page with its rules
//! and elements. The page is the template `templates/report.html`; texts of checked pages are bounded before they are
//! escaped.
//!
//! Its size is bounded, whatever was checked: pictures take at most [`Gallery::MAX_BYTES`], and each list and each text has a
//! bound of its own. What a bound leaves out is counted in the file.

mod by_page;
mod gallery;
mod page;

use std::{
    fmt,
    io::{self, BufWriter, Write as _},
};

pub use self::gallery::Gallery;
use self::page::Page;
use crate::{
    domain::{Findings, SiteDetails},
    export::Brand,
    report::{Prepared, Report},
};

/// The source of the file.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct HtmlSource<'a> {
    /// The report; its language is that of the file.
    pub report: &'a Report,
    /// The site of the report.
    pub site: &'a SiteDetails,
    /// The findings that the report was made from.
    pub findings: &'a Findings,
    /// The brand whose name, colour and logo the file carries.
    pub brand: &'a Brand,
    /// The pictures.
    pub gallery: &'a Gallery,
    /// The program that makes the file, with its version, for example `a11ycheck 0.1.0`. The file of a team that shows its own
    /// brand names none.
    pub generated_by: Option<&'a str>,
}

impl<'a> HtmlSource<'a> {
    /// Returns the source of a file that names no program. `report` was made from `findings`, the result of a check of `site`.
    pub const fn new(
        report: &'a Report,
        site: &'a SiteDetails,
        findings: &'a Findings,
        brand: &'a Brand,
        gallery: &'a Gallery,
    ) -> Self {
        Self { report, site, findings, brand, gallery, generated_by: None }
    }

    /// Names the program that makes the file.
    #[must_use]
    pub fn with_generated_by(self, program: impl Into<Option<&'a str>>) -> Self {
        Self { generated_by: program.into(), ..self }
    }
}

impl fmt::Debug for HtmlSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { report, brand, generated_by, .. } = self;
        f.debug_struct("HtmlSource")
            .field("scan", &report.scan_id)
            .field("locale", &report.locale)
            .field("brand", brand)
            .field("generated_by", generated_by)
            .finish_non_exhaustive()
    }
}

/// Writes the file. Beside `source`, this needs a reference per element and some 100 KB, however many elements there are.
///
/// # Errors
/// Those of `out`; what was written by then is not a whole file.
pub fn write(source: &HtmlSource<'_>, out: impl io::Write) -> io::Result<()> {
    let HtmlSource { report, site, findings, .. } = *source;
    let prepared = Prepared::with_accepted(site, findings, &report.accepted, report.locale);
    let mut out = BufWriter::new(out);
    Page::new(*source, &prepared).write_to(&mut out)?;
    out.flush()
}
