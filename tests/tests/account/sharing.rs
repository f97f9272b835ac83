//! One report, shown to whoever has a link.

use a11ycheck_core::{
    domain::{Course, Impact, Role, SiteInput},
    paging::PageRequest,
    scanner::Script,
};
use chrono::TimeDelta;
use reqwest::StatusCode;

use crate::visitor::{Home, Visitor};

/// Returns an installation with a completed check, its owner, and the path of the check.
async fn home() -> (Home, Visitor, String) {
    let page = Script::page("https://shop.example.com/");
    let script = page.with_problem("image-alt", Impact::Critical, "img.logo", "<img class=\"logo\" src=\"<script>\">");
    let home = Home::new([script]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    owner.post(&home.page("/add-site"), &[("url", "shop.example.com"), ("name", "The shop")]).await;
    home.app.run_checks().await;
    let site = owner.get(&home.page("/sites")).await.text;
    let site = site.split("/sites/").find(|rest| rest.starts_with("site_")).unwrap();
    let page = owner.get(&home.page(&format!("/sites/{}", &site[..31]))).await.text;
    let check = page.split("/checks/").find(|rest| rest.starts_with("scan_")).unwrap();
    let check = home.page(&format!("/checks/{}", &check[..31]));
    (home, owner, check)
}

async fn switched_on(owner: &mut Visitor, check: &str) {
    let answer = owner.post(&format!("{check}/sharing"), &[("on", "1")]).await;
    assert_eq!(answer.location(), format!("{check}/share?done=sharing-saved"));
}

/// Makes a link, and returns its path.
async fn shared(owner: &mut Visitor, check: &str) -> String {
    let page = owner.post(&format!("{check}/share"), &[("days", "7")]).await;
    assert_eq!(page.status, StatusCode::OK);
    let link = page.text.split_once("/app/shared?key=").expect("the page shows the link").1;
    format!("/app/shared?key={}", &link[..43])
}

/// Returns the path under which the first link of the page is withdrawn.
fn revoke(page: &str) -> String {
    let before = page.split_once("/revoke\"").unwrap().0;
    format!("{}/revoke", before.rsplit_once('"').unwrap().1)
}

#[tokio::test]
async fn a_link_shows_one_report_to_anybody_and_nothing_else() {
    let (home, mut owner, check) = home().await;
    assert!(owner.get(&check).await.text.contains(&format!("{check}/share")));
    let off = owner.get(&format!("{check}/share")).await.text;
    assert!(off.contains("switched off for this team") && !off.contains("name=\"days\""));
    let refused = owner.post(&format!("{check}/share"), &[("days", "7")]).await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND, "it is off until an owner says so");
    switched_on(&mut owner, &check).await;
    let link = shared(&mut owner, &check).await;

    let answer = home.visitor().get(&link).await;
    assert_eq!(answer.status, StatusCode::OK);
    for text in ["The shop", "img.logo", "shop.example.com", "noindex"] {
        assert!(answer.text.contains(text), "{text}: {}", answer.text);
    }
    assert_eq!(answer.headers["x-robots-tag"], "noindex, nofollow");
    assert!(!answer.text.contains("src=\"<script>"), "hostile text stays text");
    for of_the_team in ["owner@example.org", "@", "/teams/", "/sites", "Blue Team", "team_", "site_", "scan_"] {
        let shown = answer.text.replace("@media", "");
        assert!(!shown.contains(of_the_team), "{of_the_team}: {}", answer.text);
    }
    let signed_in = owner.get(&link).await.text;
    assert!(!signed_in.contains("owner@example.org"), "the same for everybody");
    let log = owner.get(&home.page("/audit")).await.text;
    assert!(log.contains("<td>Report shared</td>") && log.contains("<td>Sharing of reports changed</td>"), "{log}");
    assert!(!log.contains(link.split_once('=').unwrap().1), "the secret is shown once");
}

#[tokio::test]
async fn a_link_leads_nowhere_at_once_when_it_is_withdrawn_over_or_switched_off() {
    let (home, mut owner, check) = home().await;
    switched_on(&mut owner, &check).await;
    let (first, second) = (shared(&mut owner, &check).await, shared(&mut owner, &check).await);
    let mut anybody = home.visitor();
    let status = async |visitor: &mut Visitor, link: &str| visitor.get(link).await.status;
    let page = owner.get(&format!("{check}/share")).await.text;
    let withdrawn = owner.post(&revoke(&page), &[]).await;
    assert_eq!(withdrawn.location(), format!("{check}/share?done=share-revoked"));
    let mut statuses = [status(&mut anybody, &first).await, status(&mut anybody, &second).await];
    statuses.sort_unstable();
    assert_eq!(statuses, [StatusCode::OK, StatusCode::NOT_FOUND]);

    owner.post(&format!("{check}/sharing"), &[]).await;
    for link in [&first, &second] {
        assert_eq!(status(&mut anybody, link).await, StatusCode::NOT_FOUND);
    }
    switched_on(&mut owner, &check).await;
    let link = shared(&mut owner, &check).await;
    home.app.clock.advance(TimeDelta::days(7) - TimeDelta::seconds(1));
    assert_eq!(status(&mut anybody, &link).await, StatusCode::OK);
    home.app.clock.advance(TimeDelta::seconds(1));
    assert_eq!(status(&mut anybody, &link).await, StatusCode::NOT_FOUND);
    assert_eq!(status(&mut anybody, "/app/shared?key=x").await, StatusCode::NOT_FOUND);
    assert_eq!(status(&mut anybody, "/app/shared").await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn members_share_viewers_do_not_and_owners_alone_switch_it_on() {
    let (home, mut owner, check) = home().await;
    let mut member = home.member("member@example.org", Role::Member).await;
    let mut viewer = home.member("viewer@example.org", Role::Viewer).await;
    assert_eq!(member.post(&format!("{check}/sharing"), &[("on", "1")]).await.status, StatusCode::FORBIDDEN);
    switched_on(&mut owner, &check).await;
    shared(&mut member, &check).await;
    assert_eq!(viewer.post(&format!("{check}/share"), &[("days", "7")]).await.status, StatusCode::FORBIDDEN);
    let wrong = member.post(&format!("{check}/share"), &[("days", "4000")]).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a_report_says_which_pages_were_not_examined_again_and_what_lacks_in_the_check() {
    let page = Script::page("https://shop.example.com/").and_page("https://shop.example.com/about");
    let second = page.clone().taken_over().remembering(Course::Incremental, "second").stopped_by_timeouts();
    let home = Home::new([page.remembering(Course::Full, "first"), second]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let site = SiteInput::parse("https://shop.example.com").unwrap();
    let site = home.app.team.add_site(site).await;
    home.app.run_checks().await;
    home.app.clock.advance(TimeDelta::days(7));
    home.app.run_scheduler().await;
    home.app.run_checks().await;
    let team = home.app.service.team(home.app.team.id()).await.unwrap();
    let latest = team.scans(site.id, PageRequest::new(1, 1)).await.unwrap().items.remove(0).id;
    let check = home.page(&format!("/checks/{latest}"));
    switched_on(&mut owner, &check).await;
    let link = shared(&mut owner, &check).await;
    for report in [owner.get(&check).await.text, home.visitor().get(&link).await.text] {
        assert!(report.contains("whose results were kept: 1; the oldest result is from"), "{report}");
        assert!(report.contains("The check was stopped"), "{report}");
    }
}
