//! Reading checks: `GET /scans/{scan}` and `GET /sites/{site}/scans`.

use super::TeamHandle;
use crate::{
    domain::{Ability, Scan},
    error::Error,
    id::{ScanId, SiteId},
    paging::{Page, PageRequest},
};

impl TeamHandle {
    /// The number of checks, or deliveries, on a page by default (contract §14).
    pub const PER_PAGE: u32 = 20;

    /// Returns one check.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, [`Error::NotFound`], also for a check that has left the plan's history, and
    /// those of [every call](TeamHandle#errors).
    pub async fn scan(&self, id: ScanId) -> Result<Scan, Error> {
        self.may(Ability::Read).await?;
        self.service().store().scan(self.id(), id).await?.ok_or(Error::NotFound)
    }

    /// Returns the checks of a site in the plan's history, the newest first.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, [`Error::NotFound`] if the team has no such site, and those of
    /// [every call](TeamHandle#errors).
    pub async fn scans(&self, site: SiteId, page: PageRequest) -> Result<Page<Scan>, Error> {
        self.may(Ability::Read).await?;
        self.service().store().scans(self.id(), site, page).await?.ok_or(Error::NotFound)
    }

    /// Returns the newest check of a site, whatever its state; `None` before its first one.
    ///
    /// # Errors
    /// Returns those of [`scans`](Self::scans).
    pub async fn newest_scan(&self, site: SiteId) -> Result<Option<Scan>, Error> {
        Ok(self.scans(site, PageRequest::new(1, 1)).await?.items.into_iter().next())
    }
}
