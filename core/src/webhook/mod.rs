//! Events that are delivered to a team's endpoints.

pub mod signature;
