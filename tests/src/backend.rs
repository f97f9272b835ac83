//! The stores that the same tests run over.

use a11ycheck_core::{
    Service, clock::ManualClock, scanner::ScriptedScanner, sealing::Keyring, service::ServiceBuilder,
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};

/// An empty store that goes by the clock of a test.
pub trait Backend: Send + Sync + 'static {
    /// Begins a service over a new, empty store.
    fn begin(clock: ManualClock, scanner: ScriptedScanner) -> impl Future<Output = ServiceBuilder> + Send;
}

/// [`MemoryStore`].
#[derive(Debug)]
pub struct Memory;

/// [`PostgresStore`], in a schema of its own of the database that `DATABASE_URL` names.
#[derive(Debug)]
pub struct Postgres;

impl Backend for Memory {
    async fn begin(clock: ManualClock, scanner: ScriptedScanner) -> ServiceBuilder {
        Service::builder(MemoryStore::with_clock(clock), scanner).with_sealing(Keyring::ephemeral())
    }
}

impl Backend for Postgres {
    async fn begin(clock: ManualClock, scanner: ScriptedScanner) -> ServiceBuilder {
        let url = std::env::var("DATABASE_URL").expect(
            "DATABASE_URL is not set: run the tests with `cargo xtask test`, which starts a PostgreSQL for them, or name a \
             database where schemas may be created",
        );
        // The prefix by which the store's own tests know what earlier runs have left.
        let schema = format!("a11ycheck_test_{}", ulid::Ulid::generate().to_string().to_lowercase());
        let config = PostgresConfig::new(url).with_schema(schema).with_max_connections(4);
        let store = PostgresStore::connect(config).await.expect("the test database can be used");
        // The schema is new, and ends with the test.
        Service::builder(store.with_clock(clock), scanner).with_sealing(Keyring::ephemeral())
    }
}
