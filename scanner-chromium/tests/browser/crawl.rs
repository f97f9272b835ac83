//! The choice of the pages that are visited.

use a11ycheck_core::domain::FailureCode;

use crate::support::{Reply, Site, failure, page, pages, scan, scanner};

#[tokio::test(flavor = "multi_thread")]
async fn pages_come_breadth_first_within_the_budget_whichever_answers_first() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/slow>a</a> <a href=/b>b</a> <a href=/c>c</a>")),
        // Its script keeps it from loading until the others are long done.
        "/slow" => Reply::Html(page("Slow", "<a href=/from-slow>x</a><script src=/wait.js></script>")),
        "/wait.js" => {
            std::thread::sleep(std::time::Duration::from_millis(700));
            Reply::File("text/javascript", Vec::new())
        }
        path => Reply::Html(page(path, "<a href=/from-others>x</a>")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 5).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/slow", "/b", "/c", "/from-slow"]);
    assert_eq!(site.hits("/from-others"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_page_is_checked_once_however_it_is_reached() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page(
            "Home",
            "<a href=/old>o</a> <a href=/new/>n</a> <a href='/new?utm_source=x'>n</a> <a href=#top>t</a> <a href=/>h</a>",
        )),
        "/old" => Reply::Redirect("/new".to_owned()),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/new"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_fails_costs_itself_and_files_and_other_sites_cost_nothing() {
    let elsewhere = Site::start(|_| Reply::Html(page("Elsewhere", "ok"))).await;
    let away = elsewhere.url_as("b.test", "/");
    let links = ["/500", "/away", "/file", "/doc.pdf", "/gone", "/closed", "/login", "/data", &away, "/last"];
    let links: String = links.iter().map(|link| format!("<a href='{link}'>x</a>, ")).collect();
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", &links)),
        "/500" => Reply::Status(500, page("Oops", "")),
        "/gone" => Reply::Status(410, String::new()),
        "/login" => Reply::Status(401, page("Who?", "")),
        "/away" => Reply::Redirect(away.clone()),
        "/file" => Reply::File("application/zip", vec![0; 100]),
        "/data" => Reply::File("application/json", b"{}".to_vec()),
        "/closed" => Reply::Close,
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    assert_eq!(
        pages(&findings),
        ["/", "/500 http_status", "/gone http_status", "/closed unreachable", "/login login_required", "/last"]
    );
    let message = |page: usize| findings.pages[page].error.clone().unwrap().message;
    assert!(message(1).contains("500"), "{}", message(1));
    assert!(message(2).contains("410"), "{}", message(2));
    assert_eq!(site.hits("/doc.pdf"), 0);
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_to_another_site_is_not_followed_with_a_single_request() {
    let elsewhere = Site::start(|_| Reply::Html(page("Elsewhere", "ok"))).await;
    let away = elsewhere.url_as("b.test", "/");
    let links =
        "<a href=/redirect>r</a> <a href=/twice>t</a> <a href=/home>h</a> <a href=/login>i</a> <a href=/last>l</a>";
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", links)),
        // Through another name of the owner's, and back.
        "/login" => Reply::Redirect(format!("http://login.{}/check", request.header("host").unwrap())),
        "/check" => Reply::Redirect(request.header("host").unwrap().replacen("login.", "http://", 1) + "/in"),
        "/redirect" => Reply::Redirect(away.clone()),
        "/twice" => Reply::Redirect("/redirect".to_owned()),
        "/home" => Reply::Redirect("/new-home".to_owned()),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url_as("a.test", "/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/new-home", "/in", "/last"]);
    assert_eq!((elsewhere.connections(), site.hits("/twice")), (0, 1), "once is enough to know");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_leads_to_another_site_is_listed_and_not_checked_and_neither_is_that() {
    let elsewhere = Site::start(|_| Reply::Html(page("Elsewhere", "ok"))).await;
    let away = elsewhere.url_as("b.test", "/");
    let links =
        "<a href=/refresh>r</a> <a href=/script>s</a> <a href=/form>f</a> <a href=/late>l</a> <a href=/framed>n</a>";
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", links)),
        "/refresh" => Reply::Html(format!("<meta http-equiv=refresh content='0;url={away}'>")),
        "/script" => Reply::Html(page("Script", &format!("<script>location = '{away}'</script>"))),
        "/form" => Reply::Html(page(
            "Form",
            &format!("<form action='{away}' method=post></form><script>document.forms[0].submit()</script>"),
        )),
        // The page has settled by then, but is not checked yet.
        "/late" => Reply::Html(page(
            "Late",
            &format!("<script>addEventListener('load', () => setTimeout(() => location = '{away}', 300))</script>"),
        )),
        // What a frame shows is part of the page.
        "/framed" => Reply::Html(page("Framed", &format!("<iframe title=f src='{away}'></iframe>"))),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    assert_eq!(
        pages(&findings),
        [
            "/",
            "/refresh redirected_away",
            "/script redirected_away",
            "/form redirected_away",
            "/late redirected_away",
            "/framed"
        ]
    );
    let message = findings.pages[1].error.clone().unwrap().message;
    assert!(message.contains("b.test"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_site_goes_on_where_the_start_address_leads_with_and_without_www() {
    let site = Site::start(|request| {
        let host = request.header("host").unwrap();
        match request.path.as_str() {
            "/" if !host.starts_with("www.") => Reply::Redirect(format!("http://www.{host}/")),
            "/" => Reply::Html(page("Home", &format!("<a href='http://{}/x'>x</a>", host.trim_start_matches("www.")))),
            _ => Reply::Html(page("X", "ok")),
        }
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url_as("a.test", "/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/x"]);
    assert!(findings.pages[0].url.starts_with("http://www.a.test:"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_leads_on_is_followed() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Hop", "<script>addEventListener('load', () => location.replace('/en'))</script>")),
        "/en" => Reply::Html("<meta http-equiv=refresh content='0;url=/home'>".to_owned()),
        "/file" => Reply::File("application/zip", vec![0; 100]),
        path => Reply::Html(page(path, "<script>setTimeout(() => location = '/file', 50)</script>")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/home"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_page_that_cannot_be_checked_says_why() {
    let elsewhere = Site::start(|_| Reply::Html(page("Elsewhere", "ok"))).await;
    let away = elsewhere.url_as("b.test", "/");
    let site = Site::start(move |request| match request.path.as_str() {
        "/missing" => Reply::Status(404, page("Nothing", "")),
        "/away" => Reply::Redirect(away.clone()),
        "/members" => Reply::Redirect("/wp-login.php?next=/members".to_owned()),
        "/wp-login.php?next=/members" => Reply::Html(page("Log in", "<label>p <input type=password></label>")),
        "/auth" => Reply::Status(401, page("Who?", "")),
        "/doc" => Reply::File("application/pdf", b"%PDF-1.4".to_vec()),
        "/text" => Reply::File("text/plain", b"hello".to_vec()),
        "/nothing" => Reply::Status(204, String::new()),
        "/circle" => Reply::Redirect("/circle".to_owned()),
        _ => Reply::Close,
    })
    .await;
    let tls = site.url("/").replacen("http:", "https:", 1);
    // This port is taken, so that nobody else gets it, but nobody listens there.
    let nobody = tokio::net::TcpSocket::new_v4().unwrap();
    nobody.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let nobody = |scheme: &str| format!("{scheme}://{}/", nobody.local_addr().unwrap());
    let cases = [
        (site.url("/missing"), FailureCode::HttpStatus, "404"),
        (site.url("/away"), FailureCode::RedirectedAway, "b.test"),
        (site.url("/members"), FailureCode::LoginRequired, "login page"),
        (site.url("/auth"), FailureCode::LoginRequired, "password"),
        (site.url("/doc"), FailureCode::NotHtml, "not to a web page"),
        (site.url("/text"), FailureCode::NotHtml, "not to a web page"),
        (site.url("/nothing"), FailureCode::NotHtml, "not to a web page"),
        (site.url("/circle"), FailureCode::HttpStatus, "loop"),
        (site.url("/closed"), FailureCode::Unreachable, "web server"),
        (tls, FailureCode::Tls, "secure connection"),
        (nobody("http"), FailureCode::Unreachable, "web server"),
        (nobody("https"), FailureCode::Unreachable, "web server"),
        // Browsers open no page there, whoever listens.
        ("http://127.0.0.1:9/".to_owned(), FailureCode::RefusedAddress, "port 9"),
        ("https://127.0.0.1:9/".to_owned(), FailureCode::RefusedAddress, "port 9"),
        ("http://unknown.test/".to_owned(), FailureCode::Dns, "no address"),
        ("https://unknown.test/".to_owned(), FailureCode::Dns, "no address"),
    ];
    let scanner = scanner();
    for (start, code, word) in cases {
        let failure = failure(&scanner, &start).await;
        assert_eq!(failure.code, code, "{start}: {failure}");
        assert!(failure.message.contains(word), "{start}: {failure}");
    }
    scanner.close().await;
    assert_eq!(elsewhere.connections(), 0, "another site is not asked");
}
