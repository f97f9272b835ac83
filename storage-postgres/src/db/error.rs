//! Errors of the database, and what they mean to a caller.

use std::{borrow::Cow, error::Error as StdError, time::Duration};

use a11ycheck_core::store::StoreError;
use sqlx::migrate::MigrateError;

use crate::db::pooler::{PoolerFault, Relocation, STATEMENT_CLASHES, SettingsLost, is_statement_clash};

/// The cause why a store could not be connected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The address is not one of a PostgreSQL database.
    #[error("the address of the database can't be read; it should look like postgres://user:password@host/database")]
    Address(#[source] sqlx::Error),
    /// The schema's name is not a plain one.
    #[error("`{0}` can't be the name of a schema: use lower-case letters, digits and underscores")]
    Schema(String),
    /// The address of the files is not one of an object store.
    #[cfg(feature = "object-store")]
    #[error("files can't be kept where they should be")]
    Files(#[source] crate::FilesError),
    /// There was no connection to the database, or it was refused.
    #[error("the database can't be reached")]
    Unreachable(#[source] sqlx::Error),
    /// A pooler in front of the database does not keep sessions.
    #[error(
        "a pooler between this server and PostgreSQL does not keep sessions: set `pool_mode = session` in PgBouncer (or what \
         another pooler calls it) for this database, and leave its `server_reset_query` at `DISCARD ALL`, or connect to \
         PostgreSQL itself"
    )]
    Pooler(#[source] PoolerFault),
    /// There were fewer connections available than a start takes, which is two.
    #[error(
        "the database gave this server no further connection within {waited:?}: it takes up to {needed} at a time, for which \
         there must be room in PostgreSQL (`max_connections`) and in a pooler in front of it (`default_pool_size`, \
         `max_db_connections` in PgBouncer), for each server that shares the database"
    )]
    Crowded {
        /// The number of connections that this process may hold.
        needed: u32,
        /// The time that the start waited.
        waited: Duration,
    },
    /// A pooler dropped the search path at an earlier start, and the tables are in another schema than they should be
    /// in.
    #[error(
        "the tables of schema `{to}` lie in schema `{from}`, because an earlier start went through a pooler that dropped the \
         search path (PgBouncer: `ignore_startup_parameters = options`): stop all servers, move the tables as follows, and \
         start again\n\n{0}\n",
        to = .0.to,
        from = .0.from
    )]
    Misplaced(Box<Relocation>),
    /// The tables could not be brought up to date. The migration that failed has changed nothing.
    #[error("the tables can't be brought up to date")]
    Migrate(#[source] MigrateError),
}

impl ConnectError {
    /// Replaces an error that a pooler causes, such as a clash of prepared statements, by [`Pooler`](Self::Pooler).
    pub(crate) fn explained(self) -> Self {
        match self {
            Self::Unreachable(error) if is_statement_clash(&error) => {
                Self::Pooler(PoolerFault::Statements(Box::new(error)))
            }
            Self::Migrate(error) if is_statement_clash(&error) => {
                Self::Pooler(PoolerFault::Statements(Box::new(error)))
            }
            Self::Unreachable(sqlx::Error::Configuration(error)) if error.is::<SettingsLost>() => {
                Self::Pooler(PoolerFault::SettingLost)
            }
            other => other,
        }
    }
}

/// The cause why an attempt at a step did not succeed.
pub(crate) enum Failure<E> {
    /// The step's own refusal: nothing is wrong, and nothing was changed.
    Refused(E),
    /// The database failed, or the connection to it.
    Database(sqlx::Error),
    /// The step took longer than it may.
    TooSlow(Duration),
    /// The stored data make no sense.
    Corrupt(Corrupt),
}

impl<E: From<StoreError>> Failure<E> {
    /// Returns the error for the caller of the step.
    pub(crate) fn into_error(self) -> E {
        match self {
            Self::Refused(refusal) => refusal,
            Self::Database(error) => store_error(error).into(),
            Self::TooSlow(limit) => StoreError::Unavailable(Box::new(TooSlow(limit))).into(),
            Self::Corrupt(corrupt) => StoreError::from(corrupt).into(),
        }
    }
}

impl<E> Failure<E> {
    /// Returns whether the attempt lost against another one, so that the same may well succeed now. PostgreSQL has
    /// undone it.
    pub(crate) fn is_conflict(&self) -> bool {
        let Self::Database(sqlx::Error::Database(error)) = self else { return false };
        error.code().is_some_and(|code| CONFLICTS.contains(&&*code))
    }
}

impl<E> From<sqlx::Error> for Failure<E> {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl<E> From<Corrupt> for Failure<E> {
    fn from(corrupt: Corrupt) -> Self {
        Self::Corrupt(corrupt)
    }
}

/// Something stored that can't be read back.
#[derive(Debug, thiserror::Error)]
#[error("stored {what} can't be read")]
pub(crate) struct Corrupt {
    /// The table and the id.
    pub(crate) what: String,
    pub(crate) source: Box<dyn StdError + Send + Sync>,
}

impl Corrupt {
    pub(crate) fn new(
        table: &str,
        id: impl std::fmt::Display,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { what: format!("{table} {id}"), source: source.into() }
    }
}

impl From<Corrupt> for StoreError {
    fn from(Corrupt { what, source }: Corrupt) -> Self {
        Self::Corrupt { what, source }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the database did not answer within {0:?}")]
struct TooSlow(Duration);

/// An error of the server, under the name that the manual gives it.
#[derive(Debug, thiserror::Error)]
#[error("PostgreSQL reports {condition}{advice}")]
struct ServerError {
    condition: Cow<'static, str>,
    advice: &'static str,
    source: sqlx::Error,
}

/// `serialization_failure` and `deadlock_detected`: another transaction won.
const CONFLICTS: [&str; 2] = ["40001", "40P01"];

/// The conditions to be expected of a database in trouble, and of one whose data are damaged: SQLSTATE and name, from
/// appendix A of PostgreSQL's manual. Names are for logs; a code that is not listed is logged as it is.
const CONDITIONS: [(&str, &str); 26] = [
    ("08003", "connection_does_not_exist"),
    ("08006", "connection_failure"),
    // A text with U+0000, which the domain drops.
    ("22021", "character_not_in_repertoire"),
    ("22P05", "untranslatable_character"),
    // An id that a caller says is new already exists: the stored one stays.
    ("23505", "unique_violation"),
    // After a failover, to a server that is a read-only replica.
    ("25006", "read_only_sql_transaction"),
    ("25P03", "idle_in_transaction_session_timeout"),
    // Caused by a pooler that does not keep sessions.
    ("26000", "invalid_sql_statement_name"),
    ("28P01", "invalid_password"),
    ("40001", "serialization_failure"),
    ("40P01", "deadlock_detected"),
    // Tables or rights are missing: the database is not, or no longer, the one that was migrated.
    ("42501", "insufficient_privilege"),
    ("42P01", "undefined_table"),
    ("42P05", "duplicate_prepared_statement"),
    ("53100", "disk_full"),
    ("53200", "out_of_memory"),
    ("53300", "too_many_connections"),
    ("55P03", "lock_not_available"),
    ("57014", "query_canceled"),
    ("57P01", "admin_shutdown"),
    ("57P02", "crash_shutdown"),
    ("57P03", "cannot_connect_now"),
    ("57P04", "database_dropped"),
    ("58030", "io_error"),
    ("XX001", "data_corrupted"),
    ("XX002", "index_corrupted"),
];

/// `unique_violation`: trying the same again won't help either.
const TAKEN: &str = "23505";

/// `data_corrupted` and `index_corrupted`: trying again won't help.
const DAMAGED: [&str; 2] = ["XX001", "XX002"];

/// Converts an error of sqlx. Everything that may pass, or that an operator can repair, is [`StoreError::Unavailable`];
/// what should be new and is not is [`StoreError::Taken`], and what is stored and can't be read is
/// [`StoreError::Corrupt`].
fn store_error(error: sqlx::Error) -> StoreError {
    match error {
        sqlx::Error::ColumnDecode { index, source } => {
            StoreError::Corrupt { what: format!("a row's column {index}"), source }
        }
        sqlx::Error::Database(server) => {
            let code = server.code().unwrap_or_default().into_owned();
            let known = CONDITIONS.iter().find(|(known, _)| *known == code);
            let condition = known.map_or_else(|| format!("SQLSTATE {code}").into(), |(_, name)| Cow::Borrowed(*name));
            let is_clash = STATEMENT_CLASHES.contains(&code.as_str());
            let advice =
                if is_clash { "; a pooler in front must keep sessions (PgBouncer: pool_mode = session)" } else { "" };
            let source = Box::new(ServerError { condition, advice, source: sqlx::Error::Database(server) });
            if DAMAGED.contains(&code.as_str()) {
                StoreError::Corrupt { what: "a page of the database".to_owned(), source }
            } else if code == TAKEN {
                StoreError::Taken(source)
            } else {
                StoreError::Unavailable(source)
            }
        }
        other => StoreError::Unavailable(Box::new(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conditions_are_in_order_and_each_once() {
        assert!(CONDITIONS.is_sorted_by(|(one, _), (other, _)| one < other));
    }

    #[test]
    fn what_acts_on_a_code_knows_its_name() {
        for code in CONFLICTS.into_iter().chain([TAKEN]).chain(DAMAGED).chain(STATEMENT_CLASHES) {
            assert!(CONDITIONS.iter().any(|(known, _)| *known == code), "{code}");
        }
    }

    #[test]
    fn a_lost_connection_is_trouble_that_may_pass() {
        for error in [
            sqlx::Error::PoolTimedOut,
            sqlx::Error::PoolClosed,
            sqlx::Error::Io(std::io::ErrorKind::ConnectionReset.into()),
            sqlx::Error::Protocol("unexpected".to_owned()),
        ] {
            assert!(matches!(store_error(error), StoreError::Unavailable(_)));
        }
    }

    #[test]
    fn an_unreadable_column_is_not_worth_another_try() {
        let error = sqlx::Error::ColumnDecode { index: "kind".to_owned(), source: "odd".into() };
        assert!(matches!(store_error(error), StoreError::Corrupt { what, .. } if what.contains("kind")));
    }
}
