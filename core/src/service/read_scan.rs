//! `GET /scans/{scan}` and `GET /sites/{site}/scans`.

use super::{Actor, Service};
use crate::{
    domain::{Ability, Scan},
    error::Error,
    id::{ScanId, SiteId},
    page::{Page, PageRequest},
};

impl Service {
    /// One check.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `read`, [`Error::NotFound`], also for one that has left the plan's history.
    pub async fn scan(&self, actor: &Actor, id: ScanId) -> Result<Scan, Error> {
        actor.require(Ability::Read)?;
        self.store().scan(actor.team_id(), id).await?.ok_or(Error::NotFound)
    }

    /// The checks of a site in the plan's history, the newest first.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `read`, [`Error::NotFound`] where the team has no such site.
    pub async fn scans(&self, actor: &Actor, site: SiteId, page: PageRequest) -> Result<Page<Scan>, Error> {
        actor.require(Ability::Read)?;
        self.store().scans(actor.team_id(), site, page).await?.ok_or(Error::NotFound)
    }
}
