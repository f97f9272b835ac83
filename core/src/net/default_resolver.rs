//! The resolver that is used where none was chosen.

use std::sync::Arc;

use super::Resolver;

/// Returns the resolver that is used where none was chosen: `DnsResolver` by the machine's settings; without the feature `dns`,
/// [`SystemResolver`](super::SystemResolver).
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
