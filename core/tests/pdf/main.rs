//! PDF files, judged by programs of others: veraPDF, qpdf and Poppler.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod accepted;
mod content;
mod draft;
#[allow(dead_code, reason = "some of it is for other formats")]
#[path = "../export/fixture.rs"]
mod fixture;
mod hostile;
mod new_first;
mod sample;
mod standard;
mod taken_over;
mod tools;

/// The size of a report on a small site.
const USUAL: sample::Size = sample::Size { pages: 5, rules: 4, elements: 6, screenshots: 3 };
