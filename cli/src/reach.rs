//! What a check on one's own machine may reach: the public internet, and exactly what was named beside it.

use std::{collections::BTreeSet, net::IpAddr};

use a11ycheck_core::net::{AddressPolicy, OpenedNetwork, Refusal, Resolver};
use url::{Host, Url};

/// Returns the policy of a check of pages at these addresses, which a person named.
///
/// An address of a private network or of this machine opens each IP address that its host has, with the port of the address, and
/// nothing else. Addresses that no site has (link-local ones, which include those of cloud metadata) are never opened by a name.
/// `allowed` networks are opened in addition.
pub async fn policy_for<'a>(
    named: impl IntoIterator<Item = &'a Url>,
    allowed: &[OpenedNetwork],
    resolver: &dyn Resolver,
) -> AddressPolicy {
    let mut builder = AddressPolicy::builder().explain_refusals();
    for network in allowed {
        builder = builder.allow_network(network.clone());
    }
    let hosts: BTreeSet<(String, u16)> =
        named.into_iter().filter_map(|url| Some((url.host_str()?.to_owned(), url.port_or_known_default()?))).collect();
    for (host, port) in hosts {
        let ips = match Host::parse(&host) {
            Ok(Host::Ipv4(ip)) => vec![ip.into()],
            Ok(Host::Ipv6(ip)) => vec![ip.into()],
            // A name that leads nowhere opens nothing; the check says so of its pages.
            Ok(Host::Domain(name)) => resolver.resolve(name.trim_end_matches('.')).await.unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        for ip in ips.into_iter().filter(|ip| is_private(*ip)) {
            let bits = if ip.is_ipv4() { 32 } else { 128 };
            // An address with a prefix of its own length and one port is a network.
            if let Ok(network) = format!("{ip}/{bits}:{port}").parse() {
                builder = builder.allow_network(network);
            }
        }
    }
    builder.build()
}

/// Returns whether sites of private networks, or of this machine, have such addresses.
fn is_private(ip: IpAddr) -> bool {
    let is_public = !matches!(AddressPolicy::default().judge_ip(ip, 443), Err(Refusal::NotPublic { .. }));
    if is_public {
        return false;
    }
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            let [first, second, ..] = ip.octets();
            // RFC 6598: shared addresses, which private overlays use.
            let is_shared = first == 100 && (64..128).contains(&second);
            ip.is_loopback() || ip.is_private() || is_shared
        }
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local(),
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::net::ResolveError;
    use async_trait::async_trait;

    use super::*;

    #[derive(Debug)]
    struct Names;

    #[async_trait]
    impl Resolver for Names {
        async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
            let ips: &[&str] = match name {
                "localhost" => &["127.0.0.1", "::1"],
                "wiki.corp.example" => &["10.1.2.3"],
                "metadata.example" => &["169.254.169.254"],
                "shop.example" => &["93.184.216.34"],
                _ => return Err(ResolveError::NotFound),
            };
            Ok(ips.iter().map(|ip| ip.parse().unwrap()).collect())
        }
    }

    async fn opens(named: &[&str], ip: &str, port: u16) -> bool {
        let named: Vec<Url> = named.iter().map(|url| Url::parse(url).unwrap()).collect();
        policy_for(&named, &[], &Names).await.judge_ip(ip.parse().unwrap(), port).is_ok()
    }

    #[tokio::test]
    async fn what_is_named_is_opened_with_its_port_and_nothing_else() {
        let here = ["http://localhost:3000/x"];
        assert!(opens(&here, "127.0.0.1", 3000).await && opens(&here, "::1", 3000).await);
        assert!(!opens(&here, "127.0.0.1", 3001).await, "another port");
        assert!(!opens(&here, "127.0.0.2", 3000).await, "another address");
        assert!(!opens(&here, "10.1.2.3", 3000).await && !opens(&here, "169.254.169.254", 80).await);
        assert!(opens(&["https://wiki.corp.example/"], "10.1.2.3", 443).await);
        assert!(opens(&["http://127.0.0.1:1"], "127.0.0.1", 1).await);
    }

    #[tokio::test]
    async fn metadata_services_are_never_opened_by_a_name() {
        for named in ["http://metadata.example/", "http://169.254.169.254/", "http://[fe80::1]/"] {
            assert!(!opens(&[named], "169.254.169.254", 80).await, "{named}");
        }
        assert!(!opens(&["https://shop.example/"], "127.0.0.1", 443).await);
    }
}
