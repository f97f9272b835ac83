//! How `cargo xtask bench act` counts which ACT rules we are consistent with. A bench of its own harness runs no tests, so its counting is
//! compiled here as well.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod consistency;
mod published;
#[path = "../../benches/corpora/w3c.rs"]
mod w3c;
