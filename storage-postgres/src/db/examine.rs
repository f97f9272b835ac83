//! Looking at a database without changing it.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::{ConnectError, PostgresConfig, PostgresStore, db::migrate::newest};

/// The facts about a database that answers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Examination {
    /// The version of the server, in its own words.
    pub version: String,
    /// The last migration that ran; `None` where there are no tables yet.
    pub schema: Option<i64>,
    /// The last migration of this release: tables that are behind are brought up to date when a server starts.
    pub newest: i64,
    /// The database's clock, at the instant at which it was asked.
    pub clock: DateTime<Utc>,
}

/// The time within which a database has to answer.
const PATIENCE: Duration = Duration::from_secs(10);

impl PostgresStore {
    /// Connects once, asks how the database is, and changes nothing. Where files go to an object store, a file is written there
    /// and deleted, as at a server's start.
    ///
    /// # Errors
    /// [`ConnectError`]; one that does not answer within 10 s is [`ConnectError::Unreachable`].
    pub async fn examine(config: &PostgresConfig) -> Result<Examination, ConnectError> {
        config.objects().await?;
        let (options, schema) = (config.connect_options()?, config.quoted_schema()?);
        let asked = async {
            let mut db = PgConnection::connect_with(&options).await?;
            let (version, clock): (String, DateTime<Utc>) =
                sqlx::query_as("SELECT current_setting('server_version'), clock_timestamp()")
                    .fetch_one(&mut db)
                    .await?;
            let table = format!("{schema}.migrations");
            let has_tables: bool =
                sqlx::query_scalar("SELECT to_regclass($1) IS NOT NULL").bind(&table).fetch_one(&mut db).await?;
            // The name of the schema is quoted.
            let last = AssertSqlSafe(format!("SELECT max(version) FROM {table}"));
            let schema = if has_tables { sqlx::query_scalar(last).fetch_one(&mut db).await? } else { None };
            db.close().await?;
            Ok(Examination { version, schema, newest: newest(), clock })
        };
        let asked = tokio::time::timeout(PATIENCE, asked).await;
        asked.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(ConnectError::Unreachable)
    }
}
