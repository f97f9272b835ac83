//! Many nodes on one PostgreSQL, and the fate of their work when they are killed, stopped or cut off from it: real
//! processes, real signals, real HTTP to receivers on loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests stop at what they did not expect")]

mod database_trouble;
mod deliveries;
mod many_nodes;
mod support;
