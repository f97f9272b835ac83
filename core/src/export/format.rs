//! The formats of issue exports.

use std::{
    fmt,
    io::{self, BufWriter, Write as _},
};

use super::{ExportSource, csv, github, issues::Issues, jira, json};

/// Declares an enum of formats with the list of all of them, so that none is missing there.
macro_rules! formats {
    ($(#[$about:meta])* $name:ident { $($(#[$of_variant:meta])* $variant:ident,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$of_variant])* $variant,)+
        }

        impl $name {
            /// All formats, in the order of their declaration.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];
        }
    };
}
pub(super) use formats;

formats! {
    /// A format of issue exports.
    ExportFormat {
        /// Everything, for programs.
        Json,
        /// A row per element, for spreadsheets.
        Csv,
        /// Markdown with a section per problem rule, each fit for a GitHub issue.
        Github,
        /// CSV with a row per problem rule, for Jira's importer.
        Jira,
    }
}

impl ExportFormat {
    /// Returns the name of the format, in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Github => "github",
            Self::Jira => "jira",
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Writes a file. Beside `source`, this needs a reference per element and some 100 KB, however many elements there are.
///
/// # Errors
/// Those of `out`; what was written by then is not a whole file.
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
