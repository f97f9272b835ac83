//! Signing in in two steps: who knows the password alone does not get in.

use a11ycheck_core::{
    clock::Clock as _,
    domain::{Role, TotpSecret},
};
use chrono::TimeDelta;
use reqwest::StatusCode;

use crate::visitor::{Answer, Home, PASSWORD, Visitor};

const EMAIL: &str = "jo@example.org";

/// Returns what stands between two texts, the first time that both do.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    text.split_once(before).unwrap_or_else(|| panic!("{before}: {text}")).1.split_once(after).unwrap().0
}

/// Switches the second factor on, and returns the secret and the recovery codes.
pub(crate) async fn switched_on(home: &Home, visitor: &mut Visitor) -> (TotpSecret, Vec<String>) {
    let page = visitor.get("/app/profile/second-factor").await;
    let text = between(&page.text, "name=\"secret\" value=\"", "\"").to_owned();
    let secret = TotpSecret::from_base32(&text).unwrap();
    let code = secret.code_at(home.app.clock.now());
    let form = [("secret", text.as_str()), ("current", PASSWORD), ("code", code.as_str())];
    let done = visitor.post("/app/profile/second-factor", &form).await;
    assert_eq!(done.status, StatusCode::OK);
    let codes = between(&done.text, "<pre data-copy><code>", "</code>").lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(codes.len(), 10);
    // The code that was just taken is not taken again.
    home.app.clock.advance(TimeDelta::seconds(60));
    (secret, codes)
}

async fn first_step(visitor: &mut Visitor, next: &str) -> Answer {
    visitor.post("/app/sign-in", &[("email", EMAIL), ("password", PASSWORD), ("next", next)]).await
}

/// Sends the form of the second step.
async fn second_step(visitor: &mut Visitor, page: &Answer, code: &str) -> Answer {
    let hidden = |name: &str| between(&page.text, &format!("name=\"{name}\" value=\""), "\"").to_owned();
    let [email, ticket, next] = ["email", "ticket", "next"].map(hidden);
    let form = [("email", email.as_str()), ("ticket", &ticket), ("next", &next), ("code", code)];
    visitor.post("/app/sign-in/code", &form).await
}

fn is_signed_in(visitor: &Visitor) -> bool {
    visitor.cookies.contains_key("a11ycheck-session")
}

#[tokio::test]
async fn it_counts_once_the_app_has_shown_a_code_and_then_asks_at_each_sign_in() {
    let home = Home::new([]).await;
    let mut jo = home.member(EMAIL, Role::Viewer).await;
    let mut elsewhere = home.visitor();
    first_step(&mut elsewhere, "").await;
    assert!(is_signed_in(&elsewhere), "without it, one step suffices");
    let page = jo.get("/app/profile/second-factor").await;
    let text = between(&page.text, "name=\"secret\" value=\"", "\"");
    assert!(page.text.contains("<svg class=\"qr\"") && page.text.contains(&format!("<code>{text}</code>")));
    let code = TotpSecret::from_base32(text).unwrap().code_at(home.app.clock.now());
    let wrong = if code == "123456" { "654321" } else { "123456" };
    for (current, code, message) in [
        ("a wrong password", code.as_str(), "The current password is not right"),
        (PASSWORD, wrong, "The code is not right"),
        (PASSWORD, "", "The code is not right"),
    ] {
        let form = [("secret", text), ("current", current), ("code", code)];
        let refused = jo.post("/app/profile/second-factor", &form).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{message}");
        assert!(refused.text.contains(message) && refused.text.contains(text), "the app need not scan again");
    }
    let (secret, _) = switched_on(&home, &mut jo).await;
    assert_eq!(jo.get("/app/profile").await.status, StatusCode::OK);
    assert_eq!(elsewhere.get("/app/profile").await.status, StatusCode::SEE_OTHER, "all other sessions have ended");
    let shown = jo.get("/app/profile/second-factor").await.text;
    assert!(!shown.contains(&*secret.to_base32()) && shown.contains("<dd>10</dd>"), "the secret is shown no more");

    let mut visitor = home.visitor();
    let asked = first_step(&mut visitor, "/profile").await;
    assert_eq!(asked.status, StatusCode::OK);
    assert!(!is_signed_in(&visitor) && visitor.cookies.is_empty(), "the password alone gives nothing");
    let answer = second_step(&mut visitor, &asked, &secret.code_at(home.app.clock.now())).await;
    assert_eq!(answer.location(), "/app/profile");
    assert!(is_signed_in(&visitor));
    let browser = visitor.cookies["a11ycheck-browser"].clone();
    assert!(!browser.is_empty(), "the browser is known now");
}

#[tokio::test]
async fn a_code_is_taken_once_and_a_clock_may_differ_by_half_a_minute() {
    let home = Home::new([]).await;
    let mut jo = home.member(EMAIL, Role::Viewer).await;
    let (secret, codes) = switched_on(&home, &mut jo).await;
    let mut visitor = home.visitor();
    let asked = first_step(&mut visitor, "").await;
    let now = home.app.clock.now();
    let far = secret.code_at(now - TimeDelta::seconds(90));
    let refused = second_step(&mut visitor, &asked, &far).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let late = secret.code_at(now - TimeDelta::seconds(30));
    assert_eq!(second_step(&mut visitor, &refused, &late).await.status, StatusCode::SEE_OTHER);
    for code in [late, secret.code_at(now - TimeDelta::seconds(30))] {
        let mut thief = home.visitor();
        let asked = first_step(&mut thief, "").await;
        assert_eq!(second_step(&mut thief, &asked, &code).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    home.app.clock.advance(TimeDelta::minutes(20));
    for (code, lets_in) in [(codes[3].to_uppercase().replace('-', " "), true), (codes[3].clone(), false)] {
        let mut visitor = home.visitor();
        let asked = first_step(&mut visitor, "").await;
        second_step(&mut visitor, &asked, &code).await;
        assert_eq!(is_signed_in(&visitor), lets_in, "a recovery code works once");
    }
}

#[tokio::test]
async fn who_knows_the_password_guesses_codes_no_faster_than_passwords() {
    let home = Home::new([]).await;
    let mut jo = home.member(EMAIL, Role::Viewer).await;
    let (secret, _) = switched_on(&home, &mut jo).await;
    let mut thief = home.visitor();
    let asked = first_step(&mut thief, "").await;
    let mut compared = 1;
    for number in 0..20 {
        let answer = second_step(&mut thief, &asked, &format!("0000{number:02}")).await;
        compared += u32::from(answer.text.contains("The code is not right"));
        // The password once more does not make the thief free.
        first_step(&mut thief, "").await;
    }
    assert!(compared <= 6, "{compared}");
    let answer = second_step(&mut thief, &asked, &secret.code_at(home.app.clock.now())).await;
    assert!(answer.text.contains("Too many attempts have failed") && !is_signed_in(&thief));
    jo.post("/app/sign-out", &[]).await;
    let asked = first_step(&mut jo, "").await;
    second_step(&mut jo, &asked, &secret.code_at(home.app.clock.now())).await;
    assert!(is_signed_in(&jo), "nobody makes the owner wait in a known browser");
}

#[tokio::test]
async fn a_ticket_is_of_one_person_for_ten_minutes_and_ends_with_the_password() {
    let home = Home::new([]).await;
    let mut jo = home.member(EMAIL, Role::Viewer).await;
    let (secret, _) = switched_on(&home, &mut jo).await;
    let mut visitor = home.visitor();
    let asked = first_step(&mut visitor, "").await;
    let over = "/app/sign-in?done=sign-in-over";
    let ticket = between(&asked.text, "name=\"ticket\" value=\"", "\"");
    let code = secret.code_at(home.app.clock.now());
    for (email, ticket) in [
        (EMAIL, ""),
        (EMAIL, &ticket[1..]),
        (EMAIL, &ticket[..ticket.len() - 2]),
        ("ann@example.org", ticket),
        ("nobody", ticket),
    ] {
        let answer = visitor.post("/app/sign-in/code", &[("email", email), ("ticket", ticket), ("code", &code)]).await;
        assert_eq!(answer.location(), over, "{email} {ticket}");
    }
    home.app.clock.advance(TimeDelta::minutes(10));
    let code = secret.code_at(home.app.clock.now());
    assert_eq!(second_step(&mut visitor, &asked, &code).await.location(), over);
    let asked = first_step(&mut visitor, "").await;
    let form = [("current", PASSWORD), ("password", "another long password")];
    jo.post("/app/profile/password", &form).await;
    assert_eq!(second_step(&mut visitor, &asked, &code).await.location(), over);
    assert!(!is_signed_in(&visitor));
    assert_eq!(visitor.get("/app/sign-in/code").await.location(), "/app/sign-in");
}

#[tokio::test]
async fn it_is_switched_off_with_both_factors_only() {
    let home = Home::new([]).await;
    let mut jo = home.member(EMAIL, Role::Viewer).await;
    let (secret, codes) = switched_on(&home, &mut jo).await;
    for path in ["/app/profile/second-factor/off", "/app/profile/second-factor/codes"] {
        let code = secret.code_at(home.app.clock.now());
        for (current, code) in [("", code.as_str()), (PASSWORD, ""), (PASSWORD, "000000"), ("wrong", &code)] {
            let refused = jo.post(path, &[("current", current), ("code", code)]).await;
            assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{path} {current} {code}");
        }
        home.app.clock.advance(TimeDelta::minutes(20));
    }
    let now = home.app.clock.now();
    let form = [("current", PASSWORD), ("code", &*secret.code_at(now))];
    let renewed = jo.post("/app/profile/second-factor/codes", &form).await;
    assert_eq!(renewed.status, StatusCode::OK);
    let new = between(&renewed.text, "<pre data-copy><code>", "\n").to_owned();
    let off = |code: &str| [("current", PASSWORD.to_owned()), ("code", code.to_owned())];
    for (code, is_right) in [(&codes[0], false), (&new, true)] {
        let form = off(code);
        let form: Vec<_> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = jo.post("/app/profile/second-factor/off", &form).await;
        assert_eq!(answer.location() == "/app/profile?done=second-factor-off", is_right, "{}", answer.status);
    }
    let mut visitor = home.visitor();
    first_step(&mut visitor, "").await;
    assert!(is_signed_in(&visitor), "the password suffices again");

    let mut operator = home.operator("op@example.org").await;
    let log = operator.get("/app/operator/audit").await.text;
    for (what, times) in [
        ("Second step of the sign-in switched on", 1),
        ("New recovery codes", 1),
        ("Recovery code used", 1),
        ("Second step of the sign-in switched off", 1),
    ] {
        assert_eq!(log.matches(&format!("<td>{what}</td>")).count(), times, "{what}");
    }
}

#[tokio::test]
async fn who_lacks_the_second_step_that_a_team_demands_can_do_nothing_else_there() {
    let home = Home::new([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let mut member = home.member("member@example.org", Role::Member).await;
    let two_steps = home.page("/members/two-steps");
    let page = owner.get(&home.page("/members")).await.text;
    assert!(page.contains("Switch it on for yourself first") && !page.contains("Demand it of all members"), "{page}");
    let refused = owner.post(&two_steps, &[("on", "1")]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(member.get(&home.page("/sites")).await.status.is_success(), "nothing is demanded yet");
    switched_on(&home, &mut owner).await;
    assert_eq!(owner.post(&two_steps, &[("on", "1")]).await.location(), home.page("/members?done=two-steps-saved"));

    let demand = format!("/app/profile/second-factor?team={}", home.app.team.id());
    for path in ["/sites", "/members", "/usage", "/work"] {
        assert_eq!(member.get(&home.page(path)).await.location(), demand, "{path}");
    }
    assert_eq!(member.post(&home.page("/add-site"), &[("url", "new.example.com")]).await.location(), demand);
    let page = member.get(&demand).await.text;
    assert!(page.contains("demands this of its members"), "{page}");
    assert!(member.get("/app/teams").await.status.is_success(), "it is the team that is closed");
    let with_token = home.app.client().await.get("/sites").await;
    assert_eq!(with_token.status, 200, "tokens are not concerned");
    let list = owner.get(&home.page("/members")).await.text;
    let row = |email: &str| list.split("<tr>").skip(1).find(|row| row.contains(email)).unwrap().to_owned();
    assert!(row("owner@example.org").contains("<td>Yes</td>") && row("member@example.org").contains("<td>No</td>"));

    switched_on(&home, &mut member).await;
    let list = member.get(&home.page("/members")).await;
    assert!(
        list.status.is_success() && !list.text.contains("<th scope=\"col\">Second step</th>"),
        "owners alone see it"
    );
    owner.post(&two_steps, &[]).await;
    let mut viewer = home.member("viewer@example.org", Role::Viewer).await;
    assert!(viewer.get(&home.page("/sites")).await.status.is_success(), "nothing is demanded any more");
    let log = owner.get(&home.page("/audit")).await.text;
    for word in ["on", "off"] {
        assert!(
            log.contains(&format!("<td>Second step of the sign-in demanded, or no longer</td><td>{word}")),
            "{log}"
        );
    }
    assert_eq!(log.matches("Second step of the sign-in demanded").count(), 2, "what was refused is not noted");
}
