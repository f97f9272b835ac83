//! The address policy, which judges every connection to a user-given address.

use std::{
    collections::BTreeSet,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use ipnet::IpNet;
use url::Host;

use super::{
    OpenedNetwork, PolicyError, Refusal, ResolveError, Resolver, names, ports,
    resolver::distinct,
    special_ranges::{carried, special_range, unmapped},
};

/// The rules about which addresses the service may connect to. The default permits the public internet and nothing
/// else.
///
/// Networks can be opened, for an intranet or a test, and networks and names can be blocked:
///
/// ```
/// use a11ycheck_core::net::{AddressPolicy, Refusal};
///
/// let policy = AddressPolicy::builder()
///     .allow_network("10.20.0.0/16:443+9000".parse()?)
///     .block_network("10.20.30.0/24".parse()?)
///     .block_domain("ads.example.com")
///     .build();
///
/// assert_eq!(policy.judge_ip("10.20.1.1".parse()?, 9000), Ok(()));
/// assert!(matches!(policy.judge_ip("10.20.1.1".parse()?, 22), Err(Refusal::ClosedPort(22))));
/// assert!(matches!(policy.judge_ip("10.20.30.1".parse()?, 443), Err(Refusal::BlockedNetwork { .. })));
/// assert!(matches!(policy.judge_ip("10.21.1.1".parse()?, 443), Err(Refusal::NotPublic { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// An IPv4 address inside an IPv4-mapped or NAT64 address (`::ffff:10.20.1.1`, `64:ff9b::10.20.1.1`) is judged as the
/// IPv4 address, in every rule. Clones are cheap and share the rules.
#[derive(Debug, Clone, Default)]
pub struct AddressPolicy(Arc<Rules>);

#[derive(Debug, Clone, Default)]
struct Rules {
    allowed_networks: Vec<OpenedNetwork>,
    blocked_networks: Vec<IpNet>,
    blocked_domains: BTreeSet<String>,
    explains_refusals: bool,
}

impl AddressPolicy {
    /// The greatest number of addresses of one name that are kept for connections; further ones are judged, but left
    /// out.
    pub const MAX_ADDRESSES: usize = 16;

    /// Returns a builder for a policy, without rules.
    pub fn builder() -> AddressPolicyBuilder {
        AddressPolicyBuilder::default()
    }

    /// Judges one IP address.
    ///
    /// A blocked network comes first, then an opened one with the ports that are opened there. Everywhere else the
    /// address must be public, and the port 80, 443, or 1024 and above except those of well-known services that are not
    /// web sites (databases, IRC, and ports that browsers refuse).
    ///
    /// # Errors
    /// The first rule that the address breaks.
    pub fn judge_ip(&self, ip: IpAddr, port: u16) -> Result<(), Refusal> {
        if contains(&self.0.blocked_networks, ip) {
            return Err(Refusal::BlockedNetwork { ip });
        }
        if self.opens(ip, port) {
            return Ok(());
        }
        if let Some(range) = special_range(ip) {
            return Err(if self.opens_a_port(ip) {
                Refusal::ClosedPort(port)
            } else {
                Refusal::NotPublic { ip, range }
            });
        }
        if ports::may_be_web(port) { Ok(()) } else { Err(Refusal::Port(port)) }
    }

    /// Judges what can be judged without a look-up: IP addresses completely; names by their form and the blocked names;
    /// names of local networks and ports only if no network is opened. If one is, they are left to [`Self::judge`],
    /// which then requires a local name to lead to opened networks only. So `Ok` means "may be resolved", not yet "may
    /// be visited".
    ///
    /// # Errors
    /// The first rule that the host breaks.
    pub fn judge_host(&self, host: &Host<&str>, port: u16) -> Result<(), Refusal> {
        match *host {
            Host::Ipv4(ip) => self.judge_ip(ip.into(), port),
            Host::Ipv6(ip) => self.judge_ip(ip.into(), port),
            Host::Domain(name) => self.judge_name(name, port).map(drop),
        }
    }

    /// Judges a host, resolves it unless it is an IP address, and judges every address that it leads to. One refused
    /// address refuses the host: a name with public and private addresses is the sign of an attack.
    ///
    /// Connect to the addresses that this returns, and never resolve the name again; judge redirects and sub-resources
    /// like the first address.
    ///
    /// # Errors
    /// [`PolicyError::Refused`] for the first rule that the host itself breaks; [`PolicyError::RefusedAnswer`] for the
    /// first rule that is broken by an address to which its name leads; [`PolicyError::Resolve`] if the name has no
    /// addresses or could not be resolved.
    ///
    /// Together the errors reveal which names of a private network exist: [`Self::disclosed`] returns what users may be
    /// shown.
    pub async fn judge(
        &self,
        resolver: &dyn Resolver,
        host: &Host<&str>,
        port: u16,
    ) -> Result<JudgedHost, PolicyError> {
        let name = match *host {
            Host::Ipv4(ip) => return Ok(self.judge_addresses(vec![ip.into()], port)?),
            Host::Ipv6(ip) => return Ok(self.judge_addresses(vec![ip.into()], port)?),
            Host::Domain(name) => self.judge_name(name, port)?,
        };
        let ips = resolver.resolve(&name).await?;
        if names::is_local(&name) && !ips.iter().all(|&ip| self.opens_a_port(ip)) {
            return Err(PolicyError::RefusedAnswer(Refusal::LocalName { name }));
        }
        if ips.is_empty() {
            return Err(ResolveError::NotFound.into());
        }
        self.judge_addresses(ips, port).map_err(PolicyError::RefusedAnswer)
    }

    /// Returns what users of the service may be shown of an error of [`Self::judge`].
    ///
    /// A name that leads to an address which nobody may visit is not distinguished from one that does not exist:
    /// callers use the same words for [`PolicyError::RefusedAnswer`] and [`PolicyError::Resolve`]. A name for local
    /// networks becomes the former unless it leads to opened networks, even if it does not exist.
    ///
    /// A policy that [explains its refusals](AddressPolicyBuilder::explain_refusals) reveals the rule that was broken:
    /// [`PolicyError::Refused`].
    #[must_use]
    pub fn disclosed(&self, host: &Host<&str>, error: PolicyError) -> PolicyError {
        match error {
            PolicyError::RefusedAnswer(refusal) if self.0.explains_refusals => PolicyError::Refused(refusal),
            PolicyError::Resolve(ResolveError::NotFound) if !self.0.explains_refusals => {
                let name = match host {
                    Host::Domain(name) => names::normalize(name).filter(|name| names::is_local(name)),
                    Host::Ipv4(_) | Host::Ipv6(_) => None,
                };
                name.map_or(error, |name| PolicyError::RefusedAnswer(Refusal::LocalName { name }))
            }
            error => error,
        }
    }

    /// Returns the same policy without the networks that it opens, for checks to which no network is opened.
    #[must_use]
    pub fn without_opened_networks(&self) -> Self {
        if self.0.allowed_networks.is_empty() {
            return self.clone();
        }
        Self(Arc::new(Rules { allowed_networks: Vec::new(), ..(*self.0).clone() }))
    }

    fn judge_addresses(&self, ips: Vec<IpAddr>, port: u16) -> Result<JudgedHost, Refusal> {
        for &ip in &ips {
            self.judge_ip(ip, port)?;
        }
        // The system connects an IPv4-mapped address to the IPv4 address, but only if it supports IPv6.
        let mut ips = distinct(ips.into_iter().map(|ip| ip.to_canonical()));
        ips.truncate(Self::MAX_ADDRESSES);
        Ok(JudgedHost {
            is_opened: ips.iter().all(|&ip| self.opens(ip, port)),
            addresses: ips.into_iter().map(|ip| SocketAddr::new(ip, port)).collect(),
        })
    }

    /// Judges a name that the operator lets another party resolve: it must be valid and not blocked. Returns the name
    /// in its one spelling.
    pub(super) fn judge_unresolved(&self, name: &str) -> Result<String, Refusal> {
        let name = names::normalize(name).ok_or(Refusal::InvalidName)?;
        if self.blocks(&name) { Err(Refusal::BlockedDomain { name }) } else { Ok(name) }
    }

    fn blocks(&self, name: &str) -> bool {
        names::parents(name).any(|parent| self.0.blocked_domains.contains(parent))
    }

    /// Judges a name before it is resolved, and returns it in its one spelling.
    fn judge_name(&self, name: &str, port: u16) -> Result<String, Refusal> {
        let name = self.judge_unresolved(name)?;
        if self.0.allowed_networks.is_empty() {
            if names::is_local(&name) {
                return Err(Refusal::LocalName { name });
            }
            if !ports::may_be_web(port) {
                return Err(Refusal::Port(port));
            }
        }
        Ok(name)
    }

    fn opens(&self, ip: IpAddr, port: u16) -> bool {
        self.0.allowed_networks.iter().any(|network| network.contains(ip) && network.has_port(port))
    }

    fn opens_a_port(&self, ip: IpAddr) -> bool {
        self.0.allowed_networks.iter().any(|network| network.contains(ip))
    }
}

/// Returns whether one of the networks contains the address, or the IPv4 address that it carries.
fn contains(networks: &[IpNet], ip: IpAddr) -> bool {
    networks.iter().any(|network| network.contains(&ip) || network.contains(&carried(ip)))
}

/// The builder of an [`AddressPolicy`]. The order of the calls does not matter.
#[derive(Debug, Clone, Default)]
pub struct AddressPolicyBuilder(Rules);

impl AddressPolicyBuilder {
    /// Opens a network, with all of its ports or those that it names, although it may not be public. A network of
    /// IPv4-mapped addresses is opened as the IPv4 network.
    ///
    /// The user of the policy decides for whom the network is opened: a scanner opens it to checks whose start page is
    /// in an opened network, and to no public page.
    pub fn allow_network(mut self, network: OpenedNetwork) -> Self {
        self.0.allowed_networks.push(network);
        self
    }

    /// Blocks a network, with precedence over [`Self::allow_network`].
    pub fn block_network(mut self, network: IpNet) -> Self {
        self.0.blocked_networks.push(unmapped(network));
        self
    }

    /// Blocks a name and every name below it, in any spelling: `*.` or a dot in front, a dot at the end, capital
    /// letters and IDN do not matter. An IP address blocks that address.
    ///
    /// Text that is neither can't be a host, so nothing is blocked. For text that a person wrote, use
    /// [`Self::try_block_domain`], which reports mistakes.
    pub fn block_domain(self, domain: &str) -> Self {
        match parse_blocked(domain) {
            Ok(host) => self.block_host(host),
            Err(InvalidDomain(_)) => self,
        }
    }

    /// Does the same as [`Self::block_domain`] for text that may be invalid, such as `https://ads.example.com/`.
    ///
    /// # Errors
    /// [`InvalidDomain`] if the text is neither a name nor an IP address.
    pub fn try_block_domain(self, domain: &str) -> Result<Self, InvalidDomain> {
        Ok(self.block_host(parse_blocked(domain)?))
    }

    /// Shows users why an address to which a name leads is refused. By default a policy shows neither where a name
    /// leads that must not be visited, nor whether such a name exists: in a network with its own DNS, any user who may
    /// add a site could enumerate its hosts. For operators whose users may know them.
    pub fn explain_refusals(mut self) -> Self {
        self.0.explains_refusals = true;
        self
    }

    fn block_host(mut self, host: Host) -> Self {
        match host {
            Host::Ipv4(ip) => self.block_network(IpAddr::from(ip).into()),
            Host::Ipv6(ip) => self.block_network(IpAddr::from(ip).into()),
            Host::Domain(name) => {
                self.0.blocked_domains.insert(name);
                self
            }
        }
    }

    /// Returns the policy with these rules.
    pub fn build(self) -> AddressPolicy {
        AddressPolicy(Arc::new(self.0))
    }
}

/// Parses the text of a blocked domain as a person writes it; a name is returned in its one spelling.
fn parse_blocked(domain: &str) -> Result<Host, InvalidDomain> {
    let invalid = || InvalidDomain(domain.to_owned());
    let bare = domain.trim_start_matches("*.").trim_matches('.');
    match Host::parse(bare).map_err(|_| invalid())? {
        Host::Domain(name) => names::normalize(&name).map(Host::Domain).ok_or_else(invalid),
        ip => Ok(ip),
    }
}

/// The error for a text that is neither a name nor an IP address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not the name of a host")]
pub struct InvalidDomain(String);

/// A host that may be visited, with the addresses to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedHost {
    addresses: Vec<SocketAddr>,
    is_opened: bool,
}

impl JudgedHost {
    /// Returns the judged addresses: at least one, at most [`AddressPolicy::MAX_ADDRESSES`], each once, in the order of
    /// the resolver. IPv4-mapped addresses are returned as IPv4 addresses.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns whether all addresses are in networks that were opened ([`AddressPolicyBuilder::allow_network`]).
    pub const fn is_opened(&self) -> bool {
        self.is_opened
    }
}

mod text;

pub use self::text::InvalidPolicy;

#[cfg(test)]
mod tests;
