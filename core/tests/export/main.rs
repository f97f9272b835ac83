//! Exported files, whole: against stored ones, and as independent parsers read them.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod acr;
mod fixture;
mod golden;
mod hostile;
mod issues;
mod readers;
