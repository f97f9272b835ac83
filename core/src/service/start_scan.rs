//! Starting a check: `POST /sites/{site}/scans`.

use super::TeamHandle;
use crate::{
    domain::{Ability, FieldErrors, Problem, Scan},
    error::Error,
    id::{ScanId, SiteId},
    store::StartScanError,
};

impl TeamHandle {
    /// Queues a manual check of a site.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `write`, [`Error::NotFound`], [`Error::Invalid`] while a check is queued or running and
    /// within the plan's interval after the last manual one, and those of [every call](TeamHandle#errors).
    pub async fn start_scan(&self, site: SiteId) -> Result<Scan, Error> {
        self.may(Ability::Write).await?;
        let id = ScanId::generate(self.service().parts().clock.now());
        let refused = |problem| Error::Invalid(FieldErrors::one("site", problem));
        self.service().store().start_manual_scan(self.id(), site, id).await.map_err(|error| match error {
            StartScanError::NoSite => Error::NotFound,
            StartScanError::Active => refused(Problem::CheckActive),
            StartScanError::TooSoon(interval) => refused(Problem::ManualTooSoon(interval)),
            StartScanError::Store(error) => error.into(),
        })
    }
}
