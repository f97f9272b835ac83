//! The tables come up, whoever starts when, and beside whatever else the database holds.

use a11ycheck_core::store::TeamStore as _;
use a11ycheck_storage_postgres::{ConnectError, PostgresStore};
use sqlx::{AssertSqlSafe, Executor as _};
use tokio::task::JoinSet;

use crate::support;

#[tokio::test]
async fn nodes_that_start_at_the_same_moment_on_an_empty_database_all_come_up() {
    let config = support::config().await;
    let mut starts = JoinSet::new();
    for _ in 0..6 {
        starts.spawn(PostgresStore::connect(config.clone()));
    }
    for started in starts.join_all().await {
        assert_eq!(started.unwrap().plans().await.unwrap(), []);
    }
}

#[tokio::test]
async fn a_second_start_leaves_what_is_there() {
    let config = support::config().await;
    let plans = a11ycheck_core::domain::PlanCatalog::shipped();
    let first = PostgresStore::connect(config.clone()).await.unwrap();
    first.put_plans(plans.plans()).await.unwrap();
    let second = PostgresStore::connect(config).await.unwrap();
    assert_eq!(second.plans().await.unwrap(), first.plans().await.unwrap());
    assert_eq!(second.plans().await.unwrap().len(), plans.plans().len());
}

#[tokio::test]
async fn everything_lies_in_the_chosen_schema() {
    let mut db = support::connect().await;
    let others = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE nspname IN ('public', 'a11ycheck') OR nspname = current_schema";
    let before: i64 = sqlx::query_scalar(others).fetch_one(&mut db).await.unwrap();
    let (config, schema) = support::config_at(&support::url()).await;
    PostgresStore::connect(config).await.unwrap();
    let after: i64 = sqlx::query_scalar(others).fetch_one(&mut db).await.unwrap();
    assert_eq!(after, before, "a host application's schemas are left alone");
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = $1 ORDER BY tablename")
            .bind(schema)
            .fetch_all(&mut db)
            .await
            .unwrap();
    let expected = [
        "active_scans",
        "brands",
        "deliveries",
        "delivery_attempts",
        "documents",
        "endpoints",
        "events",
        "findings",
        "migrations",
        "plans",
        "request_counters",
        "retention",
        "scans",
        "screenshots",
        "settings",
        "sites",
        "teams",
        "tokens",
        "uploads",
    ];
    assert_eq!(tables, expected);
}

#[tokio::test]
async fn a_node_of_the_previous_release_starts_on_tables_that_are_a_step_ahead() {
    let (config, schema) = support::config_at(&support::url()).await;
    PostgresStore::connect(config.clone()).await.unwrap();
    let mut db = support::connect().await;
    // The support module made the name: nothing in it needs quoting. Likewise below.
    let ahead = format!("INSERT INTO {schema}.migrations VALUES (9999, 'of the next release', now(), true, '', 0)");
    db.execute(AssertSqlSafe(ahead)).await.unwrap();
    PostgresStore::connect(config).await.unwrap();
}

#[tokio::test]
async fn a_migration_that_was_changed_after_it_ran_stops_the_start() {
    let (config, schema) = support::config_at(&support::url()).await;
    PostgresStore::connect(config.clone()).await.unwrap();
    let mut db = support::connect().await;
    db.execute(AssertSqlSafe(format!("UPDATE {schema}.migrations SET checksum = '' WHERE version = 1"))).await.unwrap();
    let refused = PostgresStore::connect(config).await.unwrap_err();
    assert!(matches!(refused, ConnectError::Migrate(_)), "{refused:?}");
}

#[tokio::test]
async fn a_migration_that_fails_leaves_nothing_half_done_and_the_next_start_goes_on() {
    let (config, schema) = support::config_at(&support::url()).await;
    let mut db = support::connect().await;
    // In the way of the third migration.
    db.execute(AssertSqlSafe(format!("CREATE SCHEMA {schema}; CREATE TABLE {schema}.sites ()"))).await.unwrap();
    let refused = PostgresStore::connect(config.clone()).await.unwrap_err();
    assert!(matches!(refused, ConnectError::Migrate(_)), "{refused:?}");
    let done: Vec<i64> =
        sqlx::query_scalar(AssertSqlSafe(format!("SELECT version FROM {schema}.migrations ORDER BY version")))
            .fetch_all(&mut db)
            .await
            .unwrap();
    assert_eq!(done, [1, 2]);
    db.execute(AssertSqlSafe(format!("DROP TABLE {schema}.sites"))).await.unwrap();
    PostgresStore::connect(config).await.unwrap();
}

#[tokio::test]
async fn a_database_that_is_not_there_is_told_at_the_start() {
    let folder = std::env::temp_dir().join("a11ycheck-no-database-here");
    let url = format!("postgres://nobody@localhost/none?host={}", folder.display());
    let refused = PostgresStore::connect(a11ycheck_storage_postgres::PostgresConfig::new(url)).await.unwrap_err();
    assert!(matches!(refused, ConnectError::Unreachable(_)), "{refused:?}");
}
