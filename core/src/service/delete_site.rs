//! Deleting a site: `DELETE /sites/{site}`.

use super::TeamHandle;
use crate::{error::Error, id::SiteId};

impl TeamHandle {
    /// Deletes a site with all its checks, reports and screenshots, permanently. A running check stops, and its result is dropped.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `write`, [`Error::MayNotManage`] for a member of the team who is no owner,
    /// [`Error::NotFound`], and those of [every call](TeamHandle#errors).
    pub async fn delete_site(&self, id: SiteId) -> Result<(), Error> {
        self.may_delete().await?;
        if self.service().store().delete_site(self.id(), id).await? { Ok(()) } else { Err(Error::NotFound) }
    }
}
