//! Adding, changing and deleting sites.

use a11ycheck_core::{
    domain::{Depth, Failure, FailureCode, Impact, PlanStatus, Role, SiteInput, Subscription},
    scanner::Script,
};
use chrono::TimeDelta;
use reqwest::StatusCode;

use crate::visitor::Home;

#[tokio::test]
async fn a_site_is_added_checked_changed_and_deleted_and_keeps_its_checks_until_then() {
    let script = Script::page("https://shop.example.com/");
    let home = Home::new([script]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let form = [("url", "shop.example.com"), ("name", "Shop"), ("tags", "a, b"), ("language", "de")];
    let added = owner.post(&home.page("/add-site"), &form).await;
    let path = added.location().strip_suffix("?done=site-added").unwrap().to_owned();
    home.app.run_checks().await;
    let page = owner.get(&path).await.text;
    assert!(page.contains("Shop") && page.contains("/checks/scan_") && page.contains("Deutsch"), "{page}");

    let edit = format!("{path}/edit");
    assert!(owner.get(&edit).await.text.contains("value=\"a, b\""), "the form has what is there");
    let form = [("url", "https://other.example.com"), ("name", "Store"), ("tags", "c"), ("language", "pl")];
    assert_eq!(owner.post(&edit, &form).await.location(), format!("{path}?done=site-changed"));
    let page = owner.get(&path).await.text;
    assert!(page.contains("Store") && page.contains("shop.example.com") && !page.contains("other.example.com"));
    assert!(page.contains("/checks/scan_"), "its checks are still there");

    let long = "x".repeat(121);
    let refused = owner.post(&edit, &[("name", long.as_str())]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text.contains("Use no more than 120 characters."));

    let deleted = owner.post(&format!("{path}/delete"), &[]).await;
    assert_eq!(deleted.location(), home.page("/sites?done=site-deleted"));
    assert_eq!(owner.get(&path).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_check_of_only_what_has_changed_has_a_button_of_its_own() {
    let script = || Script::page("https://shop.example.com/");
    let failing = Script::failing(Failure::new(FailureCode::NotHtml, "application/zip"));
    let home = Home::new([script(), script(), script(), script(), failing]).await;
    let mut member = home.member("member@example.org", Role::Member).await;
    let mut viewer = home.member("viewer@example.org", Role::Viewer).await;
    let added = member.post(&home.page("/add-site"), &[("url", "shop.example.com")]).await;
    let path = added.location().strip_suffix("?done=site-added").unwrap().to_owned();
    let site = path.rsplit('/').next().unwrap().parse().unwrap();
    let (check, button) = (format!("{path}/check"), "name=\"depth\" value=\"changed\"");
    assert!(!member.get(&path).await.text.contains(button), "there is nothing yet to take over");
    home.app.run_checks().await;
    assert!(member.get(&path).await.text.contains(button));
    assert!(!viewer.get(&path).await.text.contains(button));
    let cases: [(&[(&str, &str)], Depth); 3] =
        [(&[("depth", "changed")], Depth::Incremental), (&[], Depth::Full), (&[("depth", "other")], Depth::Full)];
    for (form, depth) in cases {
        home.app.clock.advance(TimeDelta::hours(2));
        let started = member.post(&check, form).await;
        assert!(started.location().ends_with("?done=check-started"), "{form:?}");
        assert_eq!(home.app.team.newest_scan(site).await.depth, depth, "{form:?}");
        let page = member.get(&path).await.text;
        assert!(!page.contains(button), "a check is under way: {page}");
        assert_eq!(page.matches("<td>by hand, only what has changed</td>").count(), 1, "{form:?}: {page}");
        home.app.run_checks().await;
    }
    home.app.clock.advance(TimeDelta::hours(2));
    let failed = member.post(&check, &[]).await.location().to_owned();
    home.app.run_checks().await;
    assert!(member.get(&failed).await.text.contains(button), "it failed, and an earlier one did not");
}

#[tokio::test]
async fn a_form_that_is_refused_keeps_what_was_entered_and_says_what_is_wrong() {
    let home = Home::new([]).await;
    let mut member = home.member("member@example.org", Role::Member).await;
    for (url, message) in [
        ("", "Enter a web address"),
        ("no address", "Enter a web address"),
        ("http://192.168.1.7/", "This address is not public"),
        ("nas.lan", "This address is not public"),
    ] {
        let answer = member.post(&home.page("/add-site"), &[("url", url), ("name", "My shop")]).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{url}");
        assert!(answer.text.contains(message) && answer.text.contains("value=\"My shop\""), "{url}");
        assert!(answer.text.contains("href=\"#url\"") && answer.text.contains("<title>Error: "), "{url}");
    }
}

#[tokio::test]
async fn sites_are_found_by_name_address_and_tag() {
    let home = Home::new([]).await;
    let mut member = home.member("member@example.org", Role::Member).await;
    for (url, name, tags) in [("a.example.com", "Alpha", "red"), ("b.example.com", "Beta", "blue")] {
        member.post(&home.page("/add-site"), &[("url", url), ("name", name), ("tags", tags)]).await;
    }
    for (query, has_alpha, has_beta) in [
        ("", true, true),
        ("?q=alp", true, false),
        ("?q=B.EXAMPLE", false, true),
        ("?q=blue", false, true),
        ("?q=nothing", false, false),
        ("?tag=red", true, false),
    ] {
        let page = member.get(&home.page(&format!("/sites{query}"))).await.text;
        assert_eq!((page.contains("Alpha"), page.contains("Beta")), (has_alpha, has_beta), "{query}");
    }
}

#[tokio::test]
async fn failing_sites_are_counted_on_every_page_and_listed_by_themselves() {
    let failing = || Script::failing(Failure::new(FailureCode::NotHtml, "application/zip"));
    let home = Home::new([Script::page("https://a.example.com/"), failing(), failing()]).await;
    let mut viewer = home.member("viewer@example.org", Role::Viewer).await;
    let mut member = home.member("member@example.org", Role::Member).await;
    for (url, name, tags) in
        [("a.example.com", "Alpha", "red"), ("b.example.com", "Beta", "red"), ("c.example.com", "Gamma", "blue")]
    {
        member.post(&home.page("/add-site"), &[("url", url), ("name", name), ("tags", tags)]).await;
        home.app.run_checks().await;
    }
    for path in ["/members", "/usage", "/sites"] {
        let page = viewer.get(&home.page(path)).await.text;
        let link = format!("href=\"{}\"><span class=\"only-read\">", home.page("/sites?status=failing"));
        let (_, rest) = page.split_once(&link).unwrap_or_else(|| panic!("{path}: {page}"));
        assert!(rest.starts_with("Sites whose latest check failed: </span>2</a>"), "{path}: {rest}");
    }
    for (query, found) in [
        ("?status=failing", [false, true, true]),
        ("?status=failing&tag=red", [false, true, false]),
        ("?status=failing&q=gam", [false, false, true]),
        ("?status=failing&q=alp", [false, false, false]),
        ("?tag=red&q=alp", [true, false, false]),
        ("?tag=blue&q=alp", [false, false, false]),
        ("?status=other", [true, true, true]),
    ] {
        let page = viewer.get(&home.page(&format!("/sites{query}"))).await.text;
        assert_eq!(["Alpha", "Beta", "Gamma"].map(|name| page.contains(name)), found, "{query}");
    }
    let path = viewer.get(&home.page("/sites?status=failing&q=beta")).await.text;
    assert!(path.contains("<option value=\"failing\" selected>"), "the form says what is shown");
}

#[tokio::test]
async fn all_sites_and_those_of_each_tag_are_summed_up() {
    let problem = |script: Script| script.with_problem("image-alt", Impact::Critical, "img", "<img src=logo.png>");
    let failing = || Script::failing(Failure::new(FailureCode::NotHtml, "application/zip"));
    let scripts = [problem(Script::page("https://a.example.com/")), Script::page("https://b.example.com/"), failing()];
    let home = Home::new(scripts).await;
    let mut member = home.member("member@example.org", Role::Member).await;
    for (url, tags) in [("a.example.com", "red, shop"), ("b.example.com", "red"), ("c.example.com", "")] {
        member.post(&home.page("/add-site"), &[("url", url), ("tags", tags)]).await;
        home.app.run_checks().await;
    }
    let page = member.get(&home.page("/roll-up")).await.text;
    let numbers: Vec<_> = page.split("</dt><dd>").skip(1).map(|rest| rest.split_once('<').unwrap().0).collect();
    assert_eq!(numbers, ["3", "2", "1", "1", "1"], "{page}");
    let row = |tag: &str, numbers: [u32; 5]| {
        let cells: String = numbers.iter().map(|number| format!("<td class=\"n\">{number}</td>")).collect();
        format!("/sites?tag={tag}\">{tag}</a></th>{cells}")
    };
    for row in [row("red", [2, 2, 0, 1, 1]), row("shop", [1, 1, 0, 0, 1])] {
        assert!(page.contains(&row), "{row}: {page}");
    }
}

#[tokio::test]
async fn the_page_of_a_site_says_when_it_is_checked_next_and_why_it_is_not() {
    let home = Home::new([]).await;
    let mut member = home.member("member@example.org", Role::Member).await;
    let site = home.app.team.add_site(SiteInput::parse("https://shop.example.com").unwrap().without_first_scan()).await;
    let path = home.page(&format!("/sites/{}", site.id));
    let page = member.get(&path).await.text;
    let next = site.next_scan_at.format("%Y-%m-%d").to_string();
    assert!(page.contains(&next) && page.contains("Every day, as the plan “Agency” includes it."), "{page}");
    home.app.clock.set(site.next_scan_at);
    let page = member.get(&path).await.text;
    assert!(page.contains("Due now: it begins as soon as there is room.") && page.contains("Every day"), "{page}");
    let over = Subscription::new(PlanStatus::Active).with_end(home.app.service.now());
    home.app.team.change_plan("agency", over).await;
    let page = member.get(&path).await.text;
    assert!(page.contains("None: the team’s plan has ended") && !page.contains("Every day"), "{page}");
    assert!(!member.get(&home.page("/sites")).await.text.contains(&next), "nor does the list name a day");
}
