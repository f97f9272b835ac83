//! `DELETE /sites/{site}`.

use super::{Actor, Service};
use crate::{domain::Ability, error::Error, id::SiteId};

impl Service {
    /// Deletes a site with all its checks, reports and screenshots, for good. A check that runs stops, and its result is
    /// dropped.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `write`, [`Error::NotFound`].
    pub async fn delete_site(&self, actor: &Actor, id: SiteId) -> Result<(), Error> {
        actor.require(Ability::Write)?;
        if self.store().delete_site(actor.team_id(), id).await? { Ok(()) } else { Err(Error::NotFound) }
    }
}
