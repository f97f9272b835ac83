//! Links that show one report to whoever has them.

use async_trait::async_trait;

use super::{PeopleStore, StoreError};
use crate::{
    domain::{NewAuditRecord, NewSharedReport, SecretHash, SharedReport, Sharing},
    id::{ScanId, ShareId, TeamId},
};

/// The reason why no link was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShareError {
    /// There is no such team.
    #[error("there is no such team")]
    NotFound,
    /// The team does not share its reports.
    #[error("the team does not share its reports")]
    Off,
    /// The team has [as many links](SharedReport::MOST) as it may.
    #[error("{} links are valid already", SharedReport::MOST)]
    TooMany,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps links to reports. A store that does keeps people as well, for each step is in their audit log, as those of [`PeopleStore`] are.
///
/// Links end with their team. That a check is there is not the concern of these steps: a link to one that is gone leads nowhere.
#[async_trait]
pub trait ShareStore: PeopleStore {
    /// Returns whether a team shares its reports: [`Sharing::Off`] until it is set, and for a team that does not exist.
    async fn sharing(&self, team: TeamId) -> Result<Sharing, StoreError>;

    /// Sets whether a team shares its reports. Links stay, and lead nowhere while it does not. Returns `false` if there is no such team,
    /// or nothing changes.
    async fn set_sharing(&self, team: TeamId, sharing: Sharing, audit: NewAuditRecord) -> Result<bool, StoreError>;

    /// Makes a link.
    ///
    /// # Concurrency
    /// A team never has more valid links than [`SharedReport::MOST`].
    ///
    /// # Errors
    /// [`ShareError`]: nothing is made.
    async fn share_report(
        &self,
        team: TeamId,
        report: NewSharedReport,
        audit: NewAuditRecord,
    ) -> Result<SharedReport, ShareError>;

    /// Returns the links to the report of a check that are not over.
    ///
    /// # Ordering
    /// The newest first, then by id.
    async fn shared_reports(&self, team: TeamId, scan: ScanId) -> Result<Vec<SharedReport>, StoreError>;

    /// Withdraws a link, which leads nowhere from then on. Returns `false` if the team has no such link.
    async fn revoke_shared_report(&self, team: TeamId, id: ShareId, audit: NewAuditRecord) -> Result<bool, StoreError>;

    /// Returns the link with this hash; `None` if it is unknown, withdrawn or over, or its team does not share its reports.
    async fn shared_report(&self, hash: &SecretHash) -> Result<Option<SharedReport>, StoreError>;

    /// Removes at most `limit` links that are over, and returns how many there were.
    async fn purge_shared_reports(&self, limit: u32) -> Result<u32, StoreError>;
}
