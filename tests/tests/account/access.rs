//! Who may use which route: gone through by the table of routes, so that a new one can't be forgotten.

use a11ycheck_account_web::{Access, Route, Verb, routes};
use a11ycheck_core::domain::Role;
use reqwest::{Method, StatusCode};

use crate::visitor::{Home, Visitor};

/// Returns the path of a route with ids of nothing, in this team.
fn path(route: &Route, team: &str) -> String {
    let path = route.path.replace("{team}", team);
    let segments = path.split('/').map(|segment| match segment {
        "{name}" => "nothing".to_owned(),
        segment if segment.starts_with('{') => "x_00000000000000000000000000".to_owned(),
        segment => segment.to_owned(),
    });
    format!("/app{}", segments.collect::<Vec<_>>().join("/"))
}

async fn used(visitor: &Visitor, route: &Route, team: &str, site: Option<&str>) -> crate::visitor::Answer {
    let method = if route.verb == Verb::Get { Method::GET } else { Method::POST };
    let headers: Vec<_> = site.map(|site| ("sec-fetch-site", site)).into_iter().collect();
    visitor.clone().send(method, &path(route, team), &[], &headers).await
}

#[tokio::test]
async fn nothing_is_changed_by_a_request_that_another_site_makes() {
    let home = Home::new([]).await;
    let owner = home.member("owner@example.org", Role::Owner).await;
    let team = home.app.team.id().to_string();
    // What a program for mail does has a secret in its address: mail.rs.
    assert_eq!(routes().iter().filter(|route| route.is_one_click()).count(), 1);
    for route in routes().iter().filter(|route| route.verb == Verb::Post && !route.is_one_click()) {
        for site in [None, Some("cross-site"), Some("same-site"), Some("none")] {
            let answer = used(&owner, route, &team, site).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{} from {site:?}", route.path);
            assert!(!answer.headers.contains_key("set-cookie"), "{}", route.path);
        }
    }
}

#[tokio::test]
async fn who_is_not_signed_in_is_led_to_the_sign_in_and_learns_nothing() {
    let home = Home::new([]).await;
    let mut stolen = home.visitor();
    stolen.cookies.insert("a11ycheck-session".to_owned(), "x".repeat(43));
    for visitor in [home.visitor(), stolen] {
        for route in routes().iter().filter(|route| route.access != Access::Anyone) {
            for team in [home.app.team.id().to_string(), "team_x".to_owned()] {
                let answer = used(&visitor, route, &team, Some("same-origin")).await;
                assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", route.path);
                assert!(answer.location().starts_with("/app/sign-in"), "{}: {}", route.path, answer.location());
            }
        }
    }
}

#[tokio::test]
async fn a_team_of_others_is_like_one_that_does_not_exist() {
    let home = Home::new([]).await;
    let member = home.member("owner@example.org", Role::Owner).await;
    let other = home.app.team("Red Team", "pro").await.id().to_string();
    let of_teams = routes().iter().filter(|route| !matches!(route.access, Access::Anyone | Access::SignedIn));
    for route in of_teams {
        let of_others = used(&member, route, &other, Some("same-origin")).await;
        let of_nobody = used(&member, route, "team_00000000000000000000000000", Some("same-origin")).await;
        assert_eq!(of_others.status, StatusCode::NOT_FOUND, "{}", route.path);
        let blank = |answer: &crate::visitor::Answer, team: &str| answer.text.replace(team, "");
        let nobody = blank(&of_nobody, "team_00000000000000000000000000");
        assert_eq!(blank(&of_others, &other), nobody, "{}", route.path);
    }
}

#[tokio::test]
async fn each_role_may_use_what_the_table_says_and_nothing_else() {
    let home = Home::new([]).await;
    home.member("first@example.org", Role::Owner).await;
    let team = home.app.team.id().to_string();
    for (email, role) in
        [("v@example.org", Role::Viewer), ("m@example.org", Role::Member), ("o@example.org", Role::Owner)]
    {
        let visitor = home.member(email, role).await;
        for route in routes() {
            let may = match route.access {
                Access::Anyone | Access::SignedIn | Access::Viewer => continue,
                Access::Member => role.writes(),
                Access::Owner => role.manages(),
                Access::Operator => {
                    let answer = used(&visitor, route, &team, Some("same-origin")).await;
                    assert_eq!(answer.status, StatusCode::NOT_FOUND, "{email}: {}", route.path);
                    continue;
                }
            };
            let answer = used(&visitor, route, &team, Some("same-origin")).await;
            assert_eq!(answer.status != StatusCode::FORBIDDEN, may, "{email}: {} {}", route.path, answer.status);
            assert!(!answer.status.is_server_error(), "{email}: {} {}", route.path, answer.status);
        }
    }
}

#[tokio::test]
async fn every_page_forbids_what_it_does_not_need() {
    let home = Home::new([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    for path in [home.page("/sites"), "/app/sign-in".to_owned(), "/app/nowhere".to_owned(), home.page("/tokens")] {
        let answer = owner.get(&path).await;
        let header = |name: &str| answer.headers.get(name).map_or("", |value| value.to_str().unwrap());
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"), "{policy}");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("referrer-policy"), "same-origin");
        if answer.status == StatusCode::OK {
            assert_eq!(header("cache-control"), "no-store", "{path}");
        }
        assert!(!answer.text.contains("style=") && !answer.text.contains("onclick"), "{path}");
    }
}

#[tokio::test]
async fn a_token_shows_who_made_it_and_the_day_of_its_last_use_and_works_on_when_its_maker_leaves() {
    let home = Home::new([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let mut other = home.member("other@example.org", Role::Owner).await;
    let made = other.post(&home.page("/tokens"), &[("name", "Build server"), ("ability", "read")]).await.text;
    let secret = &made[made.find("a11y_").unwrap()..][..45];
    let row = |page: String| page.split_once("Build server").unwrap().1.split_once("</tr>").unwrap().0.to_owned();
    let unused = row(owner.get(&home.page("/tokens")).await.text);
    assert!(unused.contains("other@example.org") && unused.contains("Not used yet"), "{unused}");
    home.app.clock.advance(chrono::TimeDelta::days(2));
    let ask = async || home.app.client_with(Some(secret)).get("/account").await.status;
    assert_eq!(ask().await, 200);
    let page = owner.get(&home.page("/members")).await.text;
    let of_other = page.split("<tr>").find(|row| row.contains("other@example.org")).unwrap();
    let person = of_other.split("/members/").find(|rest| rest.starts_with("pers_")).unwrap();
    owner.post(&home.page(&format!("/members/{}/remove", person.split('/').next().unwrap())), &[]).await;
    assert_eq!(ask().await, 200, "it belongs to the team");
    let used = row(owner.get(&home.page("/tokens")).await.text);
    assert!(used.contains(&home.app.service.now().format("%Y-%m-%d").to_string()), "{used}");
    assert!(!owner.get(&home.page("/tokens")).await.text.contains(secret));
}

#[tokio::test]
async fn what_an_owner_changes_is_in_the_audit_log() {
    let home = Home::new([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    owner.post(&home.page("/add-site"), &[("url", "shop.example.com")]).await;
    owner.post(&home.page("/tokens"), &[("name", "Build server"), ("ability", "read")]).await;
    owner.post(&home.page("/endpoints"), &[("url", "https://hooks.example.com/"), ("event", "issues.new")]).await;
    owner.post(&home.page("/brand"), &[("name", "Agency"), ("colour", "")]).await;
    let log = owner.get(&home.page("/audit")).await.text;
    for (what, subject) in [
        ("Site added", "https://shop.example.com/"),
        ("Token created", "Build server"),
        ("Endpoint added", "https://hooks.example.com/"),
        ("Brand changed", ""),
        ("Joined the team", "owner@example.org"),
    ] {
        assert!(log.contains(&format!("<td>{what}</td><td>{subject}")), "{what}: {log}");
    }
    assert_eq!(log.matches("owner@example.org</th>").count(), 4, "and who did it");
}
