//! What a finished [`Run`](crate::run::Run) is written as.
//!
//! Every format is made from the same run, whether it has just ended or was read from JSON. Nothing here checks a page, reads a
//! clock or asks the network, so that two writings of one run are equal, byte by byte.
//!
//! | format | for | protection from hostile texts of pages |
//! |---|---|---|
//! | `text` | people at a terminal | one line each, without control characters |
//! | `json`, `jsonl` | programs: whole | escaped as JSON |
//! | `csv`, `html`, `pdf` | people | core's |
//! | `sarif` | GitHub code scanning and others | escaped as JSON, bounded |
//! | `junit` | CI servers | escaped as XML, bounded |
//! | `gitlab-quality`, `gitlab-accessibility` | merge requests of GitLab | escaped as JSON |
//! | `github` | annotations and job summary of GitHub Actions | escaped as workflow commands and Markdown |
//! | `markdown` | comments and wikis | escaped as Markdown |
//! | `earl` | W3C's ACT reports | escaped as JSON |
//!
//! A CI runner that reads what this program prints can take a line for a command. So no format that goes to standard output lets a
//! text of a page become one: see [`safe`]. Files are written whole or not at all: see [`Outputs`].

mod cores;
mod destination;
mod earl;
mod error;
mod format;
mod github;
mod gitlab;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod path;
mod request;
pub mod safe;
mod sarif;
mod text;
mod write;

pub use self::{
    destination::Outputs,
    error::OutputError,
    format::{Format, UnknownFormat},
    request::{OutputRequest, RequestError},
    text::{Show, TextOptions},
    write::{CiRunner, WriteOptions, write},
};
