use proptest::prelude::*;
use url::Url;

use super::*;
use crate::net::{ResolveError, StaticResolver};

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn ips(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| ip(text)).collect()
}

fn allowing(networks: &[&str]) -> AddressPolicy {
    let open = |builder: AddressPolicyBuilder, network: &&str| builder.allow_network(network.parse().unwrap());
    networks.iter().fold(AddressPolicy::builder(), open).build()
}

/// Judges an address given as text, in the way callers do: after parsing it.
fn judge_url(policy: &AddressPolicy, text: &str) -> Result<(), Refusal> {
    let url = Url::parse(text).unwrap();
    policy.judge_host(&url.host().unwrap(), url.port_or_known_default().unwrap())
}

async fn judge(policy: &AddressPolicy, resolver: &StaticResolver, text: &str) -> Result<JudgedHost, PolicyError> {
    let url = Url::parse(text).unwrap();
    policy.judge(resolver, &url.host().unwrap(), url.port_or_known_default().unwrap()).await
}

fn refusal(result: Result<JudgedHost, PolicyError>) -> Refusal {
    match result {
        Err(PolicyError::Refused(refusal) | PolicyError::RefusedAnswer(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn no_spelling_of_a_private_address_gets_through() {
    for text in [
        "http://127.0.0.1/",
        "http://127.0.0.1./",
        "http://127.1/",
        "http://127.0.1/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://017700000001/",
        "http://0x7f.1/",
        "http://0x7f000001/",
        "http://0X7F.0.0.0x1/",
        "http://１２７.０.０.１/",
        "http://①②⑦.0.0.1/",
        "http://127。0。0。1/",
        "http://127．0｡0．1/",
        "http://%31%32%37.0.0.1/",
        "http://127.0.0\u{ad}.1/",
        "http://127\u{200b}.0.0.1/",
        "http:\\\\127.0.0.1\\",
        "http:///127.0.0.1/",
        "http:127.0.0.1/",
        "http://127.0.\t0.1/",
        "http://example.com@127.0.0.1/",
        "http://example.com:80@127.0.0.1/",
        "http://127.0.0.1:8080/",
        "https://127.0.0.1#@example.com/",
        "http://0/",
        "http://0.0.0.0/",
        "http://10.1/",
        "http://[::1]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[::]/",
        "http://[::127.0.0.1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[::ffff:0:127.0.0.1]/",
        "http://[64:ff9b::127.0.0.1]/",
        "http://[64:ff9b:1::8.8.8.8]/",
        "http://[2002:7f00:1::]/",
        "http://[2002:808:808::]/",
        "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
        "http://[fe80::1]/",
        "http://[fd00:ec2::254]/",
        "http://169.254.169.254/latest/meta-data/",
    ] {
        let verdict = judge_url(&AddressPolicy::default(), text);
        assert!(matches!(verdict, Err(Refusal::NotPublic { .. })), "{text}: {verdict:?}");
    }
}

#[test]
fn no_name_for_local_networks_gets_through() {
    for text in [
        "http://localhost/",
        "http://LOCALHOST./",
        "http://user:secret@localhost/",
        "http://a.localhost/",
        "http://printer.local/",
        "http://metadata.google.internal/",
        "http://router.home.arpa/",
        "http://wiki/",
        "http://wiki./",
        "http://ｌｏｃａｌｈｏｓｔ/",
        "http://nas。lan/",
        "http://shop.test/",
        "http://x.onion/",
    ] {
        let verdict = judge_url(&AddressPolicy::default(), text);
        assert!(matches!(verdict, Err(Refusal::LocalName { .. })), "{text}: {verdict:?}");
    }
}

#[test]
fn a_public_site_can_be_checked_however_it_is_spelled() {
    for text in [
        "http://example.com/",
        "https://EXAMPLE.com./",
        "https://bücher.de/",
        "https://user@example.com:8443/",
        "http://8.8.8.8/",
        "http://134744072/",
        "http://[2606:4700:4700::1111]/",
        "http://[::ffff:8.8.8.8]/",
        "http://[64:ff9b::8.8.8.8]/",
    ] {
        assert_eq!(judge_url(&AddressPolicy::default(), text), Ok(()), "{text}");
    }
}

#[test]
fn a_port_that_is_no_web_site_s_is_refused_for_names_and_addresses() {
    for text in ["http://example.com:22/", "http://8.8.8.8:25/", "http://[2606:4700::1]:6379/", "http://example.com:0/"]
    {
        assert!(matches!(judge_url(&AddressPolicy::default(), text), Err(Refusal::Port(_))), "{text}");
    }
}

#[test]
fn a_host_that_was_put_together_by_hand_gains_nothing() {
    for name in ["127.0.0.1", "0x7f.1", "[::1]", "bücher.de", "a b.com", "a..com", "", "."] {
        let verdict = AddressPolicy::default().judge_host(&Host::Domain(name), 80);
        assert_eq!(verdict, Err(Refusal::InvalidName), "{name}");
    }
}

#[test]
fn a_blocked_domain_stays_closed_with_all_names_below_it() {
    for spelling in ["bücher.de", "xn--bcher-kva.de", "BÜCHER.DE.", "*.bücher.de", ".bücher.de", "b%C3%BCcher.de"] {
        let policy = AddressPolicy::builder().try_block_domain(spelling).unwrap().build();
        for text in
            ["https://bücher.de/", "https://XN--BCHER-KVA.de./", "https://www.bücher.de/", "https://a.b.bücher.de"]
        {
            let verdict = judge_url(&policy, text);
            assert!(matches!(verdict, Err(Refusal::BlockedDomain { .. })), "{spelling}, {text}: {verdict:?}");
        }
        for text in
            ["https://de/", "https://notbücher.de/", "https://xn--bcher-kva.de.example.com/", "https://bucher.de/"]
        {
            assert!(!matches!(judge_url(&policy, text), Err(Refusal::BlockedDomain { .. })), "{spelling}, {text}");
        }
    }
}

#[test]
fn a_blocked_domain_may_be_an_address_or_a_top_level_domain() {
    let policy =
        AddressPolicy::builder().block_domain("8.8.8.8").block_domain("[2606:4700::1]").block_domain("zip").build();
    for text in ["http://8.8.8.8/", "http://[::ffff:8.8.8.8]/", "http://[2606:4700::1]/"] {
        assert!(matches!(judge_url(&policy, text), Err(Refusal::BlockedNetwork { .. })), "{text}");
    }
    assert!(matches!(judge_url(&policy, "http://a.zip/"), Err(Refusal::BlockedDomain { .. })));
    assert_eq!(judge_url(&policy, "http://8.8.4.4/"), Ok(()));
}

#[test]
fn a_mistyped_blocked_domain_is_noticed() {
    for text in ["", ".", "*.", "https://ads.example.com/", "ads.example.com/", "ads.example.com:80", "a b", "a..b"] {
        assert_eq!(AddressPolicy::builder().try_block_domain(text).unwrap_err(), InvalidDomain(text.to_owned()));
        assert_eq!(judge_url(&AddressPolicy::builder().block_domain(text).build(), "http://example.com/"), Ok(()));
    }
}

#[test]
fn an_opened_network_is_open_on_every_port_and_no_wider() {
    let policy = allowing(&["127.0.0.0/8", "10.1.0.0/16", "fd00:1::/32"]);
    for text in ["127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1", "10.1.255.255", "fd00:1::5"] {
        for port in [1, 22, 80, 6379, 65535] {
            assert_eq!(policy.judge_ip(ip(text), port), Ok(()), "{text}:{port}");
        }
    }
    for text in ["10.0.255.255", "10.2.0.0", "192.168.0.1", "::1", "fd00:2::", "::127.0.0.1", "2002:7f00:1::"] {
        assert!(matches!(policy.judge_ip(ip(text), 80), Err(Refusal::NotPublic { .. })), "{text}");
    }
    assert_eq!(policy.judge_ip(ip("8.8.8.8"), 22), Err(Refusal::Port(22)));
}

#[test]
fn only_the_ports_that_were_opened_are_open_in_a_network() {
    let policy = allowing(&["10.1.0.0/16:80+8000-8099", "10.1.5.0/24:9000", "fd00::/8:443", "8.8.8.0/24:22"]);
    for (text, ports) in [
        ("10.1.0.1", &[80, 8000, 8099][..]),
        ("10.1.5.1", &[80, 9000]),
        ("::ffff:10.1.0.1", &[80]),
        ("fd00::1", &[443]),
        // Public addresses: opening a network closes none of the ports that are permitted for the public internet.
        ("8.8.8.8", &[22, 80, 443, 8080]),
    ] {
        for &port in ports {
            assert_eq!(policy.judge_ip(ip(text), port), Ok(()), "{text}:{port}");
        }
    }
    for (text, port) in [("10.1.0.1", 22), ("10.1.0.1", 443), ("10.1.0.1", 9000), ("fd00::1", 80)] {
        assert_eq!(policy.judge_ip(ip(text), port), Err(Refusal::ClosedPort(port)), "{text}:{port}");
    }
    assert_eq!(policy.judge_ip(ip("8.8.8.8"), 25), Err(Refusal::Port(25)));
    assert!(matches!(policy.judge_ip(ip("10.2.0.1"), 80), Err(Refusal::NotPublic { .. })));
}

#[test]
fn for_whom_nothing_is_opened_what_is_blocked_stays_blocked() {
    let policy = AddressPolicy::builder()
        .allow_network("10.0.0.0/8".parse().unwrap())
        .block_network("8.8.0.0/16".parse().unwrap())
        .block_domain("ads.example.com")
        .build();
    let closed = policy.without_opened_networks();
    assert_eq!(policy.judge_ip(ip("10.0.0.1"), 22), Ok(()));
    assert!(matches!(closed.judge_ip(ip("10.0.0.1"), 80), Err(Refusal::NotPublic { .. })));
    assert!(matches!(closed.judge_ip(ip("8.8.8.8"), 80), Err(Refusal::BlockedNetwork { .. })));
    assert!(matches!(judge_url(&closed, "http://ads.example.com/"), Err(Refusal::BlockedDomain { .. })));
    assert!(matches!(judge_url(&closed, "http://wiki/"), Err(Refusal::LocalName { .. })));
    assert_eq!(closed.judge_ip(ip("1.1.1.1"), 443), Ok(()));
}

/// Returns what users are shown about the host of an address, under a policy that explains refusals or not.
async fn shown_refusal(policy: &str, resolver: &StaticResolver, text: &str) -> String {
    let policy: AddressPolicy = policy.parse().unwrap();
    let url = Url::parse(text).unwrap();
    let host = url.host().unwrap();
    let error = policy.judge(resolver, &host, url.port_or_known_default().unwrap()).await.unwrap_err();
    match policy.disclosed(&host, error) {
        PolicyError::Refused(refusal) => refusal.to_string(),
        PolicyError::RefusedAnswer(_) | PolicyError::Resolve(_) => PolicyError::NO_ADDRESS.to_owned(),
    }
}

#[tokio::test]
async fn nobody_is_told_which_names_of_a_private_network_exist() {
    let resolver = StaticResolver::new()
        .with("db.corp.example.com", ips(&["10.9.0.5"]))
        .with("mail.corp.example.com", ips(&["127.0.0.1"]))
        .with("both.corp.example.com", ips(&["8.8.8.8", "192.168.0.1"]))
        .with("blocked.corp.example.com", ips(&["10.1.9.1"]))
        .with("shut.corp.example.com", ips(&["10.1.0.1"]))
        .with("nas", ips(&["192.168.0.7"]))
        .with("db.lan", ips(&["10.1.0.1"]));
    let policies = ["public", "allow-network=10.1.0.0/16:80 block-network=10.1.9.0/24"];
    for policy in policies {
        let unknown = shown_refusal(policy, &resolver, "http://unknown.corp.example.com:8080/").await;
        for name in ["db", "mail", "both", "blocked", "shut"] {
            let url = format!("http://{name}.corp.example.com:8080/");
            assert_eq!(shown_refusal(policy, &resolver, &url).await, unknown, "{policy}: {name}");
        }
        for (known, unknown) in [("nas", "nix"), ("db.lan", "xy.lan")] {
            let of = |name: &str| format!("http://{name}:8080/");
            let of_unknown = shown_refusal(policy, &resolver, &of(unknown)).await.replace(unknown, "-");
            assert_eq!(
                shown_refusal(policy, &resolver, &of(known)).await.replace(known, "-"),
                of_unknown,
                "{policy}: {known}"
            );
        }
    }
}

#[tokio::test]
async fn an_operator_can_let_refusals_be_explained() {
    let resolver =
        StaticResolver::new().with("db.corp.example.com", ips(&["10.9.0.5"])).with("nas", ips(&["192.168.0.7"]));
    let policy = "allow-network=10.1.0.0/16 explain-refusals";
    let of_name = shown_refusal(policy, &resolver, "http://db.corp.example.com/").await;
    assert_eq!(of_name, "The address belongs to a private network, not to the public internet.");
    assert_eq!(shown_refusal(policy, &resolver, "http://xy.corp.example.com/").await, PolicyError::NO_ADDRESS);
    assert_eq!(
        shown_refusal(policy, &resolver, "http://nas/").await,
        "\"nas\" is a name for local networks, not for the public internet."
    );
    assert_eq!(shown_refusal(policy, &resolver, "http://nix/").await, PolicyError::NO_ADDRESS);
}

#[test]
fn the_address_of_a_cloud_s_own_services_in_public_space_is_refused() {
    let verdict = judge_url(&AddressPolicy::default(), "http://168.63.129.16/metadata").unwrap_err();
    assert_eq!(
        verdict.to_string(),
        "The address belongs to a cloud provider's own services, not to the public internet."
    );
}

#[test]
fn a_blocked_network_wins_over_an_opened_one_in_every_spelling() {
    for (allowed, blocked) in [
        ("10.0.0.0/8", "10.0.5.0/24"),
        ("10.0.5.0/24", "10.0.0.0/8"),
        ("::ffff:10.0.0.0/104", "::ffff:10.0.5.0/120"),
        ("0.0.0.0/0", "10.0.5.7/32"),
    ] {
        let builder = AddressPolicy::builder();
        let policy = builder.block_network(blocked.parse().unwrap()).allow_network(allowed.parse().unwrap()).build();
        for text in ["10.0.5.7", "::ffff:10.0.5.7", "64:ff9b::10.0.5.7"] {
            let expected = Err(Refusal::BlockedNetwork { ip: ip(text) });
            assert_eq!(policy.judge_ip(ip(text), 80), expected, "{text} in {blocked}");
        }
    }
    assert_eq!(allowing(&["::ffff:10.0.0.0/104"]).judge_ip(ip("10.0.5.7"), 80), Ok(()));
}

#[test]
fn the_public_internet_can_be_closed_in_part() {
    let policy = AddressPolicy::builder().block_network("2606:4700::/32".parse().unwrap()).build();
    assert!(policy.judge_ip(ip("2606:4700::1"), 443).is_err());
    assert_eq!(policy.judge_ip(ip("2607::1"), 443), Ok(()));
}

#[tokio::test]
async fn the_answer_has_each_judged_address_once_in_order() {
    let answer = ips(&["8.8.8.8", "2606:4700::1", "::ffff:8.8.8.8", "8.8.4.4", "8.8.8.8"]);
    let resolver = StaticResolver::new().with("example.com", answer);
    let judged = judge(&AddressPolicy::default(), &resolver, "https://Example.COM./").await.unwrap();
    let expected = ["8.8.8.8:443", "[2606:4700::1]:443", "8.8.4.4:443"];
    assert_eq!(judged.addresses(), expected.map(|address| address.parse().unwrap()));
    assert_eq!(resolver.asked(), ["example.com"]);
}

#[tokio::test]
async fn an_ip_address_asks_no_resolver() {
    let resolver = StaticResolver::new();
    let judged = judge(&AddressPolicy::default(), &resolver, "http://0x8.8.8.8:8080/").await.unwrap();
    assert_eq!(judged.addresses(), ["8.8.8.8:8080".parse().unwrap()]);
    let judged = judge(&AddressPolicy::default(), &resolver, "http://[2606:4700::1]/").await.unwrap();
    assert_eq!(judged.addresses(), ["[2606:4700::1]:80".parse().unwrap()]);
    assert!(matches!(
        refusal(judge(&AddressPolicy::default(), &resolver, "http://[::1]/").await),
        Refusal::NotPublic { .. }
    ));
    assert!(resolver.asked().is_empty());
}

#[tokio::test]
async fn a_refused_name_is_not_even_resolved() {
    let resolver = StaticResolver::new().with("localhost", ips(&["8.8.8.8"])).with("a.example.com", ips(&["8.8.8.8"]));
    let policy = AddressPolicy::builder().block_domain("example.com").build();
    assert!(matches!(refusal(judge(&policy, &resolver, "http://localhost/").await), Refusal::LocalName { .. }));
    assert!(matches!(refusal(judge(&policy, &resolver, "http://a.example.com/").await), Refusal::BlockedDomain { .. }));
    assert!(matches!(refusal(judge(&policy, &resolver, "http://a.com:22/").await), Refusal::Port(22)));
    assert!(resolver.asked().is_empty());
}

#[tokio::test]
async fn one_private_address_among_public_ones_refuses_the_host() {
    for private in ["10.0.0.1", "::1", "64:ff9b::10.0.0.1", "::ffff:169.254.169.254", "2002:a00:1::"] {
        for place in 0..3 {
            let mut answer = ips(&["8.8.8.8", "2606:4700::1"]);
            answer.insert(place, ip(private));
            let resolver = StaticResolver::new().with("example.com", answer);
            let verdict = refusal(judge(&AddressPolicy::default(), &resolver, "http://example.com/").await);
            assert!(matches!(verdict, Refusal::NotPublic { ip: refused, .. } if refused == ip(private)), "{verdict:?}");
        }
    }
}

#[tokio::test]
async fn a_private_address_far_down_a_long_answer_is_still_seen() {
    let public = (0..100_u8).map(|n| IpAddr::from([8, 8, 8, n]));
    let resolver = StaticResolver::new()
        .with("long.example.com", public.clone())
        .with("bad.example.com", public.chain([ip("10.0.0.1")]));
    let judged = judge(&AddressPolicy::default(), &resolver, "http://long.example.com/").await.unwrap();
    assert_eq!(judged.addresses().len(), AddressPolicy::MAX_ADDRESSES);
    refusal(judge(&AddressPolicy::default(), &resolver, "http://bad.example.com/").await);
}

#[tokio::test]
async fn a_name_that_changes_its_answer_gains_nothing() {
    let resolver = StaticResolver::new().with_sequence("rebind.example.com", [ips(&["8.8.8.8"]), ips(&["127.0.0.1"])]);
    let judged = judge(&AddressPolicy::default(), &resolver, "http://rebind.example.com/").await.unwrap();
    // The name leads elsewhere by now: the judged addresses stay, and the next judgement sees the new answer.
    let second = judge(&AddressPolicy::default(), &resolver, "http://rebind.example.com/").await;
    assert!(matches!(refusal(second), Refusal::NotPublic { .. }));
    assert_eq!(judged.addresses(), ["8.8.8.8:80".parse().unwrap()]);
    assert_eq!(resolver.asked().len(), 2);
}

#[tokio::test]
async fn a_local_name_is_visited_only_in_an_opened_network() {
    let resolver = StaticResolver::new()
        .with("wiki", ips(&["10.1.0.5"]))
        .with("nas.lan", ips(&["10.1.0.6", "8.8.8.8"]))
        .with("printer.local", ips(&["192.168.0.9"]))
        .with("shop.test", ips(&["8.8.8.8"]));
    let policy = allowing(&["10.1.0.0/16"]);
    let judged = judge(&policy, &resolver, "http://wiki:9000/").await.unwrap();
    assert_eq!(judged.addresses(), ["10.1.0.5:9000".parse().unwrap()]);
    for name in ["nas.lan", "printer.local", "shop.test"] {
        let verdict = refusal(judge(&policy, &resolver, &format!("http://{name}/")).await);
        assert_eq!(verdict, Refusal::LocalName { name: name.to_owned() });
    }
}

#[tokio::test]
async fn an_opened_network_opens_no_ports_of_the_public_internet() {
    let resolver = StaticResolver::new().with("a.com", ips(&["8.8.8.8"])).with("b.com", ips(&["10.1.0.5"]));
    let policy = allowing(&["10.1.0.0/16"]);
    assert_eq!(refusal(judge(&policy, &resolver, "http://a.com:22/").await), Refusal::Port(22));
    assert!(judge(&policy, &resolver, "http://b.com:22/").await.is_ok());
}

#[tokio::test]
async fn a_name_without_addresses_is_told_from_a_refused_one() {
    let resolver = StaticResolver::new().with("empty.example.com", []);
    for text in ["http://empty.example.com/", "http://unknown.example.com/"] {
        let verdict = judge(&AddressPolicy::default(), &resolver, text).await;
        assert!(matches!(verdict, Err(PolicyError::Resolve(ResolveError::NotFound))), "{text}");
    }
}

#[test]
fn a_site_owner_reads_a_sentence_without_addresses_of_other_machines() {
    let verdict = AddressPolicy::default().judge_ip(ip("10.1.2.3"), 80).unwrap_err();
    assert_eq!(verdict.to_string(), "The address belongs to a private network, not to the public internet.");
    let blocked = Refusal::BlockedNetwork { ip: ip("10.1.2.3") };
    assert_eq!(blocked.to_string(), "The address belongs to a network that is blocked here.");
    let local = Refusal::LocalName { name: "wiki".to_owned() };
    assert_eq!(local.to_string(), "\"wiki\" is a name for local networks, not for the public internet.");
    assert_eq!(Refusal::Port(22).to_string(), "Port 22 is not one of a web site.");
}

proptest! {
    #[test]
    fn nat64_and_mapped_addresses_get_the_verdict_of_the_address_they_carry(bits in any::<u32>(), port in any::<u16>()) {
        let policy = AddressPolicy::builder()
            .allow_network("10.0.0.0/9".parse().unwrap())
            .block_network("64.0.0.0/4".parse().unwrap())
            .build();
        let is_ok = policy.judge_ip(std::net::Ipv4Addr::from_bits(bits).into(), port).is_ok();
        for prefix in ["::ffff:0:0", "64:ff9b::"] {
            let upper = prefix.parse::<std::net::Ipv6Addr>().unwrap().to_bits();
            let carrying = std::net::Ipv6Addr::from_bits(upper | u128::from(bits));
            prop_assert_eq!(policy.judge_ip(carrying.into(), port).is_ok(), is_ok, "{}", carrying);
        }
    }

    #[test]
    fn hostile_text_never_brings_the_judgement_down(text in any::<String>(), port in any::<u16>()) {
        let _ = AddressPolicy::default().judge_host(&Host::Domain(&text), port);
        let _ = AddressPolicy::builder().try_block_domain(&text);
    }
}

#[tokio::test]
async fn only_a_host_whose_addresses_all_lie_in_opened_networks_is_an_inner_one() {
    let policy = AddressPolicy::builder().allow_network("10.0.0.0/8".parse().unwrap()).build();
    let resolver = StaticResolver::new()
        .with("inner.example.com", ["10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()])
        .with("both.example.com", ["10.0.0.1".parse().unwrap(), "93.184.215.14".parse().unwrap()]);
    for (url, is_opened) in [
        ("https://inner.example.com/", true),
        ("https://both.example.com/", false),
        ("https://[::ffff:10.0.0.1]/", true),
        ("https://93.184.215.14/", false),
    ] {
        assert_eq!(judge(&policy, &resolver, url).await.unwrap().is_opened(), is_opened, "{url}");
    }
}
