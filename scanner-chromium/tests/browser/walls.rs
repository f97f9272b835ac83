//! Pages in place of a site's own, and pages that only look like them.

use std::collections::BTreeMap;

use a11ycheck_core::domain::{Cover, CoverKind, FailureCause, FailureCode, Findings};

use crate::support::{Reply, Site, failure, page, pages, scan, scanner, trouble};

mod good;
mod kinds;

use self::{good::GOOD, kinds::WALLS};

const NOT_FOUND: &str = "<p>Sorry, the page that you are looking for could not be found.</p>";

/// Returns a home page that links to all of these paths.
fn home<'a>(paths: impl IntoIterator<Item = &'a str>) -> Reply {
    let links: String = paths.into_iter().map(|path| format!("<p><a href='{path}'>Go to {path}</a></p>")).collect();
    Reply::Html(page("Home", &format!("<p>Welcome to our shop. We sell lamps and chairs.</p>{links}")))
}

/// Returns the error of each page, or `None`, by path.
fn outcomes(findings: &Findings) -> BTreeMap<String, Option<FailureCode>> {
    let path = |url: &str| url::Url::parse(url).unwrap()[url::Position::BeforePath..].to_owned();
    findings.pages.iter().map(|page| (path(&page.url), page.error.as_ref().map(|error| error.code))).collect()
}

fn cover_of(findings: &Findings, path: &str) -> Option<Cover> {
    findings.pages.iter().find(|page| page.url.ends_with(path)).unwrap().cover
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_that_stands_in_place_of_the_site_is_reported_as_one() {
    let site = Site::start(|request| match kinds::reply(&request.path) {
        Some(reply) => reply,
        None if request.path == "/" => home(WALLS.iter().map(|wall| wall.path)),
        None => Reply::Status(404, page("Not found", NOT_FOUND)),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 40).await;
    scanner.close().await;
    let outcomes = outcomes(&findings);
    for wall in WALLS {
        assert_eq!(outcomes.get(wall.path), Some(&Some(wall.code)), "{}", wall.path);
    }
    assert_eq!(outcomes.len(), WALLS.len() + 1);
    assert!(findings.items.iter().all(|item| item.page == 0), "no fault of theirs counts as the site's");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_page_that_is_a_wall_fails_with_what_it_is() {
    let site = Site::start(|request| match kinds::reply(&request.path) {
        Some(reply) => reply,
        None => Reply::Status(404, page("Not found", NOT_FOUND)),
    })
    .await;
    let scanner = scanner();
    for wall in WALLS {
        let failure = match wall.code {
            FailureCode::Maintenance => trouble(&scanner, &site.url(wall.path)).await.0,
            _ => failure(&scanner, &site.url(wall.path)).await,
        };
        assert_eq!(failure.code, wall.code, "{}: {failure}", wall.path);
    }
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_check_with_an_error_status_is_named_and_keeps_its_status() {
    let site = Site::start(|_| {
        let headers = "Content-Type: text/html\r\ncf-mitigated: challenge\r\n".to_owned();
        Reply::Whole(403, headers, page("Just a moment...", "").into())
    })
    .await;
    let scanner = scanner();
    let failure = failure(&scanner, &site.url("/")).await;
    scanner.close().await;
    assert_eq!((failure.code, failure.cause()), (FailureCode::BotChallenge, Some(FailureCause::ChallengeOf)));
    assert_eq!((failure.facts().status, failure.facts().product.as_deref()), (Some(403), Some("Cloudflare")));
}

#[tokio::test(flavor = "multi_thread")]
async fn good_pages_are_checked_however_sparse_they_are_and_whatever_they_are_about() {
    assert!(GOOD.len() >= 40);
    let site = Site::start(|request| match GOOD.iter().find(|good| good.path == request.path) {
        Some(good) => good.reply(),
        None if request.path == "/" => home(GOOD.iter().map(|good| good.path)),
        None => Reply::Status(404, page("Not found", NOT_FOUND)),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 60).await;
    let outcomes = outcomes(&findings);
    for good in GOOD {
        assert_eq!(outcomes.get(good.path), Some(&None), "{}", good.path);
    }
    // The sparsest of them are somebody's start page, too.
    for path in ["/coming-soon", "/one-word", "/404-museum", "/cloudflare-article", "/status"] {
        assert_eq!(pages(&scan(&scanner, &site.url(path), 1).await), [path]);
    }
    scanner.close().await;
}

/// Returns the response of a site that reports success for every address.
fn soft_site(path: &str) -> Reply {
    const MENU: &str = "<ul><li><a href=/>Home</a></li><li><a href=/lamps>Lamps</a></li></ul>";
    match path {
        "/" => home(["/lamps", "/museum", "/search", "/old/a", "/404"]),
        "/lamps" => Reply::Html(page("Lamps", &format!("{MENU}<p>Twelve lamps</p>"))),
        "/museum" => Reply::Html(page("404 museum", &format!("{MENU}<p>Pages that were not found, framed.</p>"))),
        "/search" => Reply::Html(page("Search", &format!("{MENU}<p>Your words were not found in any product.</p>"))),
        "/app" => Reply::Html(page("App", &format!("{MENU}<p>An application</p>"))),
        _ => Reply::Html(page(
            "Page not found",
            &format!(
                "{MENU}<p>Sorry, {path} could not be found. Did you look for something else?</p><a href=deeper/>More</a>"
            ),
        )),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_page_that_is_answered_with_success_is_listed_as_missing_and_leads_nowhere() {
    let site = Site::start(|request| soft_site(&request.path)).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    let start = failure(&scanner, &site.url("/old/start")).await;
    scanner.close().await;
    assert_eq!(
        pages(&findings),
        ["/", "/lamps", "/museum", "/search", "/old/a soft_not_found", "/404 soft_not_found"],
        "and nothing of what they link to"
    );
    assert_eq!(start.code, FailureCode::SoftNotFound);
    let in_vain = site.requests().iter().filter(|request| request.path.contains("a11ycheck-no-such-page")).count();
    assert!(in_vain <= 6, "{in_vain} requests in vain: one or two for each folder and check");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_not_found_view_of_an_application_is_no_page_and_its_other_views_are() {
    let app = "<!DOCTYPE html><html lang=en><head><title>App</title></head><body><div id=root></div><script>
        const views = { '/': 'Welcome to the application', '/about': 'About us', '/empty': '' };
        const links = '<a href=/about>About</a> <a href=/empty>Empty</a> <a href=/gone>Gone</a>';
        const view = views[location.pathname] ?? 'Error 404: there is no such page, it was not found';
        root.innerHTML = `<main><h1>App</h1>${links}<p>${view}</p></main>`;
    </script></body></html>";
    let site = Site::start(move |_| Reply::Html(app.to_owned())).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 10).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/about", "/empty", "/gone soft_not_found"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_answers_everything_with_its_only_page_is_checked() {
    let only = page("404 Studio", "<p>We make pages for what was not found. Write to us!</p>");
    let site = Site::start(move |_| Reply::Html(only.clone())).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 5).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_maintenance_page_that_is_shown_at_every_address_is_known_by_that() {
    let wall = page("Wir führen Wartungsarbeiten durch", "<p>In Kürze sind wir wieder für Sie da.</p>");
    let site = Site::start(move |_| Reply::Html(wall.clone())).await;
    let scanner = scanner();
    let (failure, _) = trouble(&scanner, &site.url("/")).await;
    scanner.close().await;
    assert_eq!(failure.code, FailureCode::Maintenance, "{failure}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_browsers_refuse_is_said_and_not_tried_again() {
    let scanner = scanner();
    let failure = failure(&scanner, "http://127.0.0.1:25/").await;
    scanner.close().await;
    assert_eq!((failure.code, failure.facts().port), (FailureCode::RefusedAddress, Some(25)), "{failure}");
    assert!(!failure.code.is_worth_retrying());
}

/// Returns a page for each kind of cover, by path, and for what only seems to be one.
fn covered(path: &str) -> Option<String> {
    let text = "<p>Text of the page that visitors came for, in some length and breadth, with <a href=/>links</a>.</p>"
        .repeat(12);
    let over = "position:fixed;inset:0;background:rgba(0,0,0,.8);z-index:99";
    let body = match path {
        "/consent" => format!(
            "{text}<div id=cookie-wall style='{over}'><p style='color:#fff'>We use cookies.</p><button>Accept all</button></div>"
        ),
        "/modal" => format!(
            "{text}<dialog id=d><p>Subscribe to our letter?</p><button>No</button></dialog><script>d.showModal()</script>"
        ),
        "/overlay" => format!("{text}<div style='{over}'><img alt=Loading src=data:, width=9 height=9></div>"),
        "/inert" => format!(
            "<div inert>{text}</div><div role=dialog aria-label=Hello style='position:fixed;bottom:0;background:#fff'><p>Hi</p><button>Close</button></div>"
        ),
        "/shadow" => format!(
            "{text}<div id=usercentrics-root></div><script>
             const root = document.getElementById('usercentrics-root').attachShadow({{ mode: 'open' }});
             root.innerHTML = `<div style='{over}'><p>Privacy</p><button>Accept</button></div>`</script>"
        ),
        "/banner" => format!(
            "{text}<div id=cookie-banner style='position:fixed;bottom:0;left:0;right:0;background:#eee'><p>We use cookies.</p><button>Accept</button></div>"
        ),
        "/header" => format!(
            "<header style='position:fixed;top:0;left:0;right:0;height:80px;background:#eee'>Shop</header>{text}"
        ),
        "/shell" => format!("<div style='position:fixed;inset:100px 0 0;overflow:auto;background:#fff'>{text}</div>"),
        "/hero" => format!(
            "<div style='position:fixed;inset:100px 0 0;background:#ddd'><p>Welcome</p></div>
             <div style='position:relative;margin-top:100vh;background:#fff'>{text}</div>"
        ),
        "/closed" => format!("{text}<div style='{over};opacity:0;pointer-events:none'><p>Menu</p></div>"),
        _ => return None,
    };
    // The page reports every change to the site that is not its own.
    let watch = "<script>addEventListener('load', () => {
        const tell = (what) => navigator.sendBeacon(`/changed?${what.type ?? what[0].type}`);
        new MutationObserver(tell).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
        for (const event of ['click', 'focusin', 'scroll']) addEventListener(event, tell, true);
    })</script>";
    Some(page(path, &format!("{body}{watch}")))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_covers_most_of_a_page_is_said_and_changes_nothing_of_it() {
    let paths =
        ["/consent", "/modal", "/overlay", "/inert", "/shadow", "/banner", "/header", "/shell", "/hero", "/closed"];
    let site = Site::start(move |request| match covered(&request.path) {
        Some(html) => Reply::Html(html),
        None if request.path == "/" => home(paths),
        None => Reply::Status(404, String::new()),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    for (path, kind) in [
        ("/consent", CoverKind::Consent),
        ("/modal", CoverKind::Dialog),
        ("/overlay", CoverKind::Overlay),
        ("/inert", CoverKind::Dialog),
        ("/shadow", CoverKind::Consent),
    ] {
        let cover = cover_of(&findings, path).unwrap_or_else(|| panic!("{path} is covered"));
        assert_eq!(cover.kind, kind, "{path}");
        assert!(cover.percent >= 90, "{path}: {cover:?}");
    }
    for path in ["/banner", "/header", "/shell", "/hero", "/closed"] {
        assert_eq!(cover_of(&findings, path), None, "{path}");
    }
    assert!(findings.pages.iter().all(|page| page.is_checked()), "{:?}", pages(&findings));
    let noticed: Vec<String> =
        site.requests().into_iter().map(|request| request.path).filter(|path| path.starts_with("/changed")).collect();
    assert_eq!(noticed, [""; 0], "a page noticed that it was looked at");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_has_the_focus_from_its_first_script_on_and_is_told_of_no_change_of_it() {
    let paths = ["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8"];
    let site = Site::start(move |request| match request.path.as_str() {
        "/" => home(paths),
        path if paths.contains(&path) => Reply::Html(page(
            path,
            "<p>Lamps and chairs.</p><button id=buy>Buy</button><script>
                const tell = (what) => navigator.sendBeacon(`/told?${what}`);
                if (!document.hasFocus()) tell('unfocused');
                for (const name of ['focus', 'blur']) addEventListener(name, () => tell(name));
                let focused = 0;
                buy.onfocus = () => focused++;
                buy.focus();
                if (focused !== 1) tell('later');
            </script>",
        )),
        _ => Reply::Status(404, String::new()),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    assert!(findings.pages.iter().all(|page| page.is_checked()), "{:?}", pages(&findings));
    let told: Vec<String> =
        site.requests().into_iter().map(|request| request.path).filter(|path| path.starts_with("/told")).collect();
    assert_eq!(told, [""; 0]);
}
