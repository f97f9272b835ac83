//! Names of hosts, as far as they can be judged without a look-up.

use url::Host;

/// Returns the one spelling in which a name is judged and resolved: lower case, without a dot at its end.
///
/// Returns `None` for text that a WHATWG URL parser would not return as a name (an address in another spelling,
/// characters that no host has, IDN that is not in ASCII form), for names that DNS cannot hold (an empty label, a label
/// of more than 63 characters, more than 253 in all), and for characters that no host name has, although URL parsers
/// accept them (`127.0.0.1;example.com`). Letters, digits and hyphens are permitted (RFC 952, RFC 1123 §2.1), and the
/// underscore, which some hosts have nevertheless.
pub(super) fn normalize(name: &str) -> Option<String> {
    let bare = name.trim_end_matches('.').to_ascii_lowercase();
    let is_host = bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let fits_dns = bare.len() <= 253 && bare.split('.').all(|label| (1..=63).contains(&label.len()));
    // A name from a parsed URL parses to itself. One that was made in another way may not: `127.0.0.1`, `0x7f.1`.
    let parses_to_itself = || matches!(Host::parse(&bare), Ok(Host::Domain(parsed)) if parsed == bare);
    (is_host && fits_dns && parses_to_itself()).then_some(bare)
}

/// Returns whether a name in the form of [`normalize`] belongs to a local network, or to no network, by convention: it
/// is a single label, or ends in one of [`LOCAL_SUFFIXES`].
pub(super) fn is_local(name: &str) -> bool {
    !name.contains('.') || parents(name).any(|parent| LOCAL_SUFFIXES.contains(&parent))
}

/// Returns the name and every name above it: `a.b.c`, `b.c`, `c`.
pub(super) fn parents(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.split_once('.').map(|(_, parent)| parent))
}

/// The endings of local names, from the IANA registry of [Special-Use Domain Names], and others in wide local use that
/// are kept out of the public root. `example.com`, `example.net` and `example.org` are public web sites.
///
/// [Special-Use Domain Names]: https://www.iana.org/assignments/special-use-domain-names/
const LOCAL_SUFFIXES: &[&str] = &[
    "alt",         // RFC 9476: not DNS
    "arpa",        // RFC 3172: infrastructure; home.arpa (RFC 8375) and service.arpa are local networks
    "corp",        // RFC 6762, appendix G; not delegated by ICANN because of local use
    "example",     // RFC 6761 §6.5
    "home",        // as corp
    "internal",    // reserved by ICANN for local use in 2024; metadata services of clouds answer under it
    "intranet",    // RFC 6762, appendix G
    "invalid",     // RFC 6761 §6.4
    "lan",         // RFC 6762, appendix G
    "local",       // RFC 6762: multicast DNS; cluster.local of Kubernetes
    "localdomain", // default of many resolvers and /etc/hosts files
    "localhost",   // RFC 6761 §6.3
    "mail",        // as corp
    "onion",       // RFC 7686: not DNS
    "private",     // RFC 6762, appendix G
    "test",        // RFC 6761 §6.2
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_has_one_spelling() {
        for text in ["shop.example.com", "SHOP.Example.COM", "shop.example.com.", "shop.example.com.."] {
            assert_eq!(normalize(text).as_deref(), Some("shop.example.com"), "{text}");
        }
        assert_eq!(normalize("xn--bcher-kva.example").as_deref(), Some("xn--bcher-kva.example"));
        assert_eq!(normalize("_dmarc.a-b.example.com").as_deref(), Some("_dmarc.a-b.example.com"));
    }

    #[test]
    fn an_address_in_disguise_and_a_broken_name_are_no_names() {
        for text in [
            "",
            ".",
            "..",
            "a..b",
            ".a",
            "127.0.0.1",
            "127.0.0.1.",
            "127.0.0.1..",
            "127.1",
            "0x7f.1",
            "2130706433",
            "0",
            "1.2.3.4.5",
            "a.1",
            "a.0x1",
            "a.08",
            "a.0x",
            "[::1]",
            "::1",
            "a b",
            "a/b",
            "a:80",
            "a@b",
            "a%62",
            "a\0b",
            "a\r\nb",
            "127.0.0.1;example.com",
            "a,b.example",
            "a+b.example",
            "$(a).example",
            "bücher.example",
            "127。0。0。1",
            "１２７.0.0.1",
            "xn--a",
            "xn--.example",
        ] {
            assert_eq!(normalize(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_name_that_dns_cannot_hold_is_not_asked_for() {
        let label = "a".repeat(63);
        let longest = [label.as_str(), &label, &label, &"a".repeat(61)].join(".");
        assert_eq!(longest.len(), 253);
        assert!(normalize(&longest).is_some());
        assert!(normalize(&format!("{longest}a")).is_none());
        assert!(normalize(&format!("{label}.com")).is_some());
        assert!(normalize(&format!("{label}a.com")).is_none());
    }

    #[test]
    fn names_of_local_networks_are_known() {
        for name in [
            "localhost",
            "a.localhost",
            "printer.local",
            "router.home.arpa",
            "metadata.google.internal",
            "host.docker.internal",
            "web.default.svc.cluster.local",
            "nas.lan",
            "wiki.intranet",
            "db.corp",
            "x.home",
            "x.onion",
            "shop.test",
            "shop.example",
            "a.invalid",
            "vm.localdomain",
            "1.0.0.127.in-addr.arpa",
            "wiki",
            "com",
        ] {
            assert!(is_local(name), "{name}");
        }
    }

    #[test]
    fn public_names_that_resemble_local_ones_are_public() {
        for name in
            ["example.com", "local.com", "localhost.example.com", "mylocal.de", "internal.org", "test.co", "a.homes"]
        {
            assert!(!is_local(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_name_of_a_parsed_address_is_one_that_dns_holds_or_is_refused(text in "[a-zA-Z0-9.ü。%_-]{1,40}") {
            if let Ok(Host::Domain(name)) = Host::parse(&text) {
                let fits = !name.trim_end_matches('.').split('.').any(str::is_empty)
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
                let is_address = matches!(Host::parse(name.trim_end_matches('.')), Ok(Host::Ipv4(_)) | Err(_));
                prop_assert_eq!(normalize(&name).is_some(), fits && !is_address, "{}", name);
            }
        }
    }
}
