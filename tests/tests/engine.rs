//! What an engine does beside a service: when it works, when it stops, and what it says of itself.
//!
//! Time is paused: a wait of an hour is over as soon as nothing is left to do, and whatever would happen within the hour has
//! happened.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{
    Engine, Error, Service,
    clock::ManualClock,
    domain::{AttemptResult, DeliveryStatus, Excerpt, Impact, Lease, ScanStatus, SiteInput},
    engine::{EngineBuilder, EngineConfig, EngineFault, Step},
    id::SiteId,
    net::AddressPolicy,
    scanner::{CancellationToken, ProgressSink, ScanError, ScanOutput, ScanRequest, Scanner, Script, ScriptedScanner},
    sealing::Keyring,
    service::ServiceBuilder,
    webhook::{Bytes, CompletedCheck, EventHead, EventWriter, WebhookRequest, WebhookSender},
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_tests::{Log, TestTeam};
use chrono::{DateTime, TimeDelta, Utc};
use tracing_subscriber::filter::LevelFilter;

/// Longer than any loop waits before it looks again.
const HOUR: Duration = Duration::from_secs(3_600);

struct World {
    service: Service,
    clock: ManualClock,
    team: TestTeam,
}

impl World {
    async fn new() -> Self {
        Self::configured(|builder| builder.with_event_writer(EventsV1)).await
    }

    async fn configured(configure: impl FnOnce(ServiceBuilder) -> ServiceBuilder) -> Self {
        let clock = ManualClock::at(DateTime::<Utc>::from_timestamp(1_811_851_200, 0).unwrap());
        let policy = AddressPolicy::builder().allow_network("127.0.0.0/8".parse().unwrap()).build();
        let builder = Service::builder(MemoryStore::with_clock(clock.clone())).with_clock(clock.clone());
        let builder = configure(builder).with_policy(policy).with_sealing(Keyring::ephemeral());
        let service = builder.build().await.unwrap();
        let team = TestTeam::create(&service, "Blue Team", "agency").await;
        Self { service, clock, team }
    }

    fn engine(&self) -> EngineBuilder {
        Engine::builder(&self.service)
    }

    /// A site whose first check is queued.
    async fn add_site(&self) -> SiteId {
        self.team.add_site(SiteInput::parse("https://93.184.215.14/").unwrap()).await.id
    }

    async fn status(&self, site: SiteId) -> ScanStatus {
        self.team.newest_scan(site).await.status()
    }

    async fn until(&self, site: SiteId, status: ScanStatus) {
        while self.status(site).await != status {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// What a worker of another engine finds to do.
    async fn step_of_another(&self) -> Step {
        let worker = self.engine().with_scanner(scripted()).build().worker().unwrap();
        worker.step(&CancellationToken::new()).await.unwrap()
    }
}

fn scripted() -> ScriptedScanner {
    ScriptedScanner::new([Script::page("https://93.184.215.14/")])
}

/// Is never done with a check, and notes that it was called off.
#[derive(Clone, Default)]
struct Endless {
    called_off: CancellationToken,
}

#[async_trait::async_trait]
impl Scanner for Endless {
    async fn scan(
        &self,
        _: ScanRequest,
        _: &dyn ProgressSink,
        cancel: CancellationToken,
    ) -> Result<ScanOutput, ScanError> {
        cancel.cancelled().await;
        self.called_off.cancel();
        Err(ScanError::Cancelled)
    }
}

/// Is never done with an attempt, and notes that one was begun, and that it was dropped.
#[derive(Debug, Clone, Default)]
struct Hanging {
    begun: CancellationToken,
    dropped: CancellationToken,
}

#[async_trait::async_trait]
impl WebhookSender for Hanging {
    async fn send(&self, _: WebhookRequest) -> AttemptResult {
        let _dropped = self.dropped.clone().drop_guard();
        self.begun.cancel();
        std::future::pending().await
    }
}

/// Keeps the bodies that it receives.
#[derive(Debug, Clone, Default)]
struct Receiving(Arc<Mutex<Vec<String>>>);

#[async_trait::async_trait]
impl WebhookSender for Receiving {
    async fn send(&self, request: WebhookRequest) -> AttemptResult {
        self.0.lock().unwrap().push(String::from_utf8(request.body.to_vec()).unwrap());
        AttemptResult::Answered { status: 204, excerpt: Excerpt::of(b"") }
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_engine_checks_no_site_that_is_added_after_the_drop() {
    let (world, scanner) = (World::new().await, scripted());
    let engine = world.engine().with_scanner(scanner.clone()).start();
    let before = world.add_site().await;
    world.until(before, ScanStatus::Completed).await;
    drop(engine);
    let after = world.add_site().await;
    tokio::time::sleep(HOUR).await;
    assert_eq!((world.status(after).await, scanner.requests().len()), (ScanStatus::Queued, 1));
    assert_eq!(world.step_of_another().await, Step::Worked, "it waits for another engine");
}

#[tokio::test(start_paused = true)]
async fn a_check_under_way_in_a_dropped_engine_is_called_off_and_taken_again_when_its_lease_ends() {
    let (world, scanner) = (World::new().await, Endless::default());
    let engine = world.engine().with_scanner(scanner.clone()).start();
    let site = world.add_site().await;
    world.until(site, ScanStatus::Running).await;
    drop(engine);
    scanner.called_off.cancelled().await;
    tokio::time::sleep(HOUR).await;
    world.clock.advance(Lease::TERM - TimeDelta::milliseconds(1));
    assert_eq!(world.step_of_another().await, Step::Idle, "nothing was handed back");
    world.clock.advance(TimeDelta::milliseconds(1));
    assert_eq!(world.step_of_another().await, Step::Worked);
    assert_eq!(world.status(site).await, ScanStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_check_under_way_in_an_engine_that_is_stopped_is_handed_back_at_once() {
    let (world, scanner) = (World::new().await, Endless::default());
    let engine = world.engine().with_scanner(scanner.clone()).start();
    let site = world.add_site().await;
    world.until(site, ScanStatus::Running).await;
    engine.stop().await;
    assert!(scanner.called_off.is_cancelled());
    assert_eq!(world.step_of_another().await, Step::Worked);
    assert_eq!(world.status(site).await, ScanStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_step_that_its_caller_drops_calls_its_scanner_off() {
    let (world, scanner) = (World::new().await, Endless::default());
    let worker = world.engine().with_scanner(scanner.clone()).build().worker().unwrap();
    world.add_site().await;
    tokio::time::timeout(Duration::from_secs(5), worker.step(&CancellationToken::new())).await.unwrap_err();
    scanner.called_off.cancelled().await;
}

#[tokio::test(start_paused = true)]
async fn an_attempt_under_way_in_a_dropped_engine_is_given_up_and_made_again_when_its_lease_ends() {
    let (world, sender) = (World::new().await, Hanging::default());
    let (endpoint, _) = world.team.endpoint("http://127.0.0.1:9000/").await;
    let config = EngineConfig::default().with_workers(0);
    let engine = world.engine().with_sender(sender.clone()).with_config(config).start();
    let delivery = world.team.ping(endpoint).await;
    sender.begun.cancelled().await;
    drop(engine);
    sender.dropped.cancelled().await;
    tokio::time::sleep(HOUR).await;
    let another = world.engine().with_sender(Receiving::default()).build().dispatcher().unwrap();
    assert_eq!(another.step().await.unwrap(), Step::Idle, "it is the dropped engine's until the lease ends");
    world.clock.advance(TimeDelta::minutes(1));
    assert_eq!(another.step().await.unwrap(), Step::Worked);
    assert_eq!(world.team.attempts(delivery.id).await.len(), 1, "the one that was given up is not counted");
    assert_eq!(world.team.deliveries(endpoint).await[0].state.status(), DeliveryStatus::Delivered);
}

#[tokio::test(start_paused = true)]
async fn an_engine_with_workers_and_no_scanner_checks_nothing_and_is_not_ready() {
    let world = World::new().await;
    let builder = world.engine();
    let status = builder.status().clone();
    status.ready().unwrap();
    let engine = builder.start();
    assert_eq!(status.ready(), Err(EngineFault::NoScanner));
    let site = world.add_site().await;
    tokio::time::sleep(HOUR).await;
    assert_eq!(world.status(site).await, ScanStatus::Queued);
    engine.stop().await;

    let config = EngineConfig::default().with_workers(0);
    world.engine().with_config(config).start().status().ready().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_status_that_was_taken_before_the_start_says_when_the_scanner_can_not_work() {
    let (world, scanner) = (World::new().await, scripted());
    let builder = world.engine().with_scanner(scanner.clone());
    let status = builder.status().clone();
    scanner.break_down("no browser could be started");
    let engine = builder.start();
    let site = world.add_site().await;
    tokio::time::sleep(HOUR).await;
    let fault = EngineFault::Scanner("no browser could be started".into());
    assert_eq!((status.ready(), engine.status().ready()), (Err(fault.clone()), Err(fault)));
    world.service.ready().await.expect("the store is well");
    scanner.repair();
    world.until(site, ScanStatus::Completed).await;
    status.ready().unwrap();
    engine.stop().await;
}

/// Speaks no contract but its own.
#[derive(Debug)]
struct OwnWords;

impl EventWriter for OwnWords {
    fn completed(&self, event: &EventHead, check: &CompletedCheck<'_>) -> Bytes {
        let (scan, site) = (check.scan.status().as_str(), check.site.details.url.domain());
        format!("{}: {scan} {site}, {} new", event.kind, check.outcome.diff.new).into()
    }

    fn test(&self, event: &EventHead) -> Bytes {
        format!("{}: hello", event.kind).into()
    }
}

#[tokio::test(start_paused = true)]
async fn endpoints_receive_what_the_services_event_writer_wrote() {
    let world = World::configured(|builder| builder.with_event_writer(OwnWords)).await;
    let (endpoint, _) = world.team.endpoint("http://127.0.0.1:9000/").await;
    let first = Script::page("https://93.184.215.14/");
    let second = first.clone().with_problem("image-alt", Impact::Critical, "img", "<img>");
    let received = Receiving::default();
    let engine =
        world.engine().with_scanner(ScriptedScanner::new([first, second])).with_sender(received.clone()).build();
    let site = world.add_site().await;
    let (worker, running) = (engine.worker().unwrap(), CancellationToken::new());
    worker.step(&running).await.unwrap();
    world.clock.advance(TimeDelta::days(1));
    world.team.start_scan(site).await;
    worker.step(&running).await.unwrap();
    world.team.ping(endpoint).await;
    let dispatcher = engine.dispatcher().unwrap();
    while dispatcher.step().await.unwrap() == Step::Worked {}
    let mut received = received.0.lock().unwrap().clone();
    received.sort_unstable();
    let completed = |new: u32| format!("scan.completed: completed 93.184.215.14, {new} new");
    let issues = "issues.new: completed 93.184.215.14, 1 new".to_owned();
    assert_eq!(received, [issues, "ping: hello".to_owned(), completed(0), completed(1)]);
}

#[tokio::test(start_paused = true)]
async fn a_worker_without_an_event_writer_is_not_ready_once_there_are_endpoints_and_logs_it_once() {
    let (log, logging) = Log::of_this_thread(LevelFilter::INFO);
    let world = World::configured(|builder| builder).await;
    let engine = world.engine().with_scanner(scripted()).build();
    let (worker, running) = (engine.worker().unwrap(), CancellationToken::new());
    let site = world.add_site().await;
    worker.step(&running).await.unwrap();
    engine.status().ready().expect("there is nobody whom events would be sent to");

    let (endpoint, _) = world.team.endpoint("http://127.0.0.1:9000/").await;
    for _ in 0..2 {
        world.clock.advance(TimeDelta::days(1));
        world.team.start_scan(site).await;
        worker.step(&running).await.unwrap();
        assert_eq!(world.status(site).await, ScanStatus::Completed);
        assert_eq!(engine.status().ready(), Err(EngineFault::NoEventWriter));
    }
    assert_eq!(world.team.deliveries(endpoint).await, []);
    let refused = world.team.try_ping(endpoint).await;
    assert!(matches!(refused, Err(Error::NoEventWriter)), "{refused:?}");
    drop(logging);
    let log = log.text();
    assert_eq!(log.matches("the service has no event writer").count(), 1, "{log}");
}
