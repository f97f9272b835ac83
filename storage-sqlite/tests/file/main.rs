//! The store on real files.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod backup;
mod crash;
mod migrations;
mod opening;
mod rules;
mod store_suite;
mod support;
mod transfer;
mod trouble;
#[path = "../../src/twins.rs"]
mod twins;
