//! Writes the rows that this release leaves in its database into a folder of `storage-postgres/tests/fixtures`, whose
//! README says when to run it:
//!
//! ```text
//! DATABASE_URL=postgres://… cargo run -p a11ycheck-tests --bin a11ycheck-release-fixture
//! ```

#![allow(clippy::unwrap_used, reason = "a fixture that can't be made is no fixture")]

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Engine, Service,
    clock::ManualClock,
    domain::{
        Ability, AttemptFailure, AttemptReport, AttemptResult, EndpointDetails, EndpointSecret, EventKind, Excerpt,
        Failure, FailureCode, Impact, Lease, Logo, NewEndpoint, NewToken, PlainToken, PlanStatus, PlatformKey,
        SiteInput, SiteName, SiteUrl, Standing, Subscription, Tag, TeamBrand,
    },
    engine::{Step, Worker},
    id::{EndpointId, ScanId, SiteId, TokenId, WorkerId},
    locale::Locale,
    net::StaticResolver,
    paging::PageRequest,
    scanner::{CancellationToken, Script, ScriptedScanner},
    store::{
        ClaimLimits, ClaimedDelivery, Document, DocumentKey, FileStore as _, QueueStore as _, ScanStore as _,
        SiteStore as _, StoreClock as _, StyleHash, TeamStore as _, WebhookStore as _,
    },
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use a11ycheck_tests::{Postgres, TestApp, TestTeam, database_url, release, ring};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{Connection as _, PgConnection};

#[tokio::main]
async fn main() {
    let url = database_url();
    let schema = format!("a11ycheck_test_{}", ulid::Ulid::generate().to_string().to_lowercase());
    // Three hours before the tests over it begin, so that nothing has left the history of a plan by then.
    let start = DateTime::<Utc>::from_timestamp(TestApp::<Postgres>::START, 0).unwrap() - TimeDelta::hours(3);
    let clock = ManualClock::at(start);
    let store = PostgresStore::connect(PostgresConfig::new(&url).with_schema(&schema)).await.unwrap();
    let fill = Fill::begin(store.with_clock(clock.clone()), clock).await;
    fill.everything().await;
    let mut db = PgConnection::connect(&url).await.unwrap();
    let folder = release::folder(concat!("release-", env!("CARGO_PKG_VERSION")));
    release::write(&release::tables(&mut db, &schema).await, &folder);
    release::run(&mut db, format!("DROP SCHEMA {schema} CASCADE")).await;
}

/// Fills a store with at least one of each thing that is stored, in each of its states.
struct Fill {
    store: PostgresStore,
    clock: ManualClock,
    service: Service,
    worker: Worker,
}

impl Fill {
    async fn begin(store: PostgresStore, clock: ManualClock) -> Self {
        let page = Script::page("https://atelier.example.com/")
            .with_problem("image-alt", Impact::Critical, "#logo", "<img id=logo src=logo.png>")
            .with_pictures();
        let second = page
            .clone()
            .with_problem("label", Impact::Serious, "#name", "<input id=name>")
            .with_recommendation("region", Impact::Moderate, "div", "<div>Hello</div>")
            .and_failed_page(
                "https://atelier.example.com/slow",
                Failure::new(FailureCode::Timeout, "It was not ready."),
            );
        let failed = Script::failing(Failure::new(FailureCode::NotHtml, "The address leads to a picture."));
        let scanner = ScriptedScanner::new([page, second, failed]);
        let service = Service::builder(store.clone())
            .with_event_writer(EventsV1)
            .with_clock(clock.clone())
            .with_resolver(StaticResolver::new())
            .with_base_url("https://a11y.example.com/v1")
            .with_sealing(ring())
            .build()
            .await
            .unwrap();
        let worker = Engine::builder(&service).with_scanner(scanner).build().worker().unwrap();
        Self { store, clock, service, worker }
    }

    async fn everything(&self) {
        let team = self.team("Atelier", "agency", Subscription::ACTIVE).await;
        self.token(&team, release::TOKEN, &[Ability::Read, Ability::Write]).await;
        self.brand(&team).await;
        self.endpoint(&team, &[EventKind::ScanCompleted, EventKind::IssuesNew]).await;

        let site = self.site(&team, "https://atelier.example.com/", "Atelier").await;
        self.work().await;
        self.clock.advance(TimeDelta::hours(1));
        self.attempt(Some(204)).await;
        let scan = team.start_scan(site).await.id;
        self.work().await;
        self.attempt(None).await;
        self.files(&team, scan).await;
        self.site(&team, "https://atelier.example.com/catalogue.pdf", "A picture").await;
        self.work().await;
        self.site(&team, "https://running.example.com/", "Running").await;
        self.store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap().unwrap();
        self.site(&team, "https://queued.example.com/", "Queued").await;

        let trial = Subscription::new(PlanStatus::Trialing)
            .with_end(self.clock_now().await + TimeDelta::days(400))
            .with_trial_end(self.clock_now().await + TimeDelta::days(14));
        let trying = self.team("Kontor", "pro", trial).await;
        self.token(&trying, release::TRYING_TOKEN, &[Ability::Read]).await;
        let blocked = self.team("Shut out", "starter", Subscription::ACTIVE).await;
        self.store.set_standing(blocked.id(), Standing::Blocked).await.unwrap();
    }

    async fn clock_now(&self) -> DateTime<Utc> {
        self.store.now().await.unwrap()
    }

    async fn team(&self, name: &str, plan: &str, subscription: Subscription) -> TestTeam {
        TestTeam::subscribed(&self.service, name, plan, subscription).await
    }

    async fn token(&self, team: &TestTeam, token: &str, abilities: &[Ability]) {
        let token = NewToken {
            id: TokenId::generate(self.clock_now().await),
            name: "Integration".to_owned(),
            abilities: abilities.iter().copied().collect(),
            hash: PlainToken::presented(token).hash(),
            created_by: None,
        };
        self.store.create_token(team.id(), token).await.unwrap().unwrap();
    }

    async fn brand(&self, team: &TestTeam) {
        let brand = TeamBrand::default()
            .with_name("Atelier Nord".parse().ok())
            .with_colour("#0b5394".parse().ok())
            .with_logo(Logo::recognised(b"\x89PNG\r\n\x1a\n, or what a team would put here".to_vec()));
        assert!(self.store.set_brand(team.id(), brand).await.unwrap());
    }

    async fn endpoint(&self, team: &TestTeam, events: &[EventKind]) {
        let id = EndpointId::generate(self.clock_now().await);
        let endpoint = NewEndpoint {
            id,
            details: EndpointDetails::new(
                SiteUrl::parse("https://hooks.example.com/a11y").unwrap(),
                events.iter().copied(),
            ),
            secret: EndpointSecret::generate().seal(&ring(), id),
        };
        self.store.create_endpoint(team.id(), endpoint).await.unwrap();
    }

    async fn site(&self, team: &TestTeam, url: &str, name: &str) -> SiteId {
        let input = SiteInput::parse(url)
            .unwrap()
            .with_name(SiteName::new(name).unwrap())
            .with_report_locale(Locale::De)
            .with_stack(["wordpress", "woocommerce"].map(PlatformKey::new))
            .with_tags([Tag::new("client").unwrap()]);
        team.add_site(input).await.id
    }

    /// Carries out all checks that are due.
    async fn work(&self) {
        while self.worker.step(&CancellationToken::new()).await.unwrap() == Step::Worked {}
    }

    /// Makes an attempt of every delivery that is due: the receiver responds with this status, or not at all.
    async fn attempt(&self, status: Option<u16>) {
        let limits = ClaimLimits { all: 9, retries: 9, per_endpoint: 9 };
        let due = self.store.claim_deliveries(&WorkerId::generate(), limits, Lease::TERM, &ring().ids()).await.unwrap();
        for ClaimedDelivery { claim, .. } in due {
            let result = match status {
                Some(status) => AttemptResult::Answered { status, excerpt: Excerpt::of(b"Thanks") },
                None => AttemptResult::Failed(AttemptFailure::Timeout),
            };
            let report = AttemptReport { duration: TimeDelta::milliseconds(120), result };
            self.store.record_attempt(claim, report).await.unwrap();
        }
    }

    /// Stores a PDF, and marks the check as one whose express report was bought.
    async fn files(&self, team: &TestTeam, scan: ScanId) {
        let document = Document { style: StyleHash([7; 16]), bytes: b"%PDF-1.7, or what was rendered".to_vec() };
        assert!(self.store.put_document(team.id(), scan, DocumentKey::Report(Locale::De), document).await.unwrap());
        assert!(self.store.mark_express(team.id(), scan).await.unwrap());
        assert_eq!(self.store.sites(team.id(), None, PageRequest::new(1, 9)).await.unwrap().total, 1);
    }
}
