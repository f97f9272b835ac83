//! Secure sites: those that browsers open are checked, and for those that they reject the reason is reported.

use std::{collections::BTreeMap, time::Duration};

use a11ycheck_core::domain::{Failure, FailureCause, FailureCode};
use a11ycheck_scanner_chromium::{AuthoritiesError, ChromiumError, ChromiumScanner};

use crate::support::{
    Reply, Site, browser_after, config, failure, page, pages,
    pki::{Authority, Valid, self_signed},
    scan,
    secure::{Answers, Http2Site, SecureSite, Suites, answer},
    trouble,
};

/// Creates a scanner that trusts this authority besides the usual ones.
fn trusting(authority: &Authority) -> ChromiumScanner {
    ChromiumScanner::new(config().with_ca_certificates([authority.der()])).unwrap()
}

/// Returns a site with a page that robots.txt closes, and one that only its sitemap names.
fn describing_itself() -> Answers {
    let sitemap = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>/listed</loc></url></urlset>";
    let html = |body| answer("text/html", page("Page", body));
    BTreeMap::from([
        ("/robots.txt", answer("text/plain", "User-agent: a11ycheck\nDisallow: /closed\nSitemap: /map.xml\n")),
        ("/map.xml", answer("application/xml", sitemap)),
        ("/", html("<a href=/closed>c</a>")),
        ("/closed", html("no")),
        ("/listed", html("yes")),
    ])
}

async fn is_checked_whole(scanner: &ChromiumScanner, url: &str, what: &str) {
    assert_eq!(pages(&scan(scanner, url, 5).await), ["/", "/listed"], "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_and_sitemap_of_a_site_with_old_suites_are_read() {
    let authority = Authority::new("Own");
    let identity = authority.identity("a.test", Valid::Now);
    let scanner = trusting(&authority);
    for suites in [
        Suites::Usual,
        Suites::Only("ECDHE-RSA-AES128-SHA"),
        Suites::Only("AES128-GCM-SHA256"),
        Suites::Only("AES256-SHA"),
    ] {
        let site = SecureSite::start(&identity, suites, &describing_itself()).await;
        is_checked_whole(&scanner, &site.url_as("a.test", "/"), &format!("{suites:?}")).await;
        let requests = site.requests();
        let agent_of = |path: &str| requests.iter().find(|(asked, _)| asked == path).map(|(_, agent)| agent.as_str());
        for path in ["/robots.txt", "/map.xml"] {
            assert!(agent_of(path).unwrap().contains(" (compatible; a11ycheck/"), "{suites:?}: {requests:?}");
        }
        assert_eq!(agent_of("/closed"), None, "{suites:?}");
    }
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_a_site_forgot_to_send_is_found_and_its_robots_txt_read() {
    let authority = Authority::new("Own");
    let intermediate = authority.intermediate("Own, in between");
    let certificate = intermediate.der();
    let library = Site::start(move |_| Reply::File("application/pkix-cert", certificate.clone())).await;
    let identity = intermediate.identity_with_address("a.test", &library.url("/between.der"));
    let site = SecureSite::start(&identity, Suites::Usual, &describing_itself()).await;
    let scanner = trusting(&authority);
    is_checked_whole(&scanner, &site.url_as("a.test", "/"), "no intermediate").await;
    scanner.close().await;
    assert!(library.hits("/between.der") > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_and_sitemap_of_a_site_with_http_2_alone_are_read() {
    let authority = Authority::new("Own");
    let site = Http2Site::start(&authority.identity("a.test", Valid::Now), describing_itself()).await;
    let scanner = trusting(&authority);
    is_checked_whole(&scanner, &site.url_as("a.test", "/"), "HTTP/2").await;
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_browser_asks_for_has_the_bounds_of_all_other_requests() {
    let authority = Authority::new("Own");
    let identity = authority.identity("a.test", Valid::Now);
    let scanner = trusting(&authority);
    let away = Site::describing_itself(|_| Reply::File("text/plain", b"User-agent: *\nDisallow: /\n".to_vec())).await;
    let old = Suites::Only("AES256-SHA");

    // A redirect within the site is followed, here to rules that close the start page.
    let mut answers = describing_itself();
    answers.insert("/robots.txt", (301, BTreeMap::from([("Location", "/moved.txt".to_owned())]), String::new()));
    answers.insert("/moved.txt", answer("text/plain", "User-agent: *\nDisallow: /\n"));
    let site = SecureSite::start(&identity, old, &answers).await;
    let closed = failure(&scanner, &site.url_as("a.test", "/")).await;
    assert_eq!(closed.code, FailureCode::BlockedByRobots, "{closed}");

    // A redirect off the site is not followed, and counts as no file.
    let mut answers = describing_itself();
    answers
        .insert("/robots.txt", (302, BTreeMap::from([("Location", away.url_as("b.test", "/r.txt"))]), String::new()));
    let site = SecureSite::start(&identity, old, &answers).await;
    assert_eq!(pages(&scan(&scanner, &site.url_as("a.test", "/"), 2).await), ["/", "/closed"]);
    assert_eq!(away.connections(), 0);

    // A failing server is reported as such, and its `Retry-After` is kept.
    let mut answers = describing_itself();
    answers.insert("/robots.txt", (503, BTreeMap::from([("Retry-After", "1".to_owned())]), "Later".to_owned()));
    let site = SecureSite::start(&identity, old, &answers).await;
    let (busy, retry_after) = trouble(&scanner, &site.url_as("a.test", "/")).await;
    assert_eq!((busy.code, retry_after), (FailureCode::BlockedByRobots, Some(Duration::from_secs(1))), "{busy}");

    // What comes after half a megabyte is not read.
    let mut answers = describing_itself();
    let long = format!("User-agent: *\nAllow: /\n{}\nDisallow: /c\n", "# nothing\n".repeat(100_000));
    answers.insert("/robots.txt", answer("text/plain", long));
    let site = SecureSite::start(&identity, old, &answers).await;
    assert_eq!(pages(&scan(&scanner, &site.url_as("a.test", "/"), 2).await), ["/", "/closed"]);
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_secure_site_is_reported_in_words() {
    let (authority, stranger) = (Authority::new("Own"), Authority::new("Stranger"));
    let scanner = trusting(&authority);
    let of = |valid| authority.identity("a.test", valid);
    for (identity, suites, cause) in [
        (of(Valid::Past), Suites::Usual, FailureCause::CertificateExpired),
        (of(Valid::Future), Suites::Usual, FailureCause::CertificateNotYetValid),
        // Our own client can't find out which.
        (of(Valid::Past), Suites::Only("AES256-SHA"), FailureCause::CertificateNotValidNow),
        (authority.identity("b.test", Valid::Now), Suites::Usual, FailureCause::CertificateOtherName),
        (self_signed("a.test"), Suites::Usual, FailureCause::CertificateUnknownAuthority),
        (stranger.identity("a.test", Valid::Now), Suites::Usual, FailureCause::CertificateUnknownAuthority),
        (of(Valid::Now), Suites::Old, FailureCause::TlsTooOld),
    ] {
        let site = SecureSite::start(&identity, suites, &describing_itself()).await;
        let reported = failure(&scanner, &site.url_as("a.test", "/")).await;
        assert_eq!(
            (reported.code, reported.cause(), reported.redirected_to()),
            (FailureCode::Tls, Some(cause), None),
            "{reported}"
        );
        assert_eq!(site.requests(), [], "nobody asks a site that does not prove who it is");
    }
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_to_a_site_with_a_bad_certificate_names_that_site() {
    let authority = Authority::new("Own");
    let expired =
        SecureSite::start(&authority.identity("www.a.test", Valid::Past), Suites::Usual, &describing_itself()).await;
    let target = expired.url_as("www.a.test", "");
    let to = target.clone();
    let site = Site::start(move |_| Reply::Redirect(format!("{to}/"))).await;
    let scanner = trusting(&authority);
    let reported: Failure = failure(&scanner, &site.url_as("a.test", "/")).await;
    scanner.close().await;
    assert_eq!(
        (reported.code, reported.cause()),
        (FailureCode::Tls, Some(FailureCause::CertificateExpired)),
        "{reported}"
    );
    assert_eq!(reported.redirected_to(), Some(target.as_str()), "{reported}");
    assert!(reported.message.contains(&target), "{reported}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_robots_txt_that_broke_off_is_the_connections_fault_and_not_the_sites_wish() {
    let site = Site::describing_itself(|request| match request.path.as_str() {
        "/robots.txt" => Reply::Close,
        _ => Reply::Html(page("Home", "ok")),
    })
    .await;
    let scanner = ChromiumScanner::new(config()).unwrap();
    let reported = failure(&scanner, &site.url("/")).await;
    scanner.close().await;
    assert_eq!(reported.code, FailureCode::Unreachable, "{reported}");
    assert!(reported.message.contains("robots.txt"), "{reported}");
    assert_eq!(site.hits("/"), 1, "the page itself came");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_vouches_for_itself_can_be_trusted_by_its_certificate() {
    let identity = self_signed("a.test");
    let site = SecureSite::start(&identity, Suites::Usual, &describing_itself()).await;
    let scanner = ChromiumScanner::new(config().with_ca_certificates([identity.certificate.clone()])).unwrap();
    is_checked_whole(&scanner, &site.url_as("a.test", "/"), "self-signed").await;
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_does_not_take_the_authorities_is_not_used() {
    // The script stands for a Chromium that looks for them elsewhere.
    let (_folder, program) = browser_after("export HOME=/nonexistent");
    let config = config().with_browser(program).with_ca_certificates([Authority::new("Own").der()]);
    let scanner = ChromiumScanner::new(config).unwrap();
    let error = scanner.versions().await.unwrap_err();
    scanner.close().await;
    assert!(matches!(error, ChromiumError::Authorities(AuthoritiesError::NotTaken(_))), "{error:?}");
}
