//! The stores that the same tests run over.

use a11ycheck_api_v1::EventsV1;
use a11ycheck_core::{Service, clock::ManualClock, sealing::Keyring, service::ServiceBuilder};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use a11ycheck_storage_sqlite::{SqliteConfig, SqliteStore};

use crate::{database::database_url, file::data_file};

/// An empty store that uses the clock of a test.
pub trait Backend: Send + Sync + 'static {
    /// Begins a service over a new, empty store.
    fn begin(clock: ManualClock) -> impl Future<Output = ServiceBuilder> + Send;
}

/// The tests over [`MemoryStore`].
#[derive(Debug)]
pub struct Memory;

/// The tests over [`PostgresStore`], in a schema of its own of the database that `DATABASE_URL` names.
#[derive(Debug)]
pub struct Postgres;

/// The tests over [`SqliteStore`], each in a file of its own.
#[derive(Debug)]
pub struct Sqlite;

impl Backend for Memory {
    async fn begin(clock: ManualClock) -> ServiceBuilder {
        Service::builder(MemoryStore::with_clock(clock)).with_sealing(Keyring::ephemeral()).with_event_writer(EventsV1)
    }
}

impl Backend for Postgres {
    async fn begin(clock: ManualClock) -> ServiceBuilder {
        let url = database_url();
        // The prefix with which the store's own tests recognise what earlier runs have left.
        let schema = format!("a11ycheck_test_{}", ulid::Ulid::generate().to_string().to_lowercase());
        let config = PostgresConfig::new(url).with_schema(schema).with_max_connections(4);
        let store = PostgresStore::connect(config).await.expect("the test database can be used");
        // The schema is new, and ends with the test.
        Service::builder(store.with_clock(clock)).with_sealing(Keyring::ephemeral()).with_event_writer(EventsV1)
    }
}

impl Backend for Sqlite {
    async fn begin(clock: ManualClock) -> ServiceBuilder {
        let store = SqliteStore::open(SqliteConfig::new(data_file())).await.expect("a new file can be used");
        Service::builder(store.with_clock(clock)).with_sealing(Keyring::ephemeral()).with_event_writer(EventsV1)
    }
}
