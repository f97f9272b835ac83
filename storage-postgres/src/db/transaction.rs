//! Transactions, in which several statements take effect as one step.

use std::sync::Arc;

use a11ycheck_core::store::StoreError;
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, postgres::PgTransactionManager};
use sqlx_core::transaction::TransactionManager as _;
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::{
    PostgresStore,
    db::{error::Failure, session::Session},
};

/// A transaction in progress, at the default level, READ COMMITTED: each statement sees what was committed before it
/// began.
pub(crate) struct Tx {
    open: OwnedMutexGuard<Open>,
    instant: Option<DateTime<Utc>>,
}

impl Tx {
    /// Returns the connection, to run a statement on.
    pub(crate) fn db(&mut self) -> &mut PgConnection {
        &mut self.open.session
    }

    /// Returns the present instant as statements take it: `coalesce($n, clock_timestamp())`. Without a clock of the
    /// store's own that is the instant at which a statement has its locks, and not the one at which the transaction
    /// began.
    pub(crate) const fn instant(&self) -> Option<DateTime<Utc>> {
        self.instant
    }
}

impl PostgresStore {
    /// Runs one step of a trait as one transaction, which is undone if `run` fails or refuses. Its time is bounded, and
    /// it is begun again if it lost against another, as [`step`](Self::step) says; so `run` may be called several
    /// times.
    pub(crate) async fn transaction<T, E, F>(&self, run: impl Fn(Tx) -> F + Send + Sync) -> Result<T, E>
    where
        T: Send,
        E: From<StoreError> + Send,
        F: Future<Output = Result<T, Failure<E>>> + Send,
    {
        self.step(|| self.try_transaction(&run)).await
    }

    /// Runs one transaction, once, for as long as it takes.
    ///
    /// `run` owns its [`Tx`], although a borrowed one would be more natural: stable Rust can't demand that the future of an async
    /// closure can be sent between threads when the closure borrows its argument for any lifetime.
    pub(crate) async fn try_transaction<T, E, F>(&self, run: impl FnOnce(Tx) -> F + Send) -> Result<T, Failure<E>>
    where
        F: Future<Output = Result<T, Failure<E>>> + Send,
    {
        let open = Arc::new(Mutex::new(Open::begin(self.session().await?).await?));
        let tx = Tx { open: Arc::clone(&open).lock_owned().await, instant: self.instant() };
        let outcome = run(tx).await;
        open.lock().await.end(outcome).await
    }
}

/// A connection with a transaction. If it is dropped before the transaction has ended, that is undone before the
/// connection is used again, as with [`sqlx::Transaction`], which either borrows its connection or takes it out of its
/// [`Session`].
struct Open {
    session: Session,
    has_ended: bool,
}

impl Open {
    async fn begin(session: Session) -> Result<Self, sqlx::Error> {
        // If this is dropped meanwhile, it is not known whether the transaction began.
        let mut open = Self { session, has_ended: false };
        PgTransactionManager::begin(&mut open.session, None).await?;
        Ok(open)
    }

    /// Ends the transaction as its outcome requires: one that was refused, or failed, is undone. That happens at once,
    /// not when the connection is back in the pool: until then the next step would skip the rows that this one had
    /// locked.
    async fn end<T, E>(&mut self, outcome: Result<T, Failure<E>>) -> Result<T, Failure<E>> {
        match outcome {
            Ok(_) => {
                PgTransactionManager::commit(&mut self.session).await?;
                self.has_ended = true;
            }
            Err(_) => match PgTransactionManager::rollback(&mut self.session).await {
                Ok(()) => self.has_ended = true,
                // Without a connection there is no transaction either. The caller gets the first error.
                Err(error) => {
                    tracing::debug!(
                        error = &error as &dyn std::error::Error,
                        "A transaction ended with its connection"
                    );
                }
            },
        }
        outcome
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.has_ended {
            PgTransactionManager::start_rollback(&mut self.session);
        }
    }
}
