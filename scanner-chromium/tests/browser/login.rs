//! A login page in place of the site, and pages that only look like one.

use a11ycheck_core::domain::FailureCode;

use crate::support::{Reply, Site, failure, page, pages, scan, scanner};

/// A page with only a login form; its links lead back to it, or belong to the login.
const WALL: &str = include_str!("../pages/login_wall.html");
/// The same, with an imprint that everybody may read.
const PORTAL: &str = include_str!("../pages/login_with_imprint.html");
const SHOP: &str = include_str!("../pages/shop_with_sign_in_box.html");

/// Starts an application that shows nothing without a login.
async fn wall() -> Site {
    Site::start(|request| match request.path.as_str() {
        "/" | "/login" => Reply::Html(WALL.to_owned()),
        "/forgot-password" | "/sign-up" => {
            Reply::Html(page("Help", "<p><label>E-mail <input type=email></label></p> We send you a letter."))
        }
        _ => Reply::Redirect("/".to_owned()),
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_page_that_is_nothing_but_a_login_form_is_not_passed_off_as_the_site() {
    let site = wall().await;
    let scanner = scanner();
    for start in [site.url("/"), site.url_as("a.test", "/dashboard")] {
        let failure = failure(&scanner, &start).await;
        assert_eq!(failure.code, FailureCode::LoginRequired, "{start}: {failure}");
    }
    scanner.close().await;
    assert!(site.hits("/reports") > 0, "it was tried whether its links open without a login");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_page_that_the_owner_named_is_checked() {
    let site = wall().await;
    let scanner = scanner();
    for (start, first) in [(site.url("/login"), "/login"), (site.url_as("login.a.test", "/"), "/")] {
        let findings = scan(&scanner, &start, 1).await;
        assert_eq!(pages(&findings), [first], "{start}");
    }
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shop_with_a_sign_in_box_in_its_header_is_checked() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(SHOP.to_owned()),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 3).await;
    scanner.close().await;
    assert_eq!(pages(&findings)[..2], ["/", "/lamps"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_form_beside_a_page_that_opens_without_it_is_checked_with_that_page() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(PORTAL.to_owned()),
        path => Reply::Html(page(path, "Stadtwerke Musterstadt, Am Markt 1")),
    })
    .await;
    let scanner = scanner();
    let whole = scan(&scanner, &site.url("/"), 3).await;
    let first = scan(&scanner, &site.url("/"), 1).await;
    scanner.close().await;
    assert_eq!(pages(&whole)[..2], ["/", "/impressum"]);
    assert_eq!(pages(&first), ["/"], "however many pages the plan includes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_field_that_is_alone_in_a_web_component_does_not_cost_its_page() {
    let body = "<p>A shop that sells lamps.</p><div id=box></div>
        <script>box.attachShadow({ mode: 'open' }).innerHTML = '<input type=password aria-label=Password>'</script>";
    let html = page("Lamps", body);
    let site = Site::start(move |_| Reply::Html(html.clone())).await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/login"), 1).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/login"]);
}
