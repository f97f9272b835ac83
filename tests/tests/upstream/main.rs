//! An upstream proxy and an authority of the operator's own: for the browser, the crawler and webhooks.
//!
//! The proxy is tinyproxy, made by others.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod own_site;
mod tinyproxy;

use std::{net::IpAddr, sync::Arc, time::Duration};

use a11ycheck_core::{
    domain::{AttemptFailure, AttemptResult, Failure, FailureCause, FailureCode, PageCounts, SiteUrl},
    id::ScanId,
    net::{AddressPolicy, StaticResolver, UpstreamProxy},
    scanner::{CancellationToken, ProgressSink, ScanError, ScanRequest, Scanner as _},
    webhook::{HttpSender, WebhookRequest, WebhookSender as _},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner};
use a11ycheck_tests::{Page, TestSite};

use crate::{
    own_site::OwnSite,
    tinyproxy::{CREDENTIALS, Ports, Tinyproxy},
};

/// Returns a policy that opens 127.0.0.1, to which names lead.
fn policy() -> AddressPolicy {
    AddressPolicy::builder().allow_network("127.0.0.1/32".parse().unwrap()).build()
}

fn resolver() -> Arc<StaticResolver> {
    let [here, elsewhere]: [IpAddr; 2] = [[127, 0, 0, 1].into(), [127, 0, 0, 2].into()];
    Arc::new(StaticResolver::new().with("a.test", [here]).with("private.test", [elsewhere]))
}

fn scanner(policy: AddressPolicy, proxy: UpstreamProxy, authorities: Vec<Vec<u8>>) -> ChromiumScanner {
    let config = ChromiumConfig::new(policy).with_resolver(resolver()).with_page_timeout(Duration::from_secs(60));
    ChromiumScanner::new(config.with_upstream_proxy(proxy).with_ca_certificates(authorities)).unwrap()
}

struct NoProgress;

impl ProgressSink for NoProgress {
    fn progress(&self, _: PageCounts) {}
}

/// Returns the addresses of the pages that were checked.
async fn scan(scanner: &ChromiumScanner, start: &str) -> Result<Vec<String>, Failure> {
    let scan = ScanId::generate(chrono::Utc::now());
    let request = ScanRequest::new(scan, SiteUrl::parse(start).unwrap(), 3);
    match scanner.scan(request, &NoProgress, CancellationToken::new()).await {
        Ok(output) => Ok(output.findings.pages.into_iter().map(|page| page.url).collect()),
        Err(ScanError::Failed(failure)) => Err(failure),
        other => panic!("{other:?}"),
    }
}

fn page(body: &str) -> Page {
    Page::html(format!("<!doctype html><html lang=en><title>Page</title><main><h1>Page</h1>{body}</main>"))
}

/// Starts a site whose robots.txt closes one of its pages: for a correct check, both stacks must reach it.
async fn site() -> TestSite {
    let robots = Page::script("User-agent: *\nDisallow: /closed\n");
    let pages =
        [("/robots.txt", robots), ("/", page("<a href=/closed>c</a> <a href=/open>o</a>")), ("/open", page("ok"))];
    TestSite::start(pages).await
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_and_crawler_reach_sites_through_the_proxy_at_addresses_that_were_judged() {
    let proxy = Tinyproxy::start(Ports::All).await;
    let plain = site().await;
    let secure = OwnSite::start("a.test").await;
    let scanner = scanner(policy(), proxy.with_credentials(CREDENTIALS), vec![secure.authority()]);
    let start = format!("http://a.test:{}/", plain.port());
    assert_eq!(scan(&scanner, &start).await.unwrap(), [start.clone(), format!("{start}open")]);
    let start = format!("https://a.test:{}/", secure.port());
    assert_eq!(scan(&scanner, &start).await.unwrap(), [start]);
    for (private, code) in [
        ("http://127.0.0.2/", FailureCode::RefusedAddress),
        ("http://10.0.0.1/", FailureCode::RefusedAddress),
        // The address that a name leads to is not disclosed.
        ("https://private.test/", FailureCode::Dns),
    ] {
        assert_eq!(scan(&scanner, private).await.unwrap_err().code, code, "{private}");
    }
    scanner.close().await;
    let asked = proxy.asked();
    for port in [plain.port(), secure.port()] {
        let target = format!("127.0.0.1:{port}");
        // robots.txt and the page, on connections of their own.
        assert!(asked.iter().filter(|asked| **asked == target).count() >= 2, "{target}: {asked:?}");
    }
    assert!(asked.iter().all(|asked| asked.starts_with("127.0.0.1:")), "nothing else was asked for: {asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn exceptions_are_reached_without_the_proxy() {
    let proxy = Tinyproxy::start(Ports::All).await;
    let site = site().await;
    for exception in ["a.test", "127.0.0.0/8"] {
        let upstream = proxy.with_credentials(CREDENTIALS).except([exception]).unwrap();
        let scanner = scanner(policy(), upstream, Vec::new());
        scan(&scanner, &format!("http://a.test:{}/", site.port())).await.unwrap();
        scanner.close().await;
    }
    assert_eq!(proxy.asked(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_only_the_proxy_resolves_is_reached_if_the_operator_says_so() {
    let proxy = Tinyproxy::start(Ports::All).await;
    let site = site().await;
    // No network is open, and our resolver does not know the name.
    let start = format!("http://localhost:{}/", site.port());
    let closed = scanner(AddressPolicy::default(), proxy.with_credentials(CREDENTIALS), Vec::new());
    assert_eq!(scan(&closed, &start).await.unwrap_err().code, FailureCode::RefusedAddress);
    closed.close().await;
    let upstream = proxy.with_credentials(CREDENTIALS).resolving(["localhost"]).unwrap();
    let open = scanner(AddressPolicy::default(), upstream, Vec::new());
    assert_eq!(scan(&open, &start).await.unwrap().len(), 2);
    let literal = scan(&open, &format!("http://127.0.0.1:{}/", site.port())).await.unwrap_err();
    assert_eq!(literal.code, FailureCode::RefusedAddress, "addresses are judged all the same");
    open.close().await;
    let target = format!("localhost:{}", site.port());
    assert!(proxy.asked().iter().all(|asked| *asked == target), "{:?}", proxy.asked());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_does_not_pass_connections_on_is_distinguished_from_a_site_that_is_down() {
    let (open, strict) = (Tinyproxy::start(Ports::All).await, Tinyproxy::start(Ports::Secure).await);
    let site = site().await;
    let start = format!("http://a.test:{}/", site.port());
    let gone = UpstreamProxy::new("http://127.0.0.1:9").unwrap();
    // A port that is taken, so that no other program gets it, and on which nothing listens. Browsers do not refuse it.
    let closed = tokio::net::TcpSocket::new_v4().unwrap();
    closed.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let down = format!("http://a.test:{}/", closed.local_addr().unwrap().port());
    for (proxy, start, code, cause) in [
        (open.with_credentials("ann:wrong"), start.as_str(), FailureCode::Proxy, Some(FailureCause::ProxyLogin)),
        (strict.with_credentials(CREDENTIALS), start.as_str(), FailureCode::Proxy, Some(FailureCause::ProxyRefused)),
        (gone, start.as_str(), FailureCode::Proxy, Some(FailureCause::ProxyUnreachable)),
        (open.with_credentials(CREDENTIALS), down.as_str(), FailureCode::Unreachable, None),
        (open.with_credentials("ann:wrong"), "https://a.test/", FailureCode::Proxy, Some(FailureCause::ProxyLogin)),
    ] {
        let scanner = scanner(policy(), proxy, Vec::new());
        let failure = scan(&scanner, start).await.unwrap_err();
        scanner.close().await;
        assert_eq!((failure.code, failure.cause()), (code, cause), "{failure}");
        assert_eq!(failure.code.is_our_fault(), cause.is_some());
    }
}

/// Returns the result of a webhook to this address.
async fn sent(policy: AddressPolicy, proxy: UpstreamProxy, authority: Vec<u8>, url: &str) -> AttemptResult {
    let sender = HttpSender::new(policy, resolver()).with_root_certificates([authority]).with_upstream_proxy(proxy);
    let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    sender.send(WebhookRequest::new(url.parse().unwrap(), headers, "{\"a\": 1}")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn webhooks_go_through_the_proxy_to_a_receiver_with_an_authority_of_its_own() {
    let proxy = Tinyproxy::start(Ports::All).await;
    let receiver = OwnSite::start("a.test").await;
    let url = format!("https://a.test:{}/hook?x=1", receiver.port());
    let credentials = || proxy.with_credentials(CREDENTIALS);
    let result = sent(policy(), credentials(), receiver.authority(), &url).await;
    assert!(matches!(&result, AttemptResult::Answered { status: 200, .. }), "{result:?}");
    let request = receiver.requests().pop().unwrap();
    assert!(request.starts_with("POST /hook?x=1 HTTP/1.1\r\n") && request.ends_with("\r\n\r\n{\"a\": 1}"), "{request}");
    assert!(request.contains(&format!("\r\nHost: a.test:{}\r\n", receiver.port())), "{request}");
    assert!(request.contains("\r\nContent-Type: application/json\r\n"), "{request}");
    assert_eq!(proxy.asked(), [format!("127.0.0.1:{}", receiver.port())]);

    let named = credentials().resolving(["localhost"]).unwrap();
    let result =
        sent(AddressPolicy::default(), named, receiver.authority(), &format!("https://localhost:{}/", receiver.port()))
            .await;
    assert_eq!(result, AttemptResult::Failed(AttemptFailure::Tls), "the proxy reaches it, and it is not localhost");

    let other = OwnSite::start("a.test").await;
    for (proxy, authority, url, failure) in [
        (credentials(), other.authority(), url.as_str(), AttemptFailure::Tls),
        (credentials(), receiver.authority(), "https://private.test/", AttemptFailure::RefusedAddress),
        (credentials(), receiver.authority(), "https://127.0.0.2/", AttemptFailure::RefusedAddress),
        (credentials(), receiver.authority(), "https://a.test:9/", AttemptFailure::Connect),
        (proxy.with_credentials("ann:wrong"), receiver.authority(), url.as_str(), AttemptFailure::ProxyLogin),
        (
            UpstreamProxy::new("http://127.0.0.1:9").unwrap(),
            receiver.authority(),
            url.as_str(),
            AttemptFailure::ProxyUnreachable,
        ),
    ] {
        assert_eq!(sent(policy(), proxy, authority, url).await, AttemptResult::Failed(failure), "{url}");
    }
    assert_eq!(receiver.requests().len(), 1, "no byte more was sent");
}
