//! Signing in, staying signed in, and signing out.

use a11ycheck_core::domain::Role;
use chrono::TimeDelta;
use reqwest::StatusCode;

use crate::visitor::{Home, PASSWORD};

#[tokio::test]
async fn a_wrong_password_and_an_unknown_address_are_answered_alike() {
    let home = Home::new([]).await;
    home.member("jo@example.org", Role::Viewer).await;
    let mut visitor = home.visitor();
    let mut texts = Vec::new();
    for (email, password) in [("jo@example.org", "wrong password"), ("nobody@example.org", PASSWORD), ("jo", PASSWORD)]
    {
        let answer = visitor.post("/app/sign-in", &[("email", email), ("password", password)]).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(visitor.cookies.is_empty());
        texts.push(answer.text.replace(email, ""));
    }
    assert!(texts.iter().all(|text| *text == texts[0]));
}

#[tokio::test]
async fn guessing_is_slowed_down_even_with_the_right_password_at_the_end() {
    let home = Home::new([]).await;
    home.member("jo@example.org", Role::Viewer).await;
    let mut guesser = home.visitor();
    for _ in 0..6 {
        guesser.post("/app/sign-in", &[("email", "jo@example.org"), ("password", "a wrong guess")]).await;
    }
    let answer = guesser.post("/app/sign-in", &[("email", "jo@example.org"), ("password", PASSWORD)]).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(answer.text.contains("Too many attempts have failed"), "the reason is said");
}

#[tokio::test]
async fn a_session_gets_a_new_secret_at_sign_in_and_ends_at_sign_out() {
    let home = Home::new([]).await;
    let mut visitor = home.member("jo@example.org", Role::Viewer).await;
    let first = visitor.cookies.clone();
    let again = visitor.post("/app/sign-in", &[("email", "jo@example.org"), ("password", PASSWORD)]).await;
    assert_eq!(again.status, StatusCode::SEE_OTHER);
    assert_ne!(visitor.cookies, first, "a secret that somebody had planted is worth nothing");
    let mut fixed = home.visitor();
    fixed.cookies = first;
    assert_eq!(fixed.get("/app/profile").await.status, StatusCode::SEE_OTHER, "the session before has ended");

    let mut stolen = visitor.clone();
    assert_eq!(visitor.post("/app/sign-out", &[]).await.location(), "/app/sign-in?done=signed-out");
    assert!(visitor.cookies.is_empty());
    assert_eq!(stolen.get("/app/profile").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_session_that_was_not_used_for_two_weeks_has_ended() {
    let home = Home::new([]).await;
    let mut visitor = home.member("jo@example.org", Role::Viewer).await;
    home.app.clock.advance(TimeDelta::days(13));
    assert_eq!(visitor.get("/app/profile").await.status, StatusCode::OK);
    home.app.clock.advance(TimeDelta::days(15));
    assert_eq!(visitor.get("/app/profile").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn the_page_that_was_asked_for_is_shown_after_the_sign_in_and_never_one_of_another_site() {
    let home = Home::new([]).await;
    home.member("jo@example.org", Role::Viewer).await;
    let wanted = home.page("/members");
    let led = home.visitor().get(&wanted).await;
    assert!(led.location().contains("next=%2Fteams%2F"), "{}", led.location());
    for (next, to) in [
        (wanted.strip_prefix("/app").unwrap(), wanted.as_str()),
        ("https://evil.example/", "/app"),
        ("//evil.example/", "/app"),
        ("/\\evil.example", "/app"),
    ] {
        let form = [("email", "jo@example.org"), ("password", PASSWORD), ("next", next)];
        assert_eq!(home.visitor().post("/app/sign-in", &form).await.location(), to);
    }
}

#[tokio::test]
async fn another_password_signs_out_all_other_browsers() {
    let home = Home::new([]).await;
    let mut visitor = home.member("jo@example.org", Role::Viewer).await;
    let mut other = home.visitor();
    other.post("/app/sign-in", &[("email", "jo@example.org"), ("password", PASSWORD)]).await;
    let form = |current, password| [("current", current), ("password", password)];
    for (current, password, message) in [
        ("wrong", "another long password", "The current password is not right"),
        (PASSWORD, "short", "Use at least 12 characters"),
        (PASSWORD, "jo@example.org", "Do not use your e-mail address"),
    ] {
        let refused = visitor.post("/app/profile/password", &form(current, password)).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(refused.text.contains(message), "{message}");
    }
    assert_eq!(other.get("/app/profile").await.status, StatusCode::OK);
    let changed = visitor.post("/app/profile/password", &form(PASSWORD, "another long password")).await;
    assert_eq!(changed.location(), "/app/profile?done=password-changed");
    assert_eq!(visitor.get("/app/profile").await.status, StatusCode::OK);
    assert_eq!(other.get("/app/profile").await.status, StatusCode::SEE_OTHER);
    let answer = home.visitor().post("/app/sign-in", &[("email", "jo@example.org"), ("password", PASSWORD)]).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
}
