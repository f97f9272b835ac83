//! The log of occurrences: what happened to checks.

use async_trait::async_trait;

use super::StoreError;
use crate::domain::ScanEventEntry;

/// The reason why nothing was read from the log of occurrences.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadEventsError {
    /// Entries that the reader does not have were purged, up to this position.
    #[error("the log was purged up to position {0}")]
    Lagged(u64),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A part of the log of occurrences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    /// The entries, in their order.
    pub entries: Vec<ScanEventEntry>,
    /// The position from which to continue: that of the last entry, or the one that was asked for if there is none.
    pub reached: u64,
    /// True if there may be more already: as many entries as were asked for were read.
    pub more: bool,
}

/// Keeps the log of occurrences: an entry for each time that a worker was given a check, and one for each check that ended,
/// of all teams.
///
/// Entries are written by the steps themselves, and take effect with them:
/// [`Started`](crate::domain::ScanEventKind::Started) by [`claim_scan`](super::QueueStore::claim_scan) for the check that
/// it gives, and [`GivenUp`](crate::domain::ScanEventKind::GivenUp) for each one that it abandons on the way;
/// [`Completed`](crate::domain::ScanEventKind::Completed) by [`complete_scan`](super::QueueStore::complete_scan);
/// [`Failed`](crate::domain::ScanEventKind::Failed) by [`fail_scan`](super::QueueStore::fail_scan). A step that is refused
/// writes none, and neither does an attempt that ends without a result. The deletion of a site or a team writes none and
/// removes none: an entry may be about a check that no longer exists.
///
/// # Ordering
/// An entry gets its position when it is first read, and not before: a step that takes effect late comes after everything
/// that anybody has read. So a reader that has read up to a position never misses an entry that turns up before it. The
/// entries of one check are in the order in which they happened.
#[async_trait]
pub trait EventLog {
    /// Returns the position of the newest entry; 0 if there never was one. What takes effect after the call has a later one.
    async fn newest_scan_event(&self) -> Result<u64, StoreError>;

    /// Returns at most `limit` entries after a position. An entry that can't be read is left out, which the store logs.
    ///
    /// # Ordering
    /// By position.
    ///
    /// # Concurrency
    /// Any number of readers get the same entries at the same positions.
    ///
    /// # Errors
    /// [`ReadEventsError::Lagged`] if entries after the position were purged: the reader continues from there.
    async fn scan_events(&self, after: u64, limit: u32) -> Result<EventPage, ReadEventsError>;

    /// Deletes at most `limit` entries that are not [kept any more](crate::domain::ScanEventEntry::kept_since), the oldest
    /// first, and returns how many. Fewer than `limit` means that no more are left for now.
    async fn purge_scan_events(&self, limit: u32) -> Result<u32, StoreError>;
}
