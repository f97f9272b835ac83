//! A service whose webhooks go to receivers on loopback.

use std::{sync::Arc, time::Duration};

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Engine, Service,
    clock::ManualClock,
    domain::{Attempt, Delivery, EndpointSecret, Impact, SiteInput, SiteName, WebhookEndpoint},
    engine::{Dispatcher, EngineBuilder, EngineConfig, EngineParts, Step},
    id::{EndpointId, SiteId},
    net::{AddressPolicy, StaticResolver},
    scanner::{CancellationToken, Script, ScriptedScanner},
    sealing::Keyring,
    webhook::{HttpSender, WebhookSender},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::TestTeam;
use chrono::{DateTime, Utc};

/// A timeout long enough for loopback, and short enough to wait for.
const TIMEOUT: Duration = Duration::from_millis(1_500);

pub(crate) struct Hooks {
    pub(crate) engine: EngineParts,
    pub(crate) clock: ManualClock,
    pub(crate) team: TestTeam,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) resolver: StaticResolver,
}

/// Returns a policy that opens loopback.
pub(crate) fn loopback() -> AddressPolicy {
    AddressPolicy::builder().allow_network("127.0.0.0/8".parse().unwrap()).build()
}

/// Returns a service without a site, on the machine's own clock, whose webhooks may go to loopback, and its engine,
/// which checks nothing.
pub(crate) async fn sending_with(sender: impl WebhookSender + 'static) -> (Service, EngineBuilder) {
    let builder = Service::builder(MemoryStore::new()).with_event_writer(EventsV1).with_sealing(Keyring::ephemeral());
    let service = builder.with_policy(loopback()).build().await.unwrap();
    let config = EngineConfig::default().with_workers(0);
    let engine = Engine::builder(&service).with_sender(sender).with_config(config);
    (service, engine)
}

impl Hooks {
    pub(crate) async fn new() -> Self {
        Self::with(loopback(), StaticResolver::new(), |sender| sender.with_timeout(TIMEOUT)).await
    }

    pub(crate) async fn with(
        policy: AddressPolicy,
        resolver: StaticResolver,
        change: impl FnOnce(HttpSender) -> HttpSender,
    ) -> Self {
        let clock = ManualClock::at(DateTime::<Utc>::from_timestamp(1_811_851_200, 0).unwrap());
        let sender = change(HttpSender::new(policy.clone(), Arc::new(resolver.clone())));
        let service = Service::builder(MemoryStore::with_clock(clock.clone()))
            .with_event_writer(EventsV1)
            .with_clock(clock.clone())
            .with_policy(policy)
            .with_resolver(resolver.clone())
            .with_base_url("https://a11y.example.com/v1")
            .with_sealing(Keyring::ephemeral())
            .build()
            .await
            .unwrap();
        let team = TestTeam::create(&service, "Blue Team", "agency").await;
        let engine = Engine::builder(&service).with_scanner(scanner()).with_sender(sender).build();
        let dispatcher = engine.dispatcher().unwrap();
        Self { engine, clock, team, dispatcher, resolver }
    }

    /// Creates an endpoint that listens to everything.
    pub(crate) async fn endpoint(&self, url: &str) -> (EndpointId, EndpointSecret) {
        self.team.endpoint(url).await
    }

    pub(crate) async fn endpoint_row(&self, id: EndpointId) -> WebhookEndpoint {
        self.team.endpoints().await.into_iter().find(|endpoint| endpoint.id == id).unwrap()
    }

    pub(crate) async fn ping(&self, endpoint: EndpointId) -> Delivery {
        self.team.ping(endpoint).await
    }

    /// Makes all attempts that are due now.
    pub(crate) async fn dispatch(&self) {
        while self.dispatcher.step().await.unwrap() == Step::Worked {}
    }

    /// Sends a test event, makes its first attempt, and returns that.
    pub(crate) async fn attempt(&self, endpoint: EndpointId) -> Attempt {
        let delivery = self.ping(endpoint).await;
        self.dispatch().await;
        self.log(&delivery).await.pop().expect("the attempt is in the log")
    }

    pub(crate) async fn log(&self, delivery: &Delivery) -> Vec<Attempt> {
        self.team.attempts(delivery.id).await
    }

    /// Returns all deliveries to the endpoint, the newest first.
    pub(crate) async fn deliveries(&self, endpoint: EndpointId) -> Vec<Delivery> {
        self.team.deliveries(endpoint).await
    }

    /// Adds a site whose first check is carried out now.
    pub(crate) async fn checked_site(&self) -> SiteId {
        let name = SiteName::new("Крамниця \u{1f6d2}").unwrap();
        let site = SiteInput::parse("https://93.184.215.14/").unwrap().with_name(name);
        let site = self.team.add_site(site).await.id;
        self.run_checks().await;
        site
    }

    pub(crate) async fn run_checks(&self) {
        let (worker, running) = (self.engine.worker().unwrap(), CancellationToken::new());
        while worker.step(&running).await.unwrap() == Step::Worked {}
    }
}

/// Returns a scanner whose first check finds one problem, and each further one two.
fn scanner() -> ScriptedScanner {
    let first = Script::page("https://93.184.215.14/").with_problem("image-alt", Impact::Critical, "#a", "<img id=a>");
    let further = first.clone().with_problem("label", Impact::Critical, "#b", "<input id=b>");
    ScriptedScanner::new([first, further])
}
