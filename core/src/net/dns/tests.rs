use std::{fs, path::Path, time::Instant};

use super::*;
use crate::net::{LookupShare, NameServer, Says};

fn ips(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn at(texts: &[&str]) -> Says {
    Says::Addresses(ips(texts))
}

async fn server<'a>(names: impl IntoIterator<Item = (&'a str, Says)>) -> NameServer {
    NameServer::start(names).await.unwrap()
}

/// Makes a resolver with files of its own, which name `server`.
fn by_files(folder: &Path, server: &NameServer, resolv_conf: &str, hosts: &str) -> DnsResolver {
    let port = Some(server.address().port());
    let files = Files { resolv_conf: folder.join("resolv.conf"), hosts: folder.join("hosts"), port };
    fs::write(&files.resolv_conf, format!("nameserver 127.0.0.1\n{resolv_conf}\n")).unwrap();
    fs::write(&files.hosts, hosts).unwrap();
    DnsResolver::over(Source::Files(files), None, DnsResolver::BUDGET)
}

async fn found(resolver: &DnsResolver, name: &str) -> Vec<IpAddr> {
    resolver.resolve(name).await.unwrap()
}

/// Returns whether the resolver knows that the name does not exist.
async fn is_unknown(resolver: &DnsResolver, name: &str) -> bool {
    matches!(resolver.resolve(name).await, Err(ResolveError::NotFound))
}

#[tokio::test]
async fn a_name_has_its_addresses_of_both_kinds_ipv4_first() {
    let server = server([("a.example", at(&["2606:4700::1", "93.184.215.14", "93.184.215.15"]))]).await;
    let resolver = DnsResolver::asking([server.address()]).unwrap();
    let expected = ips(&["93.184.215.14", "93.184.215.15", "2606:4700::1"]);
    assert_eq!(found(&resolver, "a.example").await, expected);
    assert!(is_unknown(&resolver, "b.example").await);
}

#[tokio::test]
async fn a_name_server_in_trouble_is_told_from_a_name_that_does_not_exist() {
    let server = server([("a.example", Says::Failure)]).await;
    let resolver = DnsResolver::asking([server.address()]).unwrap();
    assert!(matches!(resolver.resolve("a.example").await, Err(ResolveError::Failed(_))));
}

#[tokio::test]
async fn a_site_is_found_although_its_name_servers_keep_silent_about_ipv6() {
    let server = server([("a.example", Says::OnlyIpv4(ips(&["93.184.215.14"])))]).await;
    let resolver = DnsResolver::asking([server.address()]).unwrap();
    assert_eq!(found(&resolver, "a.example").await, ips(&["93.184.215.14"]));
}

#[tokio::test]
async fn the_hosts_file_goes_before_dns_and_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = server([("wiki.example", at(&["10.0.0.9"]))]).await;
    let resolver = by_files(folder.path(), &server, "", "10.0.0.5 wiki.example wiki\n::1 wiki.example\n");
    assert_eq!(found(&resolver, "wiki.example").await, ips(&["10.0.0.5", "::1"]));
    assert_eq!(found(&resolver, "wiki").await, ips(&["10.0.0.5"]));
    assert_eq!(server.asked(), [""; 0]);
    fs::write(folder.path().join("hosts"), "").unwrap();
    assert_eq!(found(&resolver, "wiki.example").await, ips(&["10.0.0.9"]));
}

#[tokio::test]
async fn localhost_is_this_machine_and_nobody_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let server = server([("localhost.corp.example", at(&["10.0.0.9"]))]).await;
    let resolver = by_files(folder.path(), &server, "search corp.example", "");
    for name in ["localhost", "app.localhost"] {
        assert!(found(&resolver, name).await.iter().all(IpAddr::is_loopback), "{name}");
    }
    assert_eq!(server.asked(), [""; 0]);
}

#[tokio::test]
async fn a_name_without_a_dot_is_found_below_the_search_domains() {
    let folder = tempfile::tempdir().unwrap();
    let server = server([
        ("wiki.corp.example", at(&["10.0.0.5"])),
        ("nas.lab.example", at(&["10.0.0.6"])),
        ("alone", at(&["10.0.0.7"])),
    ])
    .await;
    let resolver = by_files(folder.path(), &server, "search corp.example lab.example", "");
    assert_eq!(found(&resolver, "wiki").await, ips(&["10.0.0.5"]));
    assert_eq!(found(&resolver, "nas").await, ips(&["10.0.0.6"]));
    assert_eq!(found(&resolver, "alone").await, ips(&["10.0.0.7"]));
    assert!(is_unknown(&resolver, "nobody").await);
}

#[tokio::test]
async fn a_public_name_leads_into_no_search_domain() {
    let folder = tempfile::tempdir().unwrap();
    let names = [
        ("shop.example.com.corp.example", at(&["10.0.0.5"])),
        ("shop.example.com", at(&["93.184.215.14"])),
        ("gone.example.com.corp.example", at(&["10.0.0.6"])),
        ("frontend.shop.corp.example", at(&["10.0.0.7"])),
    ];
    let server = server(names).await;
    let resolver = by_files(folder.path(), &server, "search corp.example", "");
    assert_eq!(found(&resolver, "shop.example.com").await, ips(&["93.184.215.14"]));
    assert!(is_unknown(&resolver, "gone.example.com").await);
    assert!(is_unknown(&resolver, "frontend.shop").await);
    // Even if the settings demand more dots, as those of Kubernetes do, a name that exists as it is comes first.
    let resolver = by_files(folder.path(), &server, "search corp.example\noptions ndots:5", "");
    assert_eq!(found(&resolver, "shop.example.com").await, ips(&["93.184.215.14"]));
    assert_eq!(found(&resolver, "frontend.shop").await, ips(&["10.0.0.7"]));
}

#[tokio::test]
async fn a_public_name_whose_look_up_fails_leads_into_no_search_domain_either() {
    let folder = tempfile::tempdir().unwrap();
    let names = [("shop.example.com", Says::Failure), ("shop.example.com.corp.example", at(&["10.0.0.5"]))];
    let server = server(names).await;
    let resolver = by_files(folder.path(), &server, "search corp.example\noptions ndots:5", "");
    assert!(matches!(resolver.resolve("shop.example.com").await, Err(ResolveError::Failed(_))));
}

#[tokio::test]
async fn a_name_without_a_dot_is_searched_however_few_dots_the_settings_demand() {
    let folder = tempfile::tempdir().unwrap();
    let server = server([("wiki.corp.example", at(&["10.0.0.5"]))]).await;
    let resolver = by_files(folder.path(), &server, "search corp.example\noptions ndots:0", "");
    assert_eq!(found(&resolver, "wiki").await, ips(&["10.0.0.5"]));
}

#[tokio::test]
async fn settings_that_change_count_from_the_next_look_up_on() {
    let folder = tempfile::tempdir().unwrap();
    let server = server([("wiki.corp.example", at(&["10.0.0.5"])), ("wiki.office.example", at(&["10.1.0.5"]))]).await;
    let resolver = by_files(folder.path(), &server, "search corp.example", "");
    assert_eq!(found(&resolver, "wiki").await, ips(&["10.0.0.5"]));
    let text = "nameserver 127.0.0.1\nsearch office.example\n";
    fs::write(folder.path().join("resolv.conf"), text).unwrap();
    assert_eq!(found(&resolver, "wiki").await, ips(&["10.1.0.5"]));
}

#[tokio::test]
async fn look_ups_that_nobody_waits_for_any_more_hold_up_nobody() {
    let server = server([("slow.example", Says::Nothing), ("a.example", at(&["93.184.215.14"]))]).await;
    let resolver = DnsResolver::asking([server.address()]).unwrap();
    let hanging: Vec<_> = (0..2 * DnsResolver::MAX_LOOKUPS)
        .map(|number| {
            let resolver = resolver.clone();
            tokio::spawn(async move { resolver.resolve(&format!("n{number}.slow.example")).await })
        })
        .collect();
    while resolver.0.places.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    for task in &hanging {
        task.abort();
    }
    let since = Instant::now();
    assert_eq!(found(&resolver, "a.example").await, ips(&["93.184.215.14"]));
    assert!(since.elapsed() < DnsResolver::BUDGET, "{:?}", since.elapsed());
}

#[tokio::test]
async fn names_that_nobody_answers_for_starve_no_other_share() {
    let server = server([("slow.example", Says::Nothing), ("a.example", at(&["93.184.215.14"]))]).await;
    let resolver = Arc::new(DnsResolver::asking([server.address()]).unwrap());
    let share = || LookupShare::of(Arc::clone(&resolver) as Arc<dyn Resolver>, 8);
    let hanging: Vec<_> = [share(), share()]
        .into_iter()
        .flat_map(|share| (0..200).map(move |number| (share.clone(), number)))
        .map(|(share, number)| {
            tokio::spawn(async move { share.resolve(&format!("n{number}.slow.example")).await.is_err() })
        })
        .collect();
    while resolver.0.places.available_permits() > DnsResolver::MAX_LOOKUPS - 16 {
        tokio::task::yield_now().await;
    }
    for _ in 0..20 {
        assert_eq!(share().resolve("a.example").await.unwrap(), ips(&["93.184.215.14"]));
    }
    assert_eq!(resolver.0.places.available_permits(), DnsResolver::MAX_LOOKUPS - 16);
    for task in hanging {
        task.abort();
    }
}

#[tokio::test]
async fn a_name_that_nobody_answers_for_ends_with_its_budget() {
    let server = server([("slow.example", Says::Nothing)]).await;
    let client = Client::new(Settings::of_servers([server.address()])).unwrap();
    let resolver = DnsResolver::over(Source::Servers, Some(Arc::new(client)), Duration::from_millis(50));
    assert!(matches!(resolver.resolve("slow.example").await, Err(ResolveError::TimedOut)));
    assert_eq!(resolver.0.places.available_permits(), DnsResolver::MAX_LOOKUPS);
}
