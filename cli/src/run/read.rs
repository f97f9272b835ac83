//! Reading a run from JSON.

use serde::Deserialize;

use super::Run;

/// The error for a document that is no run of this form.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadRunError {
    /// The document is not JSON, or not a result of `a11ycheck check -o json`.
    #[error("this is not a result of `a11ycheck check -o json`: write one with `a11ycheck check … -o json=run.json`")]
    NotARun(#[source] serde_json::Error),
    /// The document has another form than this release reads.
    #[error(
        "this result has format {found}, and this program reads format {}: read it with the release of a11ycheck that wrote it, \
         or check again",
        Run::FORMAT
    )]
    OtherFormat {
        /// The number of the form.
        found: u64,
    },
}

impl Run {
    /// Reads a run as the output `json` writes it. Fields of later releases are ignored.
    ///
    /// # Errors
    /// [`ReadRunError::OtherFormat`] takes precedence over [`ReadRunError::NotARun`].
    pub fn read(document: &[u8]) -> Result<Self, ReadRunError> {
        #[derive(Deserialize)]
        struct Head {
            format: u64,
        }
        let head: Head = serde_json::from_slice(document).map_err(ReadRunError::NotARun)?;
        if head.format != u64::from(Self::FORMAT) {
            return Err(ReadRunError::OtherFormat { found: head.format });
        }
        serde_json::from_slice(document).map_err(ReadRunError::NotARun)
    }
}
