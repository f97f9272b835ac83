//! `GET /scans/{scan}` and `GET /sites/{site}/scans`.

use super::{Actor, Service};
use crate::{
    domain::{Ability, Scan},
    error::Error,
    id::{ScanId, SiteId},
    paging::{Page, PageInput},
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

    /// The checks of a site in the plan's history, the newest first, 20 to a page unless asked otherwise.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `read`, [`Error::NotFound`] where the team has no such site, [`Error::Invalid`]
    /// for a page that is not a number.
    pub async fn scans(&self, actor: &Actor, site: SiteId, page: &PageInput) -> Result<Page<Scan>, Error> {
        // Contract, "Limits".
        const PER_PAGE: u32 = 20;
        actor.require(Ability::Read)?;
        let page = match page.parse(PER_PAGE) {
            Ok(page) => page,
            // What is not there is told before what is wrong with the question.
            Err(fields) => return self.site(actor, site).await.and(Err(Error::Invalid(fields))),
        };
        self.store().scans(actor.team_id(), site, page).await?.ok_or(Error::NotFound)
    }
}
