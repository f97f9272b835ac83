//! Addresses that must not be reached are not reached.

use a11ycheck_core::{domain::FailureCode, scanner::ScanError};
use a11ycheck_scanner_chromium::{BrowserError, ChromiumScanner};

use crate::support::{Reply, Site, browser_without, config, failure, page, pages, scan, scanner, try_scan};

#[tokio::test(flavor = "multi_thread")]
async fn a_page_cannot_send_the_browser_to_addresses_that_are_not_open() {
    let other = Site::start_at("127.0.0.2", |_| Reply::Html("secret".to_owned())).await;
    let six = Site::start_at("::1", |_| Reply::Html("secret".to_owned())).await;
    let targets = [other.url("/x"), six.url("/x"), other.url_as("private.test", "/x"), other.url_as("0x7f.2", "/x")];
    let lures: String = targets
        .iter()
        .map(|url| {
            let (host, socket) = (url.trim_start_matches("http:"), url.replacen("http", "ws", 1));
            format!(
                "<link rel=dns-prefetch href='{host}'><link rel=preconnect href='{url}'><link rel=prefetch href='{url}'>\
                 <img alt='' src='{url}'><iframe title=t src='{url}'></iframe><script src='{url}'></script>\
                 <script>new WebSocket('{socket}'); fetch('{url}').catch(() => 0); navigator.sendBeacon('{url}');\
                 new EventSource('{url}'); fetch('/to?{url}').catch(() => 0);\
                 fetch('{url}'.replace('http:', 'https:')).catch(() => 0); open('{url}');</script>"
            )
        })
        .collect();
    let html = page("Lures", &format!("{lures}<a href=/next>n</a>"));
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(html.clone()),
        path => match path.strip_prefix("/to?") {
            Some(target) => Reply::Redirect(target.to_owned()),
            None => Reply::Html(page("Next", "ok")),
        },
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 5).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/next"]);
    assert_eq!(site.requests().iter().filter(|request| request.path.starts_with("/to?")).count(), targets.len());
    assert_eq!((other.connections(), six.connections()), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_start_address_says_so_redirects_included() {
    let site = Site::start(|request| match request.path.as_str() {
        "/http" => Reply::Redirect("http://10.0.0.1/".to_owned()),
        _ => Reply::Redirect("https://private.test/".to_owned()),
    })
    .await;
    let scanner = scanner();
    for start in ["http://10.0.0.1/", "https://10.0.0.1/", "http://169.254.169.254/latest/", "http://[::1]:8080/"]
        .map(str::to_owned)
        .into_iter()
        .chain([site.url("/http")])
    {
        let failure = failure(&scanner, &start).await;
        assert_eq!(failure.code, FailureCode::RefusedAddress, "{start}: {failure}");
    }
    for (start, code) in
        [("https://private.test/".to_owned(), FailureCode::Dns), (site.url("/https"), FailureCode::RedirectedAway)]
    {
        let failure = failure(&scanner, &start).await;
        assert_eq!(failure.code, code, "{start}: {failure}");
    }
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn web_sockets_and_posts_of_open_addresses_pass() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page(
            "Home",
            "<script>new WebSocket('ws://' + location.host + '/socket');
             fetch('/post', {method: 'POST', body: 'x'.repeat(100000)})</script>",
        )),
        _ => Reply::File("text/plain", b"ok".to_vec()),
    })
    .await;
    let scanner = scanner();
    scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!((site.hits("/socket"), site.hits("/post")), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_leaves_past_the_guard_by_udp() {
    let listener = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let html = page(
        "Calls",
        &format!(
            "<script>
             const call = new RTCPeerConnection({{iceServers: [{{urls: 'stun:{address}'}},
               {{urls: 'turn:{address}', username: 'a', credential: 'b'}}]}});
             call.createDataChannel('x');
             call.createOffer().then(offer => call.setLocalDescription(offer));
             const gathered = new Promise(done => call.onicegatheringstatechange =
               () => call.iceGatheringState === 'complete' && done());
             const transport = new WebTransport('https://{address}/').ready.catch(() => 0);
             Promise.race([Promise.all([gathered, transport]), new Promise(done => setTimeout(done, 3000))])
               .then(() => fetch('/called'));
             </script><img alt='' src=/slow>"
        ),
    );
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(html.clone()),
        // This keeps the page open until the calls have had their time.
        "/slow" => {
            std::thread::sleep(std::time::Duration::from_millis(3500));
            Reply::File("image/png", Vec::new())
        }
        _ => Reply::Html(String::new()),
    })
    .await;
    let scanner = scanner();
    scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(site.hits("/called"), 1, "the script ran to its end");
    let heard = listener.recv(&mut [0; 100]);
    assert_eq!(heard.unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_ignores_the_guard_is_not_used() {
    // The script stands for a Chromium that no longer knows the switch.
    let (_folder, program) = browser_without("--proxy-server=");
    let site = Site::start(|_| Reply::Html(page("Home", "ok"))).await;
    let scanner = ChromiumScanner::new(config().with_browser(program)).unwrap();
    let ended = try_scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    let Err(ScanError::Unavailable(error)) = ended else { panic!("{ended:?}") };
    let cause = error.source().and_then(|cause| cause.downcast_ref());
    assert!(matches!(cause, Some(BrowserError::GuardNotInForce)), "{error:?}");
    assert_eq!(site.connections(), 0);
}
