//! Policies as text, in one spelling: policies with the same rules, in any order and notation, have the same text.

use std::{collections::BTreeMap, fmt, str::FromStr};

use ipnet::IpNet;

use super::{AddressPolicy, AddressPolicyBuilder, OpenedNetwork};

/// The word for a policy without rules.
const PUBLIC: &str = "public";
const ALLOW_NETWORK: &str = "allow-network";
const BLOCK_NETWORK: &str = "block-network";
const BLOCK_DOMAIN: &str = "block-domain";
/// The word for a rule without values.
const EXPLAIN_REFUSALS: &str = "explain-refusals";

/// The error for a text that is not a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a rule: write `allow-network=10.0.0.0/8,192.168.0.0/16:80+443 block-network=10.1.0.0/16 \
     block-domain=ads.example.com explain-refusals` with those that are wanted, or `public` for public addresses only"
)]
pub struct InvalidPolicy(String);

impl fmt::Display for AddressPolicy {
    /// Writes the rules in the form that is parsed: `public`, or `allow-network=…`, `block-network=…` and
    /// `block-domain=…` with their values in order, separated by commas, and `explain-refusals`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = [
            (ALLOW_NETWORK, opened(&self.0.allowed_networks)),
            (BLOCK_NETWORK, networks(&self.0.blocked_networks)),
            (BLOCK_DOMAIN, self.0.blocked_domains.iter().cloned().collect()),
        ];
        let rules = rules.iter().filter(|(_, values)| !values.is_empty());
        let rules = rules.map(|(name, values)| format!("{name}={}", values.join(",")));
        let rules: Vec<String> = rules.chain(self.0.explains_refusals.then(|| EXPLAIN_REFUSALS.to_owned())).collect();
        f.write_str(if rules.is_empty() { PUBLIC.to_owned() } else { rules.join(" ") }.as_str())
    }
}

/// Returns each network once, by its first address, with all ports that are opened in it.
fn opened(networks: &[OpenedNetwork]) -> Vec<String> {
    let mut merged: BTreeMap<IpNet, OpenedNetwork> = BTreeMap::new();
    for network in networks.iter().map(OpenedNetwork::trunc) {
        let before = merged.remove(&network.network());
        let network = before.into_iter().fold(network, OpenedNetwork::merged);
        merged.insert(network.network(), network);
    }
    merged.values().map(ToString::to_string).collect()
}

/// Returns each network once, by its first address.
fn networks(networks: &[IpNet]) -> Vec<String> {
    let mut networks: Vec<IpNet> = networks.iter().map(IpNet::trunc).collect();
    networks.sort_unstable();
    networks.dedup();
    networks.iter().map(ToString::to_string).collect()
}

impl FromStr for AddressPolicy {
    type Err = InvalidPolicy;

    fn from_str(text: &str) -> Result<Self, InvalidPolicy> {
        if text.trim() == PUBLIC {
            return Ok(Self::default());
        }
        if text.trim().is_empty() {
            return Err(InvalidPolicy(text.to_owned()));
        }
        let policy = text.split_whitespace().try_fold(Self::builder(), |policy, rule| {
            with_rule(policy, rule).ok_or_else(|| InvalidPolicy(rule.to_owned()))
        })?;
        Ok(policy.build())
    }
}

fn with_rule(policy: AddressPolicyBuilder, rule: &str) -> Option<AddressPolicyBuilder> {
    if rule == EXPLAIN_REFUSALS {
        return Some(policy.explain_refusals());
    }
    let (name, values) = rule.split_once('=')?;
    values.split(',').try_fold(policy, |policy, value| match name {
        ALLOW_NETWORK => Some(policy.allow_network(value.parse().ok()?)),
        BLOCK_NETWORK => Some(policy.block_network(value.parse().ok()?)),
        BLOCK_DOMAIN => policy.try_block_domain(value).ok(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> String {
        text.parse::<AddressPolicy>().unwrap().to_string()
    }

    #[test]
    fn a_policy_has_one_spelling_however_its_rules_are_written() {
        let one = "allow-network=10.0.0.0/8,192.168.0.0/16 block-network=10.1.0.0/16 block-domain=a.example,b.example";
        assert_eq!(spelled(one), one);
        let other = " block-domain=*.B.example.,a.EXAMPLE  block-network=10.1.2.3/16 \
                     allow-network=192.168.7.7/16,10.0.0.0/8,10.9.9.9/8";
        assert_eq!(spelled(other), one);
        assert_eq!(spelled("allow-network=::ffff:10.0.0.0/104"), "allow-network=10.0.0.0/8");
    }

    #[test]
    fn the_ports_of_a_network_have_one_spelling_too() {
        let one = "allow-network=10.0.0.0/8:80+443,fd00::/8:443 explain-refusals";
        assert_eq!(spelled(one), one);
        assert_eq!(
            spelled("explain-refusals allow-network=fd00::/8:443,10.0.0.0/8:443 allow-network=10.9.9.9/8:80"),
            one
        );
        assert_ne!(spelled("allow-network=10.0.0.0/8:80"), spelled("allow-network=10.0.0.0/8:81"));
        // All ports include each port that is named.
        assert_eq!(spelled("allow-network=10.0.0.0/8:80,10.0.0.0/8"), "allow-network=10.0.0.0/8");
    }

    #[test]
    fn a_policy_without_rules_is_public() {
        assert_eq!(AddressPolicy::default().to_string(), "public");
        assert_eq!(spelled(" public "), "public");
    }

    #[test]
    fn a_policy_that_is_read_back_judges_alike() {
        let policy = AddressPolicy::builder().allow_network("10.0.0.0/8".parse().unwrap()).block_domain("ads.example");
        let read: AddressPolicy = policy.build().to_string().parse().unwrap();
        assert_eq!(read.judge_ip("10.1.1.1".parse().unwrap(), 1), Ok(()));
        assert!(read.judge_ip("192.168.1.1".parse().unwrap(), 443).is_err());
    }

    #[test]
    fn what_is_no_rule_is_refused_rather_than_ignored() {
        for text in [
            "",
            "10.0.0.0/8",
            "allow-network=",
            "allow-network=10.0.0.0/99",
            "allow=10.0.0.0/8",
            "allow-network=10.0.0.0/8:http",
            "explain-refusals=no",
            "block-domain=https://a.example/",
            "public allow-network=10.0.0.0/8",
        ] {
            assert!(text.parse::<AddressPolicy>().is_err(), "{text:?}");
        }
    }
}
