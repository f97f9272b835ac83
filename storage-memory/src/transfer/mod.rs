//! Moving everything of the store to another, and back.

mod export;
mod import;

use a11ycheck_core::store::transfer::{self, RecordSink, RecordSource, Tally, TransferError, TransferStore};
use async_trait::async_trait;

use self::{export::Snapshot, import::Import};
use crate::MemoryStore;

#[async_trait]
impl TransferStore for MemoryStore {
    async fn export(&self, sink: &mut dyn RecordSink) -> Result<(), TransferError> {
        let snapshot = self.step(|state, _| Ok::<_, TransferError>(Snapshot::of(state)))?;
        snapshot.give(sink).await
    }

    async fn import(&self, source: &mut dyn RecordSource) -> Result<(), TransferError> {
        self.step(|state, _| import::refuse_content(state))?;
        let mut import = Import::default();
        while let Some(records) = source.next().await? {
            import.take(records).await?;
        }
        let taken = import.finish()?;
        let mut read_back = Tally::default();
        Snapshot::of(&taken).give(&mut read_back).await?;
        transfer::compare(&source.given(), &read_back.totals())?;
        self.step(|state, _| {
            // Another step may have come first.
            import::refuse_content(state)?;
            state.replace(taken);
            Ok(())
        })
    }
}
