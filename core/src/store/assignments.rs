//! Who repairs what checks found.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::{PeopleStore, StoreError};
use crate::{
    domain::{Assignment, NewAssignment, NewAuditRecord, Site, WorkChange},
    id::{AssignmentId, PersonId, ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
};

/// The reason why an assignment was not made or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssignError {
    /// The team has no such site or assignment.
    #[error("the team has no such site or assignment")]
    NotFound,
    /// The assignee is not a member of the team.
    #[error("who should do it is no member of the team")]
    NotMember,
    /// The site has [as many assignments](Assignment::MOST) as it may.
    #[error("the site has {} assignments already", Assignment::MOST)]
    TooMany,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The assignments that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AssignmentFilter {
    /// The site; all of the team's if it is `None`.
    pub site: Option<SiteId>,
    /// The assignees.
    pub whose: Whose,
    /// The states.
    pub progress: Progress,
}

/// The choice of assignments by assignee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Whose {
    /// All.
    #[default]
    Anybody,
    /// Those that nobody has.
    Nobody,
    /// Those of one member.
    Person(PersonId),
}

/// The choice of assignments by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Progress {
    /// All.
    #[default]
    Any,
    /// Those that are not done.
    Unfinished,
}

/// Keeps who repairs what checks found. A store that does keeps people as well: each step is in their audit log.
///
/// Steps that change something take the entry of the audit log that says so, and add it in the same step, as those of
/// [`PeopleStore`] do. Assignments end with their site. When a member [leaves](PeopleStore::remove_member), what the member has is
/// nobody's from then on, in the same step; nothing else of it changes.
#[async_trait]
pub trait AssignmentStore: PeopleStore {
    /// Keeps assignments about a site, each in place of the one with the same [subject](Assignment::subject), if the site has it; of two
    /// with the same subject, the later one. Returns those that were kept, in their order. With none, nothing is done, and nothing is
    /// added to the audit log.
    ///
    /// # Atomicity
    /// All are kept, with one entry of the audit log, or none.
    ///
    /// # Concurrency
    /// A site never has two assignments with the same subject, and never more than [`Assignment::MOST`]. Nobody has one who is no
    /// member of the team.
    ///
    /// # Errors
    /// [`AssignError`]: nothing is changed.
    async fn put_assignments(
        &self,
        team: TeamId,
        site: SiteId,
        assignments: Vec<NewAssignment>,
        audit: NewAuditRecord,
    ) -> Result<Vec<Assignment>, AssignError>;

    /// [Changes](Assignment::changed) an assignment, and returns it.
    ///
    /// # Errors
    /// [`AssignError::NotFound`], [`AssignError::NotMember`]: nothing is changed.
    async fn change_assignment(
        &self,
        team: TeamId,
        assignment: AssignmentId,
        change: WorkChange,
        audit: NewAuditRecord,
    ) -> Result<Assignment, AssignError>;

    /// Removes an assignment. Returns `false` if the team has no such assignment.
    async fn remove_assignment(
        &self,
        team: TeamId,
        assignment: AssignmentId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError>;

    /// [Reopens](Assignment::reopened) assignments of a team that a check found again which began at `began`, each with its entry of
    /// the audit log. Returns those that are open again; what was changed meanwhile so that it stays has no entry.
    async fn reopen_assignments(
        &self,
        team: TeamId,
        scan: ScanId,
        began: DateTime<Utc>,
        found: Vec<(AssignmentId, NewAuditRecord)>,
    ) -> Result<Vec<Assignment>, StoreError>;

    /// Returns an assignment; `None` if the team has no such assignment.
    async fn assignment(&self, team: TeamId, assignment: AssignmentId) -> Result<Option<Assignment>, StoreError>;

    /// Returns a page of the assignments of a team that a filter names.
    ///
    /// # Ordering
    /// By the day on which they are due, those without one last; then by the instant at which they were made, then by id.
    async fn assignments(
        &self,
        team: TeamId,
        filter: AssignmentFilter,
        page: PageRequest,
    ) -> Result<Page<Assignment>, StoreError>;

    /// Returns all assignments of a site, by id, at one instant: what is joined to what a check found.
    async fn all_assignments(&self, team: TeamId, site: SiteId) -> Result<Vec<Assignment>, StoreError>;

    /// Returns the number of assignments of a member in a team that are not done.
    async fn unfinished_assignments(&self, team: TeamId, person: PersonId) -> Result<u64, StoreError>;

    /// Returns the sites of a team about which there are assignments, also if all of them are done.
    ///
    /// # Ordering
    /// By domain (bytes), then id.
    async fn assigned_sites(&self, team: TeamId) -> Result<Vec<Site>, StoreError>;
}
