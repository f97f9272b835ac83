//! Teams with their plans, tokens and brands, and how many requests they may make.

pub(crate) mod counters;
pub(crate) mod plans;
mod rate_limits;
pub(crate) mod rows;
mod store;
