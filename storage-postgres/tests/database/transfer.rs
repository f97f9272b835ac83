//! What is moved: each column of each table; and what an import leaves where files are outside the tables.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use a11ycheck_core::{
    clock::ManualClock,
    store::{
        ScanStore as _,
        transfer::{self, TransferError},
    },
};
use a11ycheck_storage_postgres::{PostgresConfig, PostgresStore};
use a11ycheck_storage_testkit::{FilledStore, StoreFactory};
use chrono::TimeDelta;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};

use crate::support;

/// The tables that are not moved, each with the reason.
const TABLES_LEFT_OUT: [(&str, &str); 9] = [
    ("batches", "what was made at once can be undone for ten minutes, and a move is longer"),
    ("memos", "the first check after a move is full, and leaves a new memo"),
    ("shared_reports", "a link is made again where it is wanted: it would show what is elsewhere now"),
    ("mails", "what waits is sent by the servers of the former store, and a link is asked for again"),
    ("sessions", "people sign in again"),
    ("first_link", "a server logs another one"),
    ("migrations", "each database has run its own"),
    ("request_counters", "they last for a minute"),
    ("uploads", "files are moved with what refers to them, into uploads of the other side"),
];
/// The columns that are not moved, each with the reason.
const COLUMNS_LEFT_OUT: [(&str, &str, &str); 11] = [
    ("teams", "shares_reports", "an owner says so again: until then nothing is shared"),
    ("retention", "due_at", "the purge examines every team again"),
    ("scan_events", "id", "the order of entries is that of their positions"),
    ("endpoints", "secret", "a secret that is not sealed is not moved, which is refused"),
    ("endpoints", "previous_secret", "likewise"),
    ("screenshots", "upload", "the files of this store are in its tables"),
    ("screenshots", "size", "likewise"),
    ("documents", "upload", "likewise"),
    ("documents", "size", "likewise"),
    ("sites", "noticed_at", "at worst a notice about a failing site is sent once more"),
    ("sites", "noticed_code", "at worst a notice about a failing site is sent once more"),
];
/// The rows that are moved, where that is not all of them.
const ROWS: [(&str, &str); 2] = [
    // A brand in which nothing is set counts as none.
    ("brands", "name IS NOT NULL"),
    // A team without a row is examined as one with a row is.
    ("retention", "held_until IS NOT NULL"),
];

/// Makes stores, and remembers their schemas.
#[derive(Default)]
struct Schemas(Mutex<Vec<String>>);

#[async_trait::async_trait]
impl StoreFactory for Schemas {
    type Store = PostgresStore;

    async fn empty(&self, clock: ManualClock) -> PostgresStore {
        let (config, schema) = support::config_at(&support::url()).await;
        self.0.lock().unwrap().push(schema);
        PostgresStore::connect(config).await.unwrap().with_clock(clock)
    }
}

/// Returns a connection to a schema.
async fn connect(schema: &str) -> PgConnection {
    let mut db = support::connect().await;
    db.execute(AssertSqlSafe(format!("SET search_path TO {schema}"))).await.unwrap();
    db
}

/// Returns the columns that are to be moved, by table.
async fn columns(db: &mut PgConnection) -> BTreeMap<String, Vec<String>> {
    let all: Vec<(String, String)> = sqlx::query_as(
        "SELECT table_name::text, column_name::text FROM information_schema.columns
         WHERE table_schema = current_schema() ORDER BY 1, 2",
    )
    .fetch_all(db)
    .await
    .unwrap();
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (table, column) in all {
        let is_left_out = TABLES_LEFT_OUT.iter().any(|(left_out, _)| *left_out == table)
            || COLUMNS_LEFT_OUT.iter().any(|(of, left_out, _)| (*of, *left_out) == (table.as_str(), column.as_str()));
        if !is_left_out {
            columns.entry(table).or_default().push(column);
        }
    }
    columns
}

/// Returns the rows of a table as texts, in an order of their own.
async fn rows(db: &mut PgConnection, table: &str, columns: &[String]) -> Vec<String> {
    let condition = ROWS.iter().find(|(of, _)| *of == table).map_or("true", |(_, condition)| *condition);
    let columns = columns.join(", ");
    let select =
        format!("SELECT to_jsonb(r)::text FROM (SELECT {columns} FROM {table} WHERE {condition}) AS r ORDER BY 1");
    sqlx::query_scalar(AssertSqlSafe(select)).fetch_all(db).await.unwrap()
}

#[tokio::test]
async fn every_column_arrives_with_its_values() {
    let schemas = Schemas::default();
    let filled = FilledStore::new(&schemas).await;
    // What has been read has its position.
    filled.answers(&*filled.store).await;
    let mut file = Vec::new();
    transfer::export(&*filled.store, &mut file).await.unwrap();
    let taking = schemas.empty(filled.clock.clone()).await;
    transfer::import(&taking, file.as_slice()).await.unwrap();

    let schemas = schemas.0.lock().unwrap().clone();
    let (mut before, mut after) = (connect(&schemas[0]).await, connect(&schemas[1]).await);
    let columns = columns(&mut before).await;
    assert!(columns.len() > 10, "{columns:?}");
    for (table, columns) in columns {
        for column in &columns {
            let count = format!("SELECT count({column}) FROM {table}");
            let count: i64 = sqlx::query_scalar(AssertSqlSafe(count)).fetch_one(&mut before).await.unwrap();
            assert!(count > 0, "no row of a filled store has {table}.{column}: give it a value in `FilledStore::new`");
        }
        assert_eq!(rows(&mut after, &table, &columns).await, rows(&mut before, &table, &columns).await, "{table}");
    }
}

#[tokio::test]
async fn a_secret_that_is_not_sealed_stops_an_export_before_it_gets_out() {
    let schemas = Schemas::default();
    let filled = FilledStore::new(&schemas).await;
    let schema = schemas.0.lock().unwrap()[0].clone();
    let unsealed =
        "UPDATE endpoints SET secret = 'whsec_of_an_earlier_release', sealed_secret = NULL, sealed_with = NULL
                    WHERE id = (SELECT min(id) FROM endpoints)";
    connect(&schema).await.execute(unsealed).await.unwrap();
    let mut file = Vec::new();
    let refused = transfer::export(&*filled.store, &mut file).await;
    assert!(matches!(refused, Err(TransferError::NotSealed(_))), "{refused:?}");
    assert!(!String::from_utf8_lossy(&file).contains("whsec_"));
}

/// Makes stores whose files are in a folder.
struct Folders {
    folder: tempfile::TempDir,
    number: AtomicU32,
    schemas: Mutex<Vec<String>>,
}

impl Folders {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), number: AtomicU32::new(0), schemas: Mutex::default() }
    }

    async fn config(&self) -> PostgresConfig {
        let (config, schema) = support::config_at(&support::url()).await;
        self.schemas.lock().unwrap().push(schema);
        let folder = self.folder.path().join(self.number.fetch_add(1, Ordering::Relaxed).to_string());
        std::fs::create_dir(&folder).unwrap();
        config.with_files(url::Url::from_directory_path(&folder).unwrap(), [])
    }

    /// Returns how many files are in the folder of a store.
    fn files(&self, store: u32) -> usize {
        fn files(folder: &std::path::Path) -> usize {
            let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            entries.map(|path| if path.is_dir() { files(&path) } else { 1 }).sum()
        }
        files(&self.folder.path().join(store.to_string()))
    }
}

#[async_trait::async_trait]
impl StoreFactory for Folders {
    type Store = PostgresStore;

    async fn empty(&self, clock: ManualClock) -> PostgresStore {
        PostgresStore::connect(self.config().await).await.unwrap().with_clock(clock)
    }
}

#[tokio::test]
async fn an_import_that_fails_leaves_no_file_that_is_not_deleted_one_day() {
    let folders = Folders::new();
    let filled = FilledStore::new(&folders).await;
    let mut file = Vec::new();
    transfer::export(&*filled.store, &mut file).await.unwrap();
    let taking = folders.empty(filled.clock.clone()).await;
    let refused = transfer::import(&taking, &file[..file.len() - 1]).await;
    assert!(matches!(refused, Err(TransferError::Truncated)), "{refused:?}");
    assert!(folders.files(1) > 0, "they were written as they came");
    filled.clock.advance(TimeDelta::hours(25));
    taking.purge_scans(100).await.unwrap();
    assert_eq!(folders.files(1), 0);

    transfer::import(&taking, file.as_slice()).await.unwrap();
    assert!(folders.files(1) > 0);
    let schema = folders.schemas.lock().unwrap()[1].clone();
    let unadopted: i64 = sqlx::query_scalar("SELECT count(*) FROM uploads WHERE delete_at IS NOT NULL")
        .fetch_one(&mut connect(&schema).await)
        .await
        .unwrap();
    assert_eq!(unadopted, 0, "what was moved is kept");
}
