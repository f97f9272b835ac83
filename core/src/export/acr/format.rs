//! The formats of drafts.

use std::{
    io::{self, BufWriter, Write as _},
    str::FromStr,
};

use super::{html, openacr, verdicts};
use crate::export::{Brand, ExportSource};

/// A format of drafts of conformance reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AcrFormat {
    /// GSA's OpenACR, for its editor and its validator.
    #[default]
    Json,
    /// A page for people.
    Html,
}

impl AcrFormat {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Json, Self::Html];

    /// The word that clients use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Html => "html",
        }
    }

    /// The value of `Content-Type`.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Html => "text/html; charset=utf-8",
        }
    }

    /// How the file's name ends.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Json => "accessibility-acr.json",
            Self::Html => "accessibility-acr.html",
        }
    }
}

/// A text that names no format of drafts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a format of conformance report drafts")]
pub struct UnknownAcrFormat;

impl FromStr for AcrFormat {
    type Err = UnknownAcrFormat;

    fn from_str(text: &str) -> Result<Self, UnknownAcrFormat> {
        Self::ALL.into_iter().find(|format| format.as_str() == text).ok_or(UnknownAcrFormat)
    }
}

/// Writes a draft. Where a format has a look, it is the brand's.
///
/// # Errors
/// Those of `out`; what is written by then is not a whole file.
pub fn write(format: AcrFormat, source: &ExportSource<'_>, brand: &Brand, out: impl io::Write) -> io::Result<()> {
    let verdicts = verdicts(source.findings);
    let mut out = BufWriter::new(out);
    match format {
        AcrFormat::Json => openacr::write(source, &verdicts, &mut out),
        AcrFormat::Html => html::write(source, brand, &verdicts, &mut out),
    }?;
    out.flush()
}
