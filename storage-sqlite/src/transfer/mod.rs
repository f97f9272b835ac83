//! Moving everything of the store to another, and back.

mod export;
mod import;

use a11ycheck_core::store::{
    StoreError, Work,
    transfer::{self, RecordSink, RecordSource, Tally, TransferError, TransferStore},
};
use async_trait::async_trait;

use crate::{SqliteStore, db::error::Failure};

#[async_trait]
impl TransferStore for SqliteStore {
    /// One transaction of a reading connection: it sees the file as it was at its first statement. Until it ends, the log
    /// beside the file (`-wal`) can't begin again at its start.
    async fn export(&self, sink: &mut dyn RecordSink) -> Result<(), TransferError> {
        self.read_at_length(async |mut tx| export::give(&mut tx, sink).await).await
    }

    /// One transaction of the connection that writes. The log beside the file grows with all that is imported.
    async fn import(&self, source: &mut dyn RecordSource) -> Result<(), TransferError> {
        self.write_at_length(async |mut tx| {
            import::refuse_content(tx.db()).await?;
            while let Some(records) = source.next().await.map_err(Failure::Refused)? {
                import::take(tx.db(), records).await?;
            }
            let mut read_back = Tally::default();
            export::give(tx.db(), &mut read_back).await?;
            transfer::compare(&source.given(), &read_back.totals()).map_err(Failure::Refused)
        })
        .await?;
        Work::ALL.into_iter().for_each(|work| self.hints().give(work));
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
