//! The resolver that is used if none was chosen.

use std::sync::Arc;

use super::Resolver;

/// Returns the resolver that is used if none was chosen: `DnsResolver` with the settings of the system; without the
/// feature `dns`, [`SystemResolver`](super::SystemResolver).
pub fn default_resolver() -> Arc<dyn Resolver> {
    #[cfg(feature = "dns")]
    {
        Arc::new(super::DnsResolver::of_system())
    }
    #[cfg(not(feature = "dns"))]
    {
        Arc::new(super::SystemResolver::new())
    }
}
