//! The statements of a site about itself, and the choice of pages from all that is known.

use std::{collections::BTreeMap, io::Write as _, time::Duration};

use a11ycheck_core::domain::FailureCode;
use a11ycheck_scanner_chromium::{ChromiumScanner, RobotsPolicy};
use flate2::{Compression, write::GzEncoder};

use crate::support::{Reply, Request, Site, config, failure, page, pages, scan, scanner, trouble};

fn text(body: impl Into<Vec<u8>>) -> Reply {
    Reply::File("text/plain", body.into())
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Returns a sitemap of the requested site, or an index (`sitemap`).
fn sitemap(request: &Request, entry: &str, paths: &[&str]) -> String {
    let host = request.header("host").unwrap();
    let entries: String =
        paths.iter().map(|path| format!("<{entry}><loc>http://{host}{path}</loc></{entry}>")).collect();
    format!("<?xml version='1.0' encoding='UTF-8'?><{entry}set>{entries}</{entry}set>")
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_only_sitemaps_name_are_found_through_indexes_and_compression() {
    let site = Site::describing_itself(|request| match request.path.as_str() {
        "/robots.txt" => {
            text(format!("User-agent: *\nSitemap: http://{}/maps/index.xml", request.header("host").unwrap()))
        }
        "/maps/index.xml" => {
            let files = ["/maps/pages.xml.gz", "/maps/missing.xml", "/maps/nested.xml", "/maps/index.xml"];
            Reply::File("application/xml", sitemap(request, "sitemap", &files).into())
        }
        "/maps/pages.xml.gz" => {
            Reply::File("application/gzip", gzip(&sitemap(request, "url", &["/hidden?a=1&amp;b=2"])))
        }
        "/maps/nested.xml" => Reply::File("application/xml", sitemap(request, "sitemap", &["/maps/last.xml"]).into()),
        "/maps/last.xml" => Reply::Redirect("/maps/moved.xml".to_owned()),
        "/maps/moved.xml" => {
            let list = sitemap(request, "url", &["/deep", "/file.pdf"]);
            let elsewhere = "<url><loc>http://b.test/</loc></url><url><loc>http://127.0.0.2/</loc></url></urlset>";
            Reply::File("application/xml", list.replace("</urlset>", elsewhere).into())
        }
        "/maps/missing.xml" | "/sitemap.xml" => Reply::Status(404, String::new()),
        path => Reply::Html(page(path, "no links")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/deep", "/hidden?a=1&b=2"]);
    assert_eq!(site.hits("/maps/index.xml"), 1, "a circle is not walked");
    assert_eq!(site.hits("/sitemap.xml"), 0, "the site said where its sitemap is");
    assert_eq!(site.hits("/file.pdf"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sitemap_in_the_usual_place_is_found_too() {
    let site = Site::describing_itself(|request| match request.path.as_str() {
        "/robots.txt" => Reply::Status(404, String::new()),
        "/sitemap.xml" => Reply::File("text/xml", sitemap(request, "url", &["/only-there", "/"]).into()),
        path => Reply::Html(page(path, "no links")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/only-there"]);
}

/// Starts a site whose robots.txt closes `/private` to all robots but one other.
async fn partly_closed() -> Site {
    Site::describing_itself(|request| match request.path.as_str() {
        "/robots.txt" => text("User-agent: friend\nAllow: /\n\nUser-agent: *\nDisallow: /private\nDisallow: /*?print"),
        "/sitemap.xml" => Reply::Status(404, String::new()),
        "/way-in" => Reply::Redirect("/private/redirected".to_owned()),
        "/" => Reply::Html(page(
            "Home",
            "<a href=/private/x>p</a> <a href='/open?print=1'>p</a> <a href=/way-in>w</a> <a href=/open>o</a>",
        )),
        path => Reply::Html(page(path, "ok")),
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_robots_txt_closes_are_left_out() {
    let site = partly_closed().await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    let failure = failure(&scanner, &site.url("/private/start")).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/open"]);
    assert_eq!(site.hits("/private/x"), 0);
    assert_eq!((failure.code, site.hits("/private/start")), (FailureCode::BlockedByRobots, 0));
    assert!(failure.message.contains("a11ycheck"), "{failure}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_can_check_what_robots_txt_closes() {
    let site = partly_closed().await;
    let scanner = ChromiumScanner::new(config().with_robots(RobotsPolicy::Ignore)).unwrap();
    let findings = scan(&scanner, &site.url("/private/start"), 1).await;
    let all = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/private/start"]);
    assert_eq!(pages(&all), ["/", "/private/x", "/private/redirected", "/open", "/open?print=1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_robots_txt_that_can_not_be_read_closes_the_site_and_a_missing_one_opens_it() {
    let answering = |robots: Reply| {
        Site::describing_itself(move |request| match request.path.as_str() {
            "/robots.txt" => robots.clone(),
            path => Reply::Html(page(path, "ok")),
        })
    };
    let scanner = scanner();
    let site = answering(Reply::Status(500, String::new())).await;
    let (failure, _) = trouble(&scanner, &site.url("/")).await;
    assert_eq!(failure.code, FailureCode::BlockedByRobots);
    assert!(failure.message.contains("500"), "{failure}");
    // Rules that a site is too busy to deliver are rules all the same.
    let site = answering(Reply::Whole(429, "Retry-After: 1\r\n".to_owned(), Vec::new())).await;
    let (failure, retry_after) = trouble(&scanner, &site.url("/")).await;
    assert_eq!((failure.code, retry_after), (FailureCode::BlockedByRobots, Some(Duration::from_secs(1))));
    assert!(failure.message.contains("429"), "{failure}");
    assert_eq!((site.hits("/robots.txt"), site.hits("/")), (2, 0));
    let away = Reply::Redirect("http://b.test/robots.txt".to_owned());
    let page_instead = Reply::Html(page("Not found", "Disallow: /"));
    for robots in [Reply::Status(403, String::new()), away, page_instead] {
        let site = answering(robots).await;
        scan(&scanner, &site.url("/"), 1).await;
    }
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_those_of_the_host_that_the_start_address_leads_to() {
    let site = Site::describing_itself(|request| {
        let host = request.header("host").unwrap();
        match request.path.as_str() {
            "/robots.txt" if host.starts_with("www.") => text("User-agent: a11ycheck\nDisallow: /closed"),
            "/" if !host.starts_with("www.") => Reply::Redirect(format!("http://www.{host}/")),
            "/" => Reply::Html(page("Home", "<a href=/closed>c</a> <a href=/open>o</a>")),
            "/open" => Reply::Html(page("Open", "ok")),
            _ => Reply::Status(404, String::new()),
        }
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url_as("a.test", "/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/open"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_budget_sees_every_kind_of_page_and_is_kept_exactly() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => {
            let mut links: Vec<String> = (0..30_u8).map(|id| format!("/products/{}", word(id))).collect();
            links.extend((0..3).map(|id| format!("/news/{}", word(id))));
            links.extend(["/about".to_owned(), "/contact".to_owned()]);
            let links: String = links.iter().map(|link| format!("<a href='{link}'>{link}</a>, ")).collect();
            Reply::Html(page("Home", &links))
        }
        path => Reply::Html(page(path, "<a href=/>Home</a> <button></button>")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    let again = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    let chosen = pages(&findings);
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    for path in &chosen {
        *kinds.entry(path[1..].split('/').next().unwrap()).or_default() += 1;
    }
    let expected = [("", 1), ("about", 1), ("contact", 1), ("news", 3), ("products", 4)];
    assert_eq!(kinds, BTreeMap::from(expected));
    assert_eq!(chosen[0], "/");
    assert_eq!(pages(&again), chosen, "the same site, the same pages");
    assert_eq!(site.requests().iter().filter(|request| !request.path.ends_with(".ico")).count(), 20);
}

/// Returns a word for a number, without digits.
fn word(number: u8) -> String {
    let letter = |value: u8| char::from(b'a' + value);
    format!("{}{}x", letter(number % 26), letter(number / 26))
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_of_a_page_cost_nothing_of_the_budget() {
    let shirt = |request: &Request| {
        let canonical = format!("<link rel=canonical href='http://{}/shirt'>", request.header("host").unwrap());
        page("Shirt", "ok").replace("</head>", &format!("{canonical}</head>"))
    };
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => {
            let links = [
                "/sale/shirt",
                "/shirt",
                "/SHIRT?color=red",
                "/shirt?color=red",
                "/shirt/?utm_source=mail&fbclid=1#reviews",
                "/last",
                "/last/",
                "/LAST?gclid=1",
                "/index.html",
            ];
            Reply::Html(page("Home", &links.map(|link| format!("<a href='{link}'>x</a>, ")).concat()))
        }
        "/last" => {
            // Most sites with a mistake here make this one.
            let home = "<link rel=canonical href='/'>";
            Reply::Html(page("Last", "ok").replace("</head>", &format!("{home}</head>")))
        }
        path if path.to_ascii_lowercase().contains("/shirt") => Reply::Html(shirt(request)),
        path => Reply::Status(404, page(path, "")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 4).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/sale/shirt", "/last", "/LAST http_status"]);
    assert_eq!(site.hits("/last"), 1);
}
