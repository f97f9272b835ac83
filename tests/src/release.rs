//! The rows that a release left in its database: as files that a person can read, and back as tables.
//!
//! `storage-postgres/tests/fixtures/README.md` says where the files come from. Each holds the rows of one table, as
//! PostgreSQL turns them into JSON; text or compressed JSON within a `bytea` is written as such. The tables themselves
//! are made by the migrations that the release had run, which are among the rows.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgConnection, types::Json};

/// The token of the team "Atelier", which may read and write, and whose plan has everything.
pub const TOKEN: &str = "a11y_0000000000000000000000000000000000000000";
/// The token of the team "Kontor", which is trying its plan out, and may read.
pub const TRYING_TOKEN: &str = "a11y_1111111111111111111111111111111111111111";

/// Marks a text that is stored as `bytea`.
const TEXT: &str = "bytes of this text";
/// Marks JSON that is stored as `bytea`, compressed.
const GZIP: &str = "gzip of this JSON";
/// The table in which sqlx records migrations.
const RECORD: &str = "CREATE TABLE migrations (
    version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMPTZ NOT NULL DEFAULT now(),
    success BOOLEAN NOT NULL, checksum BYTEA NOT NULL, execution_time BIGINT NOT NULL
)";

/// A table with its rows, each a JSON object by column.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its rows, ordered by their columns.
    pub rows: Vec<Value>,
}

/// Returns the folder of a release's files.
pub fn folder(release: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../storage-postgres/tests/fixtures").join(release)
}

/// Returns all tables of a schema, in the order in which they were created: one that refers to another comes after it.
/// Tables that are not worth keeping are left out: `UNLOGGED` ones, and the log of occurrences, which lasts a day.
///
/// # Panics
/// If the database does not respond.
pub async fn tables(db: &mut PgConnection, schema: &str) -> Vec<Table> {
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relpersistence = 'p'
             AND c.relname NOT IN ('scan_events', 'event_head')
         ORDER BY c.oid",
    )
    .bind(schema)
    .fetch_all(&mut *db)
    .await
    .unwrap();
    let mut tables = Vec::new();
    for name in names {
        // Names of our own, as everywhere here: nothing in them needs quoting.
        let rows = format!("SELECT to_jsonb(t) FROM {schema}.{name} t ORDER BY t");
        let rows: Vec<Json<Value>> = sqlx::query_scalar(AssertSqlSafe(rows)).fetch_all(&mut *db).await.unwrap();
        tables.push(Table { name, rows: rows.into_iter().map(|Json(row)| each_column(row, readable)).collect() });
    }
    tables
}

/// Writes tables into a folder, in place of its present content.
///
/// # Panics
/// If the folder can't be written.
pub fn write(tables: &[Table], folder: &Path) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).unwrap();
    for (number, Table { name, rows }) in tables.iter().enumerate() {
        let text = serde_json::to_string_pretty(rows).unwrap();
        fs::write(folder.join(format!("{number:02}_{name}.json")), text + "\n").unwrap();
    }
}

/// Makes the tables of a release in a new schema, and fills them with the rows of the folder.
///
/// # Panics
/// If a file can't be read, or the database refuses its content.
pub async fn load(db: &mut PgConnection, schema: &str, folder: &Path) {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    run(db, format!("CREATE SCHEMA {schema}; SET search_path TO {schema}; {RECORD}")).await;
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap().split_once('_').unwrap().1.to_owned();
        let rows: Vec<Value> = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        if name == "migrations" {
            migrate(db, &rows).await;
        }
        let rows: Vec<Value> = rows.into_iter().map(|row| each_column(row, stored)).collect();
        let insert = format!("INSERT INTO {name} SELECT * FROM jsonb_populate_recordset(NULL::{name}, $1)");
        sqlx::query(AssertSqlSafe(insert)).bind(Json(rows)).execute(&mut *db).await.unwrap();
    }
}

/// Runs the files of the migrations that the release had run.
async fn migrate(db: &mut PgConnection, done: &[Value]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../storage-postgres/migrations");
    for migration in done {
        let description = migration["description"].as_str().unwrap().replace(' ', "_");
        let file = folder.join(format!("{:04}_{description}.sql", migration["version"].as_i64().unwrap()));
        run(db, fs::read_to_string(file).unwrap()).await;
    }
}

/// Runs any number of statements.
///
/// # Panics
/// If the database refuses one of them.
pub async fn run(db: &mut PgConnection, statements: String) {
    sqlx::raw_sql(AssertSqlSafe(statements)).execute(db).await.unwrap();
}

/// Returns a document in the form of a `bytea` that is stored compressed.
///
/// # Panics
/// Never: JSON can be written.
pub fn compressed(document: &Value) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&serde_json::to_vec(document).unwrap()).unwrap();
    gzip.finish().unwrap()
}

fn each_column(row: Value, change: fn(Value) -> Value) -> Value {
    let Value::Object(columns) = row else { panic!("a row is an object") };
    columns.into_iter().map(|(name, value)| (name, change(value))).collect()
}

/// Returns the meaning of a `bytea`, which PostgreSQL shows in hexadecimal.
fn readable(value: Value) -> Value {
    let Some(bytes) = value.as_str().and_then(|text| text.strip_prefix("\\x")).map(bytes) else { return value };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut json = String::new();
        GzDecoder::new(bytes.as_slice()).read_to_string(&mut json).unwrap();
        return json!({GZIP: serde_json::from_str::<Value>(&json).unwrap()});
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && !text.contains(char::is_control) => json!({TEXT: text}),
        Ok(_) | Err(_) => value,
    }
}

/// Returns the value from which [`readable`] was made.
fn stored(value: Value) -> Value {
    let bytes = match (&value[TEXT], &value[GZIP]) {
        (Value::String(text), _) => text.as_bytes().to_vec(),
        (_, Value::Null) => return value,
        (_, document) => compressed(document),
    };
    Value::String(bytes.iter().fold("\\x".to_owned(), |text, byte| format!("{text}{byte:02x}")))
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}
