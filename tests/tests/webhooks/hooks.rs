//! A service whose webhooks go to receivers on loopback.

use std::{sync::Arc, time::Duration};

use a11ycheck_core::{
    Service,
    clock::ManualClock,
    domain::{Attempt, Delivery, EndpointSecret, Impact, SiteInput, WebhookEndpoint},
    engine::{Dispatcher, Step, Worker},
    id::{EndpointId, SiteId},
    net::{AddressPolicy, StaticResolver},
    scanner::{CancellationToken, Script, ScriptedScanner},
    sealing::Keyring,
    webhook::{HttpSender, WebhookSender},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::TestTeam;
use chrono::{DateTime, Utc};

/// Long enough for loopback, and short enough to wait for.
const TIMEOUT: Duration = Duration::from_millis(1_500);

pub(crate) struct Hooks {
    pub(crate) service: Service,
    pub(crate) clock: ManualClock,
    pub(crate) team: TestTeam,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) resolver: StaticResolver,
}

/// A policy that opens loopback.
pub(crate) fn loopback() -> AddressPolicy {
    AddressPolicy::builder().allow_network("127.0.0.0/8".parse().unwrap()).build()
}

/// A service without a site, by the machine's own time, whose webhooks may go to loopback.
pub(crate) async fn sending_with(sender: impl WebhookSender + 'static) -> Service {
    let builder = Service::builder(MemoryStore::new(), ScriptedScanner::default()).with_sealing(Keyring::ephemeral());
    builder.with_policy(loopback()).with_sender(sender).build().await.unwrap()
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
        let service = Service::builder(MemoryStore::with_clock(clock.clone()), scanner())
            .with_clock(clock.clone())
            .with_policy(policy)
            .with_resolver(resolver.clone())
            .with_base_url("https://a11y.example.com/v1")
            .with_sender(sender)
            .with_sealing(Keyring::ephemeral())
            .build()
            .await
            .unwrap();
        let team = TestTeam::create(&service, "Blue Team", "agency").await;
        let dispatcher = Dispatcher::new(service.clone()).unwrap();
        Self { service, clock, team, dispatcher, resolver }
    }

    /// An endpoint that listens to everything.
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

    /// A test event's first attempt, after it was made.
    pub(crate) async fn attempt(&self, endpoint: EndpointId) -> Attempt {
        let delivery = self.ping(endpoint).await;
        self.dispatch().await;
        self.log(&delivery).await.pop().expect("the attempt is in the log")
    }

    pub(crate) async fn log(&self, delivery: &Delivery) -> Vec<Attempt> {
        self.team.attempts(delivery.id).await
    }

    /// All deliveries to the endpoint, the newest first.
    pub(crate) async fn deliveries(&self, endpoint: EndpointId) -> Vec<Delivery> {
        self.team.deliveries(endpoint).await
    }

    /// A site whose first check is made now.
    pub(crate) async fn checked_site(&self) -> SiteId {
        let site = SiteInput {
            name: Some("Крамниця \u{1f6d2}".to_owned()),
            ..SiteInput::new("https://93.184.215.14/")
        };
        let site = self.team.add_site(site).await.id;
        self.run_checks().await;
        site
    }

    pub(crate) async fn run_checks(&self) {
        let (worker, running) = (Worker::new(self.service.clone()), CancellationToken::new());
        while worker.step(&running).await.unwrap() == Step::Worked {}
    }
}

/// The first check finds one problem, each further one two.
fn scanner() -> ScriptedScanner {
    let first = Script::page("https://93.184.215.14/").with_problem("image-alt", Impact::Critical, "#a", "<img id=a>");
    let further = first.clone().with_problem("label", Impact::Critical, "#b", "<input id=b>");
    ScriptedScanner::new([first, further])
}
