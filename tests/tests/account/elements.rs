//! The elements of a check one by one, and by page.

use a11ycheck_core::{
    domain::{Impact, Role, SiteInput},
    paging::PageRequest,
    scanner::Script,
    service::{ElementsQuery, Shown},
};
use reqwest::StatusCode;

use crate::visitor::Home;

#[tokio::test]
async fn each_tab_lists_what_its_number_counts_and_a_page_has_its_own_list() {
    let first = Script::page("https://shop.example.com/")
        .with_problem("image-alt", Impact::Critical, "#gone", "<img id=gone>")
        .with_problem("label", Impact::Critical, "#stays", "<input id=stays>")
        .with_undecided(3)
        .with_undecided_element("#unsure", "<p id=unsure>x</p>");
    let second = Script::page("https://shop.example.com/")
        .with_problem("label", Impact::Critical, "#stays", "<input id=stays>")
        .with_problem("color-contrast", Impact::Serious, "#added", "<p id=added><script>alert(1)</script></p>")
        .with_recommendation("region", Impact::Moderate, "#advice", "<div id=advice>")
        .with_undecided(3)
        .with_undecided_element("#unsure", "<p id=unsure>x</p>");
    let home = Home::new([first, second]).await;
    let mut member = home.member("member@example.org", Role::Member).await;
    let site = home.app.team.add_site(SiteInput::parse("https://shop.example.com").unwrap()).await;
    home.app.run_checks().await;
    home.app.clock.advance(chrono::TimeDelta::hours(2));
    let check = home.app.team.start_scan(site.id).await;
    home.app.run_checks().await;
    let base = home.page(&format!("/checks/{}", check.id));
    let team = home.app.service.team(home.app.team.id()).await.unwrap();
    let report = team.report(check.id, None).await.unwrap();
    let listed = async |shown| {
        let query = ElementsQuery::new(shown, None);
        team.elements(check.id, query, PageRequest::new(1, 100), None).await.unwrap().elements
    };
    let stays = listed(Shown::Problems).await.items.into_iter().find(|one| one.selector == "#stays").unwrap();
    let until = (chrono::Utc::now() + chrono::TimeDelta::days(30)).date_naive().to_string();
    let form = [("verdict", "planned"), ("note", "It comes with the new header."), ("until", until.as_str())];
    let accepted = member.post(&format!("{base}/elements/{}/decide", stays.number), &form).await;
    assert!(accepted.status.is_redirection());
    assert_eq!((listed(Shown::Problems).await.total, listed(Shown::New).await.total), (report.total, report.diff.new));
    for (tab, number, has, lacks) in [
        ("all", "All problems (2)", &["#stays", "#added"][..], &["#gone", "#advice", "#unsure"][..]),
        ("new", "New (1)", &["#added"], &["#stays", "#gone"]),
        (
            "fixed",
            "Fixed (1)",
            &["What the previous check found", "<code>#gone</code>", "&#60;img id=gone&#62;"],
            &["#stays", "#added"],
        ),
        ("accepted", "Accepted (1)", &["#stays", "It comes with the new header."], &["#added"]),
        ("review", "To review (4)", &["#unsure", "Decide…"], &["#added", "#stays"]),
        ("anything", "All problems (2)", &["#stays"], &["#gone"]),
    ] {
        let answer = member.get(&format!("{base}/elements?show={tab}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{tab}");
        assert!(answer.text.contains(number), "{tab}: {number}");
        assert!(has.iter().all(|text| answer.text.contains(text)), "{tab}");
        assert!(!lacks.iter().any(|text| answer.text.contains(&format!("<code>{text}</code>"))), "{tab}");
        assert!(!answer.text.contains("<script>alert"), "what a page wrote is text");
    }
    let fixed = member.get(&format!("{base}/elements?show=fixed")).await;
    assert!(fixed.text.contains("<td class=\"n\">1</td>"), "by rule");
    let previous = report.diff.previous_id.unwrap();
    for link in [format!("href=\"{base}\""), format!("href=\"{}\"", home.page(&format!("/checks/{previous}")))] {
        assert!(fixed.text.contains(&link), "both checks are led to: {link}");
    }
    let first = member.get(&home.page(&format!("/checks/{previous}/elements?show=fixed"))).await;
    assert!(first.text.contains("Fixed (0)"), "the first check has nothing before it");
    let review = member.get(&format!("{base}/elements?show=review")).await;
    assert!(review.text.contains("Listed: 1"), "what is counted and not kept is said");
    let whole = member.get(&base).await;
    assert!(whole.text.contains(&format!("{base}/elements?at=0")), "the report leads to each page's list");
    let of_page = member.get(&format!("{base}/elements?at=0&show=new")).await;
    assert!(of_page.text.contains("#added") && of_page.text.contains("All pages"));
    for wrong in ["1", "-1", "x", "99999999999999999999"] {
        let answer = member.get(&format!("{base}/elements?at={wrong}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{wrong}");
    }
}
