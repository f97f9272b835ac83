//! The report as a PDF for the site's owner, and the draft of a conformance report as a PDF, in the report's language.
//!
//! Both files conform to PDF/UA-1 (ISO 14289-1): a structure tree with headings, lists, tables, links and alternative texts
//! in reading order, a language, a title, bookmarks and embedded fonts. Making one is pure and takes one core for up to
//! seconds: call [`render`] and [`render_draft`] where they block nobody. The same source gives the same file, byte by
//! byte.
//!
//! `compose` holds the content of the report, `draft` that of the draft, and `frame` the parts of both; `flow`, `table`,
//! `contents`, `chart` and `gallery` set them from page to page on a `canvas`, while `tree` grows the structure; `finish` turns both
//! into a file.
//!
//! Everything that comes from checked pages is hostile: it is bounded, loses characters that steer layout, and shows U+FFFD
//! where the fonts have no glyph. Text that runs from right to left is shown letter by letter from the left.

mod canvas;
mod chart;
mod compose;
mod contents;
mod draft;
mod error;
mod finish;
mod flow;
mod font;
mod frame;
mod gallery;
mod lines;
mod logo;
mod picture;
mod render;
mod source;
mod style;
mod table;
mod text;
mod tree;
mod xmp;

pub use self::{
    error::PdfError,
    logo::{LogoError, decoded_logo},
    render::{render, render_draft},
    source::{Detail, DraftSource, PdfSource},
};
