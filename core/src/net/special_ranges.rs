//! The ranges of addresses that are not on the public internet.
//!
//! Sources: the IANA [IPv4] and [IPv6] Special-Purpose Address Registries, [multicast IPv4], and the IPv6 [global
//! unicast assignments]. These tables are stricter than the registries' column "Globally Reachable", for three reasons:
//! multicast has a registry of its own; an IPv6 address that carries an IPv4 one (6to4, Teredo, translation) may end at
//! a private host; and addresses that are not allocated today are reachable only where somebody uses them privately.
//!
//! One address is public by every registry and yet answers only the host that asks: Azure's [WireServer], which returns
//! a virtual machine's certificates and settings. The metadata services of other clouds are in special ranges.
//!
//! Networks with their own NAT64 prefix (RFC 6052 §2.2) cannot be distinguished from ordinary ones by an address: the
//! operator of such a network should block its prefix.
//!
//! [IPv4]: https://www.iana.org/assignments/iana-ipv4-special-registry/
//! [IPv6]: https://www.iana.org/assignments/iana-ipv6-special-registry/
//! [multicast IPv4]: https://www.iana.org/assignments/multicast-addresses/
//! [WireServer]: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
//! [global unicast assignments]: https://www.iana.org/assignments/ipv6-unicast-address-assignments/

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// Returns the range that keeps an address from being public, in words that end the sentence "the address belongs to
/// …"; `None` for a public address. The address that [`carried`] returns is judged.
pub(super) fn special_range(ip: IpAddr) -> Option<&'static str> {
    match carried(ip) {
        IpAddr::V4(ip) => V4.iter().find(|(net, _)| net.contains(&ip)).map(|(_, name)| *name),
        IpAddr::V6(ip) => V6
            .iter()
            .find(|(net, _)| net.contains(&ip))
            .map(|(_, name)| *name)
            .or_else(|| (!GLOBAL_UNICAST.contains(&ip)).then_some("a range that is not in use on the internet")),
    }
}

/// Returns the address of the host that answers: the IPv4 address inside an IPv4-mapped one (RFC 4291 §2.5.5.2), to
/// which the system connects directly, and inside one of the well-known NAT64 prefix (RFC 6052 §2.1), behind which
/// every IPv4 site appears in an IPv6-only network with DNS64. Every other address is returned as it is.
pub(super) fn carried(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V6(v6) if NAT64.contains(&v6) => {
            let [.., a, b, c, d] = v6.octets();
            Ipv4Addr::new(a, b, c, d).into()
        }
        // Only IPv4-mapped addresses are changed.
        other => other.to_canonical(),
    }
}

/// Returns the IPv4 network that a network of IPv4-mapped addresses means, and any other network as it is: addresses
/// are judged by the IPv4 address that they carry, and so are networks.
pub(super) fn unmapped(network: IpNet) -> IpNet {
    match (network.network().to_canonical(), network.prefix_len().checked_sub(96)) {
        (IpAddr::V4(ip), Some(prefix)) if network.network().is_ipv6() => {
            Ipv4Net::new(ip, prefix).map_or(network, IpNet::V4)
        }
        _ => network,
    }
}

const GLOBAL_UNICAST: Ipv6Net = v6(0x2000, 0, 0, 3);
const NAT64: Ipv6Net = v6(0x64, 0xff9b, 0, 96);

const PRIVATE: &str = "a private network";
const LOOPBACK: &str = "the machine itself";
const LINK_LOCAL: &str = "a single network link";
const PROTOCOLS: &str = "a range reserved for protocols";
const EXAMPLES: &str = "a range reserved for examples";
const TRANSLATION: &str = "a range that leads into IPv4 networks";
const MULTICAST: &str = "a range for groups of machines";
const RESERVED: &str = "a reserved range";

/// The special ranges of IPv4, a narrower range before the wider one that contains it.
const V4: &[(Ipv4Net, &str)] = &[
    (v4(0, 0, 0, 0, 8), "no machine"),               // "This network", RFC 791 §3.2
    (v4(10, 0, 0, 0, 8), PRIVATE),                   // RFC 1918
    (v4(100, 64, 0, 0, 10), "a provider's network"), // Shared address space, RFC 6598
    (v4(127, 0, 0, 0, 8), LOOPBACK),                 // RFC 1122 §3.2.1.3
    (v4(168, 63, 129, 16, 32), "a cloud provider's own services"), // Azure's WireServer
    (v4(169, 254, 0, 0, 16), LINK_LOCAL),            // RFC 3927; metadata services of clouds live here
    (v4(172, 16, 0, 0, 12), PRIVATE),                // RFC 1918
    (v4(192, 0, 0, 0, 24), PROTOCOLS),               // RFC 6890 §2.1; its anycast exceptions are no web sites
    (v4(192, 0, 2, 0, 24), EXAMPLES),                // TEST-NET-1, RFC 5737
    (v4(192, 88, 99, 0, 24), RESERVED),              // 6to4 relays, deprecated by RFC 7526
    (v4(192, 168, 0, 0, 16), PRIVATE),               // RFC 1918
    (v4(198, 18, 0, 0, 15), "a range for benchmarks"), // RFC 2544
    (v4(198, 51, 100, 0, 24), EXAMPLES),             // TEST-NET-2, RFC 5737
    (v4(203, 0, 113, 0, 24), EXAMPLES),              // TEST-NET-3, RFC 5737
    (v4(224, 0, 0, 0, 4), MULTICAST),                // RFC 5771
    (v4(255, 255, 255, 255, 32), "every machine of a network"), // Limited broadcast, RFC 919
    (v4(240, 0, 0, 0, 4), RESERVED),                 // RFC 1112 §4
];

/// The special ranges of IPv6, a narrower range before the wider one that contains it. IPv4-mapped and NAT64 addresses,
/// both in `::/8`, never reach this table.
const V6: &[(Ipv6Net, &str)] = &[
    (Ipv6Net::new_assert(Ipv6Addr::UNSPECIFIED, 128), "no machine"), // RFC 4291 §2.5.2
    (Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128), LOOPBACK),       // RFC 4291 §2.5.3
    (v6(0x64, 0xff9b, 1, 48), TRANSLATION),                          // Local-use NAT64, RFC 8215
    (v6(0, 0, 0, 8), RESERVED), // RFC 4291 §2.4; IPv4-compatible (§2.5.5.1) and SIIT (RFC 2765) addresses too
    (v6(0x100, 0, 0, 64), "no machine"), // Discard-only, RFC 6666
    (v6(0x2001, 0, 0, 32), TRANSLATION), // Teredo, RFC 4380
    (v6(0x2001, 0, 0, 23), PROTOCOLS), // RFC 2928; ORCHID, AMT, AS112, drone ids and others
    (v6(0x2001, 0xdb8, 0, 32), EXAMPLES), // RFC 3849
    (v6(0x2002, 0, 0, 16), TRANSLATION), // 6to4, RFC 3056
    (v6(0x3fff, 0, 0, 20), EXAMPLES), // RFC 9637
    (v6(0x5f00, 0, 0, 16), PROTOCOLS), // SRv6 segment ids, RFC 9602
    (v6(0xfc00, 0, 0, 7), PRIVATE), // Unique local, RFC 4193
    (v6(0xfe80, 0, 0, 10), LINK_LOCAL), // RFC 4291 §2.5.6
    (v6(0xfec0, 0, 0, 10), PRIVATE), // Site-local, deprecated by RFC 3879
    (v6(0xff00, 0, 0, 8), MULTICAST), // RFC 4291 §2.7
];

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(a: u16, b: u16, c: u16, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), prefix)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range(text: &str) -> Option<&'static str> {
        special_range(text.parse().unwrap())
    }

    #[test]
    fn no_special_ipv4_range_is_reached_and_its_public_neighbours_are() {
        // The address before the range, its first, its last, and the one after it; a dash if the neighbour is special
        // too.
        for [before, first, last, after] in [
            ["-", "0.0.0.0", "0.255.255.255", "1.0.0.0"],
            ["9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"],
            ["100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"],
            ["126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"],
            ["168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"],
            ["169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"],
            ["172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"],
            ["191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"],
            ["192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"],
            ["192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"],
            ["192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"],
            ["198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"],
            ["198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"],
            ["203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"],
            ["223.255.255.255", "224.0.0.0", "239.255.255.255", "-"],
            ["-", "240.0.0.0", "255.255.255.254", "-"],
            ["-", "255.255.255.255", "255.255.255.255", "-"],
        ] {
            check_edges(before, first, last, after);
        }
    }

    #[test]
    fn no_special_ipv6_range_is_reached_and_its_public_neighbours_are() {
        for [before, first, last, after] in [
            ["-", "::", "::fffe:ffff:ffff", "-"],
            ["-", "::1:0:0:0", "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "64:ff9b::1:0:0", "64:ff9b:0:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "64:ff9b:2::", "ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "100::", "100::ffff:ffff:ffff:ffff", "-"],
            ["-", "100:0:0:1::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"],
            ["2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"],
            [
                "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
                "2001:db8::",
                "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
                "2001:db9::",
            ],
            ["2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"],
            [
                "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "3fff::",
                "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
                "3fff:1000::",
            ],
            ["3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "5f01::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-"],
            ["-", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "-"],
        ] {
            check_edges(before, first, last, after);
        }
    }

    fn check_edges(before: &str, first: &str, last: &str, after: &str) {
        for edge in [first, last] {
            assert!(range(edge).is_some(), "{edge} is special");
        }
        for neighbour in [before, after] {
            assert!(neighbour == "-" || range(neighbour).is_none(), "{neighbour} is public");
        }
    }

    #[test]
    fn well_known_public_addresses_are_public() {
        for ip in
            ["1.1.1.1", "8.8.8.8", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001::200e", "2620:4f:8000::1"]
        {
            assert_eq!(range(ip), None, "{ip}");
        }
    }

    #[test]
    fn a_site_owner_reads_what_kind_of_address_it_is() {
        assert_eq!(range("192.168.1.1"), Some("a private network"));
        assert_eq!(range("::1"), Some("the machine itself"));
        assert_eq!(range("255.255.255.255"), Some("every machine of a network"));
        assert_eq!(range("2001:0:4136:e378:8000:63bf:3fff:fdd2"), Some("a range that leads into IPv4 networks"));
        assert_eq!(range("64:ff9b:1::1"), Some("a range that leads into IPv4 networks"));
        assert_eq!(range("::127.0.0.1"), Some("a reserved range"));
        assert_eq!(range("::ffff:0:127.0.0.1"), Some("a reserved range"));
    }

    /// Generates IPv4 addresses, half of them in or next to a special range, where mistakes are most likely.
    fn ipv4() -> impl Strategy<Value = Ipv4Addr> {
        let near_a_range = (0..V4.len(), any::<u32>(), -1_i64..=1).prop_map(|(i, inside, shift)| {
            let net = V4[i].0;
            let edges = [net.network().to_bits(), net.broadcast().to_bits()];
            let edge = edges[usize::from(inside % 2 == 0)];
            Ipv4Addr::from_bits(edge.wrapping_add_signed(i32::try_from(shift).unwrap()))
        });
        prop_oneof![any::<Ipv4Addr>(), near_a_range]
    }

    /// Returns an address with `prefix` in the upper 96 bits and the IPv4 address below.
    fn embed(prefix: &str, ip: Ipv4Addr) -> IpAddr {
        let upper = prefix.parse::<Ipv6Addr>().unwrap().to_bits();
        Ipv6Addr::from_bits(upper | u128::from(ip.to_bits())).into()
    }

    proptest! {
        #[test]
        fn an_ipv4_address_is_judged_alike_when_mapped_or_behind_nat64(ip in ipv4()) {
            let verdict = special_range(ip.into());
            prop_assert_eq!(special_range(embed("::ffff:0:0", ip)), verdict);
            prop_assert_eq!(special_range(embed("64:ff9b::", ip)), verdict);
        }

        #[test]
        fn no_other_embedding_of_an_ipv4_address_is_public(ip in ipv4(), rest in any::<u128>()) {
            for prefix in ["::", "::ffff:0:0:0", "64:ff9b:1::"] {
                prop_assert!(special_range(embed(prefix, ip)).is_some());
            }
            let six_to_four = (0x2002 << 112) | (u128::from(ip.to_bits()) << 80) | (rest >> 48);
            let teredo = (0x2001_0000 << 96) | (rest >> 32);
            for bits in [six_to_four, teredo] {
                prop_assert!(special_range(Ipv6Addr::from_bits(bits).into()).is_some());
            }
        }

        #[test]
        fn nothing_outside_global_unicast_is_public_unless_it_carries_an_ipv4_address(bits in any::<u128>()) {
            let ip = Ipv6Addr::from_bits(bits);
            if bits >> 125 != 1 && carried(ip.into()).is_ipv6() {
                prop_assert!(special_range(ip.into()).is_some());
            }
        }
    }
}
