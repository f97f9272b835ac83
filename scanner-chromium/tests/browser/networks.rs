//! Opened networks are open only to their own sites, and nobody learns what is there.

use std::{collections::HashSet, sync::Arc, time::Duration};

use a11ycheck_core::{
    domain::{Failure, FailureCode},
    net::{AddressPolicy, DnsResolver, NameServer, Says, StaticResolver},
};
use a11ycheck_scanner_chromium::{ChromiumConfig, ChromiumScanner};

use crate::support::{Internet, PUBLIC, Reply, Site, config, failure, page, page_time, pages, scan, scanner, try_scan};

/// Creates a scanner that opens these networks. `shop.example.com` and `stranger.example.com` are public; the others
/// are names of machines inside.
fn scanner_opening(networks: &[&str], internet: &Internet) -> ChromiumScanner {
    let policy = networks
        .iter()
        .fold(AddressPolicy::builder(), |policy, network| policy.allow_network(network.parse().unwrap()));
    let (inside, public) = ("127.0.0.1".parse().unwrap(), PUBLIC.parse().unwrap());
    let resolver = StaticResolver::new()
        .with("shop.example.com", [public])
        .with("stranger.example.com", [public])
        .with("inside.shop.example.com", [inside])
        .with("wiki.example.com", [inside])
        .with("tools.example.com", [inside])
        .with("unopened.example.com", ["10.0.0.7".parse().unwrap()])
        .with_sequence("flips.example.com", [vec![inside], vec![public]])
        .with_sequence("turns.example.com", [vec![inside], vec![inside], vec![public]]);
    let config = ChromiumConfig::new(policy.build()).with_resolver(Arc::new(resolver));
    let config = config.with_upstream_proxy(internet.proxy()).with_page_timeout(Duration::from_secs(20));
    ChromiumScanner::new(config).unwrap()
}

/// Returns everything with which a page can try to reach these addresses.
fn lures(targets: &[String]) -> String {
    let lure = |url: &String| {
        let socket = url.replacen("http", "ws", 1);
        format!(
            "<img alt='' src='{url}'><iframe title=t src='{url}'></iframe><script src='{url}'></script>\
             <link rel=stylesheet href='{url}'><link rel=preconnect href='{url}'>\
             <script>new WebSocket('{socket}'); fetch('{url}', {{method: 'POST', mode: 'no-cors'}}).catch(() => 0);\
             fetch('/to?{url}', {{mode: 'no-cors'}}).catch(() => 0); navigator.sendBeacon('{url}'); open('{url}');</script>"
        )
    };
    targets.iter().map(lure).collect()
}

/// Starts a site whose start page tries to reach these addresses, directly and through redirects.
async fn hostile(targets: &[String]) -> Site {
    let html = page("Shop", &format!("{}<a href=/next>n</a>", lures(targets)));
    Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(html.clone()),
        path => match path.strip_prefix("/to?") {
            Some(target) => Reply::Redirect(target.to_owned()),
            None => Reply::Html(page("Next", "ok")),
        },
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_public_page_and_what_it_frames_reach_nothing_that_was_opened() {
    let internet = Internet::start().await;
    let inside = Site::start(|_| Reply::Html(page("Inside", "secret"))).await;
    let targets = [inside.url("/admin"), inside.url_as("wiki.example.com", "/admin")];
    // An advertisement in a frame of another public site.
    let advertisement = hostile(&targets).await;
    let frame = advertisement.url_as("stranger.example.com", "/");
    let shop = hostile(&[&targets[..], &[frame]].concat()).await;
    let scanner = scanner_opening(&["127.0.0.0/8"], &internet);
    let findings = scan(&scanner, &shop.url_as("shop.example.com", "/"), 5).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/next"]);
    assert!(advertisement.hits("/") > 0, "the frame was shown");
    assert_eq!(inside.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_an_opened_network_reaches_what_was_opened_and_the_public() {
    let internet = Internet::start().await;
    let [tools, cdn] =
        [Site::start(|_| Reply::Html(String::new())).await, Site::start(|_| Reply::Html(String::new())).await];
    let sources = [tools.url_as("tools.example.com", "/t"), tools.url("/i"), cdn.url_as("shop.example.com", "/c")];
    let images: String = sources.iter().map(|url| format!("<img alt='' src='{url}'>")).collect();
    let html = page("Wiki", &images);
    let wiki = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = scanner_opening(&["127.0.0.0/8"], &internet);
    for start in [wiki.url_as("wiki.example.com", "/"), wiki.url("/")] {
        scan(&scanner, &start, 1).await;
    }
    scanner.close().await;
    assert_eq!((tools.hits("/t"), tools.hits("/i"), cdn.hits("/c")), (2, 2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_public_start_address_leads_into_no_opened_network() {
    let internet = Internet::start().await;
    let inside = Site::describing_itself(|_| Reply::Html(page("Inside", "secret"))).await;
    let by_name = inside.url_as("inside.shop.example.com", "/admin");
    let by_address = inside.url("/admin");
    let shop = Site::describing_itself(move |request| match request.path.as_str() {
        // These are the crawler's own requests.
        "/robots.txt" => Reply::File("text/plain", format!("Sitemap: {by_name}\n").into_bytes()),
        "/sitemap.xml" | "/by-name" => Reply::Redirect(by_name.clone()),
        "/by-address" => Reply::Redirect(by_address.clone()),
        "/by-script" => Reply::Html(page("Script", &format!("<script>location = '{by_name}'</script>"))),
        _ => Reply::Html(page("Home", "ok")),
    })
    .await;
    let scanner = scanner_opening(&["127.0.0.0/8"], &internet);
    for (path, code) in
        [("/by-name", FailureCode::Dns), ("/by-address", FailureCode::RefusedAddress), ("/by-script", FailureCode::Dns)]
    {
        let failure = failure(&scanner, &shop.url_as("shop.example.com", path)).await;
        assert_eq!(failure.code, code, "{path}: {failure}");
    }
    scan(&scanner, &shop.url_as("shop.example.com", "/"), 5).await;
    scanner.close().await;
    assert_eq!(inside.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_leads_inside_first_and_to_a_stranger_then_reaches_nothing_inside() {
    let internet = Internet::start().await;
    let secret = Site::start(|_| Reply::Html(page("Secret", "secret"))).await;
    let targets = [secret.url("/admin"), secret.url_as("wiki.example.com", "/admin")];
    let stranger = hostile(&targets).await;
    let hostile = page("Hostile", &lures(&targets));
    // The name decides how it is reached.
    let inside = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Inside", "<a href=/next>n</a>")),
        _ => Reply::Html(hostile.clone()),
    })
    .await;
    let scanner = scanner_opening(&["127.0.0.0/8"], &internet);
    // The first look-up is that for robots.txt, so that the page comes from the stranger.
    let findings = scan(&scanner, &stranger.url_as("flips.example.com", "/"), 3).await;
    assert_eq!(pages(&findings)[0], "/");
    assert!(stranger.hits("/") > 0);
    // Here it is the next page that does.
    let findings = scan(&scanner, &inside.url_as("turns.example.com", "/"), 3).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/next"]);
    assert_eq!(secret.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_inside_that_leads_to_a_stranger_shows_nothing_of_him_to_what_was_opened() {
    let internet = Internet::start().await;
    let secret = Site::start(|_| Reply::Html(page("Secret", "secret"))).await;
    let stranger = hostile(&[secret.url("/admin"), secret.url_as("wiki.example.com", "/admin")]).await;
    let away = stranger.url_as("stranger.example.com", "/");
    let leads = [
        format!("<meta http-equiv=refresh content='0; url={away}'>"),
        format!("<script>addEventListener('load', () => {{ location = '{away}' }})</script>"),
    ];
    let scanner = scanner_opening(&["127.0.0.0/8"], &internet);
    for lead in leads {
        let html = page("Inside", &lead);
        let wiki = Site::start(move |_| Reply::Html(html.clone())).await;
        let failure = failure(&scanner, &wiki.url_as("wiki.example.com", "/")).await;
        assert_eq!(failure.code, FailureCode::RedirectedAway, "{lead}: {failure}");
    }
    scanner.close().await;
    // The document may be requested, as a file might be, but nothing that it refers to.
    assert_eq!((stranger.hits("/next"), secret.connections()), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_ports_that_were_opened_are_reached() {
    let internet = Internet::start().await;
    let closed = Site::start(|_| Reply::Html(page("Closed", "secret"))).await;
    let open = hostile(&[closed.url("/x"), closed.url_as("tools.example.com", "/x")]).await;
    let port = open.url("").rsplit(':').next().unwrap().to_owned();
    let scanner = scanner_opening(&[&format!("127.0.0.0/8:{port}")], &internet);
    let findings = scan(&scanner, &open.url_as("wiki.example.com", "/"), 3).await;
    let failure = failure(&scanner, &closed.url("/")).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/next"]);
    assert_eq!(failure.code, FailureCode::RefusedAddress);
    assert!(failure.message.contains("is not open in this network"), "{failure}");
    assert_eq!(closed.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_check_does_not_reveal_which_names_exist() {
    let internet = Internet::start().await;
    let inside = Site::start(|_| Reply::Html(page("Inside", "secret"))).await;
    let port = inside.url("").rsplit(':').next().unwrap().to_owned();
    let target = |name: &str| format!("http://{name}:{port}/");
    let [known, unknown, opened] =
        ["unopened.example.com", "unknown.example.com", "inside.shop.example.com"].map(target);
    let (to_known, to_opened, to_unknown) = (known.clone(), opened.clone(), target("unknown.shop.example.com"));
    let shop = Site::start(move |request| match request.path.as_str() {
        "/known" => Reply::Redirect(to_known.clone()),
        "/opened" => Reply::Redirect(to_opened.clone()),
        _ => Reply::Redirect(to_unknown.clone()),
    })
    .await;
    let scanner = scanner_opening(&["127.0.0.0/8"], &internet);
    // The names themselves come from the request.
    let reported = async |start: &str| {
        let Failure { code, message, .. } = failure(&scanner, start).await;
        (code, message.replace("unopened", "-").replace("unknown", "-").replace("inside", "-"))
    };
    assert_eq!(reported(&known).await, reported(&unknown).await);
    let [to_opened, to_unknown] = ["/opened", "/unknown"].map(|path| shop.url_as("shop.example.com", path));
    assert_eq!(reported(&to_opened).await, reported(&to_unknown).await);
    assert_eq!(reported(&shop.url_as("shop.example.com", "/known")).await.0, FailureCode::RedirectedAway);
    scanner.close().await;
    assert_eq!(inside.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_nobody_answers_for_hold_up_no_other_check() {
    let here = || Says::Addresses(vec!["127.0.0.1".parse().unwrap()]);
    let names = [("hostile.example.com", here()), ("honest.example.com", here()), ("slow.example.com", Says::Nothing)];
    let server = NameServer::start(names).await.unwrap();
    // Its pages keep asking for new names, and never finish loading: the check takes minutes.
    let links: String = (0..20).map(|number| format!("<a href=/{number}>{number}</a>, ")).collect();
    let hostile = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Hostile", &links)),
        "/hang" => Reply::Hang,
        _ => Reply::Html(page(
            "Names",
            "<img alt='' src=/hang><script>let n = 0; setInterval(() => { for (let i = 0; i < 50; i++)
             new WebSocket(`ws://n${n++}-${Math.random().toString(36).slice(2)}.slow.example.com/`) }, 50)</script>",
        )),
    })
    .await;
    let honest = Site::start(|_| Reply::Html(page("Honest", "ok"))).await;
    let resolver = Arc::new(DnsResolver::asking([server.address()]).unwrap());
    let config = config().with_resolver(resolver).with_tabs(8).with_page_timeout(Duration::from_secs(60));
    let scanner = Arc::new(ChromiumScanner::new(config).unwrap());
    scanner.versions().await.unwrap();
    let hanging = [0, 1].map(|_| {
        let (scanner, start) = (Arc::clone(&scanner), hostile.url_as("hostile.example.com", "/"));
        tokio::spawn(async move { try_scan(&scanner, &start, 20).await.map(drop) })
    });
    let slow = || {
        let names = server.asked().into_iter().filter(|name| name.ends_with(".slow.example.com"));
        names.collect::<HashSet<_>>().len()
    };
    // The first look-ups of both are over, and others have taken their places.
    while slow() < 32 && !hanging.iter().all(tokio::task::JoinHandle::is_finished) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    for _ in 0..3 {
        let findings = scan(&scanner, &honest.url_as("honest.example.com", "/"), 1).await;
        assert_eq!(pages(&findings), ["/"]);
    }
    let is_hanging = hanging.iter().any(|check| !check.is_finished());
    for check in &hanging {
        check.abort();
    }
    assert!(is_hanging, "they had to share with it");
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_hangs_is_left_after_ten_pages_in_a_row_with_the_pages_so_far() {
    let links: String = (0..40).map(|number| format!("<a href=/hang{number}>h{number}</a>, ")).collect();
    let home = page("Home", &format!("<img src=data:,> {links}"));
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(home.clone()),
        _ => Reply::Hang,
    })
    .await;
    let page_time = page_time(Duration::from_secs(4)).await;
    let scanner = ChromiumScanner::new(config().with_page_timeout(page_time)).unwrap();
    let findings = scan(&scanner, &site.url("/"), 50).await;
    scanner.close().await;
    assert!(findings.stopped_by_timeouts);
    assert_eq!(findings.pages.len(), 11);
    assert!(findings.pages[0].is_checked() && findings.items.len() == 1);
    for page in &findings.pages[1..] {
        assert_eq!(page.error.as_ref().unwrap().code, FailureCode::Timeout, "{}", page.url);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_with_a_few_hanging_pages_is_checked_whole() {
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/hang>h</a> <a href=/good>g</a>")),
        "/good" => Reply::Html(page("Good", "ok")),
        _ => Reply::Hang,
    })
    .await;
    let page_time = page_time(Duration::from_secs(4)).await;
    let patient = ChromiumScanner::new(config().with_page_timeout(page_time)).unwrap();
    let findings = scan(&patient, &site.url("/"), 50).await;
    patient.close().await;
    assert_eq!(pages(&findings), ["/", "/hang timeout", "/good"]);
    assert!(!findings.stopped_by_timeouts);
    let scanner = scanner();
    let whole = scan(&scanner, &site.url("/good"), 5).await;
    scanner.close().await;
    assert!(!whole.stopped_by_timeouts);
}
