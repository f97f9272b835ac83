//! The crawler's own requests: robots.txt and sitemaps.
//!
//! They go through a guard like everything that the browser sends, so that one place judges addresses, connects to what
//! was judged, and counts bytes.
//!
//! A client of our own asks, which costs the browser nothing. Where it does not come to terms with a secure site, the browser's
//! network stack asks instead: it is what decides whether a site can be visited, and it knows suites and protocols that ours does not,
//! and finds certificates that a site forgot to send.

mod answer;
mod browser;
mod fetcher;

pub(super) use self::{
    answer::{FetchError, FetchFailure, Fetched},
    fetcher::Fetcher,
};
