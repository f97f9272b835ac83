//! The hosts file of the system (hosts(5): an address, then names; `#` begins a comment).

#[cfg(feature = "dns")]
use std::net::IpAddr;

/// The path of the hosts file. It does not exist on Windows, where no file is read.
pub(super) const FILE: &str = "/etc/hosts";

/// Returns whether a hosts file has an entry for `name`.
pub(super) fn lists(hosts: &str, name: &str) -> bool {
    entries(hosts).any(|(_, mut names)| names.any(|listed| listed.eq_ignore_ascii_case(name)))
}

/// Returns the addresses of `name` in the order of a hosts file; none if it is not listed.
#[cfg(feature = "dns")]
pub(super) fn addresses(hosts: &str, name: &str) -> Vec<IpAddr> {
    entries(hosts)
        .filter(|(_, names)| names.clone().any(|listed| listed.eq_ignore_ascii_case(name)))
        .filter_map(|(address, _)| address.parse().ok())
        .collect()
}

fn entries(hosts: &str) -> impl Iterator<Item = (&str, std::str::SplitAsciiWhitespace<'_>)> {
    let lines = hosts.lines().filter_map(|line| line.split('#').next());
    lines.filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        Some((words.next()?, words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTS: &str =
        "127.0.0.1\tlocalhost\n# 10.0.0.1 old.example.com\n\n10.0.0.2 Wiki.example.com  wiki # dead.example.com\n::1";

    #[test]
    fn the_hosts_file_is_read_as_the_system_reads_it() {
        for name in ["localhost", "wiki.example.com", "wiki"] {
            assert!(lists(HOSTS, name), "{name}");
        }
        for name in ["127.0.0.1", "old.example.com", "dead.example.com", "example.com", "::1", "#", ""] {
            assert!(!lists(HOSTS, name), "{name}");
        }
    }

    #[cfg(feature = "dns")]
    #[test]
    fn a_name_has_all_addresses_that_the_hosts_file_lists() {
        let hosts = format!("{HOSTS}\n::1 localhost ip6-localhost\nnonsense localhost\n");
        let ips = |texts: &[&str]| -> Vec<IpAddr> { texts.iter().map(|text| text.parse().unwrap()).collect() };
        assert_eq!(addresses(&hosts, "localhost"), ips(&["127.0.0.1", "::1"]));
        assert_eq!(addresses(&hosts, "WIKI"), ips(&["10.0.0.2"]));
        assert_eq!(addresses(&hosts, "example.com"), ips(&[]));
    }
}
