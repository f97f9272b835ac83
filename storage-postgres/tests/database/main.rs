//! The store on a real PostgreSQL, which `DATABASE_URL` names; `cargo xtask test` starts one.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod files;
mod hints;
mod migrations;
mod pooler;
mod query_plans;
mod rate_limits;
mod rules;
mod scan_events;
mod sealing;
#[path = "../../benches/store/seed.rs"]
mod seed;
mod settings;
mod store_suite;
mod support;
mod team_deletion;
mod tls;
mod together;
mod transfer;
mod trouble;
#[path = "../../src/twins.rs"]
mod twins;
