//! Which addresses our machines may be sent to.
//!
//! A user names an address, and three things reach out to it: the browser, the crawler, and webhook delivery. All three
//! ask [`AddressPolicy`]. What is judged is always the parsed host and the resolved IP addresses, never the text; and the
//! connection then goes to an address that was judged, without a second look-up, so that a name which changes its answer
//! in between gains nothing. Where all of it goes through a proxy of the operator's, [`UpstreamProxy`], that does not change.

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
