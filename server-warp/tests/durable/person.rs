//! A person's way through the interface, by keyboard alone: from the first link to a member who signs in.

use a11ycheck_tests::{Browser, Receiver, Reply, Tab, http, wait_for};
use serde_json::json;

use crate::support::{Folder, site};

const PASSWORD: &str = "correct horse battery";

/// A person at a keyboard.
struct Person<'browser> {
    tab: Tab<'browser>,
}

impl Person<'_> {
    /// Presses the Tab key until an element has the focus.
    async fn go_to(&self, selector: &str) {
        for _ in 0..200 {
            self.tab.press("Tab").await;
            let is_there = format!("document.activeElement.matches({})", json!(selector));
            if self.tab.evaluate(&is_there).await == true {
                return;
            }
        }
        let seen = self.tab.evaluate("document.body.innerText").await;
        panic!("the Tab key does not lead to {selector} at {}: {seen}", self.address().await);
    }

    /// Goes to a link or a button that leads to another page, and follows it.
    async fn follow(&self, selector: &str) {
        self.go_to(selector).await;
        self.tab.press_and_follow("Enter").await;
    }

    /// Fills in a field.
    async fn fill(&self, selector: &str, text: &str) {
        self.go_to(selector).await;
        self.tab.r#type(text).await;
    }

    async fn address(&self) -> String {
        self.tab.evaluate("location.href").await.as_str().unwrap().to_owned()
    }

    /// Returns the text of the first element.
    async fn reads(&self, selector: &str) -> String {
        let text = self.tab.evaluate(&format!("document.querySelector({})?.innerText", json!(selector))).await;
        text.as_str().unwrap_or_else(|| panic!("there is no {selector}")).to_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_gets_from_the_first_link_to_a_member_who_signs_in_by_keys_alone() {
    let (folder, site, receiver) = (Folder::new(), site().await, Receiver::start([Reply::Status(204)]).await);
    let server = folder.start_with(&["--allow-network", "127.0.0.0/8"]).await;
    let browser = Browser::start().await;
    let person = Person { tab: browser.tab().await };

    // The link that the server shows makes the first account, and its team.
    person.tab.open(server.ready["first_link"].as_str().unwrap()).await;
    person.fill("#name", "Jo Lund").await;
    person.fill("#email", "jo@example.org").await;
    person.fill("#password", PASSWORD).await;
    person.tab.press_and_follow("Enter").await;

    // An empty team is led to its first site, and its check is watched until there is a report.
    person.follow("a[href$='/add-site']").await;
    person.fill("#url", &site.url("/")).await;
    person.tab.press_and_follow("Enter").await;
    let of_site = person.address().await;
    person.follow("tbody th a").await;
    person.tab.wait_until("document.querySelector('.toc') !== null", "the report").await;
    let check = person.address().await;

    // What is worst comes first, and is opened.
    person.go_to(".toc a").await;
    person.tab.press("Enter").await;
    person.go_to("summary").await;
    person.tab.press("Enter").await;
    person.follow("details[open] a[href$='/decide']").await;
    person.go_to("[name=verdict]").await;
    person.tab.press("Space").await;
    // From “no barrier” on to what is planned.
    person.tab.press("ArrowDown").await;
    person.tab.press("ArrowDown").await;
    person.fill("#note", "It comes with the new header, in the next release.").await;
    let until = (chrono::Utc::now() + chrono::TimeDelta::days(60)).format("%m%d%Y").to_string();
    person.fill("#until", &until).await;
    person.follow("main form button:not(.quiet)").await;
    assert!(person.reads(".numbers").await.contains("accepted"), "{}", person.reads(".numbers").await);
    let decided = person.tab.evaluate("document.querySelector('.decided').textContent").await;
    assert!(decided.as_str().unwrap().contains("in the next release"), "{decided}");

    // A token is made, copied and used, as with `curl`.
    person.follow("nav.team a[href$='/tokens']").await;
    person.fill("#name", "CI").await;
    person.tab.press_and_follow("Enter").await;
    let token = person.reads(".secret pre").await;
    let account = http().build().unwrap().get(format!("{}/account", server.url())).bearer_auth(token.trim());
    assert_eq!(account.send().await.unwrap().status(), 200);

    // An endpoint is made, and what was delivered to it is seen.
    person.follow("nav.team a[href$='/endpoints']").await;
    person.fill("#url", &receiver.url("/a11y")).await;
    person.tab.press_and_follow("Enter").await;
    assert!(!person.reads(".secret pre").await.is_empty());
    person.follow("#ping").await;
    receiver.wait_for_answers(1).await;
    person.follow("main a[href*='/endpoints/']").await;
    wait_for("the delivery in the log", async || {
        person.follow("nav.team a[href$='/endpoints']").await;
        person.follow("main a[href$='/deliveries']").await;
        person.follow("tbody th a").await;
        person.reads("main").await.contains("204").then_some(())
    })
    .await;

    // The report is downloaded as a file.
    let files = tempfile::tempdir().unwrap();
    person.tab.keep_downloads_in(files.path()).await;
    person.follow("nav.team a[href$='/sites']").await;
    person.follow("tbody th a").await;
    assert!(person.address().await.starts_with(of_site.split('?').next().unwrap()));
    person.follow("tbody th a").await;
    assert_eq!(person.address().await.split(['?', '#']).next(), check.split(['?', '#']).next());
    person.go_to("a[download][href$='.pdf']").await;
    person.tab.press("Enter").await;
    let report = wait_for("the downloaded report", async || {
        let mut found = std::fs::read_dir(files.path()).unwrap().filter_map(|entry| Some(entry.ok()?.path()));
        found.find(|path| path.extension().is_some_and(|extension| extension == "pdf"))
    });
    assert!(std::fs::read(report.await).unwrap().starts_with(b"%PDF-"));

    // Who is invited signs in with a browser of her own, and reads.
    person.follow("nav.team a[href$='/members']").await;
    person.fill("#email", "ann@example.org").await;
    person.tab.press_and_follow("Enter").await;
    let invitation = person.reads(".secret pre").await;
    let ann = Person { tab: browser.tab().await };
    ann.tab.open(invitation.trim()).await;
    ann.fill("#name", "Ann Berg").await;
    ann.fill("#password", PASSWORD).await;
    ann.tab.press_and_follow("Enter").await;
    ann.follow("form[action$='/sign-out'] button").await;
    ann.fill("#email", "ann@example.org").await;
    ann.fill("#password", PASSWORD).await;
    ann.tab.press_and_follow("Enter").await;
    assert!(ann.reads("main").await.contains(&site.url("/")));
    assert_eq!(ann.tab.evaluate("document.querySelector(\"nav a[href$='/tokens']\")").await, json!(null));
    server.stop().await;
}
