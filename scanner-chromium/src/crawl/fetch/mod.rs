//! The crawler's own requests: robots.txt and sitemaps.
//!
//! They go through a guard like everything that the browser sends, so that one place judges addresses, connects to
//! those that it judged, and counts bytes.
//!
//! A client of our own sends them, which costs the browser nothing. If it can't establish a connection with a secure
//! site, the browser's network stack is used instead: it decides whether a site can be visited, knows suites and
//! protocols that our client does not, and finds certificates that a site forgot to send.

mod answer;
mod browser;
mod fetcher;

pub(super) use self::{
    answer::{FetchError, FetchFailure, Fetched},
    fetcher::Fetcher,
};
