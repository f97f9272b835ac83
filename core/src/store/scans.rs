//! Checks as their team sees them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::{OpenFindings, StoreError};
use crate::{
    domain::{Depth, Findings, IsoDuration, Scan},
    id::{ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
};

/// The reason why a manual check was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartScanError {
    /// The team has no such site.
    #[error("there is no such site")]
    NoSite,
    /// A check of the site is queued or running.
    #[error("a check of the site is queued or running")]
    Active,
    /// The last manual check of the site was started less than the plan's interval ago.
    #[error("the last manual check was started less than {} ago", .0.in_words())]
    TooSoon(IsoDuration),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A completed check in a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrendPoint {
    /// The id of the check.
    pub id: ScanId,
    /// The instant at which it completed.
    pub finished_at: DateTime<Utc>,
    /// The number of its problem elements.
    pub total: u64,
}

/// Starts and reads checks.
///
/// # History
/// A check that was queued longer ago than the plan's `history_months` is treated as one that does not exist, unless it
/// is active or the latest completed one of its site: [`is_in_history`](crate::domain::is_in_history).
#[async_trait]
pub trait ScanStore {
    /// Queues a check of kind `manual` that is asked to have this depth. It may visit the plan's number of pages.
    ///
    /// Whether the team is blocked, or its plan has ended, is not judged here.
    ///
    /// # Concurrency
    /// A site never has two checks queued or running, and manual checks of a site are never closer together than the plan's
    /// interval, however many are requested at once. Failed manual checks, and those that have left the history, count for
    /// the interval; the interval is that of the present plan, and a check at its very end is permitted. A check that
    /// failed through our own fault does not count, once per interval: [`ManualChecks`](crate::domain::ManualChecks) has
    /// the rule.
    ///
    /// # Errors
    /// [`StartScanError::NoSite`], then [`Active`](StartScanError::Active), then [`TooSoon`](StartScanError::TooSoon):
    /// nothing is queued.
    async fn start_manual_scan(
        &self,
        team: TeamId,
        site: SiteId,
        id: ScanId,
        depth: Depth,
    ) -> Result<Scan, StartScanError>;

    /// Returns a check; `None` if the team has no such check in its history.
    async fn scan(&self, team: TeamId, id: ScanId) -> Result<Option<Scan>, StoreError>;

    /// Returns the checks of a site in the team's history; `None` if the team has no such site.
    ///
    /// # Ordering
    /// By `queued_at`, the newest first, then by id, the greatest first.
    async fn scans(&self, team: TeamId, site: SiteId, page: PageRequest) -> Result<Option<Page<Scan>>, StoreError>;

    /// Returns the check of a site that completed last, by `finished_at`, then id; `None` if there is none, or no such site.
    async fn latest_completed(&self, team: TeamId, site: SiteId) -> Result<Option<Scan>, StoreError>;

    /// Returns the number of problem elements of the check that completed last, for each site of the team that has one.
    ///
    /// # Ordering
    /// By the id of the site.
    async fn latest_problems(&self, team: TeamId) -> Result<Vec<(SiteId, u64)>, StoreError>;

    /// Returns the findings of a completed check; `None` if the team has no such completed check in its history.
    async fn findings(&self, team: TeamId, scan: ScanId) -> Result<Option<Findings>, StoreError>;

    /// Returns the findings of a completed check for what pages need of them: their [extract](crate::ranking::Extract), which equals that of
    /// [`findings`](Self::findings), and elements by their numbers. `None` if the team has no such completed check in its history. A
    /// store that keeps [packed](super::transfer::PackedFindings) findings opens them without reading all elements.
    async fn open_findings(&self, team: TeamId, scan: ScanId) -> Result<Option<OpenFindings>, StoreError> {
        match self.findings(team, scan).await? {
            Some(findings) => Ok(Some(OpenFindings::of(findings).await?)),
            None => Ok(None),
        }
    }

    /// Returns the completed checks of the site in the team's history, up to and including `scan`, at most `limit` of them:
    /// the latest. Returns none if the team has no such completed check in its history.
    ///
    /// # Ordering
    /// By `finished_at`, the oldest first, then by id.
    async fn trend(&self, team: TeamId, scan: ScanId, limit: u32) -> Result<Vec<TrendPoint>, StoreError>;

    /// Notes that an express report was bought for a check, in whatever state it is. Returns `false` if the team has no
    /// such check in its history.
    async fn mark_express(&self, team: TeamId, scan: ScanId) -> Result<bool, StoreError>;

    /// Deletes at most `limit` checks, of any team, that have left the history of the present plan, with their findings and
    /// files; returns how many. Fewer than `limit` means that no more are left for now.
    ///
    /// A team whose history became shorter is skipped for 24 hours
    /// ([`purge_held_until`](super::TeamStore::purge_held_until)).
    async fn purge_scans(&self, limit: u32) -> Result<u32, StoreError>;
}
