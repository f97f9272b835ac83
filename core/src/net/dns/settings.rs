//! The resolver settings of the system: `resolv.conf` and the hosts file.

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use hickory_resolver::{
    config::{ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts, ServerOrderingStrategy},
    proto::rr::Name,
};
use resolv_conf::{Config, ScopedIp};

use crate::net::{hosts, resolver::distinct};

/// The greatest number of search domains that are tried. Each may cost a look-up's whole budget.
const MAX_SEARCH: usize = 8;

const DNS_PORT: u16 = 53;

/// The paths of the settings.
#[derive(Debug, Clone)]
pub(super) struct Files {
    pub(super) resolv_conf: PathBuf,
    pub(super) hosts: PathBuf,
    /// The port of the servers, if it is not 53: for tests, since `resolv.conf` can't name one.
    pub(super) port: Option<u16>,
}

/// The state of a file when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp(Option<(SystemTime, u64)>);

/// The result of reading the files.
#[derive(Debug)]
pub(super) enum Found {
    /// The hosts file has the name.
    Listed(Vec<IpAddr>),
    /// The name servers must be queried, with the settings that are already known.
    Unchanged,
    /// The name servers must be queried, with these new settings.
    Settings(Box<Settings>),
}

/// The servers that are queried, and how.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// The stamp of the file from which the settings were read.
    pub(super) stamp: Option<Stamp>,
    servers: Vec<NameServerConfig>,
    search: Vec<Name>,
    options: ResolverOpts,
}

impl Files {
    pub(super) fn of_system() -> Self {
        Self { resolv_conf: "/etc/resolv.conf".into(), hosts: hosts::FILE.into(), port: None }
    }

    /// Looks a name up in the hosts file, and otherwise reads the settings unless their stamp is still `known`.
    pub(super) fn look_up(&self, name: &str, known: Option<Stamp>) -> Found {
        // A file that does not exist lists nothing.
        let listed = fs::read(&self.hosts).map(|hosts| hosts::addresses(&String::from_utf8_lossy(&hosts), name));
        if let Ok(ips) = listed
            && !ips.is_empty()
        {
            return Found::Listed(distinct(ips));
        }
        let stamp = self.stamp();
        if known == Some(stamp) { Found::Unchanged } else { Found::Settings(Box::new(self.settings(stamp))) }
    }

    fn stamp(&self) -> Stamp {
        let metadata = fs::metadata(&self.resolv_conf).and_then(|file| Ok((file.modified()?, file.len())));
        Stamp(metadata.ok())
    }

    fn settings(&self, stamp: Stamp) -> Settings {
        let read = fs::read(&self.resolv_conf).and_then(|text| Config::parse(text).map_err(io::Error::other));
        let config = read.unwrap_or_else(|error| {
            tracing::warn!(error = &error as &dyn std::error::Error, "resolv.conf can't be read");
            Config::new()
        });
        // hickory can't query a server whose address has a zone (a network link).
        let servers = config.nameservers.iter().filter(|server| !matches!(server, ScopedIp::V6(_, Some(_))));
        let mut servers: Vec<IpAddr> = servers.map(IpAddr::from).collect();
        if servers.is_empty() {
            tracing::warn!(
                "resolv.conf names no server that can be asked: the local machine is, as resolv.conf(5) has it"
            );
            servers.push(Ipv4Addr::LOCALHOST.into());
        }
        let port = self.port.unwrap_or(DNS_PORT);
        let mut search: Vec<String> = config.get_last_search_or_domain().cloned().collect();
        if search.is_empty() {
            search.extend(config.get_system_domain());
        }
        let search = search.iter().filter_map(|domain| Name::from_ascii(domain).ok());
        let search = search.filter(|domain| !domain.is_root()).take(MAX_SEARCH).collect();
        let mut settings = Settings::of_servers(servers.into_iter().map(|server| SocketAddr::new(server, port)));
        settings.options.ndots = config.ndots as usize;
        settings.options.timeout = Duration::from_secs(config.timeout.max(1).into());
        settings.options.attempts = config.attempts as usize;
        settings.options.edns0 = config.edns0;
        Settings { stamp: Some(stamp), search, ..settings }
    }
}

impl Settings {
    pub(super) fn of_servers(servers: impl IntoIterator<Item = SocketAddr>) -> Self {
        let servers = servers.into_iter().map(|server| {
            let mut connections = vec![ConnectionConfig::udp(), ConnectionConfig::tcp()];
            connections.iter_mut().for_each(|connection| connection.port = server.port());
            NameServerConfig::new(server.ip(), true, connections)
        });
        Self { stamp: None, servers: servers.collect(), search: Vec::new(), options: ResolverOpts::default() }
    }

    pub(super) fn parts(&self) -> (ResolverConfig, ResolverOpts) {
        let mut options = self.options.clone();
        // The hosts file has already been read, and is read again for each look-up.
        options.use_hosts_file = ResolveHosts::Never;
        options.cache_size = 0;
        options.server_ordering_strategy = ServerOrderingStrategy::UserProvidedOrder;
        (ResolverConfig::from_parts(None, Vec::new(), self.servers.clone()), options)
    }

    /// Returns the absolute names to look up for `name`, one after the other until one exists.
    pub(super) fn candidates(&self, name: &str) -> Vec<Name> {
        let Ok(mut absolute) = Name::from_ascii(name) else { return Vec::new() };
        let dots = name.matches('.').count();
        let is_local_host = name == "localhost" || name.ends_with(".localhost");
        let searched = || self.search.iter().filter_map(|domain| absolute.clone().append_domain(domain).ok());
        let is_searched = dots == 0 || dots < self.options.ndots;
        let mut names: Vec<Name> = if is_searched && !is_local_host { searched().collect() } else { Vec::new() };
        absolute.set_fqdn(true);
        let place = if dots == 0 { names.len() } else { 0 };
        names.insert(place, absolute);
        names
    }
}
