//! The egress guard: the only way out for a browser.
//!
//! It is a proxy on a loopback port that judges every host by the [`AddressPolicy`](a11ycheck_core::net::AddressPolicy)
//! and connects to an address that was judged, without a second look-up. Redirects, sub-resources, frames and WebSocket
//! connections all pass through it, because the browser has no other proxy and no way around this one. TLS passes
//! through unopened.
//!
//! Networks that the operator opened are open to checks of their own sites alone ([`reach`]).
//!
//! Each scan has a guard of its own, so that the hosts and the bytes of each scan are counted and bounded separately;
//! the browser itself has one that refuses everything.

mod connect;
mod log;
mod metered;
mod proxy;
mod reach;

pub use self::proxy::GuardError;
pub(crate) use self::{
    connect::Egress,
    log::{GuardLog, Obstacle},
    proxy::{Guard, REFUSAL_MARK},
    reach::Reach,
};
