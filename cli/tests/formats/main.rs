//! The formats of a run: what they say, what no page can do to their readers, and how programs of others read them.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod accepted;
mod bounds;
mod ci_files;
mod files;
mod fixture;
mod github;
mod gitlab;
mod golden;
mod model;
mod readers;
mod runner;
mod text;
