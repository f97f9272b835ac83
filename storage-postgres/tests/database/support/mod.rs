//! A schema for each test, in the database that `DATABASE_URL` names.

// The one place that says what is missing; the tests across the parts export it.
#[path = "../../../../tests/src/database.rs"]
#[allow(unreachable_pub, reason = "a library exports it")]
mod database;
pub(crate) mod pgbouncer;
#[allow(dead_code, reason = "tests of other targets put it before other servers")]
pub(crate) mod proxy;
pub(crate) mod s3;

use a11ycheck_core::{
    domain::{DiffSummary, Findings, Outcome, Tool, Totals},
    sealing::{Keyring, SealingKey},
    store::Completion,
};
use a11ycheck_storage_postgres::PostgresConfig;
use chrono::Utc;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::sync::OnceCell;
use ulid::Ulid;

pub(crate) use self::database::database_url as url;

/// The beginning of the names of tests' schemas; the rest is a ULID, which says how old they are.
const PREFIX: &str = "a11ycheck_test_";
/// Schemas of earlier runs that are older than this many milliseconds are removed: those runs are over.
const LEFT_OVER_MS: u64 = 600_000;

static CLEANED: OnceCell<()> = OnceCell::const_new();

/// Returns the configuration of a schema for one test, which does not exist yet.
pub(crate) async fn config() -> PostgresConfig {
    config_at(&url()).await.0
}

/// Does the same for another address of the server, and returns the schema's name too.
pub(crate) async fn config_at(url: &str) -> (PostgresConfig, String) {
    CLEANED.get_or_init(drop_left_over_schemas).await;
    let schema = format!("{PREFIX}{}", Ulid::generate().to_string().to_lowercase());
    // Tests run side by side, and share the server's connections.
    (PostgresConfig::new(url).with_schema(&schema).with_max_connections(8), schema)
}

/// A database for one test, on the server that `DATABASE_URL` names.
pub(crate) struct TestDatabase {
    pub(crate) name: String,
    pub(crate) url: String,
}

/// Creates a database for one test, which [`drop_database`] removes.
pub(crate) async fn create_database() -> TestDatabase {
    let name = format!("{PREFIX}{}", Ulid::generate().to_string().to_lowercase());
    // Not the default template, to which another client may be connected at this moment. The name is ours: nothing in
    // it needs quoting.
    connect().await.execute(AssertSqlSafe(format!("CREATE DATABASE {name} TEMPLATE template0"))).await.unwrap();
    let mut address = url::Url::parse(&url()).unwrap();
    address.set_path(&name);
    TestDatabase { name, url: address.into() }
}

/// Removes a database, whoever is still connected to it.
pub(crate) async fn drop_database(name: &str) {
    connect().await.execute(AssertSqlSafe(format!("DROP DATABASE {name} WITH (FORCE)"))).await.unwrap();
}

/// Removes the schemas that earlier runs have left. One at a time, since each takes a lock for every table in it.
async fn drop_left_over_schemas() {
    let mut db = connect().await;
    let schemas: Vec<String> =
        sqlx::query_scalar("SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, $1)")
            .bind(PREFIX)
            .fetch_all(&mut db)
            .await
            .unwrap();
    let now = Ulid::generate().timestamp_ms();
    for schema in schemas {
        let age = schema[PREFIX.len()..].to_uppercase().parse::<Ulid>().map(|id| now.saturating_sub(id.timestamp_ms()));
        if age.is_ok_and(|age| age > LEFT_OVER_MS) {
            // A prefix of our own and a ULID: nothing that needs quoting. Another run may have been faster.
            db.execute(AssertSqlSafe(format!("DROP SCHEMA IF EXISTS {schema} CASCADE"))).await.unwrap();
        }
    }
}

/// Opens a connection beside the store's.
pub(crate) async fn connect() -> PgConnection {
    PgConnection::connect(&url()).await.unwrap_or_else(|error| {
        panic!("the database that DATABASE_URL names can't be reached ({error}): start it, or run `cargo xtask test`")
    })
}

fn engine() -> Tool {
    Tool::axe_core("4", "b")
}

/// Returns the result of a check that found nothing.
pub(crate) fn completion() -> Completion {
    let findings = Findings::new(engine());
    let outcome = Outcome::new(1, Totals::default(), DiffSummary::first(), engine());
    Completion {
        finished_at: Utc::now(),
        outcome,
        findings,
        screenshots: vec![],
        screen: None,
        events: vec![],
        memo: None,
    }
}

/// Returns the keyring that seals the tests' secrets, including those of `seed.sql`.
pub(crate) fn ring() -> Keyring {
    Keyring::new(SealingKey::parse("a11ykey_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").unwrap())
}
