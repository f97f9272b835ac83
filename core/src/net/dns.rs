//! A resolver over DNS, whose look-ups end as soon as nobody waits for them.

mod settings;

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use futures_util::future::{Either, select};
use hickory_resolver::{
    TokioResolver,
    net::{DnsError, NetError, runtime::TokioRuntimeProvider},
    proto::rr::{Name, RData, RecordType},
};
use tokio::{
    pin,
    sync::Semaphore,
    time::{timeout, timeout_at},
};

use self::settings::{Files, Found, Settings};
use super::{ResolveError, Resolver, resolver::distinct};

/// A resolver that queries the name servers of the system itself. Clones share its bound on look-ups.
///
/// It reads `/etc/hosts` and `/etc/resolv.conf` (name servers, `search`, `ndots`, `timeout`, `attempts`), and reads
/// them again when they change. It does not read `nsswitch.conf`: names that the system knows from multicast DNS
/// (`printer.local`) or a directory are found by [`SystemResolver`](super::SystemResolver) only.
///
/// At most [`Self::MAX_LOOKUPS`] look-ups run at once; further ones wait for a permit within their budget. A look-up
/// ends, and its permit is released, as soon as its budget is over or nobody waits for it. Answers are not cached: the
/// name servers do that.
///
/// # Search domains
/// A name without a dot is looked up below the search domains first (`wiki` as `wiki.corp.example.com`), as is usual. A
/// name with dots, but fewer than `ndots` (Kubernetes sets 5), is first looked up as it is, and below the search
/// domains only if it does not exist: a public name never leads into the operator's network because a host there has
/// the same name. A name with at least `ndots` dots is never looked up below a search domain.
///
/// # Ordering
/// IPv4 addresses come before IPv6 addresses: connections are tried one after the other, and on a system without one of
/// the two protocols they fail at once.
#[derive(Clone)]
pub struct DnsResolver(Arc<Inner>);

struct Inner {
    budget: Duration,
    places: Semaphore,
    source: Source,
    client: Mutex<Option<Arc<Client>>>,
}

/// The source of name servers and hosts.
enum Source {
    Files(Files),
    Servers,
}

/// A client for DNS, with the settings that were read at one moment.
struct Client {
    settings: Settings,
    resolver: TokioResolver,
}

impl DnsResolver {
    /// The greatest number of look-ups that run at once, each of which has up to four sockets.
    pub const MAX_LOOKUPS: usize = 128;
    /// The budget for each name.
    const BUDGET: Duration = Duration::from_secs(5);
    /// The time for which addresses of one family wait for those of the other: some name servers never answer for IPv6.
    const SECOND_KIND: Duration = Duration::from_secs(1);

    /// Makes a resolver with the settings of the system and a budget of 5 s for each name.
    pub fn of_system() -> Self {
        Self::over(Source::Files(Files::of_system()), None, Self::BUDGET)
    }

    /// Makes a resolver that queries these servers over UDP and TCP, without search domains and hosts file.
    ///
    /// # Errors
    /// [`ResolveError::Failed`] if there is no server.
    pub fn asking(servers: impl IntoIterator<Item = SocketAddr>) -> Result<Self, ResolveError> {
        let client = Client::new(Settings::of_servers(servers))?;
        Ok(Self::over(Source::Servers, Some(Arc::new(client)), Self::BUDGET))
    }

    fn over(source: Source, client: Option<Arc<Client>>, budget: Duration) -> Self {
        let places = Semaphore::new(Self::MAX_LOOKUPS);
        Self(Arc::new(Inner { budget, places, source, client: Mutex::new(client) }))
    }

    async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        // The semaphore is never closed.
        let _place = self.0.places.acquire().await;
        let client = match self.client_for(name).await? {
            Known::Listed(ips) => return Ok(ips),
            Known::Asked(client) => client,
        };
        // A name with dots may be a public one: the search domains are tried only if it does not exist.
        let is_whole = name.trim_end_matches('.').contains('.');
        let mut trouble = None;
        for name in client.settings.candidates(name) {
            match client.addresses(name).await {
                Err(ResolveError::NotFound) => {}
                Err(error) if is_whole => return Err(error),
                Err(error) => trouble = trouble.or(Some(error)),
                found => return found,
            }
        }
        Err(trouble.unwrap_or(ResolveError::NotFound))
    }

    /// Returns the addresses that the hosts file has for a name or, if it has none, the client to query, with the
    /// present settings.
    async fn client_for(&self, name: &str) -> Result<Known, ResolveError> {
        let kept = self.client().clone();
        let (Source::Files(files), name) = (&self.0.source, name.to_owned()) else {
            return kept.map(Known::Asked).ok_or_else(no_server);
        };
        let (files, stamp) = (files.clone(), kept.as_ref().and_then(|client| client.settings.stamp));
        let read = tokio::task::spawn_blocking(move || files.look_up(&name, stamp));
        let found = read.await.map_err(|error| ResolveError::Failed(io::Error::other(error)))?;
        match (found, kept) {
            (Found::Listed(ips), _) => Ok(Known::Listed(ips)),
            (Found::Unchanged, Some(kept)) => Ok(Known::Asked(kept)),
            (Found::Unchanged, None) => Err(no_server()),
            (Found::Settings(settings), _) => {
                let client = Arc::new(Client::new(*settings)?);
                *self.client() = Some(Arc::clone(&client));
                Ok(Known::Asked(client))
            }
        }
    }

    fn client(&self) -> std::sync::MutexGuard<'_, Option<Arc<Client>>> {
        self.0.client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Known {
    Listed(Vec<IpAddr>),
    Asked(Arc<Client>),
}

#[async_trait]
impl Resolver for DnsResolver {
    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        timeout(self.0.budget, self.look_up(name)).await.unwrap_or(Err(ResolveError::TimedOut))
    }
}

impl fmt::Debug for DnsResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DnsResolver").field("budget", &self.0.budget).finish_non_exhaustive()
    }
}

impl Client {
    fn new(settings: Settings) -> Result<Self, ResolveError> {
        let (config, mut options) = settings.parts();
        // A busy connection would otherwise refuse queries that the bound on look-ups permits.
        options.max_active_requests = 4 * DnsResolver::MAX_LOOKUPS;
        let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        *builder.options_mut() = options;
        Ok(Self { resolver: builder.build().map_err(failed)?, settings })
    }

    /// Looks up the addresses of one absolute name.
    async fn addresses(&self, name: Name) -> Result<Vec<IpAddr>, ResolveError> {
        let (v4, v6) = (self.records(name.clone(), RecordType::A), self.records(name, RecordType::AAAA));
        pin!(v4, v6);
        let (v4, v6) = match select(v4, v6).await {
            Either::Left((Ok(v4), v6)) => (Ok(v4), in_time(v6).await),
            Either::Left((failed, v6)) => (failed, v6.await),
            Either::Right((Ok(v6), v4)) => (in_time(v4).await, Ok(v6)),
            Either::Right((failed, v4)) => (v4.await, failed),
        };
        match (v4, v6) {
            (Ok(v4), Ok(v6)) => Ok(distinct(v4.into_iter().chain(v6))),
            (Ok(ips), Err(_)) | (Err(_), Ok(ips)) => Ok(distinct(ips)),
            // A name without addresses of one family may well have some of the other.
            (Err(ResolveError::NotFound), Err(error)) | (Err(error), Err(_)) => Err(error),
        }
    }

    /// Looks up the records of one type. The result is never empty.
    async fn records(&self, name: Name, kind: RecordType) -> Result<Vec<IpAddr>, ResolveError> {
        let lookup = self.resolver.lookup(name, kind).await.map_err(failed)?;
        let addresses = lookup.answers().iter().filter_map(|record| match &record.data {
            RData::A(ip) => Some(IpAddr::V4(ip.0)),
            RData::AAAA(ip) => Some(IpAddr::V6(ip.0)),
            _ => None,
        });
        let addresses: Vec<IpAddr> = addresses.collect();
        if addresses.is_empty() { Err(ResolveError::NotFound) } else { Ok(addresses) }
    }
}

/// Waits a limited time for the addresses of the second family.
async fn in_time(lookup: impl Future<Output = Result<Vec<IpAddr>, ResolveError>>) -> Result<Vec<IpAddr>, ResolveError> {
    let deadline = tokio::time::Instant::now() + DnsResolver::SECOND_KIND;
    timeout_at(deadline, lookup).await.unwrap_or(Err(ResolveError::TimedOut))
}

fn failed(error: NetError) -> ResolveError {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(_)) => ResolveError::NotFound,
        NetError::Timeout => ResolveError::TimedOut,
        error => ResolveError::Failed(io::Error::other(error)),
    }
}

fn no_server() -> ResolveError {
    ResolveError::Failed(io::Error::other("there is no name server to ask"))
}

#[cfg(test)]
mod tests;
