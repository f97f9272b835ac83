//! Applications whose views are distinguished by the fragment of their address.

use a11ycheck_core::domain::FailureCode;

use crate::support::{Reply, Site, failure, items, page, pages, scan, scanner};

/// Returns an application with one document. `views` is a JavaScript object with the content of each view, by its path.
fn app(views: &str) -> String {
    let script = format!(
        "<script>
         const views = {views};
         const home = document.querySelector('main').innerHTML;
         const show = () => {{
           const [, path] = /^#!?\\/([^?#]*)/.exec(location.hash) ?? [];
           document.title = path ? 'View ' + path : 'Home';
           document.querySelector('main').innerHTML = views[path] ?? home;
         }};
         addEventListener('hashchange', show);
         show();
         </script>"
    );
    page("Home", "<a href='#/about'>About</a>, <a href='#/contact'>Contact</a>, <a href='#main'>Skip</a>") + &script
}

const VIEWS: &str = "{
    about: '<h1>About</h1><img src=data:,> <a href=\"#/team\">Team</a> <a href=\"#/\">Home</a>',
    contact: '<h1>Contact</h1><button></button> <a href=\"#/team?tab=1#people\">Team</a> <a href=\"#/about/\">About</a>',
    team: '<h1>Team</h1><input> <a href=\"/page\">A page</a>',
}";

#[tokio::test(flavor = "multi_thread")]
async fn every_view_of_a_hash_routed_application_is_checked_like_a_page() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(app(VIEWS)),
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/#/about", "/#/contact", "/#/team", "/#/team?tab=1", "/page"]);
    assert_eq!(items(&findings), ["image-alt img", "button-name button", "label input", "label input"]);
    let titles: Vec<&str> = findings.pages.iter().map(|page| page.title.as_str()).collect();
    assert_eq!(titles, ["Home", "View about", "View contact", "View team", "View team", "/page"]);
    assert_eq!(site.hits("/"), 5, "each view comes with a document of its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn views_with_an_exclamation_mark_are_views_too_and_one_that_leads_on_is_the_one_it_leads_to() {
    let site = Site::start(|request| match request.path.as_str() {
        "/app/" => Reply::Html(
            page("App", "<a href='#!/old'>o</a> <a href='#!/new'>n</a> <a href='#!'>x</a> <a href='#!top'>t</a>")
                // The routers of frameworks do this.
                + "<script>if (!location.hash) location.replace('#!/'); if (location.hash === '#!/old') location.replace('#!/new')</script>",
        ),
        path => Reply::Status(404, page(path, "")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/app/"), 20).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/app/", "/app/#!/new"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_application_that_shows_its_login_view_is_not_taken_for_the_site() {
    let site = Site::start(|_| {
        let login = "<label>Password <input type=password></label> <script>location.replace('#/login')</script>";
        Reply::Html(page("App", &format!("<p>{}</p>{login}", "Words of a site that can be seen. ".repeat(40))))
    })
    .await;
    let scanner = scanner();
    let failure = failure(&scanner, &site.url("/")).await;
    scanner.close().await;
    assert_eq!(failure.code, FailureCode::LoginRequired, "{failure}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_found_in_a_view_does_not_depend_on_the_view_before() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => {
            let links: String = (1..=8).map(|view| format!("<a href='#/v/{view}'>{view}</a>, ")).collect();
            // Each view that the same document shows leaves an element behind.
            let script = "<script>
                const visit = () => document.body.append(Object.assign(document.createElement('img'), {id: 'i' + document.images.length}));
                addEventListener('hashchange', visit);
                visit();
                </script>";
            Reply::Html(page("App", &links) + script)
        }
        path => Reply::Status(404, page(path, "")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    assert_eq!(findings.pages_checked(), 9);
    assert_eq!(items(&findings).iter().filter(|item| item.starts_with("image-alt")).count(), 9);
    assert!(items(&findings).iter().all(|item| item.ends_with("#i0")), "{:?}", items(&findings));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_views_leaves_room_for_the_others() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => {
            let products: String = (0..300).map(|id| format!("<a href='#/product/{id}'>p</a>, ")).collect();
            let others = "<a href='#/about'>a</a> <a href='#/contact'>c</a> <a href='/imprint'>i</a>";
            Reply::Html(page("Shop", &(products + others)))
        }
        path => Reply::Html(page(path, "ok")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 6).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/#/product/0", "/#/about", "/#/contact", "/imprint", "/#/product/1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn history_routing_is_checked_as_it_was() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" | "/about" | "/team" => Reply::Html(
            "<!DOCTYPE html><html lang=en><head><title>App</title></head><body><main id=main></main><script>
             const views = {'/': '<h1>Home</h1><a href=/about>a</a>', '/about': '<h1>About</h1><img src=data:,><a href=/team>t</a>',
               '/team': '<h1>Team</h1><button></button><a href=/about#top>a</a>'};
             main.innerHTML = views[location.pathname];
             </script></body></html>"
                .to_owned(),
        ),
        path => Reply::Status(404, page(path, "")),
    })
    .await;
    let scanner = scanner();
    let findings = scan(&scanner, &site.url("/"), 20).await;
    scanner.close().await;
    assert_eq!(pages(&findings), ["/", "/about", "/team"]);
    assert_eq!(items(&findings), ["image-alt img", "button-name button"]);
}
