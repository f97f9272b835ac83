//! Members assign what a check found to each other: by forms, without a script.

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
        .with_problem("image-alt", Impact::Critical, "main > img", "<img src=other.png class=wide><b></b>")
        .with_problem("color-contrast", Impact::Serious, "#pale", "<p id=pale><script>alert(1)</script></p>")
        .with_undecided_element("#unsure", "<p id=unsure>x</p>")
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

    fn form(&self, number: u64) -> String {
        self.home.page(&format!("/checks/{}/elements/{number}/assign", self.check))
    }

    fn list(&self, query: &str) -> String {
        self.home.page(&format!("/work{query}"))
    }

    async fn check_again(&self) -> String {
        self.home.app.clock.advance(TimeDelta::hours(2));
        let check = self.home.app.team.start_scan(self.site.parse().unwrap()).await.id;
        self.home.app.run_checks().await;
        self.home.page(&format!("/checks/{check}"))
    }
}

/// Returns the id of the person whom a choice names.
fn person(form: &str, name: &str) -> String {
    let before = form.split(&format!(">{name}</option>")).next().unwrap();
    let (_, id) = before.rsplit_once("value=\"").unwrap();
    id.split('"').next().unwrap().to_owned()
}

/// Returns the path of the first assignment that a page leads to.
fn first_work(page: &str) -> String {
    let (_, rest) = page.split_once("/work/asg_").expect("the page leads to an assignment");
    format!("/work/asg_{}", &rest[..26])
}

/// Assigns an element, and returns the path of the assignment.
async fn assign(checked: &Checked, visitor: &mut Visitor, number: u64, form: &[(&str, &str)]) -> String {
    let done = visitor.post(&checked.form(number), form).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{}", done.text);
    let list = visitor.get(&checked.list("?whose=all&show=all")).await.text;
    checked.home.page(&first_work(&list))
}

#[tokio::test]
async fn a_finding_is_assigned_shown_in_the_navigation_and_moved_on_until_it_is_done() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let mut viewer = checked.home.member("viewer@example.org", Role::Viewer).await;
    let form = member.get(&checked.form(1)).await.text;
    assert!(form.contains("Elements in this check: 2"), "how many the rule found: {form}");
    let jo = person(&form, "viewer@example.org");
    let path = assign(&checked, &mut member, 1, &[("scope", "rule"), ("assignee", &jo), ("due", "")]).await;
    let report = member.get(&checked.home.page(&format!("/checks/{}", checked.check))).await.text;
    assert_eq!(report.matches("<strong>viewer@example.org</strong>").count(), 2, "at each element of the rule");
    let elements = member.get(&checked.home.page(&format!("/checks/{}/elements", checked.check))).await.text;
    assert!(elements.contains("<strong>viewer@example.org</strong>") && elements.contains("/elements/3/assign"));

    let own = viewer.get(&checked.list("")).await.text;
    assert!(own.contains("Assigned to you and not done: </span>1</span>"), "the navigation counts it: {own}");
    assert!(
        own.contains("#logo") && own.contains("Everything that the rule finds") && !own.contains("/work/asg_"),
        "{own}"
    );
    let nothing = member.get(&checked.list("")).await.text;
    assert!(nothing.contains("There is nothing of this kind.") && !nothing.contains("not done: </span>"), "{nothing}");
    let of_site = member.get(&checked.list(&format!("?whose=all&site={}", checked.site))).await.text;
    assert!(of_site.contains("#logo"), "the list of a site");

    let due = (checked.home.app.service.now() + TimeDelta::days(3)).format("%Y-%m-%d").to_string();
    let moved = [("assignee", jo.as_str()), ("state", "doing"), ("due", due.as_str())];
    assert_eq!(member.post(&path, &moved).await.location(), checked.list("?done=work-saved"));
    let own = viewer.get(&checked.list("")).await.text;
    assert!(own.contains("In progress") && own.contains(&due) && !own.contains("Overdue"), "{own}");
    checked.home.app.clock.advance(TimeDelta::days(4));
    assert!(viewer.get(&checked.list("")).await.text.contains("Overdue"));
    let done = [("assignee", jo.as_str()), ("state", "done"), ("due", due.as_str())];
    assert_eq!(member.post(&path, &done).await.status, StatusCode::SEE_OTHER, "a day that has passed may stay");
    let own = viewer.get(&checked.list("")).await.text;
    assert!(own.contains("There is nothing of this kind.") && !own.contains("not done: </span>"), "{own}");
    let all = viewer.get(&checked.list("?show=all")).await.text;
    assert!(all.contains("Done") && !all.contains("Overdue"));
    assert_eq!(member.post(&format!("{path}/remove"), &[]).await.location(), checked.list("?done=work-removed"));
    assert_eq!(member.get(&path).await.status, StatusCode::NOT_FOUND);
    let mut owner = checked.home.member("owner@example.org", Role::Owner).await;
    let log = owner.get(&checked.home.page("/audit")).await.text;
    for (what, subject) in [
        ("Repair assigned", "rule: image-alt https://shop.example.com/ #logo"),
        ("Assignment changed", "doing rule: image-alt https://shop.example.com/ #logo"),
        ("Assignment changed", "done rule: image-alt https://shop.example.com/ #logo"),
        ("Assignment removed", "rule: image-alt https://shop.example.com/ #logo"),
    ] {
        assert_eq!(log.matches(&format!("<td>{what}</td><td>{subject}")).count(), 1, "{what}: {log}");
    }
}

#[tokio::test]
async fn what_is_done_and_found_by_the_next_check_is_open_again_with_a_line_that_says_so() {
    let checked = Checked::new([script(), script(), repaired(), script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let form = member.get(&checked.form(1)).await.text;
    let own = person(&form, "member@example.org");
    let done = [("scope", "template"), ("assignee", own.as_str()), ("state", "done")];
    assign(&checked, &mut member, 1, &done).await;
    assert!(member.get(&checked.list("")).await.text.contains("There is nothing"));
    let report = checked.check_again().await;
    let list = member.get(&checked.list("")).await.text;
    assert!(
        list.contains("Reopened") && list.contains("a later check found it again") && list.contains(&report),
        "{list}"
    );
    let page = member.get(&report).await.text;
    assert!(page.contains("Reopened") && page.contains("<strong>member@example.org</strong>"), "{page}");
    let mut owner = checked.home.member("owner@example.org", Role::Owner).await;
    let log = owner.get(&checked.home.page("/audit")).await.text;
    assert!(log.contains("Reopened: found again by a check"), "{log}");

    // Once it is repaired, it stays done.
    let path = checked.home.page(&first_work(&list));
    assert!(member.post(&path, &[("assignee", own.as_str()), ("state", "done")]).await.status.is_redirection());
    checked.check_again().await;
    assert!(member.get(&checked.list("")).await.text.contains("There is nothing"), "the check did not find it");
}

#[tokio::test]
async fn who_leaves_the_team_leaves_the_work_to_nobody() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    checked.home.member("leaves@example.org", Role::Member).await;
    let mut owner = checked.home.member("owner@example.org", Role::Owner).await;
    let form = member.get(&checked.form(1)).await.text;
    let leaves = person(&form, "leaves@example.org");
    assign(&checked, &mut member, 1, &[("assignee", leaves.as_str()), ("state", "doing")]).await;
    let removed = owner.post(&checked.home.page(&format!("/members/{leaves}/remove")), &[]).await;
    assert_eq!(removed.status, StatusCode::SEE_OTHER);
    let list = member.get(&checked.list("?whose=nobody")).await.text;
    assert!(list.contains("#logo") && list.contains("In progress") && list.contains("<td>Nobody</td>"), "{list}");
    let refused = member.post(&checked.form(1), &[("assignee", leaves.as_str())]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "no member any more");
}

#[tokio::test]
async fn what_is_wrong_is_said_and_what_pages_wrote_is_text() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    for (form, field) in [
        ([("assignee", "pers_x"), ("due", "")], "assignee"),
        ([("state", "begun"), ("due", "")], "state"),
        ([("scope", "planet"), ("due", "")], "scope"),
        ([("scope", "rule"), ("due", "31.12.2026")], "due"),
        ([("scope", "rule"), ("due", "2020-01-01")], "due"),
    ] {
        let answer = member.post(&checked.form(3), &form).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{field}");
        assert!(answer.text.contains(&format!("href=\"#{field}\"")), "{field}: {}", answer.text);
        assert!(!answer.text.contains("<script>alert"));
    }
    let undecided = member.get(&checked.form(4)).await.status;
    assert_eq!(undecided, StatusCode::NOT_FOUND, "what no program could decide about is decided, not assigned");
    assign(&checked, &mut member, 3, &[]).await;
    let list = member.get(&checked.list("?whose=nobody")).await.text;
    assert!(list.contains("#pale") && !list.contains("<script>alert"));
    let mut viewer = checked.home.member("viewer@example.org", Role::Viewer).await;
    for path in [checked.form(1), checked.home.page(&first_work(&list))] {
        assert_eq!(viewer.get(&path).await.status, StatusCode::FORBIDDEN);
        assert_eq!(viewer.post(&path, &[]).await.status, StatusCode::FORBIDDEN);
    }
}
