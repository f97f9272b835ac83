//! The reference HTTP server of `a11ycheck`: the contract's `/v1` over a [`Service`](a11ycheck_core::Service).
//!
//! [`routes()`] returns every path as a warp filter, which a host application can serve itself; [`serve()`] is the
//! accept loop that the binary `a11ycheck-server` uses, with limits that warp's own lacks, request ids, a line in the
//! log and metrics for each request. [`health`] and [`metrics()`] are for operators. Routes translate and decide
//! nothing: core decides what a token, a plan or a state allows.

mod account_pages;
mod error;
mod observe;
mod operations;
#[cfg(feature = "oidc")]
mod provider;
mod reply;
mod request;
mod routes;
mod serve;

#[cfg(feature = "oidc")]
pub use self::provider::HttpProvider;
pub use self::{
    account_pages::account_pages,
    operations::{ending_connections, health, metrics, or_not_found},
    request::{ClientAddress, RoutesConfig},
    routes::routes,
    serve::{ServeLimits, serve},
};
