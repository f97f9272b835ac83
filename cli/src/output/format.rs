//! The formats.

use std::{fmt, str::FromStr};

/// A format that a run is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Text for people at a terminal.
    Text,
    /// Everything, for programs and for writing formats again.
    Json,
    /// A line of JSON for each page and each finding.
    Jsonl,
    /// A row for each finding, for spreadsheets.
    Csv,
    /// The report as a web page in one file.
    Html,
    /// The report as a PDF.
    Pdf,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// `JUnit`'s XML, for CI servers.
    Junit,
    /// GitLab's code quality report.
    GitlabQuality,
    /// GitLab's accessibility report.
    GitlabAccessibility,
    /// Annotations and job summary of GitHub Actions.
    Github,
    /// A summary in Markdown.
    Markdown,
    /// W3C's Evaluation and Report Language as JSON-LD.
    Earl,
}

/// The error for a text that is no format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no format: name one of {}", Format::names())]
pub struct UnknownFormat {
    name: String,
}

impl Format {
    /// All formats, in the order of the documentation.
    pub const ALL: [Self; 13] = [
        Self::Text,
        Self::Json,
        Self::Jsonl,
        Self::Csv,
        Self::Html,
        Self::Pdf,
        Self::Sarif,
        Self::Junit,
        Self::GitlabQuality,
        Self::GitlabAccessibility,
        Self::Github,
        Self::Markdown,
        Self::Earl,
    ];

    /// Returns the name of the format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Sarif => "sarif",
            Self::Junit => "junit",
            Self::GitlabQuality => "gitlab-quality",
            Self::GitlabAccessibility => "gitlab-accessibility",
            Self::Github => "github",
            Self::Markdown => "markdown",
            Self::Earl => "earl",
        }
    }

    /// Returns whether this build can write the format.
    pub const fn is_built_in(self) -> bool {
        !matches!(self, Self::Pdf) || cfg!(feature = "pdf")
    }

    /// Returns whether the format shows pictures, or keeps them for one that does.
    pub(crate) const fn has_pictures(self) -> bool {
        matches!(self, Self::Json | Self::Html | Self::Pdf)
    }

    /// Returns whether the format may go to standard output while a CI runner reads it for commands. The others hold texts of
    /// pages that can neither be escaped nor put between other commands.
    pub(super) const fn is_safe_in_a_log(self) -> bool {
        !matches!(self, Self::Csv | Self::Html | Self::Pdf | Self::Markdown)
    }

    /// Returns the names of all formats, for messages.
    fn names() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let known = Self::ALL.into_iter().find(|format| format.as_str() == name);
        known.ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}
