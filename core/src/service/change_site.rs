//! Changing a site: the account web interface does, and hosts; the API has no operation for it.

use super::TeamHandle;
use crate::{
    domain::{Ability, Site, SiteInput},
    error::Error,
    id::SiteId,
};

impl TeamHandle {
    /// Changes what a user sets of a site. The address stays, whatever `input` says: a site at another address is another site, with
    /// checks of its own. Earlier checks stay as they are; their reports carry the new name and the tips for the new platforms.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `write`, [`Error::Invalid`], [`Error::NotFound`], and those of
    /// [every call](TeamHandle#errors).
    pub async fn change_site(&self, id: SiteId, input: SiteInput) -> Result<Site, Error> {
        self.may(Ability::Write).await?;
        let details = input.into_details()?;
        self.service().store().change_site(self.id(), id, details).await?.ok_or(Error::NotFound)
    }
}
