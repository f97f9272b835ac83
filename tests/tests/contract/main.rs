//! The contract over real HTTP, over the memory store: fields, states, statuses and messages.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod account;
mod connections;
mod errors;
mod files;
mod fire;
mod lacks;
mod openapi;
mod pdf;
mod plans;
mod rate_limits;
mod report;
mod scans;
mod schedule;
mod sites;
mod standards;

/// The server under test.
type TestApp = a11ycheck_tests::TestApp<a11ycheck_tests::Memory>;
