//! What `-o` asks for.

use std::{path::PathBuf, str::FromStr};

use super::{Format, UnknownFormat};

/// A format with the place that it goes to: `FORMAT` or `FORMAT=FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputRequest {
    /// The format.
    pub format: Format,
    /// The file; `None` for standard output.
    pub file: Option<PathBuf>,
}

/// The error for a text that asks for no output.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// There is no such format.
    #[error(transparent)]
    UnknownFormat(#[from] UnknownFormat),
    /// Nothing follows the equals sign.
    #[error("no file is named after {format}=: name one, or leave the equals sign out for standard output")]
    NoFile {
        /// The format.
        format: Format,
    },
}

impl FromStr for OutputRequest {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        let Some((format, file)) = text.split_once('=') else {
            return Ok(Self { format: text.parse()?, file: None });
        };
        let format = format.parse()?;
        if file.is_empty() {
            return Err(RequestError::NoFile { format });
        }
        // `-`, as in many programs.
        Ok(Self { format, file: (file != "-").then(|| file.into()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_goes_to_standard_output_or_to_a_file() {
        let parsed = |text: &str| text.parse::<OutputRequest>().map(|request| (request.format, request.file));
        assert_eq!(parsed("text"), Ok((Format::Text, None)));
        assert_eq!(parsed("json=-"), Ok((Format::Json, None)));
        assert_eq!(parsed("html=a=b.html"), Ok((Format::Html, Some("a=b.html".into()))));
        assert_eq!(parsed("csv="), Err(RequestError::NoFile { format: Format::Csv }));
        assert!(parsed("xml").unwrap_err().to_string().contains("name one of text, json"));
        for format in Format::ALL {
            assert_eq!(parsed(format.as_str()), Ok((format, None)));
        }
    }
}
