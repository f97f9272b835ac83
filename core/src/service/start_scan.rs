//! Starting a check: `POST /sites/{site}/scans`.

use super::TeamHandle;
use crate::{
    domain::{Ability, Depth, FieldErrors, Problem, Scan},
    error::Error,
    id::{ScanId, SiteId},
    store::StartScanError,
};

impl TeamHandle {
    /// Queues a manual check of a site that examines every page: [`start_scan_of`](Self::start_scan_of) with [`Depth::Full`].
    ///
    /// # Errors
    /// Returns those of [`start_scan_of`](Self::start_scan_of).
    pub async fn start_scan(&self, site: SiteId) -> Result<Scan, Error> {
        self.start_scan_of(site, Depth::Full).await
    }

    /// Queues a manual check of a site. One of [`Depth::Incremental`] takes over the outcome of pages that are proven unchanged,
    /// as scheduled checks do, and examines every page where those would: [`Depth::of`].
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `write`, [`Error::NotFound`], [`Error::Invalid`] while a check is queued or running and
    /// within the plan's interval after the last manual one, and those of [every call](TeamHandle#errors).
    pub async fn start_scan_of(&self, site: SiteId, depth: Depth) -> Result<Scan, Error> {
        self.may(Ability::Write).await?;
        let id = ScanId::generate(self.service().parts().clock.now());
        let refused = |problem| Error::Invalid(FieldErrors::one("site", problem));
        self.service().store().start_manual_scan(self.id(), site, id, depth).await.map_err(|error| match error {
            StartScanError::NoSite => Error::NotFound,
            StartScanError::Active => refused(Problem::CheckActive),
            StartScanError::TooSoon(interval) => refused(Problem::ManualTooSoon(interval)),
            StartScanError::Store(error) => error.into(),
        })
    }
}
