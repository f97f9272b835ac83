//! Pages that lead elsewhere, or only seem to: none of them vanishes.

use crate::support::{Reply, Request, Site, items, page, pages, scan, scanner};

/// Returns a page with a fault and a script.
fn with(script: &str) -> Reply {
    Reply::Html(page("Page", &format!("<img src=data:,><script>{script}</script>")))
}

async fn site_of(cases: Vec<(&'static str, Reply)>) -> Site {
    Site::start(move |Request { path, .. }| {
        if path == "/" {
            let links: String = cases.iter().map(|(path, _)| format!("<p><a href={path}>{path}</a>")).collect();
            return Reply::Html(page("Home", &links));
        }
        let case = cases.iter().find(|(known, _)| known == path);
        case.map_or_else(|| Reply::Status(404, String::new()), |(_, reply)| reply.clone())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_opens_an_app_or_a_letter_while_it_loads_is_checked() {
    let ready = |script: &str| with(&format!("addEventListener('DOMContentLoaded', () => {{ {script} }})"));
    let site = site_of(vec![
        ("/app", with("location = 'myapp://open/1'")),
        ("/app-when-ready", ready("location = 'myapp://open/1'")),
        ("/app-at-load", with("onload = () => location = 'myapp://open/1'")),
        ("/letter", with("location = 'mailto:jane@a.test'")),
        ("/letter-when-ready", ready("location.href = 'mailto:jane@a.test'")),
        ("/call", with("location.assign('tel:+1555')")),
        ("/anchor", with("const a = document.createElement('a'); a.href = 'myapp://x'; a.click()")),
        ("/intent", with("location = 'intent://x#Intent;scheme=myapp;end'")),
        ("/stop", with("stop()")),
    ])
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/app"), 1).await;
    assert_eq!((pages(&findings), items(&findings)), (vec!["/app".to_owned()], vec!["image-alt img".to_owned()]));
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    assert_eq!(
        pages(&findings),
        [
            "/",
            "/app",
            "/app-when-ready",
            "/app-at-load",
            "/letter",
            "/letter-when-ready",
            "/call",
            "/anchor",
            "/intent",
            "/stop"
        ]
    );
    assert_eq!(items(&findings).len(), 9, "{:?}", items(&findings));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_offers_a_download_is_checked_wherever_the_file_comes_from() {
    let head = "Content-Type: application/zip\r\nContent-Disposition: attachment; filename=x.zip\r\n".to_owned();
    let file = Reply::Whole(200, head, b"PK".to_vec());
    let given = file.clone();
    let elsewhere = Site::start(move |_| given.clone()).await;
    let away = elsewhere.url_as("b.test", "/file.zip");
    let click = |href: &str, attribute: &str| {
        format!(
            "const a = document.createElement('a'); a.href = '{href}'; a.text = 'x (ZIP)'; {attribute} document.querySelector('main').append(a); a.click()"
        )
    };
    let at_load = |script: String| with(&format!("addEventListener('load', () => {{ {script} }})"));
    let soon = |script: String| with(&format!("addEventListener('load', () => setTimeout(() => {{ {script} }}, 200))"));
    let site = site_of(vec![
        ("/own", with(&click("/file.zip", "a.download = '';"))),
        ("/own-at-load", at_load(click("/file.zip", "a.download = '';"))),
        ("/away", with(&click(&away, "a.download = '';"))),
        ("/away-at-load", at_load(click(&away, "a.download = '';"))),
        ("/away-soon", soon(click(&away, "a.download = '';"))),
        ("/away-plain", soon(click(&away, ""))),
        ("/away-location", with(&format!("location = '{away}'"))),
        (
            "/away-refresh",
            Reply::Html(page("R", "<img src=data:,>").replacen(
                "</head>",
                &format!("<meta http-equiv=refresh content='0;url={away}'></head>"),
                1,
            )),
        ),
        (
            "/away-frame",
            with(&format!(
                "document.body.insertAdjacentHTML('beforeend', '<iframe hidden title=t src=\"{away}\"></iframe>')"
            )),
        ),
        ("/blob", at_load(click("' + URL.createObjectURL(new Blob(['x'])) + '", "a.download = 'x';"))),
        ("/file.zip", file),
    ])
    .await;
    let scanner = scanner();
    let start = scan(&scanner, &site.url("/away"), 1).await;
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    assert_eq!(pages(&start), ["/away"]);
    assert_eq!(
        pages(&findings),
        [
            "/",
            "/own",
            "/own-at-load",
            "/away",
            "/away-at-load",
            "/away-soon",
            "/away-plain",
            "/away-location",
            "/away-refresh",
            "/away-frame",
            "/blob"
        ]
    );
    assert_eq!(items(&findings).len(), 10, "{:?}", items(&findings));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_was_there_and_led_away_is_listed_wherever_it_led() {
    let elsewhere = Site::start(|_| Reply::Html(page("Elsewhere", "ok"))).await;
    let away = elsewhere.url_as("b.test", "/");
    let soon = |to: &str, millis: u32| {
        with(&format!("addEventListener('load', () => setTimeout(() => location = '{to}', {millis}))"))
    };
    let site = site_of(vec![
        ("/at-once", with(&format!("location = '{away}'"))),
        ("/soon", soon(&away, 300)),
        (
            "/late",
            with(&format!("onload = () => fetch('/data').then(() => setTimeout(() => location = '{away}', 200))")),
        ),
        ("/text", soon("/notes.txt", 50)),
        ("/blank", soon("about:blank", 50)),
        ("/bye", with("location = '/logout'")),
        ("/logout", Reply::Html(page("Gone", "ok"))),
        ("/data", Reply::data_after(700)),
        ("/notes.txt", Reply::File("text/plain", b"notes".to_vec())),
        ("/last", Reply::Html(page("Last", "ok"))),
    ])
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    assert_eq!(
        pages(&findings),
        [
            "/",
            "/at-once redirected_away",
            "/soon redirected_away",
            "/late redirected_away",
            "/text redirected_away",
            "/blank redirected_away",
            "/bye redirected_away",
            "/last"
        ]
    );
}
