//! Bringing the tables up to date: `migrations/README.md` has the rules.

use std::time::Duration;

use sqlx::{
    AssertSqlSafe, Connection as _, PgConnection, SqlSafeStr as _,
    migrate::{Migration, Migrator},
};

use crate::{
    ConnectError, PostgresConfig,
    db::{
        misplaced::{self, default_schemas},
        pooler::{SessionSettings, keeps_sessions, reporting},
    },
};

/// Every migration, with the number and the name of its file. `build.rs` has this compiled again when a file is added.
static MIGRATIONS: Migrator = sqlx::migrate!();

/// Returns the number of the last migration of this release.
pub(crate) fn newest() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default()
}

/// Creates the schema and the tables, or brings them up to date. Any number of nodes may do so at once: one does, the
/// others wait for it.
pub(crate) async fn migrate(config: &PostgresConfig) -> Result<(), ConnectError> {
    const REPORT_EVERY: Duration = Duration::from_secs(15);
    // A connection of its own, because the lock is the session's: when a migration fails, it goes with the connection.
    let mut connection = config.connect_to_migrate().await?;
    let schema = config.quoted_schema()?;
    keeps_sessions(&mut connection, &config.connect_options()?, config.start_patience(), config.step_timeout()).await?;
    let defaults = default_schemas(&mut connection).await.map_err(ConnectError::Unreachable)?;
    // A migration may take as long as it needs, and may wait for another node's.
    let settings = SessionSettings::of_migrations(schema.clone());
    settings.apply(&mut connection).await.map_err(ConnectError::Unreachable)?;
    let is_there = exists(&schema, &mut connection).await.map_err(ConnectError::Unreachable)?;
    misplaced::refuse(&mut connection, config.schema(), defaults).await?;
    // `run` is the same, but no future with it can be sent between threads: a borrowed connection is not `Acquire` for every
    // lifetime.
    let migrator = migrator(&schema, is_there);
    let migrating = reporting(REPORT_EVERY, migrator.run_direct(None, &mut connection, false), |waited| {
        tracing::info!(
            ?waited,
            "The tables are being brought up to date, by this server or by another one that it waits for"
        );
    });
    migrating.await.map_err(ConnectError::Migrate)?;
    connection.close().await.map_err(ConnectError::Unreachable)
}

fn migrator(schema: &str, schema_is_there: bool) -> Migrator {
    let migration = |migration: &Migration| {
        if migration.no_tx {
            return migration.clone();
        }
        // Whatever the session has set, no statement of a migration finds another schema. The checksum is the file's.
        let sql = format!("SET LOCAL search_path TO {schema};\n{}", migration.sql.as_str());
        Migration { sql: AssertSqlSafe(sql).into_sql_str(), ..migration.clone() }
    };
    let mut migrator = Migrator::with_migrations(MIGRATIONS.iter().map(migration).collect());
    // The record of what was done lies in our schema too: the host application may have one of its own.
    migrator.dangerous_set_table_name(format!("{schema}.migrations"));
    // During a roll-out, nodes of the previous release start against tables that are already a step ahead.
    migrator.set_ignore_missing(true);
    if !schema_is_there {
        migrator.create_schema(schema.to_owned());
    }
    migrator
}

/// Asked first, because `CREATE SCHEMA IF NOT EXISTS` wants the right to create schemas even when there is nothing to do.
async fn exists(schema: &str, connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT to_regnamespace($1) IS NOT NULL").bind(schema).fetch_one(connection).await
}
