//! A whole service in a test.

use std::{net::IpAddr, sync::Arc};

use a11ycheck_core::{
    Engine, Service, Store,
    clock::{Clock as _, ManualClock},
    engine::{EngineParts, Step},
    net::StaticResolver,
    scanner::{CancellationToken, Script, ScriptedScanner},
    sealing::Keyring,
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::{ForwardStore, forward_store};

/// A service whose store, clock, resolver and scanner a test controls. Nothing waits, nothing leaves the process, and
/// time passes only when the test advances it.
///
/// ```
/// use a11ycheck_core::{
///     domain::{Impact, PlanCode, SiteInput},
///     scanner::Script,
///     service::TeamInput,
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
/// let team = world.service().operator().create_team(TeamInput::new("My team", PlanCode::new("pro"))).await?;
/// let team = world.service().team(team.id).await?;
/// let site = team.add_site(SiteInput::parse("https://shop.example.com")?).await?.site;
/// world.run_until_idle().await;
///
/// let scan = team.newest_scan(site.id).await?.ok_or("the first check is queued with its site")?;
/// let report = team.report(scan.id, None).await?;
/// assert_eq!(report.total, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TestWorld<S> {
    service: Service,
    engine: EngineParts,
    store: Arc<S>,
    clock: ManualClock,
    resolver: StaticResolver,
    scanner: ScriptedScanner,
}

/// The store, which the service and the test share.
#[derive(Debug)]
struct Shared<S>(Arc<S>);

impl<S: Store> ForwardStore for Shared<S> {
    fn inner(&self) -> &dyn Store {
        &*self.0
    }
}

forward_store!(impl<S: Store> Shared<S>);

impl<S: Store> TestWorld<S> {
    /// The instant at which the clock of a new world begins: half past nine on 15 January 2027.
    pub const BEGINNING: DateTime<Utc> = DateTime::from_timestamp_nanos(1_800_005_400_123_456_000);

    /// The public address of all published names.
    const PUBLIC: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(93, 184, 215, 14));

    /// Makes a service over an empty store, with the shipped plans, a key that seals secrets, and a scanner that plays
    /// `scripts`. `store` is given the world's clock, which the store must use.
    ///
    /// # Panics
    /// Panics if the store fails.
    pub async fn new(store: impl AsyncFnOnce(ManualClock) -> S, scripts: impl IntoIterator<Item = Script>) -> Self {
        let clock = ManualClock::at(Self::BEGINNING);
        let store = Arc::new(store(clock.clone()).await);
        let (resolver, scanner) = (StaticResolver::new(), ScriptedScanner::new(scripts));
        let service = Service::builder(Shared(Arc::clone(&store)))
            .with_clock(clock.clone())
            .with_resolver(resolver.clone())
            .with_sealing(Keyring::ephemeral());
        let service = service.build().await.unwrap_or_else(|error| panic!("the service can't be built: {error:?}"));
        let engine = Engine::builder(&service).with_scanner(scanner.clone()).build();
        Self { service, engine, store, clock, resolver, scanner }
    }

    /// Returns the service.
    pub const fn service(&self) -> &Service {
        &self.service
    }

    /// Returns the loops, for their single steps. Nothing runs them but the test.
    pub const fn engine(&self) -> &EngineParts {
        &self.engine
    }

    /// Returns the store, for data that the service does not show.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Returns the scanner, which records its requests and can be made to fail.
    pub const fn scanner(&self) -> &ScriptedScanner {
        &self.scanner
    }

    /// Returns the resolver, which records the names that were looked up.
    pub const fn resolver(&self) -> &StaticResolver {
        &self.resolver
    }

    /// Returns the world's time.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Advances the world's time.
    pub fn advance(&self, by: TimeDelta) {
        self.clock.advance(by);
    }

    /// Publishes a name: it leads to a public address. No other name leads anywhere.
    pub fn publish(&self, name: &str) {
        // The table of names is shared by all clones.
        let _ = self.resolver.clone().with(name, [Self::PUBLIC]);
    }

    /// Queues the checks that are due, and carries them out, until nothing is due.
    ///
    /// # Panics
    /// Panics if the store fails.
    pub async fn run_until_idle(&self) {
        let scheduler = self.engine.scheduler();
        let worker = self.engine.worker().expect("the engine was given a scanner");
        let running = CancellationToken::new();
        let done = |step: Result<Step, _>| step.unwrap_or_else(|error| panic!("the store is in trouble: {error:?}"));
        while done(scheduler.step().await) == Step::Worked {}
        while done(worker.step(&running).await) == Step::Worked {}
    }
}
