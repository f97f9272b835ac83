//! The stores that content is moved between.

use a11ycheck_core::{
    Store,
    clock::ManualClock,
    store::{
        ReviewStore, SiteFieldStore,
        transfer::{self, Totals, TransferStore},
    },
};
use a11ycheck_storage_memory::MemoryStore;
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use a11ycheck_storage_sqlite::{SqliteConfig, SqliteStore};
use a11ycheck_storage_testkit::{FilledStore, StoreFactory};
use a11ycheck_tests::database_url;
use tempfile::TempDir;

/// Makes empty stores of every kind.
pub(crate) struct Stores {
    folder: TempDir,
}

#[async_trait::async_trait]
impl StoreFactory for Stores {
    type Store = MemoryStore;

    async fn empty(&self, clock: ManualClock) -> MemoryStore {
        MemoryStore::with_clock(clock)
    }
}

impl Stores {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) async fn sqlite(&self, clock: &ManualClock) -> SqliteStore {
        let path = self.folder.path().join(format!("{}.db", ulid::Ulid::generate()));
        SqliteStore::open(SqliteConfig::new(path)).await.unwrap().with_clock(clock.clone())
    }

    pub(crate) async fn postgres(&self, clock: &ManualClock) -> PostgresStore {
        // The prefix with which the store's own tests recognise what earlier runs have left.
        let schema = format!("a11ycheck_test_{}", ulid::Ulid::generate().to_string().to_lowercase());
        let config = PostgresConfig::new(database_url()).with_schema(schema).with_max_connections(4);
        PostgresStore::connect(config).await.unwrap().with_clock(clock.clone())
    }
}

/// Returns everything of a store as a file.
pub(crate) async fn exported(store: &impl TransferStore) -> Vec<u8> {
    let mut file = Vec::new();
    transfer::export(store, &mut file).await.unwrap();
    file
}

/// Moves the content of a file to a store, and returns what the store exports then.
async fn through<S: Store + ReviewStore + SiteFieldStore + TransferStore>(
    store: S,
    file: &[u8],
    filled: &FilledStore<MemoryStore>,
    before: &[String],
) -> Vec<u8> {
    let taken: Totals = transfer::import(&store, file).await.unwrap();
    assert!(taken.counts().all(|(_, count)| count > 0));
    let after = filled.answers(&store).await;
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(after, before);
    }
    assert_eq!(after.len(), before.len());
    exported(&store).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_the_same_whichever_stores_it_went_through() {
    let stores = Stores::new();
    let filled = FilledStore::new(&stores).await;
    let clock = &filled.clock;
    let before = filled.answers(&*filled.store).await;
    let first = exported(&*filled.store).await;
    let mut file = through(stores.sqlite(clock).await, &first, &filled, &before).await;
    assert!(file == first, "from memory to SQLite");
    file = through(stores.postgres(clock).await, &file, &filled, &before).await;
    assert!(file == first, "from SQLite to PostgreSQL");
    file = through(stores.sqlite(clock).await, &file, &filled, &before).await;
    assert!(file == first, "from PostgreSQL to SQLite");
    file = through(stores.empty(clock.clone()).await, &file, &filled, &before).await;
    assert!(file == first, "from SQLite to memory");
    file = through(stores.postgres(clock).await, &file, &filled, &before).await;
    assert!(file == first, "from memory to PostgreSQL");
    file = through(stores.empty(clock.clone()).await, &file, &filled, &before).await;
    assert!(file == first, "from PostgreSQL to memory");
}
