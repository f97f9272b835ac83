//! Sites.

use async_trait::async_trait;

use super::StoreError;
use crate::{
    domain::{NewSite, Site},
    id::{ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
};

/// Why a site was not added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddSiteError {
    /// The team has this number of sites, which is all that its plan includes.
    #[error("the plan includes {0} sites")]
    LimitReached(u32),
    /// There is no such team.
    #[error("there is no such team")]
    NoTeam,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How much of its plan a team uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteUsage {
    /// Sites that it has.
    pub sites: u32,
    /// Sites on which a manual check could start now: nothing queued or running, and the plan's interval over.
    pub manual_checks_available: u32,
}

/// Keeps sites.
#[async_trait]
pub trait SiteStore {
    /// Adds a site and, where `first_scan` is given, queues its first check (kind `scheduled`).
    ///
    /// `next_scan_at` is as [`next_scan_at`](crate::domain::next_scan_at) says for the plan's frequency; the check may
    /// visit the plan's number of pages.
    ///
    /// # Concurrency
    /// The team never has more sites than its plan includes, however many are added at once.
    ///
    /// # Errors
    /// [`AddSiteError::LimitReached`], [`AddSiteError::NoTeam`]: nothing is added.
    async fn add_site(&self, team: TeamId, site: NewSite, first_scan: Option<ScanId>) -> Result<Site, AddSiteError>;

    /// A site; `None` where the team has no such site.
    async fn site(&self, team: TeamId, id: SiteId) -> Result<Option<Site>, StoreError>;

    /// The team's sites, those with this tag where one is given.
    ///
    /// # Ordering
    /// By domain (bytes), then id.
    async fn sites(&self, team: TeamId, tag: Option<&str>, page: PageRequest) -> Result<Page<Site>, StoreError>;

    /// Deletes a site with all its checks, findings and files. A worker that checks it learns so from its next move
    /// ([`LeaseError::Gone`](super::LeaseError::Gone)), and its result is dropped. `false` where the team has no such site.
    async fn delete_site(&self, team: TeamId, id: SiteId) -> Result<bool, StoreError>;

    /// How much of its plan the team uses; zeros where there is no such team.
    async fn site_usage(&self, team: TeamId) -> Result<SiteUsage, StoreError>;
}
