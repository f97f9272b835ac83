//! Decisions and assignments that are made at once, and undone.

use async_trait::async_trait;

use super::{AssignError, AssignmentStore, JudgeError, StoreError};
use crate::{
    domain::{Batch, NewAssignment, NewAuditRecord, NewJudgement, Undone},
    id::{BatchId, JudgementId, SiteId, TeamId},
};

/// The reason why nothing was undone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UndoError {
    /// The team has no such batch, it was undone, or its [time](Batch::TERM) is over.
    #[error("there is no such batch, or it can't be undone any more")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps judgements and assignments that are made at once, so that they can be undone for a while. A batch ends with its site, when it is
/// undone, and some time after its term.
#[async_trait]
pub trait BatchStore: AssignmentStore {
    /// Keeps judgements about a site as [`put_judgements`](super::ReviewStore::put_judgements) does, each also in place of the one that
    /// is named with it, as a batch. With none, nothing is done, and the batch is not kept.
    ///
    /// # Atomicity
    /// All are kept, with the batch and one entry of the audit log, or none.
    ///
    /// # Errors
    /// [`JudgeError`]: nothing is changed.
    async fn judge_batch(
        &self,
        team: TeamId,
        site: SiteId,
        batch: BatchId,
        judgements: Vec<(NewJudgement, Option<JudgementId>)>,
        audit: NewAuditRecord,
    ) -> Result<Batch, JudgeError>;

    /// Keeps assignments about a site, all of the same work, as [`put_assignments`](AssignmentStore::put_assignments) does, as a batch.
    /// With none, nothing is done, and the batch is not kept.
    ///
    /// # Atomicity
    /// All are kept, with the batch and one entry of the audit log, or none.
    ///
    /// # Errors
    /// [`AssignError`]: nothing is changed.
    async fn assign_batch(
        &self,
        team: TeamId,
        site: SiteId,
        batch: BatchId,
        assignments: Vec<NewAssignment>,
        audit: NewAuditRecord,
    ) -> Result<Batch, AssignError>;

    /// Returns a batch that can be undone; `None` if the team has no such batch.
    async fn batch(&self, team: TeamId, batch: BatchId) -> Result<Option<Batch>, StoreError>;

    /// Undoes a batch: what it made goes, and what that took the place of comes back exactly as it was, unless somebody has changed it
    /// since. The number of judgements or assignments of the site may be greater than else permitted after it.
    ///
    /// # Atomicity
    /// All of it happens, with one entry of the audit log, or nothing.
    ///
    /// # Concurrency
    /// A batch is undone once.
    ///
    /// # Errors
    /// [`UndoError`]: nothing is changed.
    async fn undo_batch(&self, team: TeamId, batch: BatchId, audit: NewAuditRecord) -> Result<Undone, UndoError>;

    /// Removes batches that can't be undone any more, at most `limit`, and returns how many there were. None of it is visible.
    async fn purge_batches(&self, limit: u32) -> Result<u32, StoreError>;
}
