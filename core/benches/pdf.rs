//! Measures how long the PDF of a large check takes on one core: 25 pages, 500 elements, 60 screenshots. The goal is less than 2 s.
//!
//! `cargo bench -p a11ycheck-core --bench pdf` prints the time of the first file, which reads the fonts and the catalogue, and
//! the median of the next nine. With a path as its argument it also writes the file there.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints its result and stops at what it did not expect"
)]

#[path = "../tests/pdf/sample.rs"]
mod sample;

use std::{
    env, fs,
    time::{Duration, Instant},
};

use a11ycheck_core::locale::Locale;

use crate::sample::{Sample, Size};

fn main() {
    // Four rules beyond WCAG come on top of every sixteen.
    let sample = Sample::new(Locale::Uk, Size { pages: 25, rules: 16, elements: 25, screenshots: 60 });
    let groups = sample.report.groups.iter().chain(&sample.report.advisory);
    let elements: u64 = groups.map(|group| group.count).sum();
    assert_eq!((sample.report.pages.len(), elements, sample.pictures.len()), (25, 500, 60));

    let (first, file) = timed(&sample);
    let mut times: Vec<Duration> = (0..9).map(|_| timed(&sample).0).collect();
    times.sort();
    println!("first {first:.0?}, then {:.0?} (median of 9), {} KiB", times[4], file.len() / 1024);
    if let Some(path) = env::args().nth(1).filter(|argument| !argument.starts_with('-')) {
        fs::write(path, file).unwrap();
    }
}

fn timed(sample: &Sample) -> (Duration, Vec<u8>) {
    let start = Instant::now();
    let file = sample.render().unwrap();
    (start.elapsed(), file)
}
