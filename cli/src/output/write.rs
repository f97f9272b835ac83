//! Writing a run in a format.

use std::{io::Write, path::PathBuf};

use super::{Format, OutputError, TextOptions, cores, earl, github, gitlab, json, jsonl, junit, markdown, sarif, text};
use crate::run::Run;

/// A CI runner that reads what programs print for commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CiRunner {
    /// GitHub Actions (`GITHUB_ACTIONS=true`).
    Github {
        /// The file of the job summary (`GITHUB_STEP_SUMMARY`).
        summary: Option<PathBuf>,
    },
}

/// How a run is written.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// How the text looks.
    pub text: TextOptions,
    /// The runner that reads standard output, if there is one.
    pub runner: Option<CiRunner>,
    /// A text that no page can know, of letters and digits: what stands between two lines with it is not read for commands. Needed
    /// where [`runner`](Self::runner) is set.
    pub stop_token: String,
    /// The files that are written, which the text names. [`Outputs::write`](super::Outputs::write) sets them.
    pub files: Vec<(Format, PathBuf)>,
}

/// Writes a run in a format.
///
/// # Errors
/// [`OutputError::NotMade`], with the error of `out` or of the format as its source; what was written by then is not whole.
pub fn write(format: Format, run: &Run, options: &WriteOptions, out: &mut dyn Write) -> Result<(), OutputError> {
    let made = match format {
        Format::Text => text::write(run, options, out).map_err(Into::into),
        Format::Json => json::write(run, out).map_err(Into::into),
        Format::Jsonl => jsonl::write(run, out).map_err(Into::into),
        Format::Csv => cores::csv(run, out).map_err(Into::into),
        Format::Html => cores::html(run, out).map_err(Into::into),
        Format::Pdf => cores::pdf(run, out),
        Format::Sarif => sarif::write(run, out).map_err(Into::into),
        Format::Junit => junit::write(run, out).map_err(Into::into),
        Format::GitlabQuality => gitlab::quality(run, out).map_err(Into::into),
        Format::GitlabAccessibility => gitlab::accessibility(run, out).map_err(Into::into),
        Format::Github => github::annotations(run, out).map_err(Into::into),
        Format::Markdown => markdown::write(run, markdown::UNBOUNDED, out).map_err(Into::into),
        Format::Earl => earl::write(run, out).map_err(Into::into),
    };
    made.map_err(|source| OutputError::NotMade { format, source })
}

/// Writes a run where a CI runner may read it for commands: text stands between two lines that switch reading off and on. Other
/// formats have no commands in them, and readers that such lines would confuse.
pub(super) fn to_log(
    format: Format,
    run: &Run,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), OutputError> {
    let lines = |line: &str, out: &mut dyn Write| {
        writeln!(out, "{line}").map_err(|error| OutputError::NotMade { format, source: error.into() })
    };
    let stops = format == Format::Text && matches!(options.runner, Some(CiRunner::Github { .. }));
    if stops {
        lines(&format!("::stop-commands::{}", options.stop_token), out)?;
    }
    write(format, run, options, out)?;
    if stops {
        lines(&format!("::{}::", options.stop_token), out)?;
    }
    Ok(())
}
