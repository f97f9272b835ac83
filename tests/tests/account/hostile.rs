//! Texts of checked pages, of receivers and of people are shown, and do nothing.

use a11ycheck_core::{
    domain::{Impact, Role, SiteInput, SiteName},
    scanner::Script,
};
use reqwest::StatusCode;

use crate::visitor::Home;

const MARKUP: &str = "</code></pre><script>alert(1)</script><img src=x onerror=alert(1)>\"'";

#[tokio::test]
async fn markup_of_hostile_pages_names_and_queries_is_shown_as_text() {
    let script = Script::page("https://shop.example.com/").with_problem("image-alt", Impact::Critical, MARKUP, MARKUP);
    let home = Home::new([script]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let site = SiteInput::parse("https://shop.example.com").unwrap().with_name(SiteName::new(MARKUP).unwrap());
    let site = home.app.team.add_site(site).await;
    home.app.run_checks().await;
    let check = home.app.service.team(home.app.team.id()).await.unwrap().newest_scan(site.id).await.unwrap().unwrap();
    owner.post(&home.page("/tokens"), &[("name", MARKUP), ("ability", "read")]).await;
    let encoded: String = url::form_urlencoded::byte_serialize(MARKUP.as_bytes()).collect();
    for path in [
        home.page("/sites"),
        home.page(&format!("/sites?q={encoded}")),
        home.page(&format!("/sites?tag={encoded}")),
        home.page(&format!("/sites/{}", site.id)),
        home.page(&format!("/sites/{}/delete", site.id)),
        home.page(&format!("/checks/{}", check.id)),
        home.page("/tokens"),
        format!("/app/sign-in?next={encoded}"),
        format!("/app/first?key={encoded}"),
        format!("/app/join?key={encoded}"),
        format!("/app/{encoded}"),
    ] {
        let answer = owner.get(&path).await;
        assert!(!answer.status.is_server_error(), "{path}");
        for part in ["<script>alert", "<img src=x", "onerror=alert(1)>\""] {
            assert!(!answer.text.contains(part), "{path} has {part}");
        }
    }
    let report = owner.get(&home.page(&format!("/checks/{}", check.id))).await;
    assert!(report.text.contains("&#60;script&#62;alert(1)"), "and what the page has is there to be read");
    assert_eq!(report.status, StatusCode::OK);
}
