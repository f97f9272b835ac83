//! People decide about what a check found: by forms, without a script.

use a11ycheck_core::{
    domain::{Impact, Role, SiteInput},
    scanner::Script,
};
use chrono::TimeDelta;
use reqwest::StatusCode;

use crate::visitor::{Home, Visitor};

const LOGO: &str = "<img src=logo.png>";

fn script() -> Script {
    Script::page("https://shop.example.com/")
        .with_problem("image-alt", Impact::Critical, "#logo", LOGO)
        .of_criterion("wcag111")
        .with_problem("color-contrast", Impact::Serious, "#pale", "<p id=pale>pale</p>")
        .with_undecided_element("#on-picture", "<p id=on-picture>x</p>")
}

/// A site whose first check has completed.
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

    fn report(&self) -> String {
        self.home.page(&format!("/checks/{}", self.check))
    }

    fn form(&self, number: u64) -> String {
        format!("{}/elements/{number}/decide", self.report())
    }

    fn decisions(&self) -> String {
        self.home.page(&format!("/sites/{}/decisions", self.site))
    }

    /// Accepts the element with this number, and returns the path that takes that back.
    async fn accept(&self, visitor: &mut Visitor, number: u64, verdict: &str, until: &str) -> String {
        let form =
            [("verdict", verdict), ("reach", "element"), ("note", "The new header comes in May."), ("until", until)];
        let done = visitor.post(&self.form(number), &form).await;
        assert_eq!(done.status, StatusCode::SEE_OTHER, "{}", done.text);
        let report = visitor.get(&self.report()).await.text;
        let (_, rest) = report.split_once("/decisions/jdg_").expect("it is shown with a way back");
        format!("{}/jdg_{}/undo", self.decisions(), &rest[..26])
    }

    /// Checks the site once more, and returns the path of the new report.
    async fn check_again(&self) -> String {
        self.home.app.clock.advance(TimeDelta::hours(2));
        let site = self.site.parse().unwrap();
        let check = self.home.app.team.start_scan(site).await.id;
        self.home.app.run_checks().await;
        self.home.page(&format!("/checks/{check}"))
    }

    fn day(&self, days: i64) -> String {
        use a11ycheck_core::clock::Clock as _;
        (self.home.app.clock.now() + TimeDelta::days(days)).date_naive().to_string()
    }
}

#[tokio::test]
async fn a_finding_is_accepted_with_a_reason_shown_and_taken_back() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let report = member.get(&checked.report()).await.text;
    assert!(report.contains("/elements/1/decide") && !report.contains("of these, accepted"));
    let form = member.get(&checked.form(1)).await.text;
    assert!(form.contains(&format!("value=\"{}\"", checked.day(180))), "the usual last day: {form}");
    let undo = checked.accept(&mut member, 1, "planned", &checked.day(30)).await;
    let report = member.get(&checked.report()).await.text;
    for shown in ["of these, accepted", "The repair is planned", "The new header comes in May.", "member@example.org"] {
        assert!(report.contains(shown), "{shown}");
    }
    assert!(report.contains("<dt>Problem elements</dt><dd>2</dd>"), "the number is what was found");
    let mut viewer = checked.home.member("viewer@example.org", Role::Viewer).await;
    let read = viewer.get(&checked.report()).await.text;
    assert!(read.contains("The repair is planned") && !read.contains("/decide\"") && !read.contains("/undo\""));
    let undone = member.post(&undo, &[("check", checked.check.as_str())]).await;
    assert!(undone.location().starts_with(&format!("{}?done=judgement-undone#", checked.report())));
    assert!(!member.get(&checked.report()).await.text.contains("of these, accepted"));
    assert_eq!(member.post(&undo, &[]).await.status, StatusCode::NOT_FOUND, "there is nothing left to take back");
    let mut owner = checked.home.member("owner@example.org", Role::Owner).await;
    let log = owner.get(&checked.home.page("/audit")).await.text;
    assert!(log.contains("Decision about an element") && log.contains("Decision taken back"), "{log}");
}

#[tokio::test]
async fn a_form_that_is_refused_keeps_what_was_entered_and_says_what_is_wrong() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let (long_ago, far) = (checked.day(-1), checked.day(800));
    for (form, field, message) in [
        (&[("note", "The logo is new."), ("until", "2030-01-01")][..], "verdict", "Choose what you decide."),
        (&[("verdict", "barrier"), ("note", "The logo is new.")], "verdict", "Choose one of the values"),
        (&[("verdict", "planned"), ("note", "soon")], "note", "Use at least 10 characters."),
        (&[("verdict", "planned")], "note", "Say why, in the note."),
        (&[("verdict", "planned"), ("note", "The logo is new.")], "until", "Enter a day"),
        (&[("verdict", "planned"), ("note", "The logo is new."), ("until", "soon")], "until", "Enter a day"),
        (&[("verdict", "planned"), ("note", "The logo is new."), ("until", &long_ago)], "until", "Choose a day from"),
        (&[("verdict", "planned"), ("note", "The logo is new."), ("until", &far)], "until", "Choose a day from"),
        (&[("verdict", "planned"), ("note", "<script>"), ("reach", "planet")], "reach", "Choose one of the values"),
    ] {
        let refused = member.post(&checked.form(1), form).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{form:?}");
        assert!(refused.text.contains(message) && refused.text.contains(&format!("href=\"#{field}\"")), "{form:?}");
        assert!(refused.text.contains("<title>Error: ") && !refused.text.contains("<script>"), "{form:?}");
    }
    for number in ["0", "9", "x", "-1"] {
        let path = format!("{}/elements/{number}/decide", checked.report());
        assert_eq!(member.get(&path).await.status, StatusCode::NOT_FOUND, "{number}");
        assert_eq!(member.post(&path, &[("verdict", "planned")]).await.status, StatusCode::NOT_FOUND, "{number}");
    }
}

#[tokio::test]
async fn an_undecided_element_is_decided_about_by_who_looks_at_it() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let form = member.get(&checked.form(3)).await.text;
    assert!(form.contains("value=\"no-barrier\"") && !form.contains("value=\"planned\""), "{form}");
    let done = member.post(&checked.form(3), &[("verdict", "no-barrier")]).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER);
    let report = member.get(&checked.report()).await.text;
    assert!(report.contains("decided by a person: 1") && report.contains("It is no barrier"), "{report}");
    assert!(!report.contains("of these, accepted"), "no finding is accepted by it");
}

#[tokio::test]
async fn a_draft_names_how_much_a_person_has_decided_and_a_barrier_fails_its_criterion() {
    let names = ["#on-picture", "#over-video", "#on-gradient"];
    let page = Script::page("https://shop.example.com/").with_problem("image-alt", Impact::Critical, "#logo", LOGO);
    let script = names.iter().fold(page.of_criterion("wcag111"), |page, name| {
        page.with_undecided_element(name, &format!("<p class={}>x</p>", &name[1..]))
    });
    let checked = Checked::new([script]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let path = |name: &str| format!("{}/files/{name}", checked.report());
    checked.accept(&mut member, 1, "false-positive", "").await;
    let before = member.get(&path("conformance.html")).await.text;
    assert!(!before.contains("Decided by a person"), "nobody has decided: {before}");
    let without = member.post(&checked.form(3), &[("verdict", "not-applicable")]).await;
    assert_eq!(without.status, StatusCode::UNPROCESSABLE_ENTITY, "why it does not apply is said");
    let later = member.post(&checked.form(4), &[("verdict", "later")]).await;
    assert_eq!(later.status, StatusCode::SEE_OTHER);
    assert_eq!(member.get(&path("conformance.html")).await.text, before, "what is put aside is not decided");
    let form = [("verdict", "not-applicable"), ("note", "It is part of a logo, which is exempt.")];
    assert_eq!(member.post(&checked.form(3), &form).await.status, StatusCode::SEE_OTHER);
    let draft = member.get(&path("conformance.html")).await.text;
    assert!(draft.contains("Decided by a person: 1 of 3 elements"), "{draft}");
    assert!(draft.contains("could not decide about: 2."), "{draft}");
    assert!(draft.contains("There was no further evaluation by a person."));
    let rows = |draft: &str| draft.matches("Does not support").count();
    let barrier = member.post(&checked.form(2), &[("verdict", "barrier")]).await;
    assert_eq!(barrier.status, StatusCode::SEE_OTHER);
    let failed = member.get(&path("conformance.html")).await.text;
    assert!(failed.contains("Decided by a person: 2 of 3 elements") && rows(&failed) > rows(&draft), "{failed}");
    let report = member.get(&checked.report()).await.text;
    assert!(report.contains("<dt>Problem elements</dt><dd>1</dd>"), "no number of the report depends on it");
    for (language, sentence) in [("de", "Von einem Menschen entschieden: 2 von 3"), ("uk", "Вирішено людиною:")]
    {
        member.post("/app/language", &[("language", language), ("back", "")]).await;
        assert!(member.get(&path("conformance.html")).await.text.contains(sentence), "{language}");
    }
}

#[tokio::test]
async fn a_decision_holds_from_check_to_check_and_is_asked_for_again_when_its_last_day_is_over() {
    let checked = Checked::new([script(), script(), script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    checked.accept(&mut member, 1, "planned", &checked.day(3)).await;
    let next = checked.check_again().await;
    assert!(member.get(&next).await.text.contains("The repair is planned"));
    checked.home.app.clock.advance(TimeDelta::days(4));
    let report = member.get(&next).await.text;
    assert!(report.contains("The last day has passed: decide again") && !report.contains("of these, accepted"));
    assert!(member.get(&checked.decisions()).await.text.contains("The last day has passed"));
}

#[tokio::test]
async fn a_decision_that_matches_nothing_in_three_checks_is_named_and_removed() {
    let fixed =
        || Script::page("https://shop.example.com/").with_recommendation("region", Impact::Moderate, "div", "<div>");
    let clean = || fixed().with_problem("image-alt", Impact::Critical, "#other", "<img src=other.png>");
    let checked = Checked::new([script(), clean(), clean(), clean()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    checked.accept(&mut member, 1, "wont-fix", &checked.day(300)).await;
    for _ in 0..2 {
        checked.check_again().await;
        let decisions = member.get(&checked.decisions()).await.text;
        assert!(decisions.contains("Not found") && !decisions.contains("Matches nothing any more"), "{decisions}");
    }
    checked.check_again().await;
    assert!(member.get(&checked.decisions()).await.text.contains("Matches nothing any more"));
    let site = checked.home.page(&format!("/sites/{}", checked.site));
    assert!(member.get(&site).await.text.contains("Matches nothing any more: 1"), "counted on the page of the site");
    let dropped = member.post(&format!("{}/remove-stale", checked.decisions()), &[]).await;
    assert_eq!(dropped.location(), format!("{}?done=judgements-dropped", checked.decisions()));
    assert!(member.get(&checked.decisions()).await.text.contains("Nothing has been decided yet."));
}

#[tokio::test]
async fn files_mark_what_is_accepted_and_only_what_is_no_barrier_leaves_the_draft() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let team = checked.home.app.service.team(checked.home.app.team.id()).await.unwrap();
    let check = checked.check.parse::<a11ycheck_core::id::ScanId>().unwrap();
    let path = |name: &str| format!("{}/files/{name}", checked.report());
    let names = ["issues.csv", "issues.json", "issues-jira.csv", "issues-github.md", "report.html", "conformance.html"];
    let mut before = Vec::new();
    for name in names {
        before.push(member.get(&path(name)).await.text);
    }
    let of_api = async || {
        use a11ycheck_core::export::{Artifact, ExportFormat};
        let file = team.file(check, Artifact::Issues(ExportFormat::Csv), a11ycheck_core::locale::Locale::En).await;
        String::from_utf8(file.unwrap().bytes().await.unwrap().to_vec()).unwrap()
    };
    assert_eq!(of_api().await, before[0], "what is not decided about is the same file for all");
    checked.accept(&mut member, 1, "planned", &checked.day(30)).await;
    let after = member.get(&path("issues.csv")).await.text;
    assert!(after.contains("accepted_until") && after.contains("planned,The new header comes in May."), "{after}");
    let json: serde_json::Value = serde_json::from_str(&member.get(&path("issues.json")).await.text).unwrap();
    let accepted: Vec<_> =
        json["rules"].as_array().unwrap().iter().map(|rule| &rule["issues"][0]["accepted"]["reason"]).collect();
    assert!(
        accepted.contains(&&serde_json::json!("planned")) && accepted.iter().any(|reason| reason.is_null()),
        "{json}"
    );
    assert_eq!(of_api().await, before[0], "the contract's file has no such column");
    for index in [2, 3] {
        assert_eq!(member.get(&path(names[index])).await.text, before[index], "{}", names[index]);
    }
    assert!(member.get(&path("report.html")).await.text.contains("The new header comes in May."));
    assert_eq!(member.get(&path("conformance.html")).await.text, before[5], "it is still a failure");
    checked.accept(&mut member, 1, "false-positive", "").await;
    let draft = member.get(&path("conformance.html")).await.text;
    assert_ne!(draft, before[5]);
    assert!(before[5].contains("1.1.1") && draft.contains("1.1.1"));
}

#[tokio::test]
async fn pdfs_are_rendered_again_when_something_was_decided() {
    let checked = Checked::new([script()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let path = format!("{}/files/report.pdf", checked.report());
    let first = member.get(&path).await.text;
    assert_eq!(member.get(&path).await.text, first, "it is kept");
    let undo = checked.accept(&mut member, 1, "planned", &checked.day(30)).await;
    let second = member.get(&path).await.text;
    assert_ne!(second, first);
    member.post(&undo, &[]).await;
    assert_eq!(member.get(&path).await.text.len(), first.len());
}

#[tokio::test]
async fn all_elements_of_a_template_are_accepted_at_once_and_one_of_them_apart() {
    let footer = || {
        Script::page("https://shop.example.com/")
            .with_problem("image-alt", Impact::Critical, "#a > img", LOGO)
            .with_problem("image-alt", Impact::Critical, "#b > img", LOGO)
    };
    let checked = Checked::new([footer(), footer()]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    let form = member.get(&checked.form(1)).await.text;
    assert!(form.contains("found this many in this check: 2"), "{form}");
    let day = checked.day(30);
    let all =
        [("verdict", "not-ours"), ("reach", "template"), ("note", "The agency's footer."), ("until", day.as_str())];
    member.post(&checked.form(1), &all).await;
    let accepted = "of these, accepted</dt><dd>2</dd>";
    assert!(member.get(&checked.report()).await.text.contains(accepted));
    checked.accept(&mut member, 2, "wont-fix", &day).await;
    let report = member.get(&checked.check_again().await).await.text;
    assert!(
        report.contains(accepted)
            && report.contains("It stays as it is")
            && report.contains("The agency&#39;s footer."),
        "{report}"
    );
}

#[tokio::test]
async fn everything_that_a_rule_found_is_decided_at_once_with_one_entry_in_the_log() {
    let page = Script::page("https://shop.example.com/");
    let script = (0..3).fold(page, |page, number| {
        let html = format!("<img class=kind-{number} src=a.png><i></i>{}", "<b></b>".repeat(number));
        page.with_problem("image-alt", Impact::Critical, &format!("#picture-{number}"), &html)
    });
    let script = script.with_problem("color-contrast", Impact::Serious, "#pale", "<p id=pale>pale</p>");
    let checked = Checked::new([script]).await;
    let mut member = checked.home.member("member@example.org", Role::Member).await;
    checked.home.member("owner@example.org", Role::Owner).await;
    let form = member.get(&checked.form(1)).await.text;
    assert!(form.contains("value=\"rule\"") && form.contains("Elements in this check: 3"), "{form}");
    let note = ("note", "The new pictures come in May.");
    let wrong = member.post(&checked.form(1), &[("verdict", "planned"), ("reach", "rule"), note]).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY, "a last day is missing");
    let until = (checked.home.app.service.now() + TimeDelta::days(30)).format("%Y-%m-%d").to_string();
    let entered = [("verdict", "planned"), ("reach", "rule"), note, ("until", until.as_str())];
    let done = member.post(&checked.form(1), &entered).await;
    assert!(done.location().starts_with(&format!("{}/elements?show=accepted&batch=bat_", checked.report())));
    let list = member.get(done.location()).await.text;
    assert!(list.contains("Saved: 3.") && list.contains("/undo\"><button class=\"quiet\">Undo all of it"), "{list}");
    let report = member.get(&checked.report()).await.text;
    assert!(report.contains("<dt>of these, accepted</dt><dd>3</dd>"), "{report}");
    let mut owner = checked.home.visitor();
    owner.post("/app/sign-in", &[("email", "owner@example.org"), ("password", crate::visitor::PASSWORD)]).await;
    let log = owner.get(&checked.home.page("/audit")).await.text;
    assert_eq!(log.matches("planned: image-alt").count(), 1, "{log}");
}
