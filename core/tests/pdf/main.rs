//! The PDF of a report, judged by programs that others wrote: veraPDF, qpdf and Poppler.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod content;
mod hostile;
mod sample;
mod standard;
mod tools;
