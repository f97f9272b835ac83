//! Moving everything of one store to another: as records, which are written to a file and read from it.
//!
//! A store that implements [`TransferStore`] gives what it keeps as [`Record`]s, in the words of the domain and not of its
//! tables, so that a store of any other kind can take them. [`export`] writes them to a file, [`import`] reads them from
//! one. `format` describes the file, [`Kind`] lists what is moved.
//!
//! # What is moved
//! Everything that an answer of the service depends on, with its ids, instants, fencing tokens and positions. Hashes of
//! tokens are moved, so tokens stay valid. Secrets are moved as they are sealed: whoever serves the data needs the same
//! sealing keys. Running checks and deliveries keep their leases: where the worker is gone, they end as after a crash.
//!
//! # What is left out
//! - Counters of requests: they last for a minute, and a client's minute begins again.
//! - Sessions of people, who sign in again, and the link for the first person.
//! - What follows from the rest: the orders of queues, and the instants at which the purge examines a team again.
//! - What nobody can see any more: rests of deleted checks, files whose bytes were lost, which is logged, and files of a
//!   kind that only a later release knows.
//!
//! # Example
//! ```
//! use a11ycheck_core::{domain::PlanCatalog, store::{TeamStore as _, transfer::{self, Kind}}};
//! use a11ycheck_storage_memory::MemoryStore;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = MemoryStore::new();
//! store.put_plans(PlanCatalog::shipped().plans()).await?;
//! let mut file = Vec::new();
//! let exported = transfer::export(&store, &mut file).await?;
//! assert_eq!(exported.count(Kind::Plan), 4);
//!
//! let other = MemoryStore::new();
//! assert_eq!(transfer::import(&other, file.as_slice()).await?, exported);
//! assert_eq!(other.plans().await?, store.plans().await?);
//! # Ok(())
//! # }
//! ```

mod error;
mod format;
mod lines;
mod packed;
mod read;
mod records;
mod totals;
mod write;

use async_trait::async_trait;
use tokio::io::{AsyncBufRead, AsyncWrite};

use self::format::{Reader, Writer};
pub use self::{
    error::TransferError,
    packed::PackedFindings,
    records::{
        Kind, PictureSubject, Record, Records, StoredAttempt, StoredBrand, StoredDocument, StoredEndpoint, StoredEntry,
        StoredEvent, StoredFindings, StoredInvitation, StoredPerson, StoredPicture, StoredScan, StoredSecondFactor,
        StoredSetting, StoredSite, StoredSiteField, StoredSiteValue, StoredTeam, StoredToken,
    },
    totals::{Tally, Total, Totals},
};

/// A store whose content can be moved to another. It is apart from [`Store`](super::Store): a store need not be movable.
#[async_trait]
pub trait TransferStore: Send + Sync {
    /// Gives everything that the store keeps to `sink`, record by record. Other steps go on meanwhile, and change nothing of
    /// what is given.
    ///
    /// # Atomicity
    /// The records are the state of one instant: what a step did is given as a whole or not at all.
    ///
    /// # Ordering
    /// By kind, in the order of [`Kind`]; within a kind by the ids, codes, names, numbers or positions that distinguish
    /// records. So two stores with the same content give the same records in the same order. A record refers only to
    /// records of earlier kinds, except for a delivery that waits for another one.
    ///
    /// # Errors
    /// [`TransferError::NotSealed`] if a secret is not sealed yet; [`TransferError::Store`], also if something can't be
    /// read: nothing is left out silently. Those of the sink are passed on.
    async fn export(&self, sink: &mut dyn RecordSink) -> Result<(), TransferError>;

    /// Takes everything that `source` gives, reads it back, and compares. The time that it takes is not bounded; memory is:
    /// records are stored as they come.
    ///
    /// # Atomicity
    /// All records or none: until the source has ended and everything was read back, nobody sees any of it, and any
    /// error, or the end of the process, leaves the store empty.
    ///
    /// # Concurrency
    /// Steps that write wait for the end of the import or fail with [`StoreError::Unavailable`](super::StoreError).
    ///
    /// # Errors
    /// [`TransferError::NotEmpty`] if the store has anything of its own; [`TransferError::Differs`] if what was read back is
    /// not what was taken; [`TransferError::Store`]. Those of the source are passed on.
    async fn import(&self, source: &mut dyn RecordSource) -> Result<(), TransferError>;
}

/// Takes the records of an [export](TransferStore::export).
#[async_trait]
pub trait RecordSink: Send {
    /// Takes the next record.
    async fn put(&mut self, record: Record) -> Result<(), TransferError>;
}

/// Gives records to an [import](TransferStore::import).
#[async_trait]
pub trait RecordSource: Send {
    /// Returns the next records, all of one kind and at least one; `None` at the end, when it is certain that all that
    /// was written was given unchanged.
    async fn next(&mut self) -> Result<Option<Records>, TransferError>;

    /// Returns the number and the digest of the records that were given, by kind. Only at the end are those all.
    fn given(&self) -> Totals;
}

/// Writes everything that a store keeps to a file, and returns what was written.
///
/// # Errors
/// Those of [`TransferStore::export`]; [`TransferError::Write`]. What was written until then is no complete file, which
/// [`import`] refuses.
pub async fn export(
    store: &(impl TransferStore + ?Sized),
    file: impl AsyncWrite + Unpin + Send,
) -> Result<Totals, TransferError> {
    let mut writer = Writer::begin(file).await?;
    store.export(&mut writer).await?;
    writer.end().await
}

/// Moves the content of a file that [`export`] has written into an empty store, and returns what was moved.
///
/// # Errors
/// Those of [`TransferStore::import`], and if the file is not as it was written: [`TransferError::Read`],
/// [`TransferError::NotAnExport`], [`TransferError::LaterFormat`], [`TransferError::Truncated`],
/// [`TransferError::Malformed`], [`TransferError::Altered`]. The store stays empty.
pub async fn import(
    store: &(impl TransferStore + ?Sized),
    file: impl AsyncBufRead + Unpin + Send,
) -> Result<Totals, TransferError> {
    let mut reader = Reader::begin(file).await?;
    store.import(&mut reader).await?;
    reader.ended()
}

/// Compares what a store has taken with what was read back from it: what an import does last.
///
/// # Errors
/// [`TransferError::Differs`], with the first kind that differs.
pub fn compare(taken: &Totals, read_back: &Totals) -> Result<(), TransferError> {
    taken.first_difference(read_back).map_or(Ok(()), |kind| Err(TransferError::Differs(kind)))
}
