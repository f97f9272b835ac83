//! `GET /scans/{scan}/evidence/issue/{id}` and `GET /scans/{scan}/evidence/screen`

use super::{Actor, Service};
use crate::{domain::Ability, error::Error, id::ScanId, scanner::Screenshot};

impl Service {
    /// The picture of an example; `issue` is its [`id`](crate::report::Example::id) in the report.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `read`; [`Error::NotFound`] where there is no such check, example or picture.
    pub async fn evidence(&self, actor: &Actor, scan: ScanId, issue: u64) -> Result<Screenshot, Error> {
        actor.require(Ability::Read)?;
        let findings = self.store().findings(actor.team_id(), scan).await?.ok_or(Error::NotFound)?;
        let index = usize::try_from(issue).ok().and_then(|number| number.checked_sub(1)).ok_or(Error::NotFound)?;
        let shot = findings.items.get(index).and_then(|finding| finding.screenshot).ok_or(Error::NotFound)?;
        self.store().screenshot(actor.team_id(), scan, shot.id).await?.ok_or(Error::NotFound)
    }

    /// The picture of the first page.
    ///
    /// # Errors
    /// As [`evidence`](Self::evidence).
    pub async fn screen(&self, actor: &Actor, scan: ScanId) -> Result<Screenshot, Error> {
        actor.require(Ability::Read)?;
        self.store().screen(actor.team_id(), scan).await?.ok_or(Error::NotFound)
    }
}
