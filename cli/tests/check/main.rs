//! The command as its users run it: the real program, a real browser, real pages on 127.0.0.1.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod exit_codes;
mod known;
mod program;
mod reach;
mod report_file;
mod requests;
mod site;
mod targets;
mod terminal;
