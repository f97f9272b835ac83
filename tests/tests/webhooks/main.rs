//! Webhooks from the check that completes to the bytes on the wire: real HTTP to receivers on loopback, with a clock
//! that the test advances.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests stop at what they did not expect")]

mod addresses;
mod answers;
mod connections;
mod crowd;
mod events;
mod hooks;
mod loops;
mod recipes;
mod schedule;
mod secrets;
mod tls;
