//! Sites.

use async_trait::async_trait;

use super::StoreError;
use crate::{
    domain::{NewSite, Site, SiteDetails},
    id::{ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
};

/// The reason why a site was not added.
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

/// The outcome of adding a site once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddedOnce {
    /// The site was added.
    Added(Site),
    /// The team has this site with the same address; nothing was added.
    Present(Site),
}

/// The usage of a team's plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteUsage {
    /// The number of the team's sites.
    pub sites: u32,
    /// The number of sites on which a manual check could start now: nothing is queued or running, and the plan's interval is over.
    pub manual_checks_available: u32,
}

/// Keeps sites.
#[async_trait]
pub trait SiteStore {
    /// Adds a site and, if `first_scan` is given, queues its first check (kind `scheduled`).
    ///
    /// `next_scan_at` is set as [`next_scan_at`](crate::domain::next_scan_at) says for the plan's frequency; the check may
    /// visit the plan's number of pages.
    ///
    /// # Concurrency
    /// The team never has more sites than its plan includes, however many are added at once.
    ///
    /// # Errors
    /// [`AddSiteError::LimitReached`], [`AddSiteError::NoTeam`]: nothing is added.
    async fn add_site(&self, team: TeamId, site: NewSite, first_scan: Option<ScanId>) -> Result<Site, AddSiteError>;

    /// Adds a site as [`add_site`](Self::add_site) does, unless the team has one with the same address: then nothing is added, whatever the
    /// plan includes, and the site is returned; of several, the one with the least id.
    ///
    /// # Concurrency
    /// Of any number of callers with one address, one adds it. It may still be added twice by [`add_site`](Self::add_site).
    ///
    /// # Errors
    /// Those of [`add_site`](Self::add_site).
    async fn add_site_once(
        &self,
        team: TeamId,
        site: NewSite,
        first_scan: Option<ScanId>,
    ) -> Result<AddedOnce, AddSiteError>;

    /// Returns a site; `None` if the team has no such site.
    async fn site(&self, team: TeamId, id: SiteId) -> Result<Option<Site>, StoreError>;

    /// Returns the team's sites, only those with this tag if one is given.
    ///
    /// # Ordering
    /// By domain (bytes), then id.
    async fn sites(&self, team: TeamId, tag: Option<&str>, page: PageRequest) -> Result<Page<Site>, StoreError>;

    /// Returns the team's failing sites, only those with this tag if one is given: those whose check that ended last has failed. A later one
    /// that is queued or running changes nothing before it ends. Checks that have left the [history](super::ScanStore#history) do not
    /// count, as everywhere.
    ///
    /// # Ordering
    /// By domain (bytes), then id.
    async fn failing_sites(&self, team: TeamId, tag: Option<&str>, page: PageRequest)
    -> Result<Page<Site>, StoreError>;

    /// Sets the details of a site, except for its address: that stays as it is, and so do its checks. Returns the site as it is then; `None`
    /// if the team has no such site.
    async fn change_site(&self, team: TeamId, id: SiteId, details: SiteDetails) -> Result<Option<Site>, StoreError>;

    /// Deletes a site with all its checks, findings and files. A worker that checks it learns of this from its next
    /// transition ([`LeaseError::Gone`](super::LeaseError::Gone)), and its result is dropped. Returns `false` if the team
    /// has no such site.
    async fn delete_site(&self, team: TeamId, id: SiteId) -> Result<bool, StoreError>;

    /// Returns the usage of the team's plan; zeros if there is no such team.
    async fn site_usage(&self, team: TeamId) -> Result<SiteUsage, StoreError>;
}
