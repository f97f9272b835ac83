//! The parts of the command `a11ycheck`, which checks the accessibility of web pages from a terminal and in CI.
//!
//! This is the library of a program: it has no promise of its own beyond what its tests and the binary need.
//!
//! | module | content |
//! |---|---|
//! | [`run`] | one finished run, as every format reads it and as the format `json` keeps it |
//! | [`output`] | the formats, and the files that they go to |
//!
//! # Features
//! | feature | gives | default |
//! |---|---|---|
//! | `pdf` | the output `pdf` | yes |
//! | `schema` | `Run::schema`, the JSON schema of the format `json` | no |

pub mod output;
pub mod run;
