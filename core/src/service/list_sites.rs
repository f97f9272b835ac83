//! `GET /sites` and `GET /sites/{site}`.

use super::{Actor, Service};
use crate::{
    domain::{Ability, Site},
    error::Error,
    id::SiteId,
    page::{Page, PageRequest},
};

impl Service {
    /// The team's sites by domain, those with this tag where one is given.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `read`.
    pub async fn sites(&self, actor: &Actor, tag: Option<&str>, page: PageRequest) -> Result<Page<Site>, Error> {
        actor.require(Ability::Read)?;
        Ok(self.store().sites(actor.team_id(), tag, page).await?)
    }

    /// One site.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `read`, [`Error::NotFound`].
    pub async fn site(&self, actor: &Actor, id: SiteId) -> Result<Site, Error> {
        actor.require(Ability::Read)?;
        self.store().site(actor.team_id(), id).await?.ok_or(Error::NotFound)
    }
}
