//! The errors of PDF files.

/// The reason why no file was made. None of these is the fault of the checked site: hostile texts and pictures never make a
/// file fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PdfError {
    /// A font that is compiled in could not be read.
    #[error("the font {name} can't be read")]
    Font {
        /// The name of the font.
        name: &'static str,
    },
    /// The pages could not be put together.
    #[error("the pages can't be put together: {reason}")]
    Pages {
        /// The message of the PDF library.
        reason: String,
    },
    /// The file could not be written.
    #[error("the file can't be written")]
    Write(#[from] lopdf::Error),
    /// The file's streams could not be compressed, or the file could not be put into memory.
    #[error("the file can't be compressed")]
    Compress(#[from] std::io::Error),
}
