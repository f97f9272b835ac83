//! A team with more than one statement can delete disappears from every table.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{EventKind, NewEvent},
    id::{EventId, TeamId},
    store::{TeamStore as _, WebhookStore as _},
};
use a11ycheck_storage_postgres::PostgresStore;
use chrono::Utc;
use sqlx::{AssertSqlSafe, PgConnection};

use crate::{
    seed::{Scale, id, seed},
    support,
};

/// Counts the rows of a team in each table that has teams' data, or those of all other teams.
async fn rows(db: &mut PgConnection, schema: &str, whose: &str, team: TeamId) -> BTreeMap<String, i64> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT table_name::text FROM information_schema.columns WHERE table_schema = $1 AND column_name = 'team_id'",
    )
    .bind(schema)
    .fetch_all(&mut *db)
    .await
    .unwrap();
    let mut counted = BTreeMap::new();
    for table in tables {
        // The names are those of the tables, and ours.
        let statement = format!("SELECT count(*) FROM {schema}.{table} WHERE team_id {whose} $1");
        let count: i64 =
            sqlx::query_scalar(AssertSqlSafe(statement)).bind(team.to_string()).fetch_one(&mut *db).await.unwrap();
        counted.insert(table, count);
    }
    counted
}

#[tokio::test]
async fn a_team_with_thousands_of_checks_and_deliveries_leaves_no_row_in_any_table_and_takes_no_other_teams() {
    let (config, schema) = support::config_at(&support::url()).await;
    seed(&config, &support::url(), &schema, Scale { teams: 3, sites: 2, checks: 1_100, queued: 2 }).await;
    let store = PostgresStore::connect(config).await.unwrap();
    let team: TeamId = id("team", 1);
    let endpoint = store.endpoints(team).await.unwrap()[0].id;
    for _ in 0..520 {
        let (created_at, body) = (Utc::now(), b"{}".as_slice().into());
        let event = NewEvent { id: EventId::generate(created_at), kind: EventKind::Ping, created_at, body };
        store.send_event(team, endpoint, event).await.unwrap();
    }
    let mut db = support::connect().await;
    let before = rows(&mut db, &schema, "=", team).await;
    assert!(before["scans"] > 2_000 && before["deliveries"] > 520 && before["events"] > 520, "{before:?}");
    let of_others = rows(&mut db, &schema, "<>", team).await;
    assert!(store.delete_team(team).await.unwrap());
    let after = rows(&mut db, &schema, "=", team).await;
    assert!(after.values().all(|count| *count == 0), "{after:?}");
    assert_eq!(rows(&mut db, &schema, "<>", team).await, of_others);
    assert!(store.team(team).await.unwrap().is_none());
}
