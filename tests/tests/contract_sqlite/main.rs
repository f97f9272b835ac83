//! The same tests as in `contract`, over SQLite.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

#[path = "../contract/account.rs"]
mod account;
#[path = "../contract/errors.rs"]
mod errors;
#[path = "../contract/files.rs"]
mod files;
#[path = "../contract/fire.rs"]
mod fire;
#[path = "../contract/openapi.rs"]
mod openapi;
#[path = "../contract/pdf.rs"]
mod pdf;
#[path = "../contract/plans.rs"]
mod plans;
#[path = "../contract/rate_limits.rs"]
mod rate_limits;
#[path = "../contract/report.rs"]
mod report;
#[path = "../contract/scans.rs"]
mod scans;
#[path = "../contract/schedule.rs"]
mod schedule;
#[path = "../contract/sites.rs"]
mod sites;

/// The server under test.
type TestApp = a11ycheck_tests::TestApp<a11ycheck_tests::Sqlite>;
