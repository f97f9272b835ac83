//! What people decided about elements that checks found.

use async_trait::async_trait;

use super::{AssessmentStore, BatchStore, StoreError};
use crate::{
    domain::{Judgement, NewAuditRecord, NewJudgement},
    id::{JudgementId, SiteId, TeamId},
    paging::{Page, PageRequest},
};

/// The reason why a judgement was not kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The team has no such site.
    #[error("the team has no such site")]
    NotFound,
    /// The site has [as many judgements](Judgement::MOST) as it may.
    #[error("the site has {} judgements already", Judgement::MOST)]
    TooMany,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps what people decided about elements of sites. A store that does keeps people as well: each step is in their audit log.
///
/// Steps that change something take the entry of the audit log that says so, and add it in the same step, as those of
/// [`PeopleStore`](super::PeopleStore) do. Judgements end with their site.
#[async_trait]
pub trait ReviewStore: BatchStore + AssessmentStore {
    /// Keeps a judgement about a site: in place of the one with the same [subject](Judgement::subject), and in place of
    /// `instead_of`, if the site has them.
    ///
    /// # Concurrency
    /// A site never has two judgements with the same subject, and never more than [`Judgement::MOST`].
    ///
    /// # Errors
    /// [`JudgeError::NotFound`]; [`JudgeError::TooMany`] if there would be one too many after those whose place it takes are gone:
    /// nothing is changed.
    async fn put_judgement(
        &self,
        team: TeamId,
        site: SiteId,
        judgement: NewJudgement,
        instead_of: Option<JudgementId>,
        audit: NewAuditRecord,
    ) -> Result<Judgement, JudgeError>;

    /// Keeps several judgements about a site, each in place of the one with the same [subject](Judgement::subject), as
    /// [`put_judgement`](Self::put_judgement) does; of two with the same subject, the later one is kept. Returns those that were kept, in
    /// their order. With none, nothing is done, and nothing is added to the audit log.
    ///
    /// # Atomicity
    /// All are kept, with one entry of the audit log, or none.
    ///
    /// # Errors
    /// [`JudgeError::NotFound`]; [`JudgeError::TooMany`] if there would be more than [`Judgement::MOST`]: nothing is changed.
    async fn put_judgements(
        &self,
        team: TeamId,
        site: SiteId,
        judgements: Vec<NewJudgement>,
        audit: NewAuditRecord,
    ) -> Result<Vec<Judgement>, JudgeError>;

    /// Removes a judgement. Returns `false` if the site has no such judgement, or the team no such site.
    async fn remove_judgement(
        &self,
        team: TeamId,
        site: SiteId,
        judgement: JudgementId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError>;

    /// Returns a page of the judgements of a site; none if the team has no such site.
    ///
    /// # Ordering
    /// By the instant at which they were made, the newest first, then by id.
    async fn judgements(&self, team: TeamId, site: SiteId, page: PageRequest) -> Result<Page<Judgement>, StoreError>;

    /// Returns all judgements of a site, in the same order, at one instant: what is joined to what a check found.
    async fn all_judgements(&self, team: TeamId, site: SiteId) -> Result<Vec<Judgement>, StoreError>;
}
