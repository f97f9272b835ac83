//! Teams with their plans, tokens and brands, and how many requests they may make.

pub(crate) mod addresses;
mod rate_limits;
mod store;
