//! Inviting somebody, and joining.

use a11ycheck_core::domain::Role;
use reqwest::StatusCode;

use crate::visitor::{Home, PASSWORD};

/// Returns the path of the link that a page shows.
fn link(text: &str) -> String {
    let after = text.split_once("/app/join?key=").expect("the page shows the link").1;
    format!("/app/join?key={}", &after[..43])
}

#[tokio::test]
async fn who_is_invited_makes_an_account_and_has_the_role_and_no_other() {
    let home = Home::new([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let form = [("email", "ann@example.org"), ("role", "viewer")];
    let invited = owner.post(&home.page("/members/invite"), &form).await;
    let link = link(&invited.text);
    let key = link.split_once('=').unwrap().1;

    let mut ann = home.visitor();
    assert!(ann.get(&link).await.text.contains("Blue Team"));
    let joined = ann.post("/app/join", &[("key", key), ("name", "Ann"), ("password", PASSWORD)]).await;
    assert_eq!(joined.location(), format!("{}?done=joined", home.page("/sites")));
    assert_eq!(ann.get(&home.page("/sites")).await.status, StatusCode::OK);
    assert_eq!(ann.get(&home.page("/tokens")).await.status, StatusCode::FORBIDDEN);
    assert!(home.visitor().get(&link).await.text.contains("no longer works"));

    let page = owner.get(&home.page("/members")).await.text;
    let of_ann = page.split_once("ann@example.org").unwrap().1;
    let person = of_ann.split("/members/").find(|rest| rest.starts_with("pers_")).unwrap();
    let remove = home.page(&format!("/members/{}/remove", person.split('/').next().unwrap()));
    assert_eq!(owner.post(&remove, &[]).await.location(), home.page("/members?done=member-removed"));
    assert_eq!(ann.get(&home.page("/sites")).await.status, StatusCode::NOT_FOUND, "out with the next request");
}

#[tokio::test]
async fn an_invitation_is_of_no_use_to_somebody_else() {
    let home = Home::new([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let other = home.app.team("Red Team", "pro").await;
    let mut eve = home.member("eve@example.org", Role::Viewer).await;
    let invited = owner.post(&home.page("/members/invite"), &[("email", "ann@example.org"), ("role", "owner")]).await;
    let link = link(&invited.text);
    let key = link.split_once('=').unwrap().1;
    assert!(eve.get(&link).await.text.contains("signed in with another e-mail address"));
    let answer = eve.post("/app/join", &[("key", key), ("name", "Ann"), ("password", PASSWORD)]).await;
    assert!(answer.text.contains("no longer works"));
    assert_eq!(eve.get(&format!("/app/teams/{}/sites", other.id())).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_last_owner_stays_and_learns_why() {
    let home = Home::new([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let page = owner.get(&home.page("/members")).await.text;
    let person = page.split("/members/").find(|rest| rest.starts_with("pers_")).unwrap();
    let remove = home.page(&format!("/members/{}/remove", person.split('/').next().unwrap()));
    let refused = owner.post(&remove, &[]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text.contains("A team needs at least one owner"));
}
