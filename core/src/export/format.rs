//! The formats of issue exports.

use std::{
    fmt,
    io::{self, BufWriter, Write as _},
    str::FromStr,
};

use super::{ExportSource, csv, github, issues::Issues, jira, json};

/// A format of issue exports: contract, "Issue export files".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ExportFormat {
    /// Everything, for programs.
    #[default]
    Json,
    /// A row per element, for spreadsheets.
    Csv,
    /// Markdown with a section per problem rule, each fit for a GitHub issue.
    Github,
    /// CSV with a row per problem rule, for Jira's importer.
    Jira,
}

impl ExportFormat {
    /// All formats, in the contract's order.
    pub const ALL: [Self; 4] = [Self::Json, Self::Csv, Self::Github, Self::Jira];

    /// The contract's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Github => "github",
            Self::Jira => "jira",
        }
    }

    /// The value of `Content-Type`.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Csv | Self::Jira => "text/csv; charset=utf-8",
            Self::Github => "text/markdown; charset=utf-8",
        }
    }

    /// How the file's name ends: the formats of one check have different names.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Json => "a11ycheck.json",
            // It has no place for the disclaimer but its name.
            Self::Csv => "a11ycheck-automated-check-no-audit.csv",
            Self::Github => "a11ycheck.md",
            Self::Jira => "a11ycheck-jira.csv",
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an export format")]
pub struct UnknownFormat;

impl FromStr for ExportFormat {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.as_str() == text).ok_or(UnknownFormat)
    }
}

/// Writes a file. Beside `source` this takes a reference per element and some 100 KB, however many elements there are.
///
/// # Errors
/// Those of `out`; what is written by then is not a whole file.
pub fn write(format: ExportFormat, source: &ExportSource<'_>, out: impl io::Write) -> io::Result<()> {
    let issues = Issues::new(source);
    let mut out = BufWriter::new(out);
    match format {
        ExportFormat::Json => json::write(&issues, &mut out),
        ExportFormat::Csv => csv::write(&issues, &mut out),
        ExportFormat::Github => github::write(&issues, &mut out),
        ExportFormat::Jira => jira::write(&issues, &mut out),
    }?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contracts_words_are_read_back_and_no_others() {
        for format in ExportFormat::ALL {
            assert_eq!(format.as_str().parse(), Ok(format));
        }
        for text in ["", "JSON", "xml", "json "] {
            assert_eq!(text.parse::<ExportFormat>(), Err(UnknownFormat), "{text}");
        }
    }

    #[test]
    fn no_two_files_of_a_check_overwrite_each_other_when_they_are_saved() {
        let suffixes: std::collections::HashSet<_> = ExportFormat::ALL.map(ExportFormat::suffix).into();
        assert_eq!(suffixes.len(), ExportFormat::ALL.len());
    }
}
