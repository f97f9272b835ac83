//! Networks that an operator opens, with all of their ports or some of them.

use std::{fmt, net::IpAddr, str::FromStr};

use ipnet::IpNet;
use serde::Deserialize;

use super::special_ranges::{carried, unmapped};

/// A network that is opened, with the ports that are: `10.0.0.0/8` with all ports, `10.0.0.0/8:443`, `fd00::/8:80+443`,
/// `10.0.0.0/8:443+8000-8099`.
///
/// ```
/// use a11ycheck_core::net::OpenedNetwork;
///
/// let network: OpenedNetwork = "fd00::/8:8443+443+80-81".parse()?;
/// assert_eq!(network.to_string(), "fd00::/8:80-81+443+8443");
/// # Ok::<(), a11ycheck_core::net::InvalidNetwork>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct OpenedNetwork {
    network: IpNet,
    ports: Ports,
}

/// The error for a text that is not a network, or whose ports are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a network: write 10.0.0.0/8 or fd00::/8, or name the ports that are opened, as in 10.0.0.0/8:443 or \
     10.0.0.0/8:80+443+8000-8099"
)]
pub struct InvalidNetwork(String);

impl OpenedNetwork {
    /// Returns the network. If it was given as IPv4-mapped addresses, this is the IPv4 network.
    pub const fn network(&self) -> IpNet {
        self.network
    }

    /// Returns whether the network contains the address, or the IPv4 address that it carries.
    pub(super) fn contains(&self, ip: IpAddr) -> bool {
        self.network.contains(&ip) || self.network.contains(&carried(ip))
    }

    /// Returns whether this port of the network is opened.
    pub(super) fn has_port(&self, port: u16) -> bool {
        self.ports.contains(port)
    }

    /// Returns the network with the ports of both, which are of the same network.
    pub(super) fn merged(self, other: Self) -> Self {
        let ports = Ports::of(self.ports.0.into_iter().chain(other.ports.0));
        Self { network: self.network, ports }
    }

    /// Returns the network in the notation with its first address.
    pub(super) fn trunc(&self) -> Self {
        Self { network: self.network.trunc(), ports: self.ports.clone() }
    }
}

impl From<IpNet> for OpenedNetwork {
    /// Opens all ports.
    fn from(network: IpNet) -> Self {
        Self { network: unmapped(network), ports: Ports::all() }
    }
}

impl From<IpAddr> for OpenedNetwork {
    /// Opens all ports of a single address.
    fn from(ip: IpAddr) -> Self {
        IpNet::from(ip).into()
    }
}

impl FromStr for OpenedNetwork {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let invalid = || InvalidNetwork(text.to_owned());
        // An IPv6 address contains colons itself, all of them before the slash.
        let (address, rest) = text.trim().split_once('/').ok_or_else(invalid)?;
        let (prefix, ports) = match rest.split_once(':') {
            Some((prefix, ports)) => (prefix, ports.parse().map_err(|NoPorts| invalid())?),
            None => (rest, Ports::all()),
        };
        let network: IpNet = format!("{address}/{prefix}").parse().map_err(|_| invalid())?;
        Ok(Self { network: unmapped(network), ports })
    }
}

impl TryFrom<String> for OpenedNetwork {
    type Error = InvalidNetwork;

    fn try_from(text: String) -> Result<Self, InvalidNetwork> {
        text.parse()
    }
}

impl fmt::Display for OpenedNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.network)?;
        if self.ports == Ports::all() { Ok(()) } else { write!(f, ":{}", self.ports) }
    }
}

/// Ranges of ports in ascending order, with a gap between any two of them. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ports(Vec<(u16, u16)>);

#[derive(Debug)]
struct NoPorts;

impl Ports {
    fn all() -> Self {
        Self(vec![(1, u16::MAX)])
    }

    fn of(ranges: impl IntoIterator<Item = (u16, u16)>) -> Self {
        let mut ranges: Vec<(u16, u16)> = ranges.into_iter().collect();
        ranges.sort_unstable();
        let mut merged: Vec<(u16, u16)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match merged.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => merged.push((first, last)),
            }
        }
        Self(merged)
    }

    fn contains(&self, port: u16) -> bool {
        self.0.iter().any(|&(first, last)| (first..=last).contains(&port))
    }
}

impl FromStr for Ports {
    type Err = NoPorts;

    fn from_str(text: &str) -> Result<Self, NoPorts> {
        let port = |text: &str| text.parse::<u16>().ok().filter(|&port| port > 0).ok_or(NoPorts);
        let range = |text: &str| match text.split_once('-') {
            Some((first, last)) => {
                let (first, last) = (port(first)?, port(last)?);
                if first <= last { Ok((first, last)) } else { Err(NoPorts) }
            }
            None => port(text).map(|port| (port, port)),
        };
        Ok(Self::of(text.split('+').map(range).collect::<Result<Vec<_>, _>>()?))
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (first, last)) in self.0.iter().enumerate() {
            let separator = if number == 0 { "" } else { "+" };
            if first == last { write!(f, "{separator}{first}")? } else { write!(f, "{separator}{first}-{last}")? }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> String {
        text.parse::<OpenedNetwork>().unwrap().to_string()
    }

    #[test]
    fn a_network_and_its_ports_are_read_back_as_they_are_written() {
        for text in [
            "10.0.0.0/8",
            "10.0.0.0/8:443",
            "10.0.0.0/8:80+443",
            "fd00::/8",
            "fd00::/8:443",
            "::1/128:80+8000-8099",
            "0.0.0.0/0:1-1023",
        ] {
            assert_eq!(spelled(text), text);
        }
        assert_eq!(spelled("::ffff:10.0.0.0/104:80"), "10.0.0.0/8:80");
        assert_eq!(spelled("10.0.0.0/8:1-65535"), "10.0.0.0/8");
        assert_eq!(spelled(" 10.0.0.0/8:443+80+81-90+85+79 "), "10.0.0.0/8:79-90+443");
    }

    #[test]
    fn only_the_ports_that_are_named_are_opened() {
        let network: OpenedNetwork = "10.0.0.0/8:80+8000-8002".parse().unwrap();
        for port in [80, 8000, 8001, 8002] {
            assert!(network.has_port(port), "{port}");
        }
        for port in [0, 79, 81, 443, 7999, 8003, u16::MAX] {
            assert!(!network.has_port(port), "{port}");
        }
    }

    #[test]
    fn what_is_no_network_and_what_is_no_port_is_refused_rather_than_read_as_more() {
        for text in [
            "",
            "10.0.0.0",
            "10.0.0.0:80",
            "10.0.0.0/33",
            "10.0.0.0/8:",
            "10.0.0.0/8:0",
            "10.0.0.0/8:65536",
            "10.0.0.0/8:80+",
            "10.0.0.0/8:80-",
            "10.0.0.0/8:90-80",
            "10.0.0.0/8:http",
            "10.0.0.0/8:80:443",
            "[fd00::]/8",
            "a.example/8",
        ] {
            assert_eq!(text.parse::<OpenedNetwork>(), Err(InvalidNetwork(text.to_owned())), "{text}");
        }
    }
}
