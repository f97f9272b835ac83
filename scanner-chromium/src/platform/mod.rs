//! The recognition of what a site is built with, from what its pages show.
//!
//! `table` lists the marks of each platform; a scan looks for them on its first pages (`look`, [`Signals`]), and
//! [`detect()`] draws the conclusion: a platform needs one mark that only it has, or two that others might have too.

mod detect;
mod look;
mod signals;
mod table;

pub(crate) use self::{detect::detect, look::signals, signals::Signals, table::reads_header};
