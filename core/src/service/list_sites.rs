//! `GET /sites` and `GET /sites/{site}`.

use super::{Actor, Service};
use crate::{
    domain::{Ability, Site},
    error::Error,
    id::SiteId,
    paging::{Page, PageInput},
};

/// Which sites are wanted.
#[derive(Debug, Clone, Default)]
pub struct SitesQuery {
    /// Only sites with this tag; an empty one counts as none.
    pub tag: Option<String>,
    /// Which page of them.
    pub page: PageInput,
}

impl SitesQuery {
    /// Contract, "Limits".
    const PER_PAGE: u32 = 50;
}

impl Service {
    /// The team's sites by domain, 50 to a page unless asked otherwise; those with this tag where one is given.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `read`, [`Error::Invalid`] for a page that is not a number.
    pub async fn sites(&self, actor: &Actor, query: &SitesQuery) -> Result<Page<Site>, Error> {
        actor.require(Ability::Read)?;
        let page = query.page.parse(SitesQuery::PER_PAGE).map_err(Error::Invalid)?;
        let tag = query.tag.as_deref().map(str::trim).filter(|tag| !tag.is_empty());
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
