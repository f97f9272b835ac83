//! Deleting a site: `DELETE /sites/{site}`.

use super::TeamHandle;
use crate::{domain::Ability, error::Error, id::SiteId};

impl TeamHandle {
    /// Deletes a site with all its checks, reports and screenshots, permanently. A running check stops, and its result is dropped.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `write`, [`Error::NotFound`], and those of [every call](TeamHandle#errors).
    pub async fn delete_site(&self, id: SiteId) -> Result<(), Error> {
        self.may(Ability::Write).await?;
        if self.service().store().delete_site(self.id(), id).await? { Ok(()) } else { Err(Error::NotFound) }
    }
}
