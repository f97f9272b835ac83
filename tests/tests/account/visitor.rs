//! A browser without a window: it keeps cookies and sends the headers of a page's own forms.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
};

use a11ycheck_account_web::{AccountWeb, Body, Request, Response};
use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Service,
    clock::ManualClock,
    domain::{AttemptReport, AttemptResult, EmailAddress, Excerpt, Lease, MailOutcome, PersonKind, PlainSecret, Role},
    id::{ScanId, WorkerId},
    scanner::{Script, ScriptedScanner},
    sealing::{KeyId, Keyring},
    service::{Actor, PersonInput},
    store::{ClaimLimits, ClaimedDelivery, MailStore as _, QueueStore as _, WebhookStore as _},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::{Memory, TestApp};
use chrono::TimeDelta;
use reqwest::{
    Method, StatusCode,
    header::{HeaderMap, HeaderValue},
};

/// The password of everybody in these tests.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// An installation with people.
pub(crate) struct Home {
    pub(crate) app: TestApp<Memory>,
    pub(crate) web: AccountWeb,
    store: MemoryStore,
    keys: Vec<KeyId>,
}

impl Home {
    pub(crate) async fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        let clock = ManualClock::at(chrono::Utc::now());
        let store = MemoryStore::with_clock(clock.clone());
        let keyring = Keyring::ephemeral();
        let keys = keyring.ids();
        let service = Service::builder(store.clone()).with_people(store.clone()).with_judgements(store.clone());
        let service = service
            .with_mail(store.clone())
            .with_shared_reports(store.clone())
            .with_site_fields(store.clone())
            .with_sealing(keyring)
            .with_event_writer(EventsV1);
        let scanner = ScriptedScanner::new(scripts);
        let app = TestApp::over(service, clock, scanner, "agency").await;
        let web = AccountWeb::new(&app.service).expect("the service has people");
        Self { app, web, store, keys }
    }

    /// Makes a person with a role in the team of the app, and signs the person in.
    pub(crate) async fn member(&self, email: &str, role: Role) -> Visitor {
        let people = self.app.service.people().unwrap();
        let password = a11ycheck_account_web::hash(PASSWORD).unwrap();
        let input = PersonInput::new(email.parse().unwrap()).with_name(email).with_password(password);
        let person = people.create_person(&Actor::program("test"), input, PersonKind::User).await.unwrap();
        let team = self.app.service.team(self.app.team.id()).await.unwrap();
        people.of_team(&team, Actor::program("test")).add_member(&person, role).await.unwrap();
        let mut visitor = self.visitor();
        let answer = visitor.post("/app/sign-in", &[("email", email), ("password", PASSWORD)]).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{email} signs in");
        visitor
    }

    pub(crate) fn visitor(&self) -> Visitor {
        Visitor {
            web: self.web.clone(),
            cookies: BTreeMap::new(),
            address: None,
            proven: None,
            opened: BTreeSet::new(),
        }
    }

    /// Makes a person who operates the installation, and signs the person in.
    pub(crate) async fn operator(&self, email: &str) -> Visitor {
        let people = self.app.service.people().unwrap();
        let password = a11ycheck_account_web::hash(PASSWORD).unwrap();
        let input = PersonInput::new(email.parse().unwrap()).with_name(email).with_password(password);
        people.create_person(&Actor::program("test"), input, PersonKind::Operator).await.unwrap();
        let mut visitor = self.visitor();
        visitor.post("/app/sign-in", &[("email", email), ("password", PASSWORD)]).await;
        visitor
    }

    /// Gives the check that waits to a worker that does nothing with it.
    pub(crate) async fn claim_check(&self) -> ScanId {
        let claimed = self.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap();
        claimed.expect("a check waits").claim.scan
    }

    /// Lets every attempt of a delivery that is due end with a status, and returns how many there were.
    pub(crate) async fn attempt_deliveries(&self, status: u16) -> usize {
        self.attempted(status).await.len()
    }

    /// Lets every attempt of a delivery that is due succeed, and returns the number of secrets that each is signed with.
    pub(crate) async fn signing_secrets(&self) -> Vec<usize> {
        self.attempted(204).await.iter().map(|delivery| delivery.secrets.len()).collect()
    }

    /// Takes the mail that is due to an address, as if it was sent or refused for good, and returns the secret of its link.
    pub(crate) async fn taken_mail(&self, to: &str, outcome: MailOutcome) -> String {
        loop {
            let secret = PlainSecret::generate();
            let claimed = self.store.claim_mail(&WorkerId::generate(), Lease::TERM, secret.hash()).await.unwrap();
            let mail = claimed.expect("mail to the address is due");
            self.store.record_mail(mail.claim, outcome.clone()).await.unwrap();
            if mail.to.as_str() == to {
                return secret.reveal().to_owned();
            }
        }
    }

    async fn attempted(&self, status: u16) -> Vec<ClaimedDelivery> {
        let limits = ClaimLimits { all: 100, retries: 100, per_endpoint: 100 };
        let claimed =
            self.store.claim_deliveries(&WorkerId::generate(), limits, Lease::TERM, &self.keys).await.unwrap();
        for delivery in &claimed {
            let result = AttemptResult::Answered { status, excerpt: Excerpt::of(b"") };
            let report = AttemptReport { duration: TimeDelta::milliseconds(10), result };
            self.store.record_attempt(delivery.claim, report).await.unwrap();
        }
        claimed
    }

    /// Returns the path of a page of the team.
    pub(crate) fn page(&self, below: &str) -> String {
        format!("/app/teams/{}{below}", self.app.team.id())
    }
}

/// A browser.
#[derive(Clone)]
pub(crate) struct Visitor {
    web: AccountWeb,
    pub(crate) cookies: BTreeMap<String, String>,
    address: Option<IpAddr>,
    /// The person whom a proxy in front has signed in.
    pub(crate) proven: Option<EmailAddress>,
    /// The paths at which pages were, without queries.
    pub(crate) opened: BTreeSet<String>,
}

/// An answer, read to its end.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    /// Returns where a redirect leads to.
    pub(crate) fn location(&self) -> &str {
        self.headers.get("location").map_or("", |location| location.to_str().unwrap())
    }
}

impl Visitor {
    /// Puts the browser at an address.
    pub(crate) fn at(self, address: &str) -> Self {
        Self { address: Some(address.parse().unwrap()), ..self }
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], &[]).await
    }

    /// Sends a form as a page of the interface does.
    pub(crate) async fn post(&mut self, path: &str, form: &[(&str, &str)]) -> Answer {
        self.send(Method::POST, path, form, &[("sec-fetch-site", "same-origin")]).await
    }

    /// Sends a form with a file as a page of the interface does.
    pub(crate) async fn upload(&mut self, path: &str, form: &[(&str, &str)], file: &[u8]) -> Answer {
        let mut body = Vec::new();
        for (name, value) in form {
            body.extend(
                format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").into_bytes(),
            );
        }
        let head = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"sites.csv\"\r\n\r\n";
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(file);
        body.extend_from_slice(b"\r\n--x--\r\n");
        let map = self.headers(&[("sec-fetch-site", "same-origin")]);
        let request = Request::new(Method::POST, path, map).with_address(self.address);
        self.answer(request.with_multipart("multipart/form-data; boundary=x", body.into()).await).await
    }

    pub(crate) async fn send(
        &mut self,
        method: Method,
        path: &str,
        form: &[(&str, &str)],
        headers: &[(&'static str, &str)],
    ) -> Answer {
        let map = self.headers(headers);
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request =
            Request::new(method, path, map).with_query(query).with_form(body.as_bytes()).with_address(self.address);
        let answer = self.answer(request.with_proven(self.proven.clone())).await;
        if answer.text.contains("<main") && answer.status != StatusCode::NOT_FOUND {
            self.opened.insert(path.to_owned());
        }
        answer
    }

    fn headers(&self, headers: &[(&'static str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, HeaderValue::from_str(value).unwrap());
        }
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !cookies.is_empty() {
            map.insert("cookie", cookies.join("; ").parse().unwrap());
        }
        map
    }

    async fn answer(&mut self, request: Request) -> Answer {
        let answer = self.web.answer(request).await;
        self.keep(&answer);
        let Response { status, headers, body, .. } = answer;
        let text = match body {
            Body::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Body::File(file) => String::from_utf8_lossy(&file.bytes().await.unwrap()).into_owned(),
            _ => String::new(),
        };
        Answer { status, headers, text }
    }

    fn keep(&mut self, answer: &Response) {
        for line in answer.headers.get_all("set-cookie") {
            let (pair, rest) = line.to_str().unwrap().split_once(';').unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if rest.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}
