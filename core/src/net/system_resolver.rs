//! The resolver of the operating system.

use std::{
    io,
    net::{IpAddr, ToSocketAddrs as _},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use tokio::sync::Semaphore;

use super::{LookupPlace, ResolveError, Resolver, hosts, resolver::distinct};

/// The resolver of the operating system (`getaddrinfo`), with all sources that it is configured to use: the hosts file,
/// DNS, and by `nsswitch.conf` multicast DNS and directories. Clones share their bound on look-ups.
///
/// At most [`Self::MAX_LOOKUPS`] look-ups run at once; further ones wait for a permit within their budget. A look-up
/// whose budget is over keeps its permits until the operating system gives up, because it can't be stopped earlier; so
/// names with slow servers cannot take every thread of the runtime. `DnsResolver` has no such look-ups.
///
/// Search domains are applied only to names without a dot.
#[derive(Debug, Clone)]
pub struct SystemResolver {
    budget: Duration,
    places: Arc<Semaphore>,
}

impl SystemResolver {
    /// The greatest number of look-ups that run at once.
    pub const MAX_LOOKUPS: usize = 64;

    /// Makes a resolver with a budget of 5 s for each name.
    pub fn new() -> Self {
        Self::with_timeout(Duration::from_secs(5))
    }

    /// Makes a resolver with another budget for each name.
    pub fn with_timeout(budget: Duration) -> Self {
        Self { budget, places: Arc::new(Semaphore::new(Self::MAX_LOOKUPS)) }
    }
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::new()
    }
}

impl SystemResolver {
    async fn resolve_holding<T: Send + 'static>(&self, name: &str, held: T) -> Result<Vec<IpAddr>, ResolveError> {
        let lookup = async {
            let place = Arc::clone(&self.places).acquire_owned().await.map_err(io::Error::other)?;
            let name = name.to_owned();
            tokio::task::spawn_blocking(move || {
                let _places = (place, held);
                look_up(&name)
            })
            .await
            .map_err(io::Error::other)?
        };
        match tokio::time::timeout(self.budget, lookup).await {
            Ok(Ok(ips)) if ips.is_empty() => Err(ResolveError::NotFound),
            Ok(Ok(ips)) => Ok(ips),
            Ok(Err(error)) if says_not_found(&error) => Err(ResolveError::NotFound),
            Ok(Err(error)) => Err(ResolveError::Failed(error)),
            Err(_) => Err(ResolveError::TimedOut),
        }
    }
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        self.resolve_holding(name, ()).await
    }

    async fn resolve_in(&self, name: &str, place: LookupPlace) -> Result<Vec<IpAddr>, ResolveError> {
        self.resolve_holding(name, place).await
    }
}

/// Asks the operating system, and blocks until the answer.
fn look_up(name: &str) -> io::Result<Vec<IpAddr>> {
    // The dot prevents search domains; but the hosts file contains names only without it, and takes precedence over
    // DNS.
    let is_in_hosts_file =
        std::fs::read(hosts::FILE).is_ok_and(|hosts| hosts::lists(&String::from_utf8_lossy(&hosts), name));
    let name = if is_in_hosts_file || !name.contains('.') { name.to_owned() } else { format!("{name}.") };
    // The port does not matter in a look-up.
    let addresses = (name.as_str(), 0).to_socket_addrs()?;
    Ok(distinct(addresses.map(|address| address.ip())))
}

/// Returns whether the operating system says that the name or its address does not exist. The standard library passes
/// on its text, not its number; these are the texts of glibc, musl and macOS for `EAI_NONAME` and `EAI_NODATA`. Any
/// other text counts as a failure, and at worst the look-up is tried again.
fn says_not_found(error: &io::Error) -> bool {
    const TEXTS: &[&str] = &[
        "Name or service not known",
        "No address associated with hostname",
        "Name does not resolve",
        "Name has no usable address",
        "nodename nor servname provided, or not known",
    ];
    let text = error.to_string();
    TEXTS.iter().any(|not_found| text.ends_with(not_found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_of_the_hosts_file_is_found() {
        let ips = SystemResolver::new().resolve("localhost").await.unwrap();
        assert!(!ips.is_empty() && ips.iter().all(IpAddr::is_loopback), "{ips:?}");
    }

    #[tokio::test]
    async fn a_name_that_cannot_exist_is_an_error_and_never_an_empty_answer() {
        // The system refuses an empty label without a query.
        assert!(SystemResolver::new().resolve("a..b").await.is_err());
    }

    #[tokio::test]
    async fn a_look_up_ends_with_its_budget_even_when_it_gets_no_turn() {
        let resolver = SystemResolver::with_timeout(Duration::from_millis(10));
        let _all = resolver.places.acquire_many(u32::try_from(SystemResolver::MAX_LOOKUPS).unwrap()).await.unwrap();
        assert!(matches!(resolver.clone().resolve("localhost").await, Err(ResolveError::TimedOut)));
    }

    #[test]
    fn a_mistyped_name_is_told_from_a_resolver_in_trouble() {
        let of_std = |text: &str| io::Error::other(format!("failed to lookup address information: {text}"));
        assert!(says_not_found(&of_std("Name or service not known")));
        assert!(says_not_found(&of_std("No address associated with hostname")));
        assert!(!says_not_found(&of_std("Temporary failure in name resolution")));
        assert!(!says_not_found(&of_std("Try again")));
    }
}
