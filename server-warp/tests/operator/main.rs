//! What operators see and do: logs, metrics and the command line, of real processes over a real PostgreSQL.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod admin;
mod broken_browser;
mod draining;
mod logs;
mod metrics;
mod monitoring;
mod support;
mod transfer;
