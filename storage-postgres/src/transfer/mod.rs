//! Moving everything of the store to another, and back.

mod export;
mod import;

use a11ycheck_core::store::{
    StoreError, Work,
    transfer::{self, RecordSink, RecordSource, Tally, TransferError, TransferStore},
};
use async_trait::async_trait;
use sqlx::Executor as _;

use crate::{PostgresStore, db::error::Failure};

/// Lifts the limits of time of a step, until the end of the transaction.
const WITHOUT_LIMITS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";

#[async_trait]
impl TransferStore for PostgresStore {
    /// One transaction at the level REPEATABLE READ, which only reads: it sees what was committed before its first statement.
    /// Until it ends, no vacuum removes what was deleted or changed meanwhile.
    async fn export(&self, sink: &mut dyn RecordSink) -> Result<(), TransferError> {
        let exported = self.try_transaction(async |mut tx| {
            tx.db().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY").await?;
            tx.db().execute(WITHOUT_LIMITS).await?;
            export::give(self, tx.db(), sink).await
        });
        exported.await.map_err(Failure::into_error)
    }

    /// One transaction, in which nobody else adds a plan, a team or a setting: such steps wait for their time, and fail.
    ///
    /// Files that belong into an object store are written there at once, each check's under uploads of their own; if the
    /// import fails, nothing adopts these, and the purge deletes them a day later.
    async fn import(&self, source: &mut dyn RecordSource) -> Result<(), TransferError> {
        let imported = self.try_transaction(async |mut tx| {
            tx.db().execute(WITHOUT_LIMITS).await?;
            import::refuse_content(tx.db()).await?;
            while let Some(records) = source.next().await.map_err(Failure::Refused)? {
                import::take(self, tx.db(), records).await?;
            }
            let mut read_back = Tally::default();
            export::give(self, tx.db(), &mut read_back).await?;
            transfer::compare(&source.given(), &read_back.totals()).map_err(Failure::Refused)
        });
        imported.await.map_err(Failure::into_error)?;
        Work::ALL.into_iter().for_each(|work| self.node().hint(work));
        Ok(())
    }
}

/// The failure of a transfer before it is one for the caller.
type TransferFailure = Failure<TransferError>;

impl From<StoreError> for TransferFailure {
    fn from(error: StoreError) -> Self {
        Self::Refused(error.into())
    }
}
