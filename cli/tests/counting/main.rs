//! Tests of how `cargo xtask bench act` computes consistency with ACT rules. A bench with a harness of its own runs no
//! tests, so the module is compiled here as well.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod consistency;
mod published;
#[path = "../../benches/corpora/w3c.rs"]
mod w3c;
