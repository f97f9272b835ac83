//! Everything of a service moves from any store to any other, and clients see no difference.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod answers;
mod stores;
