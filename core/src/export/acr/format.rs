//! The formats of drafts.

use std::io::{self, BufWriter, Write as _};

use super::{docx, html, openacr, verdict::draft_verdicts};
use crate::export::{Brand, ExportSource, format::formats};

formats! {
    /// A format of drafts of conformance reports.
    AcrFormat {
        /// GSA's OpenACR, for its editor and its validator.
        Json,
        /// A page for people.
        Html,
        /// A text document, for the person who completes the draft.
        Docx,
    }
}

impl AcrFormat {
    /// Returns the name of the format, in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Html => "html",
            Self::Docx => "docx",
        }
    }
}

/// Writes a draft. A format with a design shows the brand.
///
/// # Errors
/// Those of `out`; what was written by then is not a whole file.
pub fn write(format: AcrFormat, source: &ExportSource<'_>, brand: &Brand, out: impl io::Write) -> io::Result<()> {
    let verdicts = draft_verdicts(source);
    let mut out = BufWriter::new(out);
    match format {
        AcrFormat::Json => openacr::write(source, &verdicts, &mut out),
        AcrFormat::Html => html::write(source, brand, &verdicts, &mut out),
        AcrFormat::Docx => docx::write(source, brand, &verdicts, &mut out),
    }?;
    out.flush()
}
