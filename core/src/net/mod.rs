//! The network: which addresses the service may connect to, and how.
//!
//! A user names an address, and three parts connect to it: the browser, the crawler, and webhook delivery. All three
//! ask [`AddressPolicy`]. It always judges the parsed host and the resolved IP addresses, never the text; the
//! connection is then made to an address that was judged, without a second look-up, so that a name whose answer changes
//! in between gains nothing. This also holds if all connections go through a proxy of the operator's,
//! [`UpstreamProxy`].

mod default_resolver;
#[cfg(feature = "dns")]
mod dns;
mod hosts;
#[cfg(all(feature = "dns", any(test, feature = "testing")))]
mod name_server;
mod names;
mod opened;
mod policy;
mod ports;
mod refusal;
mod resolver;
mod special_ranges;
#[cfg(any(test, feature = "testing"))]
mod static_resolver;
mod system_resolver;
mod upstream;

#[cfg(feature = "dns")]
pub use self::dns::DnsResolver;
#[cfg(all(feature = "dns", any(test, feature = "testing")))]
pub use self::name_server::{NameServer, Says};
#[cfg(any(test, feature = "testing"))]
pub use self::static_resolver::StaticResolver;
pub use self::{
    default_resolver::default_resolver,
    opened::{InvalidNetwork, OpenedNetwork},
    policy::{AddressPolicy, AddressPolicyBuilder, InvalidDomain, InvalidPolicy, JudgedHost},
    refusal::{PolicyError, Refusal},
    resolver::{LookupPlace, LookupShare, ResolveError, Resolver},
    system_resolver::SystemResolver,
    upstream::{InvalidProxy, ProxyError, Route, UpstreamProxy, route},
};
