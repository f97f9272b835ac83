//! Many elements at once: chosen in the list, accepted or assigned, and undone. By forms, without a script.

use a11ycheck_core::{
    domain::{Impact, Role, SiteInput},
    scanner::Script,
};
use chrono::TimeDelta;
use reqwest::StatusCode;

use crate::visitor::{Home, Visitor};

/// A check with this many elements that fail on one page, each of a template of its own, and one that no program could decide about.
struct Checked {
    home: Home,
    base: String,
}

impl Checked {
    async fn new(elements: usize) -> Self {
        let letters = |number: usize| -> String {
            number.to_string().bytes().map(|digit| char::from(b'a' + (digit - b'0'))).collect()
        };
        let page = Script::page("https://shop.example.com/");
        let script = (0..elements).fold(page, |page, number| {
            let name = letters(number);
            let html = format!("<img class=kind-{name} src={name}.png>{}", "<b></b>".repeat(number % 7));
            page.with_problem("image-alt", Impact::Critical, &format!("#picture-{name}"), &html)
        });
        let script = script.with_undecided_element("#unsure", "<p id=unsure>x</p>");
        let home = Home::new([script]).await;
        let site = home.app.team.add_site(SiteInput::parse("https://shop.example.com").unwrap()).await.id;
        home.app.run_checks().await;
        let team = home.app.service.team(home.app.team.id()).await.unwrap();
        let check = team.newest_scan(site).await.unwrap().unwrap().id;
        let base = home.page(&format!("/checks/{check}"));
        Self { home, base }
    }

    fn until(&self) -> String {
        (self.home.app.service.now() + TimeDelta::days(30)).format("%Y-%m-%d").to_string()
    }

    /// Returns the number of accepted elements that the report counts.
    async fn accepted(&self, visitor: &mut Visitor) -> usize {
        let report = visitor.get(&self.base).await.text;
        let number = report.split_once("<dt>of these, accepted</dt><dd>").map(|(_, rest)| rest.split('<').next());
        number.flatten().map_or(0, |number| number.parse().unwrap())
    }
}

/// Returns the address of the form that undoes what a page says was saved.
fn undo_of(page: &str) -> String {
    let (before, _) = page.split_once("/undo\"><button class=\"quiet\">Undo all of it").expect("it can be undone");
    format!("{}/undo", before.rsplit_once("action=\"").unwrap().1)
}

#[tokio::test]
async fn elements_that_were_ticked_are_accepted_with_one_entry_and_undone() {
    let checked = Checked::new(30).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let list = member.get(&format!("{}/elements", checked.base)).await.text;
    assert_eq!(list.matches("type=\"checkbox\"").count(), 25, "each element of the page of the list");
    assert!(list.contains("All of this list: 30") && list.contains("value=\"assign\""));
    let nothing = member.get(&format!("{}/bulk?do=judge&show=all&which=selected", checked.base)).await;
    let told = member.get(nothing.location()).await.text;
    assert!(told.contains("Nothing was selected."), "{told}");
    let form =
        member.get(&format!("{}/bulk?do=judge&show=all&which=selected&element=2&element=5", checked.base)).await.text;
    assert!(form.contains("Elements: 2") && form.contains("name=\"element\" value=\"5\""), "{form}");
    let until = checked.until();
    let chosen = [("do", "judge"), ("show", "all"), ("element", "2"), ("element", "5"), ("reach", "element")];
    let path = format!("{}/bulk", checked.base);
    let wrong = member.post(&path, &[&chosen[..], &[("note", "short")]].concat()).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(wrong.text.contains("href=\"#verdict\"") && wrong.text.contains("name=\"element\" value=\"2\""));
    let entered = [("verdict", "planned"), ("note", "The new pictures come in May."), ("until", until.as_str())];
    let done = member.post(&path, &[&chosen[..], &entered].concat()).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{}", done.text);
    assert_eq!(checked.accepted(&mut member).await, 2);
    let list = member.get(done.location()).await.text;
    assert!(list.contains("Saved: 2."), "{list}");
    let undo = undo_of(&list);

    // Somebody takes one of them back, and decides again.
    let other = [("verdict", "false-positive"), ("note", "It is decoration, as I see it."), ("until", "")];
    assert!(member.post(&format!("{}/elements/5/decide", checked.base), &other).await.status.is_redirection());
    let mut viewer = checked.home.member("viewer@example.org", Role::Viewer).await;
    assert_eq!(viewer.post(&undo, &[]).await.status, StatusCode::FORBIDDEN);
    let undone = member.post(&undo, &[]).await;
    let told = member.get(undone.location()).await.text;
    assert!(told.contains("Undone: 1.") && told.contains("left as it is: 1."), "{told}");
    assert_eq!(checked.accepted(&mut member).await, 1);
    let again = member.post(&undo, &[]).await;
    assert!(member.get(again.location()).await.text.contains("This cannot be undone any more."));
    let mut owner = checked.home.member("owner@example.org", Role::Owner).await;
    let log = owner.get(&checked.home.page("/audit")).await.text;
    assert_eq!(log.matches("planned: image-alt (2)").count(), 1, "{log}");
}

#[tokio::test]
async fn everything_that_matches_is_accepted_at_once_and_undone_for_ten_minutes() {
    let checked = Checked::new(400).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let form = member.get(&format!("{}/bulk?do=judge&show=new&which=all", checked.base)).await.text;
    assert!(
        form.contains("Nothing was selected") || !form.contains("Elements: 400"),
        "nothing is new in a first check"
    );
    let form = member.get(&format!("{}/bulk?do=judge&show=all&at=0&which=all", checked.base)).await.text;
    assert!(form.contains("Elements: 400"), "{form}");
    let until = checked.until();
    let entered = [
        ("do", "judge"),
        ("show", "all"),
        ("at", "0"),
        ("which", "all"),
        ("verdict", "planned"),
        ("reach", "element"),
        ("note", "The new pictures come in May."),
        ("until", until.as_str()),
    ];
    let path = format!("{}/bulk", checked.base);
    let done = member.post(&path, &entered).await;
    assert_eq!(checked.accepted(&mut member).await, 400);
    checked.home.app.clock.advance(TimeDelta::minutes(9));
    let undo = undo_of(&member.get(done.location()).await.text);
    let undone = member.post(&undo, &[]).await;
    assert!(undone.location().ends_with("?undone=400&kept=0"), "{}", undone.location());
    assert_eq!(checked.accepted(&mut member).await, 0);

    let done = member.post(&path, &entered).await;
    let undo = undo_of(&member.get(done.location()).await.text);
    checked.home.app.clock.advance(TimeDelta::minutes(11));
    assert!(!member.get(done.location()).await.text.contains("Undo all of it"));
    let late = member.post(&undo, &[]).await;
    assert!(late.location().ends_with("?done=batch-gone"), "{}", late.location());
    assert_eq!(checked.accepted(&mut member).await, 400);
}

#[tokio::test]
async fn many_elements_are_assigned_at_once_and_what_was_moved_since_is_not_undone() {
    let checked = Checked::new(3).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let form = member.get(&format!("{}/bulk?do=assign&show=all&which=all", checked.base)).await.text;
    let (_, rest) = form.split_once("value=\"pers_").unwrap();
    let own = format!("pers_{}", &rest[..26]);
    let entered =
        [("do", "assign"), ("show", "all"), ("which", "all"), ("assignee", own.as_str()), ("reach", "element")];
    let path = format!("{}/bulk", checked.base);
    let wrong = member.post(&path, &[&entered[..], &[("due", "soon")]].concat()).await;
    assert!(wrong.status == StatusCode::UNPROCESSABLE_ENTITY && wrong.text.contains("href=\"#due\""), "{}", wrong.text);
    let done = member.post(&path, &entered).await;
    let list = member.get(done.location()).await.text;
    assert!(list.contains("Saved: 3.") && list.matches("<strong>member@example.org</strong>").count() == 3, "{list}");
    let work = member.get(&checked.home.page("/work")).await.text;
    let (_, rest) = work.split_once("/work/asg_").unwrap();
    let one = checked.home.page(&format!("/work/asg_{}", &rest[..26]));
    assert!(member.post(&one, &[("assignee", own.as_str()), ("state", "doing")]).await.status.is_redirection());
    let undone = member.post(&undo_of(&list), &[]).await;
    assert!(undone.location().ends_with("?undone=2&kept=1"), "{}", undone.location());
    let work = member.get(&checked.home.page("/work")).await.text;
    assert!(work.contains("In progress") && work.contains("Assigned work, what is due first at the top (1)"), "{work}");
    // What no program could decide about is decided, not assigned; and both kinds never at once.
    for query in ["do=assign&show=review&which=all", "do=judge&element=1&element=4", "do=judge&element=9"] {
        let answer = member.get(&format!("{}/bulk?{query}", checked.base)).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{query}");
    }
    let form = member.get(&format!("{}/bulk?do=judge&show=review&which=all", checked.base)).await.text;
    assert!(form.contains("Decide about several elements") && form.contains("value=\"no-barrier\""), "{form}");
}
