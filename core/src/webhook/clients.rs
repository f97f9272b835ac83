//! Connections that are kept alive, separately for each set of judged addresses.

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use reqwest::{
    Client,
    dns::{Name, Resolve, Resolving},
    redirect, retry,
};
use rustls::ClientConfig;

/// HTTP clients by their targets: a client knows one host, and connects it to the addresses that were judged together with
/// it. So a connection is reused only for an attempt that judged the very same addresses; a name that resolves to other
/// addresses gets a client, and connections, of its own.
#[derive(Debug, Default)]
pub(super) struct Clients {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    clients: HashMap<Target, (Client, u64)>,
    /// Counts uses, to find the client that was used least recently.
    uses: u64,
}

/// The target of a client's connections.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Target {
    is_tls: bool,
    host: String,
    addresses: Vec<SocketAddr>,
}

impl Target {
    /// Returns a target. The order of the addresses plays no part: resolvers rotate them.
    pub(super) fn new(is_tls: bool, host: &str, addresses: &[SocketAddr]) -> Self {
        let mut addresses = addresses.to_vec();
        addresses.sort_unstable();
        Self { is_tls, host: host.to_owned(), addresses }
    }
}

impl Clients {
    /// The number of clients that are kept. Beyond it, the one that was used least recently is dropped with its idle connections.
    const MAX_KEPT: usize = 256;
    /// The number of idle connections that are kept for each host.
    const MAX_IDLE: usize = 8;
    /// The time after which an idle connection is no longer used: widespread servers close theirs after 2 to 5 s, and a
    /// request that is sent while the connection closes is lost, which would cost an attempt.
    const MAX_IDLE_TIME: Duration = Duration::from_secs(1);

    /// Returns the client that was kept for a target.
    pub(super) fn kept(&self, target: &Target) -> Option<Client> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let uses = kept.uses;
        let (client, used) = kept.clients.get_mut(target)?;
        *used = uses;
        Some(client.clone())
    }

    /// Makes a client for a target, and keeps it.
    pub(super) fn make(&self, target: Target, tls: ClientConfig, connect: Duration) -> reqwest::Result<Client> {
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .http1_only()
            .http1_title_case_headers()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .no_proxy()
            .connect_timeout(connect)
            .pool_idle_timeout(Self::MAX_IDLE_TIME)
            .pool_max_idle_per_host(Self::MAX_IDLE)
            .dns_resolver(Arc::new(NoLookUp))
            .resolve_to_addrs(&target.host, &target.addresses)
            .build()?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.clients.len() >= Self::MAX_KEPT {
            let oldest = kept.clients.iter().min_by_key(|(_, (_, used))| *used).map(|(target, _)| target.clone());
            oldest.and_then(|oldest| kept.clients.remove(&oldest));
        }
        kept.uses += 1;
        let uses = kept.uses;
        kept.clients.insert(target, (client.clone(), uses));
        Ok(client)
    }
}

/// Resolves no name. A client knows the addresses of its host; anything else that it would look up was not judged.
#[derive(Debug)]
struct NoLookUp;

impl Resolve for NoLookUp {
    fn resolve(&self, name: Name) -> Resolving {
        let error = io::Error::other(format!("{} was not judged", name.as_str()));
        Box::pin(async move { Err(error.into()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhook::tls::Tls;

    fn target(port: u16) -> Target {
        Target::new(false, "hooks.example.com", &[SocketAddr::from(([93, 184, 215, 14], port))])
    }

    #[test]
    fn as_many_clients_are_kept_as_may_be_and_those_used_last() {
        let clients = Clients::default();
        let make = |port| drop(clients.make(target(port), Tls::unused().unwrap(), Duration::from_secs(1)).unwrap());
        for port in 1_000..1_000 + u16::try_from(Clients::MAX_KEPT).unwrap() {
            make(port);
        }
        assert!(clients.kept(&target(1_000)).is_some());
        make(80);
        assert!(clients.kept(&target(1_000)).is_some(), "it was used just now");
        assert!(clients.kept(&target(1_001)).is_none(), "it was not used for longest");
        assert_eq!(clients.kept.lock().unwrap().clients.len(), Clients::MAX_KEPT);
    }

    #[test]
    fn other_addresses_other_hosts_and_plain_text_do_not_share_connections() {
        let [one, other]: [SocketAddr; 2] = [([1, 1, 1, 1], 443).into(), ([8, 8, 8, 8], 443).into()];
        let target = Target::new(true, "a.example.com", &[one, other]);
        assert_eq!(Target::new(true, "a.example.com", &[other, one]), target);
        for different in [
            Target::new(true, "a.example.com", &[one]),
            Target::new(true, "b.example.com", &[one, other]),
            Target::new(false, "a.example.com", &[one, other]),
        ] {
            assert_ne!(different, target);
        }
    }
}
