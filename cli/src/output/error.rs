//! Why an output was not written.

use std::{io, path::PathBuf};

use super::Format;

/// The reason why an output cannot be written. Those that can be known before a page is checked are returned by
/// [`Outputs::open`](super::Outputs::open).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// Two formats would be mixed on standard output.
    #[error(
        "{first} and {second} would both go to standard output: name a file for one of them, for example -o {second}=FILE"
    )]
    TwoOnStandardOutput {
        /// The format that was named first.
        first: Format,
        /// The other.
        second: Format,
    },
    /// Two formats would go to one file.
    #[error("two outputs go to {}: name another file for one of them", .file.display())]
    TwoInOneFile {
        /// The file.
        file: PathBuf,
    },
    /// The format holds texts of pages that a CI runner could take for commands.
    #[error(
        "{format} cannot go to standard output in GitHub Actions, which would read the texts of pages for commands: name a file, \
         for example -o {format}=FILE"
    )]
    UnsafeInALog {
        /// The format.
        format: Format,
    },
    /// The format is not text.
    #[error("pdf cannot go to standard output: name a file, for example -o pdf=FILE")]
    NotText,
    /// This program was built without the format.
    #[error("this a11ycheck was built without {format}: use a released binary, or build it with --features {format}")]
    NotBuiltIn {
        /// The format.
        format: Format,
    },
    /// The file cannot be written.
    #[error("{} cannot be written: create its folder, or name another file", .file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A format could not be made.
    #[error("{format} could not be made")]
    NotMade {
        /// The format.
        format: Format,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Standard output takes nothing more.
    #[error("standard output could not be written")]
    StandardOutput(#[source] io::Error),
}
