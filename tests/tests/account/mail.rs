//! Mail to people, through a mail server that remembers.

use std::time::Duration;

use a11ycheck_account_web::Smtp;
use a11ycheck_core::{
    Engine,
    domain::{Failure, FailureCode, MailState, Role},
    engine::{Mailer, Step},
    scanner::Script,
    service::Mailing,
};
use a11ycheck_tests::smtp::{Habit, ReceivedMail, TestMailServer};
use chrono::TimeDelta;
use reqwest::StatusCode;

use crate::visitor::{Home, PASSWORD, Visitor};

const NEW_PASSWORD: &str = "battery staple correct";

/// Returns a mailer that sends through the server.
async fn mailer(home: &Home, url: &str) -> Mailer {
    mailer_with(home, url, &[]).await
}

async fn mailer_with(home: &Home, url: &str, authorities: &[Vec<u8>]) -> Mailer {
    home.app.service.operator().set_mailing(Mailing::On).await.unwrap();
    let smtp = Smtp::new(url, &"checks@a11y.example".parse().unwrap(), authorities).unwrap();
    Engine::builder(&home.app.service).with_mail(home.web.clone(), smtp).build().mailer().unwrap()
}

/// Returns an installation that sends mail, its server, and what sends.
async fn home(scripts: impl IntoIterator<Item = Script>) -> (Home, TestMailServer, Mailer) {
    let (home, server) = (Home::new(scripts).await, TestMailServer::start().await);
    let mailer = mailer(&home, &server.url()).await;
    (home, server, mailer)
}

/// Sends all that is due, and returns what the server received.
async fn sent(mailer: &Mailer, server: &TestMailServer) -> Vec<ReceivedMail> {
    while mailer.step().await.unwrap() == Step::Worked {}
    server.received()
}

/// Returns the path of a link of the interface.
fn path(link: &str) -> &str {
    &link[link.find("/app/").unwrap()..]
}

async fn ask(visitor: &mut Visitor, email: &str) -> String {
    let answer = visitor.post("/app/forgotten", &[("email", email)]).await;
    assert_eq!(answer.status, StatusCode::OK);
    answer.text
}

#[tokio::test]
async fn a_forgotten_password_is_set_with_a_link_and_nobody_learns_who_has_an_account() {
    let (home, server, mailer) = home([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let mut visitor = home.visitor();
    assert!(visitor.get("/app/sign-in").await.text.contains("/app/forgotten"));
    assert!(visitor.get("/app/forgotten").await.text.contains("Forgotten password"));
    let answers = [ask(&mut visitor, "nobody@example.org").await, ask(&mut visitor, "owner@example.org").await];
    assert_eq!(answers[0], answers[1]);
    let received = sent(&mailer, &server).await;
    let [mail] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!(
        (mail.to.as_slice(), mail.header("To")),
        (["owner@example.org".to_owned()].as_slice(), "owner@example.org")
    );
    assert_eq!(mail.header("From"), "checks@a11y.example");
    assert_eq!(mail.header("Subject"), "A new password for your account");
    assert_eq!(mail.header("List-Unsubscribe"), "", "it was asked for");

    let link = path(mail.link("/new-password")).to_owned();
    let key = link.split_once("key=").unwrap().1;
    assert!(visitor.get(&link).await.text.contains("owner@example.org"));
    let short = visitor.post("/app/new-password", &[("key", key), ("password", "short")]).await;
    assert_eq!(short.status, StatusCode::UNPROCESSABLE_ENTITY);
    let set = visitor.post("/app/new-password", &[("key", key), ("password", NEW_PASSWORD)]).await;
    assert_eq!(set.location(), "/app/sign-in?done=password-set");
    assert!(visitor.cookies.is_empty(), "the link lets nobody in");
    assert!(owner.get(&home.page("/sites")).await.location().starts_with("/app/sign-in"), "all sessions ended");
    let again = visitor.post("/app/new-password", &[("key", key), ("password", PASSWORD)]).await;
    assert!(again.text.contains("no longer works"));
    assert!(visitor.get(&link).await.text.contains("no longer works"));
    for (password, status) in [(PASSWORD, StatusCode::UNPROCESSABLE_ENTITY), (NEW_PASSWORD, StatusCode::SEE_OTHER)] {
        let answer = visitor.post("/app/sign-in", &[("email", "owner@example.org"), ("password", password)]).await;
        assert_eq!(answer.status, status);
    }
}

#[tokio::test]
async fn a_link_for_another_password_ends_after_an_hour_and_one_network_can_not_ask_without_end() {
    let (home, server, mailer) = home([]).await;
    home.member("owner@example.org", Role::Owner).await;
    let mut visitor = home.visitor().at("192.0.2.7");
    ask(&mut visitor, "owner@example.org").await;
    let mails = sent(&mailer, &server).await;
    let link = path(mails[0].link("/new-password"));
    home.app.clock.advance(TimeDelta::hours(1));
    assert!(visitor.get(link).await.text.contains("no longer works"));
    let mut waits = 0;
    for number in 0..60 {
        let email = format!("p{number}@example.org");
        let answer = visitor.post("/app/forgotten", &[("email", &email)]).await;
        waits += u32::from(answer.text.contains("Too many attempts"));
    }
    assert!(waits > 20, "{waits}");
    assert!(ask(&mut home.visitor().at("198.51.100.7"), "owner@example.org").await.contains("mailbox"));
}

#[tokio::test]
async fn an_invitation_comes_by_mail_in_the_language_of_who_invites_and_its_link_joins() {
    let (home, server, mailer) = home([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    owner.post("/app/language", &[("language", "de"), ("back", "")]).await;
    let page = owner.post(&home.page("/members/invite"), &[("email", "ann@example.org"), ("role", "viewer")]).await;
    assert!(page.text.contains("/app/join?key="), "the link can be handed over as well");
    let received = sent(&mailer, &server).await;
    let [mail] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!(mail.to, ["ann@example.org"]);
    let link = path(mail.link("/join"));
    assert!(!page.text.contains(link.split_once("key=").unwrap().1), "each has its own secret");
    let mut ann = home.visitor();
    let form = [("key", link.split_once("key=").unwrap().1), ("name", "Ann"), ("password", PASSWORD)];
    assert_eq!(ann.post("/app/join", &form).await.location(), format!("{}?done=joined", home.page("/sites")));
}

#[tokio::test]
async fn a_name_with_line_breaks_sends_nothing_to_anybody_else() {
    let (home, server, mailer) = home([]).await;
    let owner = home.member("owner@example.org", Role::Owner).await;
    let team = home.app.team("Blue\r\nBcc: eve@example.org\r\n\r\n<img src=x>Team", "pro").await;
    let people = home.app.service.people().unwrap();
    let person = people.credentials(&"owner@example.org".parse().unwrap()).await.unwrap().unwrap().person;
    let handle = home.app.service.team(team.id()).await.unwrap();
    let actor = a11ycheck_core::service::Actor::program("test");
    people.of_team(&handle, actor).add_member(&person, Role::Owner).await.unwrap();
    let invite = format!("/app/teams/{}/members/invite", team.id());
    owner.clone().post(&invite, &[("email", "ann@example.org"), ("role", "viewer")]).await;
    let received = sent(&mailer, &server).await;
    let [mail] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!(mail.to, ["ann@example.org"]);
    assert_eq!(mail.header("Bcc"), "", "{:?}", mail.head);
    assert!(mail.text.contains("/app/join?key="), "{}", mail.text);
    assert!(!mail.html.contains("<img") && mail.html.contains("img src=x"), "{}", mail.html);
}

#[tokio::test]
async fn a_failed_check_is_told_in_the_readers_language_until_the_reader_switches_it_off() {
    let failing = || Script::failing(Failure::new(FailureCode::NotHtml, "The page is no HTML."));
    let (home, server, mailer) = home([failing(), failing()]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let viewer = home.member("viewer@example.org", Role::Viewer).await;
    drop(viewer);
    owner.post(&home.page("/add-site"), &[("url", "shop.example.com"), ("name", "Müllers Laden")]).await;
    home.app.run_checks().await;
    let received = sent(&mailer, &server).await;
    let [mail] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!(mail.to, ["owner@example.org"]);
    assert!(mail.text.contains("Müllers Laden") && mail.text.contains("Blue Team"), "{}", mail.text);
    // Both parts say the same, and the page loads nothing.
    assert!(mail.html.contains("Müllers Laden") && mail.html.contains("<html lang=\"en\">"), "{}", mail.html);
    assert!(mail.html.contains(&format!("<a href=\"{}\"", mail.link("/checks/"))), "{}", mail.html);
    for word in ["src=", "url(", "<link", "<script", "<style"] {
        assert!(!mail.html.contains(word), "{word}: {}", mail.html);
    }
    assert_eq!(owner.get(path(mail.link("/checks/"))).await.status, StatusCode::OK);
    assert!(mail.header("List-Unsubscribe").contains("/app/no-notices?key="), "{:?}", mail.head);
    assert!(mail.text.contains("/app/profile#notices"), "{}", mail.text);
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");

    assert!(owner.get("/app/profile").await.text.contains("name=\"notices\" value=\"1\" checked"));
    let saved = owner.post("/app/profile/notices", &[]).await;
    assert_eq!(saved.location(), "/app/profile?done=notices-saved");
    assert!(!owner.get("/app/profile").await.text.contains("name=\"notices\" value=\"1\" checked"));
    owner.post(&home.page("/add-site"), &[("url", "other.example.com")]).await;
    home.app.run_checks().await;
    assert_eq!(sent(&mailer, &server).await, []);
    owner.post("/app/profile/notices", &[("notices", "1")]).await;
    assert!(owner.get("/app/profile").await.text.contains("name=\"notices\" value=\"1\" checked"));
}

#[tokio::test]
async fn a_click_in_the_mailbox_switches_notices_off_and_following_the_link_does_not() {
    let failing = || Script::failing(Failure::new(FailureCode::NotHtml, "The page is no HTML."));
    let (home, server, mailer) = home([failing()]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    owner.post(&home.page("/add-site"), &[("url", "shop.example.com")]).await;
    home.app.run_checks().await;
    let received = sent(&mailer, &server).await;
    let [mail] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!(mail.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    let link = path(mail.header("List-Unsubscribe").trim_matches(['<', '>']));
    let mut is_on = async || owner.get("/app/profile").await.text.contains("name=\"notices\" value=\"1\" checked");

    // Whoever looks at the page changes nothing, and neither does a click without the secret.
    let shown = home.visitor().get(link).await;
    assert_eq!(shown.status, StatusCode::OK);
    let one_click = [("List-Unsubscribe", "One-Click")];
    let click = async |link: &str| home.visitor().send(reqwest::Method::POST, link, &one_click, &[]).await;
    assert!(click("/app/no-notices").await.text.contains("no longer works"));
    assert!(click(&format!("{link}x")).await.text.contains("no longer works"));
    assert!(is_on().await);
    // A program for mail is no browser: it sends neither cookies nor an origin.
    let done = click(link).await;
    assert!(done.status == StatusCode::OK && done.text.contains("Notices are switched off"), "{}", done.text);
    assert!(!done.headers.contains_key("set-cookie") && !is_on().await);
    // The button of the page does the same, and the secret lets nobody in.
    let key = link.split_once("key=").unwrap().1;
    assert!(shown.text.contains(&format!("name=\"key\" value=\"{key}\"")), "{}", shown.text);
    assert_eq!(home.visitor().post("/app/no-notices", &[("key", key)]).await.status, StatusCode::OK);
    assert!(home.visitor().get(&format!("/app/new-password?key={key}")).await.text.contains("no longer works"));
}

#[tokio::test]
async fn a_mail_server_that_only_an_authority_of_ones_own_vouches_for_is_trusted_where_it_is_named() {
    let home = Home::new([]).await;
    home.member("owner@example.org", Role::Owner).await;
    let (server, authority) = TestMailServer::start_with_tls().await;
    let url = format!("smtps://localhost:{}", server.address().port());
    let stranger = mailer(&home, &url).await;
    ask(&mut home.visitor(), "owner@example.org").await;
    assert_eq!(sent(&stranger, &server).await, [], "nobody vouches for it");
    home.app.clock.advance(MailState::RETRY_SCHEDULE[0]);
    let trusting = mailer_with(&home, &url, &[authority]).await;
    assert_eq!(sent(&trusting, &server).await.len(), 1);
}

#[tokio::test]
async fn mail_waits_for_a_server_that_is_down_and_comes_once_when_it_is_back() {
    let home = Home::new([]).await;
    home.member("owner@example.org", Role::Owner).await;
    let gone = TestMailServer::start().await;
    let address = gone.address();
    drop(gone);
    let mailer = mailer(&home, &format!("smtp://{address}")).await;
    ask(&mut home.visitor(), "owner@example.org").await;
    assert_eq!(mailer.step().await.unwrap(), Step::Worked);
    assert_eq!(mailer.step().await.unwrap(), Step::Idle, "not again at once");
    let operator = home.app.service.operator();
    assert_eq!(operator.mail_backlog().await.unwrap().unwrap().waiting, 1);
    let server = TestMailServer::start_at(address).await;
    home.app.clock.advance(MailState::RETRY_SCHEDULE[0]);
    assert_eq!(sent(&mailer, &server).await.len(), 1);
    home.app.clock.advance(TimeDelta::days(1));
    assert_eq!(sent(&mailer, &server).await, []);
}

#[tokio::test]
async fn what_is_refused_for_good_is_given_up_at_once_and_what_is_refused_for_now_after_five_attempts() {
    let (home, server, mailer) = home([]).await;
    for email in ["gone@example.org", "busy@example.org"] {
        home.member(email, Role::Viewer).await;
        ask(&mut home.visitor(), email).await;
    }
    server.treat("gone@example.org", Habit::Answer(550, "5.1.1 no such <b>user</b>"));
    server.treat("busy@example.org", Habit::Answer(450, "4.2.1 try later"));
    assert_eq!(sent(&mailer, &server).await, []);
    let backlog = async || home.app.service.operator().mail_backlog().await.unwrap().unwrap();
    let after_one = backlog().await;
    assert_eq!((after_one.waiting, after_one.failed.len()), (1, 1));
    for _ in 0..MailState::MAX_ATTEMPTS {
        home.app.clock.advance(TimeDelta::hours(7));
        sent(&mailer, &server).await;
    }
    let at_the_end = backlog().await;
    assert_eq!((at_the_end.waiting, at_the_end.failed.len()), (0, 2));
    let page = home.operator("root@example.org").await.get("/app/operator").await.text;
    for text in ["gone@example.org", "busy@example.org", "4.2.1 try later", "&#60;b&#62;user"] {
        assert!(page.contains(text), "{text}: {page}");
    }
}

#[tokio::test]
async fn mail_that_was_cut_off_on_the_way_is_sent_again_under_the_same_id() {
    let (home, server, mailer) = home([]).await;
    home.member("owner@example.org", Role::Owner).await;
    server.treat("owner@example.org", Habit::CutOff);
    ask(&mut home.visitor(), "owner@example.org").await;
    let first = sent(&mailer, &server).await;
    home.app.clock.advance(MailState::RETRY_SCHEDULE[0]);
    let second = sent(&mailer, &server).await;
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_eq!(first[0].header("Message-ID"), second[0].header("Message-ID"));
    assert!(home.visitor().get(path(first[0].link("/new-password"))).await.text.contains("no longer works"));
    assert!(!home.visitor().get(path(second[0].link("/new-password"))).await.text.contains("no longer works"));
}

#[tokio::test]
async fn a_process_that_is_killed_while_it_sends_loses_no_mail() {
    let (home, server, mailer) = home([]).await;
    home.member("owner@example.org", Role::Owner).await;
    server.treat("owner@example.org", Habit::Silent);
    ask(&mut home.visitor(), "owner@example.org").await;
    let dying = tokio::spawn({
        let mailer = mailer.clone();
        async move { mailer.step().await }
    });
    while server.received().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
    server.accept("owner@example.org");
    assert_eq!(sent(&mailer, &server).await, [], "its lease lasts");
    home.app.clock.advance(TimeDelta::minutes(2));
    assert_eq!(sent(&mailer, &server).await.len(), 1);
}

#[tokio::test]
async fn without_a_mail_server_everything_works_and_links_are_handed_over() {
    let home = Home::new([]).await;
    let mut owner = home.member("owner@example.org", Role::Owner).await;
    let mut visitor = home.visitor();
    assert!(!visitor.get("/app/sign-in").await.text.contains("/app/forgotten"));
    assert_eq!(visitor.get("/app/forgotten").await.status, StatusCode::NOT_FOUND);
    assert_eq!(visitor.post("/app/forgotten", &[("email", "owner@example.org")]).await.status, StatusCode::NOT_FOUND);
    assert!(!owner.get("/app/profile").await.text.contains("name=\"notices\""));
    let page = owner.post(&home.page("/members/invite"), &[("email", "ann@example.org"), ("role", "viewer")]).await;
    assert!(page.text.contains("/app/join?key=") && !page.text.contains("by e-mail"), "{}", page.text);
    assert_eq!(home.app.service.operator().mail_backlog().await.unwrap().unwrap().waiting, 0);
    let page = home.operator("root@example.org").await.get("/app/operator").await.text;
    assert!(page.contains("This installation sends no e-mail"));
}
