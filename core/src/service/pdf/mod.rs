//! PDF files: rendered once per language and look, then kept.
//!
//! [`files`] says what a file is made of, [`renderings`] who waits for which, [`queue`] whose turn it is.

mod files;
mod queue;
mod renderings;

pub(super) use self::files::PdfFile;
pub use self::renderings::RenderLimits;
pub(crate) use self::renderings::Renderings;
