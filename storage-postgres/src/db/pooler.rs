//! The requirements for a pooler between the store and PostgreSQL, and the test at the start whether it meets them.
//!
//! The store sets its search path and its limits of time once for each connection, prepares statements, and listens.
//! All of that belongs to a session of PostgreSQL, so one connection of ours must lead to one and the same session for
//! as long as it lives: `pool_mode = session` in PgBouncer. In transaction mode, two statements of one connection may
//! meet different sessions, those of other connections, with settings and statements of their own.

use std::{error::Error as StdError, fmt, time::Duration};

use sqlx::{
    AssertSqlSafe, Connection as _, PgConnection, Row as _,
    postgres::{PgConnectOptions, PgRow},
};
use tokio::time::Instant;
use ulid::Ulid;

use crate::ConnectError;

/// The settings of a session, made when it begins.
#[derive(Debug, Clone)]
pub(crate) struct SessionSettings {
    search_path: String,
    statement_timeout: Duration,
    idle_in_transaction: Duration,
}

impl SessionSettings {
    /// Returns the settings of a connection that works on steps. `search_path` is a quoted schema; a step may take
    /// `step_timeout`.
    pub(crate) fn of_steps(search_path: String, step_timeout: Duration) -> Self {
        Self {
            search_path,
            // The server gives up first, so that a slow statement ends there too.
            statement_timeout: step_timeout * 3 / 4,
            // A process that hangs must not keep rows locked, nor old row versions from being vacuumed.
            idle_in_transaction: step_timeout,
        }
    }

    /// Returns the settings of a connection that migrates: without limits of time, whatever is set for the role.
    pub(crate) const fn of_migrations(search_path: String) -> Self {
        Self { search_path, statement_timeout: Duration::ZERO, idle_in_transaction: Duration::ZERO }
    }

    /// Applies the settings with a statement, since poolers refuse or drop them among the parameters of a start-up, and
    /// reads them back with another one.
    ///
    /// # Errors
    /// Those of the connection; [`sqlx::Error::Configuration`] with [`SettingsLost`] if the second statement sees other
    /// values.
    pub(crate) async fn apply(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        const READ: &str = "SELECT current_setting('search_path'), current_setting('statement_timeout'),
                 current_setting('idle_in_transaction_session_timeout')";
        let Self { search_path, statement_timeout, idle_in_transaction } = self;
        // The schema's name is a plain one, and nothing else is text, so nothing needs quoting.
        let set = format!(
            "SELECT set_config('search_path', '{search_path}', false),
                 set_config('statement_timeout', '{}ms', false),
                 set_config('idle_in_transaction_session_timeout', '{}ms', false)",
            statement_timeout.as_millis(),
            idle_in_transaction.as_millis(),
        );
        // Each is one message, and not prepared: that is one round trip, and no clash where a pooler mixes sessions.
        let set = sqlx::raw_sql(AssertSqlSafe(set)).fetch_one(&mut *connection).await?;
        let read = sqlx::raw_sql(READ).fetch_one(connection).await?;
        let texts = |row: &PgRow| (0..3).map(|column| row.try_get(column)).collect::<Result<Vec<String>, _>>();
        if texts(&set)? == texts(&read)? { Ok(()) } else { Err(sqlx::Error::Configuration(Box::new(SettingsLost))) }
    }
}

/// Two statements of one connection met different sessions.
#[derive(Debug, thiserror::Error)]
#[error(
    "what one statement of a connection sets, the next one does not see: a pooler between this server and PostgreSQL must keep \
     sessions (PgBouncer: pool_mode = session)"
)]
pub(crate) struct SettingsLost;

/// The observation that showed that a pooler keeps no sessions.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolerFault {
    /// Two statements of one connection met different sessions.
    #[error("what one statement of a connection set, the next one did not see")]
    SettingLost,
    /// A connection got no response for as long as another one was in a transaction.
    #[error("one connection was not answered while another one was in a transaction")]
    Blocked,
    /// No transaction could be begun.
    #[error("a transaction was refused")]
    Transaction(#[source] sqlx::Error),
    /// A connection met prepared statements of another one, or did not find its own.
    #[error("the prepared statements of different connections clash")]
    Statements(#[source] Box<dyn StdError + Send + Sync>),
}

/// `duplicate_prepared_statement` and `invalid_sql_statement_name`: a new connection has no statement of another,
/// unless something in between mixes sessions.
pub(crate) const STATEMENT_CLASHES: [&str; 2] = ["42P05", "26000"];

/// Returns whether an error, or one of its causes, is a clash of prepared statements.
pub(crate) fn is_statement_clash(error: &(dyn StdError + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(sqlx::Error::Database(error)) = cause.downcast_ref::<sqlx::Error>()
            && error.code().is_some_and(|code| STATEMENT_CLASHES.contains(&&*code))
        {
            return true;
        }
        next = cause.source();
    }
    false
}

/// The patience of a start with its first responses. The limit is longer than another server takes to stop: that server
/// may have to make room.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartPatience {
    /// The number of connections that this process may hold in all.
    pub(crate) connections: u32,
    /// The interval at which the log says that the start waits.
    pub(crate) report_every: Duration,
    /// The time after which the start gives up.
    pub(crate) limit: Duration,
}

impl StartPatience {
    const REPORT_EVERY: Duration = Duration::from_secs(3);
    const LIMIT: Duration = Duration::from_secs(100);

    pub(crate) const fn of(connections: u32) -> Self {
        Self { connections, report_every: Self::REPORT_EVERY, limit: Self::LIMIT }
    }

    /// Waits for `work` and logs meanwhile that it waits.
    ///
    /// # Errors
    /// [`ConnectError::Crowded`] when the limit is reached.
    async fn wait<T>(&self, work: impl Future<Output = Result<T, ConnectError>>) -> Result<T, ConnectError> {
        let crowded = ConnectError::Crowded { needed: self.connections, waited: self.limit };
        let waited_for = reporting(self.report_every, work, |waited| {
            tracing::warn!(
                ?waited,
                needed = self.connections,
                "The start waits for a connection to the database: none is free there, or in the pooler in front of it"
            );
        });
        tokio::time::timeout(self.limit, waited_for).await.unwrap_or(Err(crowded))
    }
}

/// Waits for `work`, and calls `report` with the time waited, once per interval, until it has ended.
pub(crate) async fn reporting<T>(every: Duration, work: impl Future<Output = T>, report: impl Fn(Duration)) -> T {
    let begun = Instant::now();
    let mut work = std::pin::pin!(work);
    loop {
        match tokio::time::timeout(every, &mut work).await {
            Ok(done) => return done,
            Err(_) => report(Duration::from_secs(begun.elapsed().as_secs())),
        }
    }
}

/// Finds out whether a connection keeps its session while others are at work.
///
/// The connection marks its session. Then a second one takes a session for the time of a transaction: where a pooler
/// hands sessions out by transaction, that is usually the one that was marked, since it was given back last. Meanwhile
/// the first connection looks for its mark. Other connections may interfere with that, so it is done several times; if
/// each round misses the fault, a clash of prepared statements, or a connection that does not read its settings back,
/// reveals it later.
///
/// # Errors
/// [`ConnectError::Pooler`], [`ConnectError::Crowded`] if no second connection is available,
/// [`ConnectError::Unreachable`].
pub(crate) async fn keeps_sessions(
    first: &mut PgConnection,
    options: &PgConnectOptions,
    patience: StartPatience,
    answer_limit: Duration,
) -> Result<(), ConnectError> {
    const ROUNDS: u32 = 3;
    let refused = |fault| ConnectError::Pooler(fault);
    let mark = Ulid::generate().to_string();
    let marked = async {
        let set = format!("SELECT set_config('a11ycheck.session', '{mark}', false)");
        sqlx::raw_sql(AssertSqlSafe(set)).execute(&mut *first).await.map_err(ConnectError::Unreachable)
    };
    patience.wait(marked).await?;
    let second = async {
        let mut second = PgConnection::connect_with(options).await.map_err(ConnectError::Unreachable)?;
        // The first statement shows it: a pooler accepts a connection before it has a session for it.
        sqlx::raw_sql("SELECT 1").execute(&mut second).await.map_err(ConnectError::Unreachable)?;
        Ok(second)
    };
    let mut second = patience.wait(second).await?;
    for _ in 0..ROUNDS {
        let begun = async {
            sqlx::raw_sql("BEGIN").execute(&mut second).await?;
            sqlx::raw_sql("SELECT 1").execute(&mut second).await
        };
        begun.await.map_err(|error| refused(PoolerFault::Transaction(error)))?;
        let read = sqlx::raw_sql("SELECT current_setting('a11ycheck.session', true)").fetch_one(&mut *first);
        let read = match tokio::time::timeout(answer_limit, read).await {
            Ok(read) => read.map_err(ConnectError::Unreachable)?,
            Err(_) => return Err(refused(PoolerFault::Blocked)),
        };
        let found: Option<String> = read.try_get(0).map_err(ConnectError::Unreachable)?;
        if found.as_ref() != Some(&mark) {
            return Err(refused(PoolerFault::SettingLost));
        }
        sqlx::raw_sql("ROLLBACK").execute(&mut second).await.map_err(ConnectError::Unreachable)?;
    }
    second.close().await.map_err(ConnectError::Unreachable)
}

/// The statements that move tables and functions from one schema to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) tables: Vec<String>,
    /// The functions, with the types of their arguments.
    pub(crate) functions: Vec<String>,
}

impl fmt::Display for Relocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, tables, functions } = self;
        let (from, to) = (quoted(from), quoted(to));
        writeln!(f, "BEGIN;")?;
        for table in tables {
            writeln!(f, "ALTER TABLE {from}.{table} SET SCHEMA {to};")?;
        }
        for function in functions {
            writeln!(f, "ALTER FUNCTION {from}.{function} SET SCHEMA {to};")?;
        }
        write!(f, "COMMIT;")
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relocation_is_one_transaction_of_exact_statements() {
        let relocation = Relocation {
            from: "Ap\"ps".to_owned(),
            to: "a11ycheck".to_owned(),
            tables: vec!["plans".to_owned(), "teams".to_owned()],
            functions: vec!["history_start(timestamptz, jsonb)".to_owned()],
        };
        assert_eq!(
            relocation.to_string(),
            "BEGIN;\nALTER TABLE \"Ap\"\"ps\".plans SET SCHEMA \"a11ycheck\";\nALTER TABLE \"Ap\"\"ps\".teams SET SCHEMA \
             \"a11ycheck\";\nALTER FUNCTION \"Ap\"\"ps\".history_start(timestamptz, jsonb) SET SCHEMA \"a11ycheck\";\nCOMMIT;"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_start_that_waits_says_so_and_ends() {
        let patience = StartPatience::of(17);
        let reports = std::cell::Cell::new(0);
        let work = tokio::time::timeout(Duration::from_secs(10), std::future::pending::<()>());
        reporting(patience.report_every, work, |_| reports.set(reports.get() + 1)).await.unwrap_err();
        assert_eq!(reports.get(), 3);
        let refused = patience.wait(std::future::pending::<Result<(), _>>()).await.unwrap_err();
        assert!(matches!(refused, ConnectError::Crowded { needed: 17, .. }), "{refused:?}");
    }
}
