//! People assess success criteria of a site by hand: by forms, without a script.

use a11ycheck_core::{
    domain::{Impact, Role, SiteInput},
    scanner::Script,
};
use chrono::TimeDelta;
use reqwest::StatusCode;

use crate::visitor::{Home, Visitor};

fn script() -> Script {
    Script::page("https://shop.example.com/")
        .with_problem("image-alt", Impact::Critical, "#logo", "<img src=logo.png>")
        .of_criterion("wcag111")
        .with_undecided_element("#chart", "<img id=chart alt=chart>")
}

fn repaired() -> Script {
    Script::page("https://shop.example.com/").with_problem("region", Impact::Moderate, "#other", "<div id=other></div>")
}

struct Checked {
    home: Home,
    site: String,
    check: String,
}

impl Checked {
    async fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        let home = Home::new(scripts).await;
        let site = home.app.team.add_site(SiteInput::parse("https://shop.example.com").unwrap()).await.id;
        home.app.run_checks().await;
        let team = home.app.service.team(home.app.team.id()).await.unwrap();
        let check = team.newest_scan(site).await.unwrap().unwrap().id.to_string();
        Self { home, site: site.to_string(), check }
    }

    /// Returns the path of the list, or of the form of a part.
    fn criteria(&self, below: &str) -> String {
        self.home.page(&format!("/sites/{}/criteria{below}", self.site))
    }

    fn draft(&self, name: &str) -> String {
        self.home.page(&format!("/checks/{}/files/conformance.{name}", self.check))
    }
}

/// Returns the row of a criterion in a table.
fn row<'a>(page: &'a str, criterion: &str) -> &'a str {
    let mut rows = page.split("<tr><th scope=\"row\">").skip(1);
    let row = rows.find(|row| row.starts_with(&format!("{criterion} ")));
    row.unwrap_or_else(|| panic!("{criterion}: {page}")).split("</tr>").next().unwrap()
}

async fn saved(visitor: &mut Visitor, path: &str, form: &[(&str, &str)]) {
    let answer = visitor.post(path, form).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    assert!(answer.location().contains("?done=assessed#"), "{}", answer.location());
}

#[tokio::test]
async fn a_part_is_assessed_in_one_step_and_shown_with_name_date_and_what_the_check_found() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let site = checked.home.page(&format!("/sites/{}", checked.site));
    assert!(member.get(&site).await.text.contains("(assessed: 0 of 49)"));
    let list = member.get(&checked.criteria("")).await.text;
    assert!(list.contains("Assessed: 0 of 49 success criteria of WCAG 2.1 AA"), "{list}");
    assert!(row(&list, "1.1.1").contains("Failures found. Elements: 1. Images without a text alternative"), "{list}");
    assert!(row(&list, "3.2.1").contains("No rule tests it.") && row(&list, "2.4.3").contains("Not assessed"));
    assert!(row(&list, "2.4.11").contains("does not require it"), "a criterion of WCAG 2.2: {list}");
    assert!(!list.contains("<th scope=\"row\">4.1.1"), "what is obsolete is not assessed");

    let form = member.get(&checked.criteria("/keyboard")).await.text;
    assert_eq!(form.matches("<fieldset").count(), 7);
    assert!(!form.contains(" checked><label for=\"outcome-2-1-1-2\">"), "nothing is chosen beforehand: {form}");
    let note = "The menu can be left\r\nwith a mouse alone <script>alert(1)</script>";
    let entered = [
        ("outcome-2-1-1", "supports"),
        ("outcome-2-1-2", "does-not-support"),
        ("note-2-1-2", note),
        ("outcome-2-4-3", ""),
    ];
    saved(&mut member, &checked.criteria("/keyboard"), &entered).await;
    let list = member.get(&checked.criteria("")).await.text;
    assert!(list.contains("Assessed: 2 of 49") && !list.contains("<script>alert"), "{list}");
    let day = checked.home.app.service.now().format("%Y-%m-%d").to_string();
    let supported = row(&list, "2.1.1");
    assert!(supported.contains("<strong>Supports</strong>") && supported.contains("member@example.org, <time"));
    assert!(supported.contains(&day), "{supported}");
    let failing = row(&list, "2.1.2");
    assert!(failing.contains("<strong>Does not support</strong>") && failing.contains("&#60;script&#62;"), "{failing}");
    assert!(row(&list, "2.4.3").contains("Not assessed"));
    assert!(member.get(&site).await.text.contains("(assessed: 2 of 49)"));

    let open = member.get(&checked.criteria("?show=open")).await.text;
    assert!(!open.contains("<th scope=\"row\">2.1.1 ") && open.contains("<th scope=\"row\">2.4.3 "), "{open}");
    let mut owner = checked.home.member("owner@example.org", Role::Owner).await;
    let log = owner.get(&checked.home.page("/audit")).await.text;
    let subject = "2.1.1 supports, 2.1.2 does-not-support: https://shop.example.com/";
    assert_eq!(log.matches(&format!("<td>Success criteria assessed</td><td>{subject}")).count(), 1, "{log}");

    // Another step leaves what it does not choose, with its date, and takes back what it says.
    checked.home.app.clock.advance(TimeDelta::days(1));
    saved(&mut member, &checked.criteria("/keyboard"), &[("outcome-2-1-2", "take-back")]).await;
    let list = member.get(&checked.criteria("")).await.text;
    assert!(row(&list, "2.1.1").contains(&day) && row(&list, "2.1.2").contains("Not assessed"), "{list}");
    let nothing = member.post(&checked.criteria("/keyboard"), &[("outcome-2-1-2", "take-back")]).await;
    assert_eq!(nothing.location(), checked.criteria("/keyboard?done=nothing-assessed"));
}

#[tokio::test]
async fn what_is_wrong_is_said_with_its_criterion_and_nothing_is_saved() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let entered = [
        ("outcome-2-1-1", "supports"),
        ("outcome-2-1-2", "not-applicable"),
        ("note-2-1-2", "no"),
        ("note-2-4-3", "What was written is not lost."),
        ("outcome-2-4-7", "fine"),
    ];
    let answer = member.post(&checked.criteria("/keyboard"), &entered).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    for (field, number) in [("note-2-1-2", "2.1.2"), ("outcome-2-4-3", "2.4.3"), ("outcome-2-4-7", "2.4.7")] {
        assert!(answer.text.contains(&format!("<a href=\"#{field}\">{number}: ")), "{field}: {}", answer.text);
        assert!(answer.text.contains(&format!("id=\"{field}\"")), "{field}");
    }
    assert!(answer.text.contains(">What was written is not lost.</textarea>"), "{}", answer.text);
    assert!(answer.text.contains("value=\"supports\" checked"), "{}", answer.text);
    let list = member.get(&checked.criteria("")).await.text;
    assert!(list.contains("Assessed: 0 of 49"), "all or nothing: {list}");
    // A field of another part is not one of this form.
    let other = member.post(&checked.criteria("/keyboard"), &[("outcome-1-1-1", "supports")]).await;
    assert_eq!(other.location(), checked.criteria("/keyboard?done=nothing-assessed"));
}

#[tokio::test]
async fn viewers_read_and_what_is_of_others_or_of_no_part_is_not_there() {
    let checked = Checked::new([script()]).await;
    let mut viewer = checked.home.member("viewer@example.org", Role::Viewer).await;
    let list = viewer.get(&checked.criteria("")).await;
    assert!(list.status == StatusCode::OK && !list.text.contains("/criteria/keyboard"), "{}", list.text);
    assert_eq!(viewer.get(&checked.criteria("/keyboard")).await.status, StatusCode::FORBIDDEN);
    let form = [("outcome-2-1-1", "supports")];
    assert_eq!(viewer.post(&checked.criteria("/keyboard"), &form).await.status, StatusCode::FORBIDDEN);
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    assert_eq!(member.get(&checked.criteria("/magic")).await.status, StatusCode::NOT_FOUND);
    assert_eq!(member.post(&checked.criteria("/magic"), &form).await.status, StatusCode::NOT_FOUND);
    let other = checked.home.app.team("Red Team", "pro").await;
    let foreign = other.add_site(SiteInput::parse("https://red.example.com").unwrap().without_first_scan()).await.id;
    for below in ["", "/keyboard"] {
        let path = checked.home.page(&format!("/sites/{foreign}/criteria{below}"));
        assert_eq!(member.get(&path).await.status, StatusCode::NOT_FOUND, "{below}");
    }
    let path = checked.home.page(&format!("/sites/{foreign}/criteria/keyboard"));
    assert_eq!(member.post(&path, &form).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_failure_outweighs_an_assessment_until_it_is_repaired_or_no_barrier() {
    let checked = Checked::new([script(), repaired()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    saved(&mut member, &checked.criteria("/images"), &[("outcome-1-1-1", "supports")]).await;
    let list = member.get(&checked.criteria("?show=open")).await.text;
    assert!(row(&list, "1.1.1").contains("The latest check found failures"), "{list}");
    let draft = member.get(&checked.draft("html")).await.text;
    assert!(row(&draft, "1.1.1").contains("<td>Does not support</td>"), "{draft}");
    assert!(row(&draft, "1.1.1").contains("What the check found outweighs that."), "{draft}");

    let decide = |number: u64| checked.home.page(&format!("/checks/{}/elements/{number}/decide", checked.check));
    let accepted = [("verdict", "false-positive"), ("note", "It is decorative, and empty.")];
    assert!(member.post(&decide(1), &accepted).await.status.is_redirection());
    let list = member.get(&checked.criteria("")).await.text;
    assert!(row(&list, "1.1.1").contains("a person must decide: 1"), "the other element is open: {list}");
    assert!(!row(&list, "1.1.1").contains("The latest check found failures"), "{list}");
    let draft = member.get(&checked.draft("html")).await.text;
    assert!(row(&draft, "1.1.1").contains("<td>Supports</td>"), "{draft}");
    assert!(member.post(&decide(2), &[("verdict", "barrier")]).await.status.is_redirection());
    let list = member.get(&checked.criteria("")).await.text;
    assert!(row(&list, "1.1.1").contains("Failures found. Elements: 1."), "{list}");

    checked.home.app.clock.advance(TimeDelta::hours(2));
    checked.home.app.team.start_scan(checked.site.parse().unwrap()).await;
    checked.home.app.run_checks().await;
    let list = member.get(&checked.criteria("")).await.text;
    assert!(!row(&list, "1.1.1").contains("failures"), "{list}");
}

#[tokio::test]
async fn after_twelve_months_a_person_looks_again_and_drafts_go_on_to_say_what_was_said() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    saved(&mut member, &checked.criteria("/keyboard"), &[("outcome-2-4-3", "supports")]).await;
    checked.home.app.clock.advance(TimeDelta::days(366));
    let mut member = checked.home.member("later@example.org", Role::Member).await;
    let list = member.get(&checked.criteria("?show=open")).await.text;
    assert!(row(&list, "2.4.3").contains("More than 12 months ago: look again"), "{list}");
    assert!(list.contains("Assessed: 0 of 49"), "{list}");
    let draft = member.get(&checked.draft("html")).await.text;
    assert!(row(&draft, "2.4.3").contains("<td>Supports</td>"), "{draft}");
    assert!(!row(&draft, "2.4.3").contains("look again"), "the check is as old: {draft}");
}

#[tokio::test]
async fn drafts_of_every_format_are_made_again_when_something_was_assessed_and_reports_are_not() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let report = checked.home.page(&format!("/checks/{}/files/report.pdf", checked.check));
    let formats = ["html", "docx", "pdf"];
    let mut before = Vec::new();
    for name in formats {
        before.push(member.get(&checked.draft(name)).await.text);
    }
    let kept = member.get(&report).await.text;
    let note = "There is no video on any page.";
    let form = [("outcome-1-2-2", "not-applicable"), ("note-1-2-2", note)];
    saved(&mut member, &checked.criteria("/media"), &form).await;
    for (name, before) in formats.into_iter().zip(&before) {
        assert_ne!(member.get(&checked.draft(name)).await.text, *before, "{name}");
    }
    let draft = member.get(&checked.draft("html")).await.text;
    assert!(row(&draft, "1.2.2").contains("<td>Not applicable</td>") && row(&draft, "1.2.2").contains(note), "{draft}");
    assert!(row(&draft, "1.2.2").contains("Assessed by member@example.org on "), "{draft}");
    assert_eq!(member.get(&report).await.text, kept, "a report does not depend on it");
    saved(&mut member, &checked.criteria("/media"), &[("outcome-1-2-2", "take-back")]).await;
    assert_eq!(member.get(&checked.draft("html")).await.text, before[0], "as if it had never been said");
}
