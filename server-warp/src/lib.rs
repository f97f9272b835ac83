//! The reference HTTP server of `a11ycheck`: the contract's `/v1` over a [`Service`](a11ycheck_core::Service).
//!
//! [`routes()`] gives every path as a warp filter, which a host application can serve itself; [`serve()`] is the accept loop
//! that the binary `a11ycheck-server` uses, with limits that warp's own lacks, request ids, a line in the log and metrics for
//! each request. [`health`] and [`metrics()`] are for those who run it. Routes translate and decide nothing: what a token, a
//! plan or a state allows is core's.

mod error;
mod observe;
mod openapi;
mod operations;
mod reply;
mod routes;
mod serve;
mod visit;

pub use self::{
    operations::{ending_connections, health, metrics, or_not_found},
    routes::routes,
    serve::{ServeLimits, serve},
    visit::{ClientAddress, RoutesConfig},
};
