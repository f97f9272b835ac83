//! Whole exported files: compared with stored ones, and read by independent parsers.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod accepted;
mod acr;
mod fixture;
mod golden;
mod hostile;
mod html;
mod issues;
mod readers;
mod taken_over;
