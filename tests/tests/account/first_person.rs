//! The first account of an installation.

use reqwest::StatusCode;

use crate::visitor::{Home, PASSWORD};

#[tokio::test]
async fn the_first_link_makes_one_person_who_operates_and_owns_the_first_team() {
    let home = Home::new([]).await;
    let secret = home.app.service.people().unwrap().first_link().await.unwrap().unwrap();
    let link = home.web.first_link(&secret);
    let path = link.split_once("/app").map(|(_, path)| format!("/app{path}")).unwrap();
    let mut visitor = home.visitor();
    let page = visitor.get(&path).await.text;
    assert!(page.contains("Create the first account"));
    assert!(!page.contains("name=\"team\""), "there is a team, whose owner the person becomes");
    let form = |password| {
        [("key", secret.reveal()), ("name", "Jo"), ("email", "jo@example.org"), ("password", password), ("team", "")]
    };
    let refused = visitor.post("/app/first", &form("short")).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text.contains("jo@example.org"), "what was entered is shown again");
    assert!(!refused.text.contains("value=\"short\""), "but never a password");
    let made = visitor.post("/app/first", &form(PASSWORD)).await;
    assert_eq!(made.location(), home.page("/sites"));
    assert_eq!(visitor.get("/app/operator").await.status, StatusCode::OK);
    assert_eq!(visitor.get(&home.page("/tokens")).await.status, StatusCode::OK, "and owns the team");

    let mut late = home.visitor();
    for answer in [late.get(&path).await, late.post("/app/first", &form(PASSWORD)).await] {
        assert!(answer.text.contains("no longer works"), "the link works once");
    }
    assert!(late.cookies.is_empty());
}
