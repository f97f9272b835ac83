//! The service behind real HTTP on loopback.

use std::marker::PhantomData;

use a11ycheck_core::{
    Engine, Service,
    clock::ManualClock,
    domain::Ability,
    engine::{EngineParts, Step, Worker},
    net::StaticResolver,
    scanner::{CancellationToken, Script, ScriptedScanner},
    service::ServiceBuilder,
};
use a11ycheck_server_warp::{RoutesConfig, ServeLimits, routes, serve};
use chrono::{DateTime, Utc};
use tokio::net::TcpListener;

use crate::{Backend, Client, TestTeam};

/// A running server over the store `B`, and everything that a test controls.
#[derive(Debug)]
pub struct TestApp<B> {
    /// The service.
    pub service: Service,
    /// Its loops, which nothing runs but the test.
    pub engine: EngineParts,
    /// The clock of everything.
    pub clock: ManualClock,
    /// The scanner, with the scripts of the checks.
    pub scanner: ScriptedScanner,
    /// The team of [`client`](Self::client).
    pub team: TestTeam,
    base_url: String,
    stop: CancellationToken,
    store: PhantomData<B>,
}

impl<B: Backend> TestApp<B> {
    /// Starts a server whose team is on the `agency` plan.
    pub async fn start(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::on_plan("agency", scripts).await
    }

    /// Starts a server whose team is on this plan. It is 1 June 2027, 12:00.
    pub async fn on_plan(plan: &str, scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::configured(plan, scripts, |builder| builder).await
    }

    /// Starts a server likewise, with a service that is configured by the test.
    pub async fn configured(
        plan: &str,
        scripts: impl IntoIterator<Item = Script>,
        configure: impl FnOnce(ServiceBuilder) -> ServiceBuilder,
    ) -> Self {
        let clock = ManualClock::at(DateTime::<Utc>::from_timestamp(Self::START, 0).unwrap());
        let scanner = ScriptedScanner::new(scripts);
        let service = configure(B::begin(clock.clone()).await);
        Self::over(service, clock, scanner, plan).await
    }

    /// The instant at which tests begin, in seconds since 1970: 1 June 2027, 12:00.
    pub const START: i64 = 1_811_851_200;

    /// Starts a server over a service whose store uses this clock, with an engine that has this scanner; its team is a
    /// new one, on this plan.
    pub async fn over(service: ServiceBuilder, clock: ManualClock, scanner: ScriptedScanner, plan: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let resolver = StaticResolver::new()
            .with("inside.example.com", ["10.0.0.7".parse().unwrap()])
            .with("nas.lan", ["192.168.1.7".parse().unwrap()])
            .with("both.example.com", ["93.184.215.14".parse().unwrap(), "192.168.1.1".parse().unwrap()]);
        let service =
            service.with_clock(clock.clone()).with_resolver(resolver).with_base_url(&base_url).build().await.unwrap();
        let engine = Engine::builder(&service).with_scanner(scanner.clone()).build();
        let team = TestTeam::create(&service, "Blue Team", plan).await;
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(serve(listener, routes(&service, RoutesConfig::default()), ServeLimits::default(), stopped));
        Self { service, engine, clock, scanner, team, base_url, stop, store: PhantomData }
    }

    /// Returns a client of the team that may do everything.
    pub async fn client(&self) -> Client {
        self.client_of(&self.team, &[Ability::Read, Ability::Write]).await
    }

    /// Returns a client of the team that may only read.
    pub async fn reader(&self) -> Client {
        self.client_of(&self.team, &[Ability::Read]).await
    }

    /// Returns a client of the team that may only write.
    pub async fn writer(&self) -> Client {
        self.client_of(&self.team, &[Ability::Write]).await
    }

    /// Returns a client of another team, on the same plan, that may do everything.
    pub async fn stranger(&self) -> Client {
        let team = self.team("Red Team", self.team.created().plan.code.as_str()).await;
        self.client_of(&team, &[Ability::Read, Ability::Write]).await
    }

    /// Returns a client without a token.
    pub fn anonymous(&self) -> Client {
        self.client_with(None)
    }

    /// Returns a client with this token.
    pub fn client_with(&self, token: Option<&str>) -> Client {
        Client::new(&self.base_url, token)
    }

    /// Returns a client of a team with these abilities.
    pub async fn client_of(&self, team: &TestTeam, abilities: &[Ability]) -> Client {
        let (_, secret) = team.token(abilities).await;
        self.client_with(Some(secret.reveal()))
    }

    /// Creates a further team, on this plan.
    pub async fn team(&self, name: &str, plan: &str) -> TestTeam {
        TestTeam::create(&self.service, name, plan).await
    }

    /// Returns a new worker of the app's node.
    pub fn worker(&self) -> Worker {
        self.engine.worker().unwrap()
    }

    /// Carries out everything that is due now, and returns when nothing is.
    pub async fn run_checks(&self) {
        let worker = self.worker();
        while worker.step(&self.stop).await.unwrap() == Step::Worked {}
    }

    /// Queues the checks of all sites that are due now.
    pub async fn run_scheduler(&self) {
        let scheduler = self.engine.scheduler();
        while scheduler.step().await.unwrap() == Step::Worked {}
    }
}

impl<B> Drop for TestApp<B> {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
