//! Files made from the findings of a check: issue lists for developers, and the draft of a conformance report.
//!
//! Pure: findings, the catalogue and a few facts go in, bytes come out. [`write()`] streams, so that a check with hundreds
//! of thousands of elements needs no more memory than its findings. Every format reads the same prepared list of rules,
//! ranked as in the report. [`Artifact`] lists all files. A further format is a file beside the others and a variant of
//! [`ExportFormat`]; the compiler then names each place that has to know it, and a test names the published OpenAPI
//! document.
//!
//! | format | for | protection from hostile texts of pages |
//! |---|---|---|
//! | `json` | programs: whole and unchanged | escaped as JSON |
//! | `csv` | spreadsheets | no cell is a formula, whatever separator the file is opened with |
//! | `github` | one GitHub issue per rule | code spans and escapes: no HTML, no mention, no reference |
//! | `jira` | Jira's CSV importer | blocks without markup, which no text can leave; no formula |
//!
//! Every file carries the disclaimer in its language: as a field in JSON, as a quotation at the top of GitHub's, and at the
//! end of each description in Jira's. Only CSV has a row per element and nothing else: its name says what it is. The HTTP
//! server also sends the disclaimer in a header with every file.
//!
//! Numbers, severities and names of fields are the same in every language.
//!
//! The report itself is a file of its own in two forms: a web page in [`html`], and PDFs. PDF files are separate, in `pdf` (feature `pdf`): that of the report is made from the whole report, and both PDFs are
//! kept once they are rendered.

pub mod acr;
mod artifact;
mod brand;
mod cell;
mod csv;
mod escape;
mod file_name;
mod format;
mod github;
pub mod html;
mod issues;
mod jira;
mod json;
pub mod markdown;
#[cfg(feature = "pdf")]
pub mod pdf;
mod site_list;
pub mod text;
mod wiki;

pub use self::{
    artifact::Artifact,
    brand::Brand,
    format::{ExportFormat, write},
    issues::{ExportSource, checked_standard},
    json::FORMAT_LABEL,
    site_list::{SiteEntry, SiteLine, SiteList, SiteListError, read_sites, write_sites},
};
