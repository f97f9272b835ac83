//! PDF files: rendered once per language and brand, then kept.
//!
//! [`files`] gathers the sources of a file, [`renderings`] lets requests share a rendering, and [`queue`] chooses the next one.

mod files;
mod queue;
mod renderings;

pub use self::renderings::RenderLimits;
pub(crate) use self::renderings::Renderings;
