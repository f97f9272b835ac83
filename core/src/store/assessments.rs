//! What people say about success criteria of sites.

use async_trait::async_trait;

use super::{PeopleStore, StoreError};
use crate::{
    domain::{Assessment, AssessmentChanges, NewAuditRecord},
    id::{SiteId, TeamId},
};

/// Keeps what people say about success criteria of sites. A store that does keeps people as well: each step is in their audit log.
///
/// The step that changes something takes the entry of the audit log that says so, and adds it in the same step, as those of
/// [`PeopleStore`] do. Assessments end with their site.
#[async_trait]
pub trait AssessmentStore: PeopleStore {
    /// Changes assessments of a site, and returns `true`; `false` if the team has no such site. With nothing to change, nothing is done,
    /// and nothing is added to the audit log.
    ///
    /// # Atomicity
    /// All are changed, with one entry of the audit log, or none.
    ///
    /// # Concurrency
    /// A site never has two assessments of the same criterion: of two that are made at once, the later one is kept.
    async fn change_assessments(
        &self,
        team: TeamId,
        site: SiteId,
        changes: &AssessmentChanges,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError>;

    /// Returns the assessments of a site; none if the team has no such site.
    ///
    /// # Ordering
    /// By criterion, in the order of the standard.
    async fn assessments(&self, team: TeamId, site: SiteId) -> Result<Vec<Assessment>, StoreError>;
}
