//! Steps that write: one at a time, each one transaction of the one connection that writes.

use std::sync::Arc;

use a11ycheck_core::store::StoreError;
use chrono::{DateTime, Utc};
use sqlx::{
    Connection as _, SqlSafeStr as _, SqliteConnection, sqlite::SqliteConnectOptions, sqlite::SqliteTransactionManager,
};
use sqlx_core::transaction::TransactionManager as _;
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::{SqliteStore, db::error::Failure};

/// A transaction in progress. No other step writes until it has ended, so what it has read stays true.
pub(crate) struct Tx {
    open: OwnedMutexGuard<Open>,
    now: DateTime<Utc>,
}

impl Tx {
    /// Returns the connection, to run a statement on.
    pub(crate) fn db(&mut self) -> &mut SqliteConnection {
        // `Open::begin` has put it there, and only the end of the transaction takes it.
        self.open.writer.connection.as_mut().expect("a transaction in progress has its connection")
    }

    /// Returns the present instant: that at which the transaction began, so that the order of instants is the order of
    /// steps.
    pub(crate) const fn now(&self) -> DateTime<Utc> {
        self.now
    }
}

impl SqliteStore {
    /// Runs one step of a trait as one transaction, which is undone if `run` fails or refuses. Its time is bounded,
    /// including the time that it waits for its turn; steps are run in the order in which they come.
    ///
    /// The transaction is `IMMEDIATE`: one that began by reading could find, when it comes to write, that another process
    /// has written meanwhile, and would fail (`SQLITE_BUSY_SNAPSHOT`) however long it was ready to wait.
    ///
    /// `run` owns its [`Tx`], although a borrowed one would be more natural: stable Rust can't demand that the future of an async
    /// closure can be sent between threads when the closure borrows its argument for any lifetime.
    pub(crate) async fn write<T, E, F>(&self, run: impl FnOnce(Tx) -> F + Send) -> Result<T, E>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: Future<Output = Result<T, Failure<E>>> + Send,
    {
        let limit = self.step_timeout();
        let outcome = tokio::time::timeout(limit, self.transaction(run)).await;
        outcome.unwrap_or(Err(Failure::TooSlow(limit))).map_err(Failure::into_error)
    }

    /// Does the same for as long as it takes. Steps that come meanwhile wait for their time, and fail.
    pub(crate) async fn write_at_length<T, E, F>(&self, run: impl FnOnce(Tx) -> F + Send) -> Result<T, E>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: Future<Output = Result<T, Failure<E>>> + Send,
    {
        self.transaction(run).await.map_err(Failure::into_error)
    }

    async fn transaction<T, E, F>(&self, run: impl FnOnce(Tx) -> F + Send) -> Result<T, Failure<E>>
    where
        F: Future<Output = Result<T, Failure<E>>> + Send,
    {
        let open = Open::begin(Arc::clone(self.writer()).lock_owned().await).await?;
        let now = self.time();
        let open = Arc::new(Mutex::new(open));
        let outcome = run(Tx { open: Arc::clone(&open).lock_owned().await, now }).await;
        open.lock().await.end(outcome).await
    }
}

/// The one connection that writes, or the way to make it again.
pub(crate) struct Writer {
    options: SqliteConnectOptions,
    connection: Option<SqliteConnection>,
    is_closed: bool,
}

impl Writer {
    pub(crate) const fn new(options: SqliteConnectOptions, connection: SqliteConnection) -> Self {
        Self { options, connection: Some(connection), is_closed: false }
    }

    /// Closes the connection. Steps that come later fail.
    pub(crate) async fn close(&mut self) -> Result<(), sqlx::Error> {
        self.is_closed = true;
        match self.connection.take() {
            Some(connection) => connection.close().await,
            None => Ok(()),
        }
    }
}

/// The writer with a transaction. If this is dropped before the transaction has ended, or the end fails, the connection goes
/// with it, and the next step makes a new one: SQLite may have undone the transaction by itself (on a full disk, for one), and
/// sqlx would not know.
struct Open {
    writer: OwnedMutexGuard<Writer>,
    has_ended: bool,
}

impl Open {
    async fn begin(writer: OwnedMutexGuard<Writer>) -> Result<Self, sqlx::Error> {
        // If this is dropped meanwhile, it is not known whether the transaction began.
        let mut open = Self { writer, has_ended: false };
        if open.writer.is_closed {
            return Err(sqlx::Error::PoolClosed);
        }
        let connection = match open.writer.connection.take() {
            Some(connection) => connection,
            None => SqliteConnection::connect_with(&open.writer.options).await?,
        };
        let connection = open.writer.connection.insert(connection);
        SqliteTransactionManager::begin(connection, Some("BEGIN IMMEDIATE".into_sql_str())).await?;
        Ok(open)
    }

    /// Ends the transaction as its outcome requires: one that was refused, or failed, is undone.
    async fn end<T, E>(&mut self, outcome: Result<T, Failure<E>>) -> Result<T, Failure<E>> {
        let Some(connection) = &mut self.writer.connection else { return outcome };
        match outcome {
            Ok(_) => {
                SqliteTransactionManager::commit(connection).await?;
                self.has_ended = true;
            }
            Err(_) => match SqliteTransactionManager::rollback(connection).await {
                Ok(()) => self.has_ended = true,
                // SQLite has undone it already. The caller gets the first error.
                Err(error) => {
                    let error: &dyn std::error::Error = &error;
                    tracing::debug!(error, "A transaction had ended when it was to be undone");
                }
            },
        }
        outcome
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.has_ended {
            // Closes the connection, and undoes what it has begun.
            drop(self.writer.connection.take());
        }
    }
}
