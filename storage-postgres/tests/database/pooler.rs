//! A pooler between the store and the database: PgBouncer, as Debian ships it.

use std::{collections::BTreeMap, time::Duration};

use a11ycheck_core::{
    domain::{Lease, PlanCatalog},
    id::WorkerId,
    store::{QueueStore as _, StoreClock as _, TeamStore as _},
};
use a11ycheck_storage_postgres::{ConnectError, PoolerFault, PostgresConfig, PostgresStore};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

use crate::support::{self, pgbouncer::PgBouncer};

/// Returns the number of tables in each of the named schemas.
async fn tables(schemas: &[&str]) -> BTreeMap<String, i64> {
    let counted: Vec<(String, i64)> = sqlx::query_as(
        "SELECT schemaname::text, count(*) FROM pg_tables WHERE schemaname = ANY ($1) GROUP BY schemaname",
    )
    .bind(schemas)
    .fetch_all(&mut support::connect().await)
    .await
    .unwrap();
    counted.into_iter().collect()
}

#[tokio::test]
async fn pgbouncer_with_its_defaults_is_as_good_as_none() {
    let pooler = PgBouncer::start("").await;
    let (config, schema) = support::config_at(&pooler.url()).await;
    let store = PostgresStore::connect(config).await.unwrap();
    store.put_plans(PlanCatalog::shipped().plans()).await.unwrap();
    assert_eq!(store.plans().await.unwrap().len(), PlanCatalog::shipped().plans().len());
    assert_eq!(store.claim_scan(&WorkerId::generate(), Lease::TERM).await.unwrap(), None);
    assert_eq!(tables(&[&schema]).await, [(schema.clone(), 37)].into());
    // The same installation without the pooler.
    let direct = PostgresStore::connect(PostgresConfig::new(support::url()).with_schema(&schema)).await.unwrap();
    assert_eq!(direct.plans().await.unwrap().len(), PlanCatalog::shipped().plans().len());
    // And a second start through it.
    PostgresStore::connect(PostgresConfig::new(pooler.url()).with_schema(&schema)).await.unwrap();
}

#[tokio::test]
async fn steps_through_a_pooler_have_their_limits_of_time() {
    let pooler = PgBouncer::start("").await;
    let (config, schema) = support::config_at(&pooler.url()).await;
    let patience = Duration::from_secs(2);
    let store = PostgresStore::connect(config.with_step_timeout(patience)).await.unwrap();
    let mut db = support::connect().await;
    let mut holder = db.begin().await.unwrap();
    // The support module made the name: nothing in it needs quoting.
    holder.execute(AssertSqlSafe(format!("LOCK TABLE {schema}.plans"))).await.unwrap();
    store.plans().await.unwrap_err();
    // The server gives up, too, and not only the client, which can't make it do so.
    let mut watcher = support::connect().await;
    let waiting = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = ($1 || '.plans')::regclass)";
    let given_up = async {
        while sqlx::query_scalar(waiting).bind(&schema).fetch_one(&mut watcher).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), given_up).await.expect("the server gives the statement up");
    holder.rollback().await.unwrap();
    store.plans().await.unwrap();
}

#[tokio::test]
async fn a_pooler_that_hands_sessions_out_by_transaction_is_refused_by_its_name() {
    for mode in ["transaction", "statement"] {
        let pooler = PgBouncer::start(&format!("pool_mode = {mode}")).await;
        let (config, schema) = support::config_at(&pooler.url()).await;
        let refused = PostgresStore::connect(config).await.unwrap_err();
        assert!(matches!(refused, ConnectError::Pooler(_)), "{mode}: {refused:?}");
        let text = refused.to_string();
        assert!(text.contains("PgBouncer") && text.contains("pool_mode = session"), "{text}");
        assert!(!text.contains('\n'), "{text}");
        assert_eq!(tables(&[&schema]).await, BTreeMap::new(), "{mode}: nothing was made");
    }
}

#[tokio::test]
async fn a_transaction_pool_of_one_connection_is_refused_too() {
    let pooler = PgBouncer::start("pool_mode = transaction\ndefault_pool_size = 1").await;
    let (config, _) = support::config_at(&pooler.url()).await;
    let config = config.with_step_timeout(Duration::from_secs(3));
    let refused = PostgresStore::connect(config).await.unwrap_err();
    assert!(matches!(refused, ConnectError::Pooler(PoolerFault::Blocked)), "{refused:?}");
}

#[tokio::test]
async fn statements_that_a_pooler_leaves_behind_are_reported_as_what_they_are() {
    // Without the reset, the next client of a session meets the statements that the one before has prepared.
    let pooler = PgBouncer::start("server_reset_query =\ndefault_pool_size = 2").await;
    let (config, _) = support::config_at(&pooler.url()).await;
    let mut refused = None;
    for _ in 0..3 {
        match PostgresStore::connect(config.clone()).await {
            Ok(store) => store.close().await,
            Err(error) => refused = Some(error),
        }
    }
    let refused = refused.expect("a clash");
    assert!(matches!(refused, ConnectError::Pooler(PoolerFault::Statements(_))), "{refused:?}");
    assert!(refused.to_string().contains("server_reset_query"), "{refused}");
}

#[tokio::test]
async fn a_pool_that_is_full_is_waited_for() {
    let pooler = PgBouncer::start("default_pool_size = 2").await;
    let mut other = pooler.connect().await;
    other.execute("SELECT 1").await.unwrap();
    let (config, _) = support::config_at(&pooler.url()).await;
    let starting = tokio::spawn(PostgresStore::connect(config));
    // The start has one of the two sessions.
    pooler.has_waiting_client().await;
    assert!(!starting.is_finished());
    other.close().await.unwrap();
    let store = starting.await.unwrap().unwrap();
    store.now().await.unwrap();
}

/// Sets up what the fault of release 0.1.0 left: our schema with only the record, and the tables in the role's default
/// schema.
async fn led_astray() -> (PostgresConfig, String, String) {
    let (config, schema) = support::config_at(&support::url()).await;
    PostgresStore::connect(config).await.unwrap().put_plans(PlanCatalog::shipped().plans()).await.unwrap();
    let elsewhere = format!("{schema}_x");
    let mut db = support::connect().await;
    // The log of occurrences, people, their second factors, judgements, assignments, assessments, batches, mail and fields of
    // sites belong to later releases.
    let names = "SELECT tablename::text FROM pg_tables
         WHERE schemaname = $1 AND tablename NOT IN ('migrations', 'scan_events', 'event_head', 'people', 'first_link', 'sessions',
             'memberships', 'invitations', 'audit_records', 'judgements', 'mails', 'second_factors', 'shared_reports',
             'assignments', 'assessments', 'batches', 'site_fields', 'site_values', 'memos')";
    let tables: Vec<String> = sqlx::query_scalar(names).bind(&schema).fetch_all(&mut db).await.unwrap();
    // The support module made the name: nothing in it needs quoting. Likewise below.
    let mut moves = format!("CREATE SCHEMA {elsewhere};");
    for table in tables {
        moves.push_str(&format!("ALTER TABLE {schema}.{table} SET SCHEMA {elsewhere};"));
    }
    for function in ["history_start", "history_end"] {
        moves.push_str(&format!("ALTER FUNCTION {schema}.{function}(timestamptz, jsonb) SET SCHEMA {elsewhere};"));
    }
    db.execute(AssertSqlSafe(moves)).await.unwrap();
    // The default schema of a role is usually `public`, which all tests share.
    let mut url = url::Url::parse(&support::url()).unwrap();
    url.query_pairs_mut().append_pair("options", &format!("-c search_path={elsewhere}"));
    (PostgresConfig::new(url).with_schema(&schema).with_max_connections(4), schema, elsewhere)
}

#[tokio::test]
async fn tables_that_a_pooler_led_astray_are_recognised_and_the_statements_shown_move_them() {
    let (config, schema, elsewhere) = led_astray().await;
    let refused = PostgresStore::connect(config.clone()).await.unwrap_err();
    let ConnectError::Misplaced(relocation) = &refused else { panic!("{refused:?}") };
    let text = refused.to_string();
    for expected in [&schema, &elsewhere, "ignore_startup_parameters", "stop all servers"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let statements = relocation.to_string();
    assert!(text.contains(&statements), "{text}");
    support::connect().await.execute(AssertSqlSafe(statements)).await.unwrap();
    let store = PostgresStore::connect(config).await.unwrap();
    assert_eq!(store.plans().await.unwrap().len(), PlanCatalog::shipped().plans().len());
    assert_eq!(tables(&[&schema, &elsewhere]).await, [(schema, 37)].into());
}

#[tokio::test]
async fn another_installation_in_the_roles_own_schema_is_left_alone() {
    let (config, schema, elsewhere) = led_astray().await;
    let other = format!("{schema}_y");
    // Its record does not exist yet: it is new, whatever the role's schema contains.
    PostgresStore::connect(config.with_schema(&other)).await.unwrap();
    assert_eq!(tables(&[&other, &elsewhere]).await, [(other, 37), (elsewhere, 18)].into());
}
