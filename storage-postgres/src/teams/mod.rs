//! Teams with their plans, tokens and brands, and how many requests they may make.

mod admissions;
mod deletion;
mod plans;
mod rate_limits;
pub(crate) mod rows;
mod store;
