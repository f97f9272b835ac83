//! Listing sites: `GET /sites` and `GET /sites/{site}`.

use super::TeamHandle;
use crate::{
    domain::{Ability, Site},
    error::Error,
    id::SiteId,
    paging::{Page, PageRequest},
};

/// The choice of the sites to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitesQuery {
    tag: Option<String>,
    which: Which,
    page: PageRequest,
}

/// The outcome of the checks of the sites that are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    Failing,
}

impl SitesQuery {
    /// The number of sites on a page by default (contract §14).
    pub const PER_PAGE: u32 = 50;

    /// Lists this page of all sites.
    pub const fn page(page: PageRequest) -> Self {
        Self { tag: None, which: Which::All, page }
    }

    /// Lists only sites with this tag. A blank tag counts as none.
    #[must_use]
    pub fn with_tag(self, tag: &str) -> Self {
        let tag = tag.trim();
        Self { tag: (!tag.is_empty()).then(|| tag.to_owned()), ..self }
    }

    /// Lists only failing sites: those whose check that ended last has failed.
    #[must_use]
    pub fn only_failing(self) -> Self {
        Self { which: Which::Failing, ..self }
    }
}

impl Default for SitesQuery {
    /// Lists the first 50 sites.
    fn default() -> Self {
        Self::page(PageRequest::new(1, Self::PER_PAGE))
    }
}

impl TeamHandle {
    /// Returns the team's sites by domain; only those with the query's tag if it has one, and only failing ones if it says so.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn sites(&self, query: &SitesQuery) -> Result<Page<Site>, Error> {
        self.may(Ability::Read).await?;
        let (store, tag) = (self.service().store(), query.tag.as_deref());
        Ok(match query.which {
            Which::All => store.sites(self.id(), tag, query.page).await?,
            Which::Failing => store.failing_sites(self.id(), tag, query.page).await?,
        })
    }

    /// Returns the number of failing sites: those whose check that ended last has failed.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn failing_sites(&self) -> Result<u64, Error> {
        let query = SitesQuery::page(PageRequest::new(1, 1)).only_failing();
        Ok(self.sites(&query).await?.total)
    }

    /// Returns one site.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, [`Error::NotFound`], and those of [every call](TeamHandle#errors).
    pub async fn site(&self, id: SiteId) -> Result<Site, Error> {
        self.may(Ability::Read).await?;
        self.service().store().site(self.id(), id).await?.ok_or(Error::NotFound)
    }
}
