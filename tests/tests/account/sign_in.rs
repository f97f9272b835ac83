//! Signing in, staying signed in, and signing out.

use a11ycheck_core::domain::Role;
use chrono::TimeDelta;
use futures_util::future::join_all;
use reqwest::StatusCode;

use crate::visitor::{Home, PASSWORD, Visitor};

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

/// Tries to sign in, and returns whether it was accepted.
async fn tries(visitor: &mut Visitor, email: &str, password: &str) -> bool {
    let answer = visitor.post("/app/sign-in", &[("email", email), ("password", password)]).await;
    answer.status == StatusCode::SEE_OTHER
}

#[tokio::test]
async fn strangers_who_guess_do_not_make_the_owner_wait_in_a_browser_that_is_known() {
    let home = Home::new([]).await;
    let mut owner = home.member("jo@example.org", Role::Viewer).await;
    let mut colleague = home.member("ann@example.org", Role::Viewer).await;
    owner.post("/app/sign-out", &[]).await;
    for number in 0..40 {
        // However many networks they come from, in how many browsers.
        let mut stranger = home.visitor().at(&format!("198.51.100.{number}"));
        assert!(!tries(&mut stranger, "jo@example.org", "a wrong guess").await);
        home.app.clock.advance(TimeDelta::minutes(1));
    }
    let mut elsewhere = home.visitor();
    assert!(!tries(&mut elsewhere, "jo@example.org", PASSWORD).await, "an unknown browser waits");
    assert!(!tries(&mut colleague, "jo@example.org", PASSWORD).await, "and one that is known for somebody else");
    assert!(tries(&mut owner, "jo@example.org", PASSWORD).await, "the owner does not");
    assert!(!tries(&mut elsewhere, "jo@example.org", PASSWORD).await, "which lets no stranger go on");
    home.app.clock.advance(TimeDelta::minutes(15));
    assert!(tries(&mut elsewhere, "jo@example.org", PASSWORD).await, "the longest wait is a quarter of an hour");
}

#[tokio::test]
async fn a_stolen_mark_of_a_browser_is_no_way_to_guess_and_ends_with_the_password() {
    let home = Home::new([]).await;
    let mut owner = home.member("jo@example.org", Role::Viewer).await;
    let mut thief = home.visitor();
    thief.cookies.extend(owner.cookies.clone().into_iter().filter(|(name, _)| name == "a11ycheck-browser"));
    for _ in 0..6 {
        assert!(!tries(&mut thief, "jo@example.org", "a wrong guess").await);
    }
    assert!(!tries(&mut thief, "jo@example.org", PASSWORD).await, "the mark waits by itself");
    home.app.clock.advance(TimeDelta::seconds(3));
    let form = [("current", PASSWORD), ("password", "another long password")];
    let changed = owner.post("/app/profile/password", &form).await;
    assert_eq!(changed.location(), "/app/profile?done=password-changed");
    for _ in 0..7 {
        tries(&mut home.visitor(), "jo@example.org", "a wrong guess").await;
    }
    assert!(!tries(&mut thief, "jo@example.org", "another long password").await, "the mark is worth nothing");
    assert!(tries(&mut owner, "jo@example.org", "another long password").await, "the owner has got a new one");
}

#[tokio::test]
async fn passwords_that_are_sent_at_once_are_counted_before_they_are_compared() {
    let home = Home::new([]).await;
    home.member("jo@example.org", Role::Viewer).await;
    let guesses = (0..20).map(async |_| {
        let form = [("email", "jo@example.org"), ("password", "a wrong guess")];
        home.visitor().post("/app/sign-in", &form).await.text.contains("Try again in")
    });
    let waited = join_all(guesses).await.into_iter().filter(|waited| *waited).count();
    assert_eq!(waited, 14, "six of them are compared");
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
    assert_eq!(visitor.cookies.keys().collect::<Vec<_>>(), ["a11ycheck-browser"], "what is kept lets nobody in");
    assert_eq!(visitor.get("/app/profile").await.status, StatusCode::SEE_OTHER);
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
