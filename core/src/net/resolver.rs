//! Where a name leads.

use std::{
    io,
    net::{IpAddr, ToSocketAddrs as _},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use tokio::sync::Semaphore;

/// Why a name has no addresses.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The name does not exist, or exists without an address. Trying again soon is of no use.
    #[error("the name has no address")]
    NotFound,
    /// No answer within the time budget.
    #[error("the name could not be resolved in time")]
    TimedOut,
    /// The resolver could not work.
    #[error("the name could not be resolved")]
    Failed(#[source] io::Error),
}

/// Finds the addresses of a name.
#[async_trait]
pub trait Resolver: Send + Sync + std::fmt::Debug {
    /// The addresses of `name`, at least one.
    ///
    /// `name` is absolute although no dot ends it: search domains are not applied. It is lower case and in ASCII form.
    /// IP addresses are never asked for. Nothing is judged here: that is what
    /// [`AddressPolicy::judge`](super::AddressPolicy::judge) does with the answer.
    ///
    /// # Bounds
    /// A call ends within a time budget of the resolver's own.
    ///
    /// # Ordering
    /// As the resolver prefers them, each once.
    ///
    /// # Errors
    /// [`ResolveError::NotFound`] instead of an empty answer, [`ResolveError::TimedOut`] at the end of the budget,
    /// [`ResolveError::Failed`] when the resolver could not ask.
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError>;
}

#[async_trait]
impl<R: Resolver + ?Sized> Resolver for Arc<R> {
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        (**self).resolve(name).await
    }
}

/// The machine's own resolver, with its hosts file, servers and caches. Clones share their bound on look-ups.
///
/// At most [`Self::MAX_LOOKUPS`] look-ups run at once; further ones wait for their turn within their budget. A look-up
/// whose budget is over keeps its place until the machine's resolver gives up by itself, so that names with slow
/// servers cannot take every thread of the runtime.
#[derive(Debug, Clone)]
pub struct SystemResolver {
    budget: Duration,
    places: Arc<Semaphore>,
}

impl SystemResolver {
    /// How many look-ups run at once.
    pub const MAX_LOOKUPS: usize = 64;

    /// A resolver with a budget of 5 s for each name.
    pub fn new() -> Self {
        Self::with_timeout(Duration::from_secs(5))
    }

    /// A resolver with another budget for each name.
    pub fn with_timeout(budget: Duration) -> Self {
        Self { budget, places: Arc::new(Semaphore::new(Self::MAX_LOOKUPS)) }
    }
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let lookup = async {
            let place = Arc::clone(&self.places).acquire_owned().await.map_err(io::Error::other)?;
            let name = name.to_owned();
            tokio::task::spawn_blocking(move || {
                let _place = place;
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

/// Asks the machine, and waits for the answer.
fn look_up(name: &str) -> io::Result<Vec<IpAddr>> {
    // The dot keeps search domains away; but the hosts file knows names only without it, and its word goes before DNS.
    let is_in_hosts_file = std::fs::read(HOSTS_FILE).is_ok_and(|hosts| lists(&String::from_utf8_lossy(&hosts), name));
    let name = if is_in_hosts_file { name.to_owned() } else { format!("{name}.") };
    // The port plays no part in a look-up.
    let addresses = (name.as_str(), 0).to_socket_addrs()?;
    Ok(distinct(addresses.map(|address| address.ip())))
}

/// Absent on Windows, whose resolver then goes without.
const HOSTS_FILE: &str = "/etc/hosts";

/// Whether a hosts file (hosts(5): an address, then names; `#` begins a comment) has an entry for `name`.
fn lists(hosts: &str, name: &str) -> bool {
    hosts
        .lines()
        .filter_map(|line| line.split('#').next())
        .flat_map(|entry| entry.split_ascii_whitespace().skip(1))
        .any(|listed| listed.eq_ignore_ascii_case(name))
}

/// Whether the machine's resolver says that there is no such name or address. The standard library passes its text on, not its
/// number; these are the texts of glibc, musl and macOS for `EAI_NONAME` and `EAI_NODATA`. Any other text is a failure,
/// and so tried again at worst.
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

/// Each address once, where it stood first.
pub(super) fn distinct(ips: impl IntoIterator<Item = IpAddr>) -> Vec<IpAddr> {
    let mut seen = std::collections::HashSet::new();
    ips.into_iter().filter(|ip| seen.insert(*ip)).collect()
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
        // The system refuses an empty label without asking the network.
        assert!(SystemResolver::new().resolve("a..b").await.is_err());
    }

    #[tokio::test]
    async fn a_look_up_ends_with_its_budget_even_when_it_gets_no_turn() {
        let resolver = SystemResolver::with_timeout(Duration::from_millis(10));
        let _all = resolver.places.acquire_many(u32::try_from(SystemResolver::MAX_LOOKUPS).unwrap()).await.unwrap();
        assert!(matches!(resolver.clone().resolve("localhost").await, Err(ResolveError::TimedOut)));
    }

    #[test]
    fn the_hosts_file_is_read_as_the_system_reads_it() {
        let hosts = "127.0.0.1\tlocalhost\n# 10.0.0.1 old.example.com\n\n10.0.0.2 Wiki.example.com  wiki # dead.example.com\n::1";
        for name in ["localhost", "wiki.example.com", "wiki"] {
            assert!(lists(hosts, name), "{name}");
        }
        for name in ["127.0.0.1", "old.example.com", "dead.example.com", "example.com", "::1", "#", ""] {
            assert!(!lists(hosts, name), "{name}");
        }
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
