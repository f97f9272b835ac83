//! What is moved: each column of each table.

use std::{collections::BTreeMap, sync::Mutex};

use a11ycheck_core::{clock::ManualClock, store::transfer};
use a11ycheck_storage_sqlite::{SqliteConfig, SqliteStore};
use a11ycheck_storage_testkit::{FilledStore, StoreFactory};
use sqlx::{AssertSqlSafe, SqliteConnection};

use crate::support;

/// The tables that are not moved, each with the reason.
const TABLES_LEFT_OUT: [(&str, &str); 8] = [
    ("batches", "what was made at once can be undone for ten minutes, and a move is longer"),
    ("memos", "the first check after a move is full, and leaves a new memo"),
    ("shared_reports", "a link is made again where it is wanted: it would show what is elsewhere now"),
    ("mails", "what waits is sent by the servers of the former store, and a link is asked for again"),
    ("sessions", "people sign in again"),
    ("first_link", "a server logs another one"),
    ("migrations", "each file has run its own"),
    ("deleted_scans", "what belongs to deleted checks is not moved, so nothing is to follow them"),
];
/// The columns that are not moved, each with the reason.
const COLUMNS_LEFT_OUT: [(&str, &str, &str); 4] = [
    ("teams", "shares_reports", "an owner says so again: until then nothing is shared"),
    ("teams", "purge_due_at", "the purge examines every team again"),
    ("sites", "noticed_at", "at worst a notice about a failing site is sent once more"),
    ("sites", "noticed_code", "at worst a notice about a failing site is sent once more"),
];
/// The rows that are moved, where that is not all of them.
const ROWS: [(&str, &str); 5] = [
    // A brand in which nothing is set counts as none.
    ("brands", "name IS NOT NULL"),
    ("findings", "scan_id IN (SELECT id FROM scans)"),
    ("screenshots", "scan_id IN (SELECT id FROM scans)"),
    ("documents", "scan_id IN (SELECT id FROM scans)"),
    // Positions of the log; the only table that counts.
    ("sqlite_sequence", "name = 'scan_events'"),
];

/// Makes stores, and remembers where.
#[derive(Default)]
struct Files(Mutex<Vec<SqliteConfig>>);

#[async_trait::async_trait]
impl StoreFactory for Files {
    type Store = SqliteStore;

    async fn empty(&self, clock: ManualClock) -> SqliteStore {
        let config = support::config();
        self.0.lock().unwrap().push(config.clone());
        SqliteStore::open(config).await.unwrap().with_clock(clock)
    }
}

/// Returns the columns that are to be moved, by table.
async fn columns(db: &mut SqliteConnection) -> BTreeMap<String, Vec<String>> {
    let all: Vec<(String, String)> = sqlx::query_as(
        "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY 1, 2",
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
async fn rows(db: &mut SqliteConnection, table: &str, columns: &[String]) -> Vec<String> {
    let condition = ROWS.iter().find(|(of, _)| *of == table).map_or("true", |(_, condition)| *condition);
    let quoted: Vec<String> = columns.iter().map(|column| format!("'{column}: ' || quote({column})")).collect();
    let select = format!("SELECT {} FROM {table} WHERE {condition} ORDER BY 1", quoted.join(" || ', ' || "));
    sqlx::query_scalar(AssertSqlSafe(select)).fetch_all(db).await.unwrap()
}

#[tokio::test]
async fn every_column_arrives_with_its_values() {
    let files = Files::default();
    let filled = FilledStore::new(&files).await;
    let mut file = Vec::new();
    transfer::export(&*filled.store, &mut file).await.unwrap();
    let taking = files.empty(filled.clock.clone()).await;
    transfer::import(&taking, file.as_slice()).await.unwrap();

    let configs = files.0.lock().unwrap().clone();
    let (mut before, mut after) = (support::connect(&configs[0]).await, support::connect(&configs[1]).await);
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
