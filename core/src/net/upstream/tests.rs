use tokio::net::TcpListener;

use super::*;
use crate::net::{Refusal, StaticResolver};

fn proxy() -> UpstreamProxy {
    UpstreamProxy::new("http://proxy.lan:3128").unwrap()
}

async fn way(proxy: &UpstreamProxy, host: &str) -> Result<Route, PolicyError> {
    let policy = AddressPolicy::builder().block_domain("blocked.corp").build();
    let resolver = StaticResolver::new()
        .with("a.example.com", [[93, 184, 215, 14].into()])
        .with("in.example.com", [[10, 0, 0, 1].into()]);
    let host = Host::parse(host).unwrap();
    let host = match &host {
        Host::Domain(name) => Host::Domain(name.as_str()),
        Host::Ipv4(ip) => Host::Ipv4(*ip),
        Host::Ipv6(ip) => Host::Ipv6(*ip),
    };
    route(&policy, &resolver, Some(proxy), &host, 443).await
}

#[test]
fn what_is_no_address_of_a_proxy_is_refused() {
    for address in
        ["proxy.lan:3128", "https://proxy.lan", "socks5://proxy.lan", "http://proxy.lan/x", "http://proxy.lan?x", ""]
    {
        assert!(matches!(UpstreamProxy::new(address), Err(InvalidProxy::Address(_))), "{address}");
    }
    let secret = UpstreamProxy::new("http://ann:secret@proxy.lan:3128").unwrap_err();
    assert_eq!(secret, InvalidProxy::CredentialsInAddress);
    for credentials in ["", "ann", ":secret", "ann:sec\r\nret"] {
        assert_eq!(proxy().with_credentials(credentials).unwrap_err(), InvalidProxy::Credentials, "{credentials:?}");
    }
    assert!(matches!(proxy().except(["http://a.example"]), Err(InvalidProxy::Host(_))));
    assert!(matches!(proxy().resolving(["10.0.0.1"]), Err(InvalidProxy::NotAName(_))));
    let shown = format!("{:?}", proxy().with_credentials("ann:secret").unwrap());
    assert_eq!(shown, "UpstreamProxy(proxy.lan:3128)");
}

#[tokio::test]
async fn the_proxy_is_asked_for_judged_addresses_and_private_ones_stay_refused() {
    assert!(matches!(way(&proxy(), "a.example.com").await, Ok(Route::Proxied(_))));
    for private in ["10.0.0.1", "in.example.com", "127.0.0.1", "169.254.169.254"] {
        let refused = way(&proxy(), private).await;
        let Err(PolicyError::Refused(refusal) | PolicyError::RefusedAnswer(refusal)) = refused else {
            panic!("{private}: {refused:?}")
        };
        assert!(matches!(refusal, Refusal::NotPublic { .. }), "{private}: {refusal:?}");
    }
}

#[tokio::test]
async fn exceptions_go_by_name_and_by_address() {
    for exception in
        ["example.com", "*.example.com", "A.Example.com.", "93.184.215.14", "93.184.0.0/16", "::ffff:93.184.0.0/112"]
    {
        let proxy = proxy().except([exception]).unwrap();
        assert!(matches!(way(&proxy, "a.example.com").await, Ok(Route::Direct(_))), "{exception}");
    }
    let proxy = proxy().except(["b.example.com", "93.185.0.0/16"]).unwrap();
    assert!(matches!(way(&proxy, "a.example.com").await, Ok(Route::Proxied(_))));
}

#[tokio::test]
async fn only_names_that_the_operator_gave_are_resolved_by_the_proxy() {
    let proxy = proxy().resolving(["corp", "intranet.example.com"]).unwrap().except(["direct.corp"]).unwrap();
    let named = Route::Named { name: "wiki.corp".to_owned(), port: 443 };
    assert_eq!(way(&proxy, "WIKI.corp.").await.unwrap(), named);
    assert!(!named.is_opened());
    assert!(matches!(way(&proxy, "blocked.corp").await, Err(PolicyError::Refused(Refusal::BlockedDomain { .. }))));
    for other in ["direct.corp", "wiki.lan"] {
        assert!(matches!(way(&proxy, other).await, Err(PolicyError::Refused(Refusal::LocalName { .. }))), "{other}");
    }
}

/// Returns the result of a connection through a proxy that responds with `answer`, and the request that it received.
async fn asked(answer: &'static str) -> (Result<TcpStream, ProxyError>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serve = tokio::spawn(async move {
        let mut stream = listener.accept().await.unwrap().0;
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            stream.read_buf(&mut request).await.unwrap();
        }
        for part in answer.split_inclusive('\n') {
            stream.write_all(part.as_bytes()).await.unwrap();
            stream.flush().await.unwrap();
        }
        String::from_utf8(request).unwrap()
    });
    let proxy = UpstreamProxy::new(&format!("http://{address}")).unwrap().with_credentials("ann:secret").unwrap();
    let route = Route::Named { name: "wiki.corp".to_owned(), port: 443 };
    let connected = proxy.connect(&route, Instant::now() + Duration::from_secs(20)).await;
    (connected, serve.await.unwrap())
}

#[tokio::test]
async fn a_tunnel_begins_behind_the_proxys_answer() {
    let (connected, request) = asked("HTTP/1.1 200 Connection established\r\nX-Proxy: 1\r\n\r\nhello\n").await;
    let mut rest = String::new();
    connected.unwrap().read_to_string(&mut rest).await.unwrap();
    assert_eq!(rest, "hello\n");
    assert_eq!(
        request,
        "CONNECT wiki.corp:443 HTTP/1.1\r\nHost: wiki.corp:443\r\nProxy-Authorization: Basic YW5uOnNlY3JldA==\r\n\r\n"
    );
}

#[tokio::test]
async fn a_proxy_that_refuses_says_why_and_a_host_that_it_can_not_reach_is_not_its_fault() {
    for (answer, cause) in [
        ("HTTP/1.1 407 Who?\r\n\r\n", Some(FailureCause::ProxyLogin)),
        ("HTTP/1.0 401 Unauthorized\r\n\r\n", Some(FailureCause::ProxyLogin)),
        ("HTTP/1.0 403 Filtered\r\nContent-Length: 0\r\n\r\n", Some(FailureCause::ProxyRefused)),
        ("HTTP/1.1 503 Down\r\n\r\n", None),
        ("SSH-2.0-OpenSSH\r\n\r\n", Some(FailureCause::ProxyUnreachable)),
        ("HTTP/1.1 200 OK\r\n", Some(FailureCause::ProxyUnreachable)),
    ] {
        let error = asked(answer).await.0.unwrap_err();
        assert_eq!(error.cause(), cause, "{answer:?}: {error:?}");
    }
}
