//! What a site is built with, from what its pages show.
//!
//! `table` lists the marks of each platform; a scan looks for them on its first pages (`look`, [`Signals`]), and [`detect()`]
//! draws the conclusion: one mark that nothing else bears, or two that something else might.

mod detect;
mod look;
mod signals;
mod table;

pub(crate) use self::{detect::detect, look::signals, signals::Signals};
