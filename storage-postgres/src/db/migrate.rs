//! The tables, brought up to date: `migrations/README.md` has the rules.

use std::time::Duration;

use sqlx::{
    AssertSqlSafe, Connection as _, PgConnection, SqlSafeStr as _,
    migrate::{Migration, MigrationType, Migrator},
};

use crate::{
    ConnectError, PostgresConfig,
    db::{
        misplaced::{self, default_schemas},
        pooler::{SessionSettings, keeps_sessions, telling},
    },
};

/// Every migration, in order. The number and the name are those of the file.
const MIGRATIONS: [(i64, &str, &str); 18] = [
    (1, "plans and teams", include_str!("../../migrations/0001_plans_and_teams.sql")),
    (2, "request counters", include_str!("../../migrations/0002_request_counters.sql")),
    (3, "sites", include_str!("../../migrations/0003_sites.sql")),
    (4, "scans", include_str!("../../migrations/0004_scans.sql")),
    (5, "results", include_str!("../../migrations/0005_results.sql")),
    (6, "documents", include_str!("../../migrations/0006_documents.sql")),
    (7, "webhooks", include_str!("../../migrations/0007_webhooks.sql")),
    (8, "brands", include_str!("../../migrations/0008_brands.sql")),
    (9, "retention", include_str!("../../migrations/0009_retention.sql")),
    (10, "objects", include_str!("../../migrations/0010_objects.sql")),
    (11, "vacuum", include_str!("../../migrations/0011_vacuum.sql")),
    (12, "tries of attempts", include_str!("../../migrations/0012_tries_of_attempts.sql")),
    (13, "settings and holds", include_str!("../../migrations/0013_settings_and_holds.sql")),
    (14, "sealed secrets", include_str!("../../migrations/0014_sealed_secrets.sql")),
    (15, "manual checks and platforms", include_str!("../../migrations/0015_manual_checks_and_platforms.sql")),
    (16, "deleted teams", include_str!("../../migrations/0016_deleted_teams.sql")),
    (17, "claim order", include_str!("../../migrations/0017_claim_order.sql")),
    (18, "urgency", include_str!("../../migrations/0018_urgency.sql")),
];

/// Creates the schema and the tables, or brings them up to date. Any number of nodes may do so at once: one does, the
/// others wait for it.
pub(crate) async fn migrate(config: &PostgresConfig) -> Result<(), ConnectError> {
    const TOLD_EVERY: Duration = Duration::from_secs(15);
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
    let migrating = telling(TOLD_EVERY, migrator.run_direct(None, &mut connection, false), |waited| {
        tracing::info!(
            ?waited,
            "The tables are being brought up to date, by this server or by another one that it waits for"
        );
    });
    migrating.await.map_err(ConnectError::Migrate)?;
    connection.close().await.map_err(ConnectError::Unreachable)
}

fn migrator(schema: &str, schema_is_there: bool) -> Migrator {
    let migration = |(version, name, sql): (i64, &'static str, &'static str)| {
        let without_transaction = sql.starts_with("-- no-transaction");
        let migration =
            Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), without_transaction);
        if without_transaction {
            return migration;
        }
        // Whatever the session has: no statement of a migration finds another schema. The checksum is the file's.
        let sql = AssertSqlSafe(format!("SET LOCAL search_path TO {schema};\n{sql}")).into_sql_str();
        Migration { sql, ..migration }
    };
    let mut migrator = Migrator::with_migrations(MIGRATIONS.into_iter().map(migration).collect());
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

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn every_file_is_a_migration_of_its_number() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut files: Vec<String> = names.filter(|name| name.ends_with(".sql")).collect();
        files.sort_unstable();
        let listed = MIGRATIONS.map(|(version, name, _)| format!("{version:04}_{}.sql", name.replace(' ', "_")));
        assert_eq!(files, listed);
    }
}
