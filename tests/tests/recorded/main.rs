//! The API's responses and the bytes of its webhooks, as they were recorded: whatever is moved inside, clients see no
//! difference.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod names;

use std::{
    fmt::Write as _,
    path::Path,
    sync::{Arc, Mutex},
};

use a11ycheck_core::{
    Engine,
    domain::{Ability, AttemptFailure, AttemptResult, Failure, FailureCode, Impact},
    engine::Step,
    scanner::Script,
    webhook::{WebhookRequest, WebhookSender},
};
use a11ycheck_tests::{Answer, Client, Memory, TestApp};
use chrono::TimeDelta;
use reqwest::Method;

use self::names::Names;

/// A sender that accepts every request, and keeps it.
#[derive(Debug, Clone, Default)]
struct Kept(Arc<Mutex<Vec<WebhookRequest>>>);

#[async_trait::async_trait]
impl WebhookSender for Kept {
    async fn send(&self, request: WebhookRequest) -> AttemptResult {
        self.0.lock().unwrap().push(request);
        AttemptResult::Failed(AttemptFailure::Timeout)
    }
}

/// The recording as it is written.
struct Recording {
    text: String,
    names: Names,
}

impl Recording {
    fn note(&mut self, request: &str, answer: &Answer) {
        let mut entry = format!("### {request}\n{}\n", answer.status);
        let mut headers: Vec<String> = answer
            .headers
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "date" | "content-length"))
            .map(|(name, value)| format!("{name}: {}\n", value.to_str().unwrap()))
            .collect();
        headers.sort_unstable();
        headers.iter().for_each(|header| entry.push_str(header));
        // A PDF has a test of its own, and a different order of its dictionaries is no difference.
        let is_text = answer.media_type().starts_with("text/") || answer.media_type() == "application/json";
        match std::str::from_utf8(&answer.bytes) {
            Ok(body) if is_text => writeln!(entry, "\n{body}").unwrap(),
            _ => writeln!(entry, "\n({} bytes or so)", answer.bytes.len().next_power_of_two()).unwrap(),
        }
        self.push(&entry);
    }

    fn note_webhook(&mut self, request: &WebhookRequest) {
        let mut entry = format!("### webhook to {}\n", request.url);
        for (name, value) in request.headers.iter().filter(|(name, _)| name != "User-Agent") {
            // The secret is random, and the signature is made with it.
            let value = if name.ends_with("Signature") { "(a signature)" } else { value };
            writeln!(entry, "{name}: {value}").unwrap();
        }
        writeln!(entry, "\n{}", std::str::from_utf8(&request.body).unwrap()).unwrap();
        self.push(&entry);
    }

    fn push(&mut self, entry: &str) {
        let named = self.names.named(entry);
        self.text.push_str(&named);
        self.text.push('\n');
    }
}

/// One caller, whose responses are recorded under its name.
struct Caller<'a> {
    name: &'a str,
    client: Client,
}

impl Caller<'_> {
    async fn send(&self, recording: &mut Recording, method: Method, path: &str, body: Option<&str>) -> Answer {
        let answer = self.client.send(method.clone(), path, body.map(str::to_owned)).await;
        let body = body.map(|body| format!(" {body}")).unwrap_or_default();
        recording.note(&format!("{} {method} {path}{body}", self.name), &answer);
        answer
    }

    async fn get(&self, recording: &mut Recording, path: &str) -> Answer {
        self.send(recording, Method::GET, path, None).await
    }
}

fn scripts() -> [Script; 4] {
    let first = Script::page("https://example.com/")
        .with_problem("image-alt", Impact::Critical, "#logo", "<img id=\"logo\" src=\"/logo.png\">")
        .with_problem("color-contrast", Impact::Serious, ".price", "<b class=\"price\">10 €</b>")
        .with_recommendation("region", Impact::Moderate, "div", "<div>")
        .with_pictures()
        .and_page("https://example.com/shop")
        .with_problem("image-alt", Impact::Critical, "#logo", "<img id=\"logo\" src=\"/logo.png\">")
        .and_failed_page(
            "https://example.com/gone",
            Failure::new(FailureCode::HttpStatus, "The web server answered with error status 404."),
        );
    let second = Script::page("https://example.com/")
        .with_problem("image-alt", Impact::Critical, "#logo", "<img id=\"logo\" src=\"/logo.png\">")
        .with_problem("label", Impact::Critical, "#name", "<input id=\"name\">")
        .and_page("https://example.com/shop");
    let failure = Failure::new(FailureCode::LoginRequired, "A login page stands in place of the site.");
    [first, second, Script::failing(failure), Script::page("https://example.org/")]
}

/// Walks through the contract, and returns the responses.
#[expect(clippy::too_many_lines, reason = "one walk, read from above")]
async fn walk() -> String {
    let app = TestApp::<Memory>::start(scripts()).await;
    let r = &mut Recording { text: String::new(), names: Names::default() };
    let owner = Caller { name: "owner", client: app.client().await };
    let reader = Caller { name: "reader", client: app.reader().await };
    let writer = Caller { name: "writer", client: app.writer().await };
    let stranger = Caller { name: "stranger", client: app.stranger().await };
    let nobody = Caller { name: "nobody", client: app.anonymous() };
    let (endpoint, _) = app.team.endpoint("https://hooks.example.net/a11y").await;

    // Who may make requests at all.
    for path in ["/account", "/sites", "/nothing", "/openapi.json?x=1"] {
        if !path.starts_with("/openapi") {
            nobody.get(r, path).await;
        }
    }
    for caller in [&reader, &writer] {
        caller.get(r, "/account").await;
        caller
            .send(r, Method::POST, "/sites", Some(r#"{"url":"example.org","report_locale":"en","scan":false}"#))
            .await;
    }
    owner.send(r, Method::DELETE, "/account", None).await;
    owner.send(r, Method::HEAD, "/account", None).await;

    // Sites.
    for body in [
        "{}",
        r#"{"url":"ftp://example.com","report_locale":"xx","tags":[1,""],"platform":7}"#,
        r#"{"url":"http://inside.example.com","report_locale":"en"}"#,
        "[]",
    ] {
        owner.send(r, Method::POST, "/sites", Some(body)).await;
    }
    let site =
        r#"{"url":"example.com","name":"Shop","report_locale":"de","tags":["a","b"],"platform":"shopify","scan":true}"#;
    let site = owner.send(r, Method::POST, "/sites", Some(site)).await.data(201)["id"].as_str().unwrap().to_owned();
    for path in
        ["/sites", "/sites?tag=a", "/sites?tag=zz", "/sites?per_page=1&page=2", "/sites?page=x", "/sites?per_page=0"]
    {
        owner.get(r, path).await;
    }
    let scans = format!("/sites/{site}/scans");
    for path in [&*format!("/sites/{site}"), &scans] {
        owner.get(r, path).await;
        stranger.get(r, path).await;
        nobody.get(r, path).await;
    }
    app.clock.advance(TimeDelta::seconds(61));

    // A check, its report and its files.
    owner.get(r, &format!("/sites/{site}/export")).await;
    let scan = owner.get(r, &scans).await.body["data"][0]["id"].as_str().unwrap().to_owned();
    let scan = format!("/scans/{scan}");
    owner.get(r, &scan).await;
    owner.get(r, &format!("{scan}/report")).await;
    owner.send(r, Method::POST, &scans, None).await;
    app.run_checks().await;
    for path in [
        scan.clone(),
        scans.clone(),
        format!("{scan}/report"),
        format!("{scan}/report?lang=uk"),
        format!("{scan}/report?lang=xx"),
    ] {
        owner.get(r, &path).await;
    }
    app.clock.advance(TimeDelta::seconds(61));
    for path in
        ["json", "csv", "github", "jira", "pdf", "xml"].map(|format| format!("{scan}/export?format={format}&lang=en"))
    {
        owner.get(r, &path).await;
    }
    for path in ["json", "html", "pdf", "docx"].map(|format| format!("{scan}/acr?format={format}&lang=en")) {
        owner.get(r, &path).await;
    }
    for path in ["pdf", "evidence/issue/1", "evidence/issue/99", "evidence/screen"] {
        owner.get(r, &format!("{scan}/{path}")).await;
        stranger.get(r, &format!("{scan}/{path}")).await;
    }
    app.clock.advance(TimeDelta::hours(1));

    // A second one, compared with the first; a third, which fails.
    let second = owner.send(r, Method::POST, &scans, None).await;
    let second = format!("/scans/{}", second.data(202)["id"].as_str().unwrap());
    owner.send(r, Method::POST, &scans, None).await;
    app.run_checks().await;
    owner.send(r, Method::POST, &scans, None).await;
    owner.get(r, &format!("{second}/report?lang=en")).await;
    owner.get(r, &format!("/sites/{site}/export?format=csv&lang=de")).await;
    owner.send(r, Method::HEAD, &format!("{second}/export?format=csv"), None).await;
    app.clock.advance(TimeDelta::hours(1));
    let third = owner.send(r, Method::POST, &scans, None).await;
    let third = format!("/scans/{}", third.data(202)["id"].as_str().unwrap());
    app.run_checks().await;
    for path in [third.clone(), format!("{third}/report"), scans.clone()] {
        owner.get(r, &path).await;
    }
    app.clock.advance(TimeDelta::seconds(61));

    // The webhooks that were sent.
    app.team.ping(endpoint).await;
    let kept = Kept::default();
    let dispatcher = Engine::builder(&app.service).with_sender(kept.clone()).build().dispatcher().unwrap();
    while dispatcher.step().await.unwrap() == Step::Worked {}
    let requests = kept.0.lock().unwrap().clone();
    requests.iter().for_each(|request| r.note_webhook(request));

    // Other plans and standings.
    let free = app.team("Free Team", "free").await;
    let starter = app.team("Starter Team", "starter").await;
    let all = [Ability::Read, Ability::Write];
    let free = Caller { name: "free", client: app.client_of(&free, &all).await };
    free.get(r, "/account").await;
    let small = Caller { name: "starter", client: app.client_of(&starter, &all).await };
    small.get(r, "/account").await;
    app.team.block().await;
    owner.get(r, "/sites").await;
    app.team.unblock().await;

    // The end.
    stranger.send(r, Method::DELETE, &format!("/sites/{site}"), None).await;
    owner.send(r, Method::DELETE, &format!("/sites/{site}"), None).await;
    owner.get(r, &scan).await;
    for _ in 0..60 {
        nobody.client.get("/account").await;
    }
    nobody.get(r, "/account").await;
    std::mem::take(&mut r.text)
}

#[tokio::test]
async fn the_api_answers_and_sends_as_it_was_recorded() {
    let actual = walk().await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded/answers.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &actual).unwrap();
        return;
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = stored.lines().zip(actual.lines()).position(|(stored, actual)| stored != actual);
    let line = differs.unwrap_or_else(|| stored.lines().count().min(actual.lines().count()));
    let request = stored.lines().take(line + 1).filter(|line| line.starts_with("### ")).last();
    assert!(
        stored == actual,
        "answers.txt differs from line {} on, in {request:?}:\n  stored: {:?}\n  actual: {:?}\nIf that is meant: UPDATE_GOLDEN=1 cargo test --workspace --test recorded",
        line + 1,
        stored.lines().nth(line),
        actual.lines().nth(line),
    );
}
