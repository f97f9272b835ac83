//! A whole service in a test.

use std::{net::IpAddr, sync::Arc};

use a11ycheck_core::{
    Service, Store,
    clock::{Clock as _, ManualClock},
    engine::{Scheduler, Step, Worker},
    net::StaticResolver,
    scanner::{CancellationToken, Script, ScriptedScanner},
    sealing::Keyring,
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::{ForwardStore, forward_store};

/// A service whose store, clock, resolver and scanner a test controls. Nothing waits, nothing leaves the process, and time
/// passes when the test says so.
///
/// ```
/// use a11ycheck_core::{
///     domain::{Impact, PlanCode, SiteInput},
///     paging::PageInput,
///     scanner::Script,
///     service::{ReportRequest, TeamInput},
/// };
/// use a11ycheck_storage_memory::MemoryStore;
/// use a11ycheck_storage_testkit::TestWorld;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let script = Script::page("https://shop.example.com/").with_problem("image-alt", Impact::Critical, "#logo", "<img id=logo>");
/// let world = TestWorld::new(async |clock| MemoryStore::with_clock(clock), [script]).await;
/// world.publish("shop.example.com");
///
/// let team = world.service().create_team(TeamInput::new("My team", PlanCode::new("pro"))).await?;
/// let actor = world.service().act_for(team.id).await?;
/// let site = world.service().add_site(&actor, SiteInput::new("https://shop.example.com")).await?;
/// world.run_until_idle().await;
///
/// let checks = world.service().scans(&actor, site.id, &PageInput::default()).await?;
/// let report = world.service().report(&actor, &ReportRequest { scan: checks.items[0].id, lang: None }).await?;
/// assert_eq!(report.total, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TestWorld<S> {
    service: Service,
    store: Arc<S>,
    clock: ManualClock,
    resolver: StaticResolver,
    scanner: ScriptedScanner,
}

/// The store, which the service and the test have in common.
#[derive(Debug)]
struct Shared<S>(Arc<S>);

impl<S: Store> ForwardStore for Shared<S> {
    fn inner(&self) -> &dyn Store {
        &*self.0
    }
}

forward_store!(impl<S: Store> Shared<S>);

impl<S: Store> TestWorld<S> {
    /// The instant at which the clock of a new world stands: half past nine on 15 January 2027.
    pub const BEGINNING: DateTime<Utc> = DateTime::from_timestamp_nanos(1_800_005_400_123_456_000);

    /// A public address, to which published names lead.
    const PUBLIC: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(93, 184, 215, 14));

    /// Makes a service over an empty store, with the shipped plans, a key that seals secrets, and a scanner that plays
    /// `scripts`. `store` is given the world's clock, by which the store must go.
    ///
    /// # Panics
    /// When the store is in trouble.
    pub async fn new(store: impl AsyncFnOnce(ManualClock) -> S, scripts: impl IntoIterator<Item = Script>) -> Self {
        let clock = ManualClock::at(Self::BEGINNING);
        let store = Arc::new(store(clock.clone()).await);
        let (resolver, scanner) = (StaticResolver::new(), ScriptedScanner::new(scripts));
        let service = Service::builder(Shared(Arc::clone(&store)), scanner.clone())
            .with_clock(clock.clone())
            .with_resolver(resolver.clone())
            .with_sealing(Keyring::ephemeral());
        let service = service.build().await.unwrap_or_else(|error| panic!("the service can't be built: {error:?}"));
        Self { service, store, clock, resolver, scanner }
    }

    /// Returns the service.
    pub const fn service(&self) -> &Service {
        &self.service
    }

    /// Returns the store, for what the service does not show.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Returns the scanner, which knows what was asked of it and can break down.
    pub const fn scanner(&self) -> &ScriptedScanner {
        &self.scanner
    }

    /// Returns the resolver, which knows what names were looked up.
    pub const fn resolver(&self) -> &StaticResolver {
        &self.resolver
    }

    /// Returns the world's time.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Moves the world's time.
    pub fn advance(&self, by: TimeDelta) {
        self.clock.advance(by);
    }

    /// Lets a name lead to a public address. No other name leads anywhere.
    pub fn publish(&self, name: &str) {
        // The table of names is shared by all clones.
        let _ = self.resolver.clone().with(name, [Self::PUBLIC]);
    }

    /// Queues what the schedule wants queued, and checks what is due, until nothing is.
    ///
    /// # Panics
    /// When the store is in trouble.
    pub async fn run_until_idle(&self) {
        let (scheduler, worker) = (Scheduler::new(self.service.clone()), Worker::new(self.service.clone()));
        let running = CancellationToken::new();
        let done = |step: Result<Step, _>| step.unwrap_or_else(|error| panic!("the store is in trouble: {error:?}"));
        while done(scheduler.step().await) == Step::Worked {}
        while done(worker.step(&running).await) == Step::Worked {}
    }
}
