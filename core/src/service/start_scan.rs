//! `POST /sites/{site}/scans`.

use super::{Actor, Service};
use crate::{
    domain::{Ability, FieldErrors, Problem, Scan},
    error::Error,
    id::{ScanId, SiteId},
    store::StartScanError,
};

impl Service {
    /// Queues a manual check of a site.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `write`, [`Error::NotFound`], [`Error::Invalid`] while a check is queued or
    /// running and within the plan's interval after the last manual one.
    pub async fn start_scan(&self, actor: &Actor, site: SiteId) -> Result<Scan, Error> {
        actor.require(Ability::Write)?;
        let id = ScanId::generate(self.parts().clock.now());
        let refused = |problem| Error::Invalid(FieldErrors::one("site", problem));
        self.store().start_manual_scan(actor.team_id(), site, id).await.map_err(|error| match error {
            StartScanError::NoSite => Error::NotFound,
            StartScanError::Active => refused(Problem::CheckActive),
            StartScanError::TooSoon(interval) => refused(Problem::ManualTooSoon(interval)),
            StartScanError::Store(error) => error.into(),
        })
    }
}
