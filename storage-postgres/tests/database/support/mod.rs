//! A schema for each test, in the database that `DATABASE_URL` names.

pub(crate) mod pgbouncer;
#[allow(dead_code, reason = "tests of other targets put it before other servers")]
pub(crate) mod proxy;
pub(crate) mod s3;

use a11ycheck_core::{
    domain::{DiffSummary, Engine, Findings, Outcome, Totals},
    sealing::{Keyring, SealingKey},
    store::Completion,
};
use a11ycheck_storage_postgres::PostgresConfig;
use chrono::Utc;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::sync::OnceCell;
use ulid::Ulid;

/// Schemas of tests begin with this; the rest is a ULID, which tells how old they are.
const PREFIX: &str = "a11ycheck_test_";
/// Schemas of earlier runs that are older than this many milliseconds are removed: those runs are over.
const LEFT_OVER_MS: u64 = 600_000;

static CLEANED: OnceCell<()> = OnceCell::const_new();

/// The database's address.
///
/// # Panics
/// When there is none: a test that needs a database is never skipped.
pub(crate) fn url() -> String {
    std::env::var("DATABASE_URL").unwrap_or_else(|_| {
        panic!(
            "DATABASE_URL is not set: run the tests with `cargo xtask test`, which starts a PostgreSQL for them, \
             or name a database where schemas may be created"
        )
    })
}

/// A schema of its own, which does not exist yet.
pub(crate) async fn config() -> PostgresConfig {
    config_at(&url()).await.0
}

/// The same, reached in another way; and the schema's name.
pub(crate) async fn config_at(url: &str) -> (PostgresConfig, String) {
    CLEANED.get_or_init(drop_left_over_schemas).await;
    let schema = format!("{PREFIX}{}", Ulid::generate().to_string().to_lowercase());
    // Tests run side by side, and the server's connections are for all of them.
    (PostgresConfig::new(url).with_schema(&schema).with_max_connections(8), schema)
}

/// Removes what earlier runs have left. A schema at a time, since each takes a lock for every table in it.
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

/// A connection beside the store's.
pub(crate) async fn connect() -> PgConnection {
    PgConnection::connect(&url()).await.unwrap_or_else(|error| {
        panic!("the database that DATABASE_URL names can't be reached ({error}): start it, or run `cargo xtask test`")
    })
}

fn engine() -> Engine {
    Engine::axe_core("4", "b")
}

/// The result of a check that found nothing.
pub(crate) fn completion() -> Completion {
    let findings = Findings {
        engine: engine(),
        pages: vec![],
        rules: Default::default(),
        items: vec![],
        needs_review: Default::default(),
        stack: vec![],
        screen: None,
        ran: None,
        pictures_not_stored: false,
        stopped_by_timeouts: false,
    };
    let outcome = Outcome { pages_scanned: 1, totals: Totals::default(), diff: DiffSummary::first(), engine: engine() };
    Completion { finished_at: Utc::now(), outcome, findings, screenshots: vec![], screen: None, events: vec![] }
}

/// What the tests' secrets are sealed with: those that `seed.sql` makes, too.
pub(crate) fn ring() -> Keyring {
    Keyring::new(SealingKey::parse("a11ykey_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").unwrap())
}
