//! What helps to test a program that embeds the service, and to test stores and scanners of your own.
//!
//! [`TestWorld`] is a whole service that a test controls. [`store_suite!`] and [`scanner_suite!`] run the tests that every store and
//! every scanner passes, and [`forward_store!`] makes a store that changes a few methods of another.

#[doc(no_inline)]
pub use a11ycheck_core::{
    clock::ManualClock,
    net::StaticResolver,
    scanner::{Script, ScriptedScanner},
};
use a11ycheck_core::{
    engine::EngineParts,
    reexport::{DateTime, TimeDelta, Utc},
    service::Service,
};
use a11ycheck_storage_memory::MemoryStore;
#[doc(no_inline)]
pub use a11ycheck_storage_testkit::{
    ForwardStore, ScannerFactory, StoreFactory, TestPage, TestSite, forward_store, scanner_suite, store_stubs,
    store_suite,
};

/// A service over the store in memory, whose clock, resolver and scanner a test controls. Nothing waits, nothing leaves the process,
/// and time passes when the test says so.
///
/// ```
/// use a11ycheck::{
///     PlanCode, SiteInput, TeamInput,
///     domain::Impact,
///     reexport::TimeDelta,
///     testing::{Script, TestWorld},
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let home = Script::page("https://shop.example.com/").with_problem("image-alt", Impact::Critical, "#logo", "<img id=logo>");
/// let before = home.clone().with_problem("label", Impact::Critical, "#name", "<input id=name>");
/// let after = home.with_problem("link-name", Impact::Serious, "#more", "<a id=more href=/more></a>");
/// let world = TestWorld::new([before, after]).await;
/// world.publish("shop.example.com");
///
/// let input = TeamInput::new("Customer 4711", PlanCode::PRO);
/// let team = world.service().operator().team_for("customer-4711".parse()?, input).await?;
/// let site = team.add_site(SiteInput::parse("shop.example.com")?).await?.site;
/// world.run_until_idle().await;
/// world.advance(TimeDelta::days(1));
/// let scan = team.start_scan(site.id).await?;
/// world.run_until_idle().await;
///
/// let diff = team.report(scan.id, None).await?.diff;
/// assert_eq!((diff.new, diff.fixed, diff.remaining), (1, 1, 1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TestWorld {
    over_memory: a11ycheck_storage_testkit::TestWorld<MemoryStore>,
}

impl TestWorld {
    /// The instant at which the clock of a new world stands: half past nine on 15 January 2027.
    pub const BEGINNING: DateTime<Utc> = a11ycheck_storage_testkit::TestWorld::<MemoryStore>::BEGINNING;

    /// Makes a service over an empty store, with the shipped plans, a key that seals secrets, and a scanner that plays `scripts`: the
    /// first scan gets the first of them, and the last one serves all further scans.
    ///
    /// # Panics
    /// When the service can't be built, which would be an error of this crate.
    pub async fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        let store = async |clock| MemoryStore::with_clock(clock);
        Self { over_memory: a11ycheck_storage_testkit::TestWorld::new(store, scripts).await }
    }

    /// Returns the service.
    pub const fn service(&self) -> &Service {
        self.over_memory.service()
    }

    /// Returns the loops, for their single steps. Nothing runs them but the test.
    pub const fn engine(&self) -> &EngineParts {
        self.over_memory.engine()
    }

    /// Returns the store, for what the service does not show.
    pub fn store(&self) -> &MemoryStore {
        self.over_memory.store()
    }

    /// Returns the scanner, which knows what was asked of it and can break down.
    pub const fn scanner(&self) -> &ScriptedScanner {
        self.over_memory.scanner()
    }

    /// Returns the resolver, which knows what names were looked up.
    pub const fn resolver(&self) -> &StaticResolver {
        self.over_memory.resolver()
    }

    /// Returns the world's time.
    pub fn now(&self) -> DateTime<Utc> {
        self.over_memory.now()
    }

    /// Moves the world's time.
    pub fn advance(&self, by: TimeDelta) {
        self.over_memory.advance(by);
    }

    /// Lets a name lead to a public address. No other name leads anywhere.
    pub fn publish(&self, name: &str) {
        self.over_memory.publish(name);
    }

    /// Queues what the schedule wants queued, and checks what is due, until nothing is.
    ///
    /// # Panics
    /// When the store is in trouble.
    pub async fn run_until_idle(&self) {
        self.over_memory.run_until_idle().await;
    }
}
