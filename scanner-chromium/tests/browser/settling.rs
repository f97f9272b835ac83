//! Pages that build themselves after they have loaded: the result is what is checked.

use std::time::Duration;

use a11ycheck_scanner_chromium::ChromiumScanner;

use crate::support::{
    Reply, Request, Site,
    building::{DONE, builds, data, found, links, number},
    config, items, page, scan, scanner,
};

/// Starts a site whose start page links to these pages, and which serves data.
async fn site_of(bodies: Vec<(&'static str, Reply)>) -> Site {
    Site::start(move |Request { path, .. }| {
        let known = bodies.iter().find(|(known, _)| known == path).map(|(_, reply)| reply.clone());
        match path.as_str() {
            "/" => links(bodies.iter().map(|(path, _)| path)),
            "/hang" => Reply::Hang,
            "/events" => Reply::Events,
            path => known.or_else(|| data(path)).unwrap_or(Reply::Status(404, String::new())),
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_a_page_shows_later_or_as_something_else_is_seen() {
    let at_load = "addEventListener('load', build)";
    let fetch = |url: &str| format!("await (await fetch('{url}')).text();");
    let later = |millis: u32| format!("{} setTimeout(() => {{ {DONE} }}, {millis})", fetch("/data/500"));
    let post = "const call = body => fetch('/data/300', { method: 'POST', body }).then(answer => answer.text());";
    let bodies = vec![
        ("/later", builds("build()", &later(300))),
        ("/later-at-load", builds(at_load, &later(300))),
        ("/later-on", builds("setTimeout(build, 300)", &later(300))),
        // No element of the document itself is added or removed.
        (
            "/shadow",
            builds(
                at_load,
                &format!(
                    "{} state.attachShadow({{ mode: 'open' }}).innerHTML = '<img src=data:,><button></button>'",
                    fetch("/data/700")
                ),
            ),
        ),
        (
            "/xhr",
            builds(
                at_load,
                &format!(
                    "const ask = new XMLHttpRequest(); ask.open('GET', '/data/900');
            ask.onload = () => {{ {DONE} }}; ask.send()"
                ),
            ),
        ),
        (
            "/module",
            builds(at_load, "await import('/script.js'); await import('/script2.js'); await import('/script3.js')"),
        ),
        ("/calls", builds(at_load, &format!("{post} await call('a'); await call('b'); await call('c'); {DONE}"))),
        ("/same", builds(at_load, &format!("{0}{0}{0}{DONE}", fetch("/data/700")))),
        ("/redirected", builds(at_load, &format!("{}{}{DONE}", fetch("/moved"), fetch("/moved?again")))),
        ("/script.js", Reply::Late(Duration::from_millis(800), Box::new(Reply::File("text/javascript", vec![])))),
        ("/script2.js", Reply::Late(Duration::from_millis(800), Box::new(Reply::File("text/javascript", vec![])))),
        ("/script3.js", Reply::Late(Duration::from_millis(800), Box::new(Reply::File("text/javascript", DONE.into())))),
        ("/moved", Reply::Redirect("/data/600".to_owned())),
        ("/moved?again", Reply::Redirect("/data/601".to_owned())),
    ];
    let site = site_of(bodies).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    for path in ["/later", "/later-at-load", "/later-on", "/xhr", "/module", "/calls", "/same", "/redirected"] {
        assert_eq!(found(&findings, path), ["button-name button", "image-alt img"], "{path}");
    }
    assert_eq!(found(&findings, "/shadow"), ["button-name #state button", "image-alt #state img"]);
    assert!(
        findings.pages.iter().all(|page| !page.still_changing && page.unanswered.is_empty()),
        "{:?}",
        findings.pages
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_still_changing_when_its_time_is_up_says_so_and_one_that_polls_or_streams_does_not() {
    let fault = "<img src=data:,>";
    let with = |script: &str| Reply::Html(page("Page", &format!("{fault}<p id=state>x</p><script>{script}</script>")));
    let bodies = vec![
        ("/ticker", with("setInterval(() => state.replaceChildren(new Date()), 20)")),
        (
            "/endless",
            with(
                "(async () => { for (let step = 0; ; step++) await (await fetch('/data/100?step=' + step)).text() })()",
            ),
        ),
        (
            "/quiet",
            with(
                "new EventSource('/events'); new WebSocket('ws://' + location.host + '/hang'); fetch('/events');
                 navigator.sendBeacon('/hang', 'x'); setInterval(() => fetch('/data/0'), 30);
                 setInterval(() => fetch('/data/10?_=' + Date.now()), 70);
                 setInterval(() => state.firstChild.data = new Date(), 20)",
            ),
        ),
        ("/still", with("")),
    ];
    let site = site_of(bodies).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    for (path, still_changing) in [("/ticker", true), ("/endless", true), ("/quiet", false), ("/still", false)] {
        let page = &findings.pages[number(&findings, path)];
        assert_eq!((page.still_changing, &page.unanswered), (still_changing, &Vec::new()), "{page:?}");
        assert_eq!(found(&findings, path), ["image-alt img"], "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_does_not_come_is_named_and_waited_for_once() {
    let asks = |title: &str| {
        let script = "addEventListener('load', () => fetch('/hang?token=secret&visitor=7'))";
        Reply::Html(page(title, &format!("<img src=data:,><script>{script}</script>")))
    };
    let pages: Vec<String> = (0..12).map(|number| format!("/page/{number}")).collect();
    let start = pages.clone();
    let site = Site::start(move |Request { path, .. }| match path.as_str() {
        "/" => links(&start),
        path if path.starts_with("/hang") => Reply::Hang,
        path => asks(path),
    })
    .await;
    // This is too little to wait for the response on all twelve pages, which is 6 s each, but ample for pages that wait
    // for nothing, even on a busy machine.
    let config = config().with_page_timeout(Duration::from_secs(60)).with_scan_timeout(Duration::from_secs(65));
    let scanner = ChromiumScanner::new(config.with_tabs(1)).unwrap();
    // The time of a scan includes the start of a browser.
    scanner.versions().await.unwrap();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    assert_eq!(findings.pages.len(), 13, "all of them within the time of the scan");
    for page in &findings.pages[1..] {
        assert_eq!((&page.error, page.still_changing), (&None, false), "{page:?}");
        assert_eq!(page.unanswered, [site.url("/hang")], "{page:?}");
    }
    assert_eq!(items(&findings).len(), 12);
}

/// axe-core has already run in the page by then, and what it found is complete.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_changes_nothing_changes_no_result() {
    let counts = "addEventListener('load', () => setTimeout(() => fetch('/data/400', { keepalive: true }), 200))";
    let site = site_of(vec![
        ("/counts", Reply::Html(page("Counts", &format!("<img src=data:,><script>{counts}</script>")))),
        ("/plain", Reply::Html(page("Plain", "<img src=data:,>"))),
    ])
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 5).await;
    scanner.close().await;
    assert_eq!(found(&findings, "/counts"), found(&findings, "/plain"));
    assert!(findings.pages.iter().all(|page| page.is_checked() && !page.still_changing), "{:?}", findings.pages);
}
