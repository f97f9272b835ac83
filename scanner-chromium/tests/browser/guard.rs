//! What must not be reached is not reached.

use a11ycheck_core::domain::FailureCode;

use crate::support::{Reply, Site, failure, page, pages, scan, scanner};

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
    for start in [
        "http://10.0.0.1/",
        "https://10.0.0.1/",
        "http://169.254.169.254/latest/",
        "https://private.test/",
        "http://[::1]:8080/",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([site.url("/http"), site.url("/https")])
    {
        let failure = failure(&scanner, &start).await;
        assert_eq!(failure.code, FailureCode::RefusedAddress, "{start}: {failure}");
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
