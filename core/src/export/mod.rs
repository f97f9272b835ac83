//! Files made of what a check found: issue lists for developers, and the draft of a conformance report.
//!
//! Pure: findings, the catalogue and a few facts go in, bytes come out. [`write()`] streams, so that a check with hundreds of
//! thousands of elements needs no more memory than its findings. Every format reads the same prepared list of rules, ranked
//! as in the report. A further format is a file beside the others and a variant of [`ExportFormat`], whose methods and [`write()`] the
//! compiler then names. It does not name [`ExportFormat::ALL`], the links of a check in [`ScanView`](crate::view::ScanView), and the
//! published OpenAPI document, which list the formats too.
//!
//! | format | for | how what a page says is kept harmless |
//! |---|---|---|
//! | `json` | programs: whole and unchanged | escaped as JSON |
//! | `csv` | spreadsheets | no cell is a formula, with whatever separator the file is opened |
//! | `github` | one GitHub issue per rule | code spans and escapes: no HTML, no mention, no reference |
//! | `jira` | Jira's CSV importer | blocks without markup that can't be left, no formula |
//!
//! Every file carries the disclaimer in its language: as a field in JSON, as a quotation at the top of GitHub's, at the end of
//! each description in Jira's. Only CSV has a row per element and nothing else: its name says what it is. A header of the
//! answer says it of every format ([`disclaimer_header`]).
//!
//! Numbers, severities and names of fields are the same in every language.
//!
//! PDF files stand apart, in `pdf` (feature `pdf`): the report's is made of the report, not of the list, and both are kept.

pub mod acr;
mod brand;
mod cell;
mod csv;
mod file_name;
mod format;
mod github;
mod issues;
mod jira;
mod json;
mod markdown;
#[cfg(feature = "pdf")]
pub mod pdf;
mod text;
mod wiki;

pub use self::{
    brand::Brand,
    file_name::{content_disposition, disclaimer_header, file_name},
    format::{ExportFormat, UnknownFormat, write},
    issues::{ExportSource, STANDARD},
    json::FORMAT_LABEL,
};
