//! `GET /scans/{scan}/report`.

use super::{Actor, Service, choice::choice};
use crate::{
    domain::{Ability, FieldErrors, Findings, Scan, ScanState},
    error::Error,
    id::{ScanId, TeamId},
    locale::Locale,
    report::{Report, Sources},
};

/// Which report is wanted.
#[derive(Debug, Clone)]
pub struct ReportRequest {
    /// The check.
    pub scan: ScanId,
    /// The code of a [`Locale`]; the site's report language where none is named.
    pub lang: Option<String>,
}

impl Service {
    /// The report of a completed check.
    ///
    /// # Errors
    /// [`Error::MissingAbility`] without `read`, [`Error::NotFound`], [`Error::Invalid`] for an unknown language,
    /// [`Error::NotCompleted`] for a check that is queued, running or failed.
    pub async fn report(&self, actor: &Actor, request: &ReportRequest) -> Result<Report, Error> {
        actor.require(Ability::Read)?;
        let team = actor.team_id();
        let scan = self.store().scan(team, request.scan).await?.ok_or(Error::NotFound)?;
        let mut fields = FieldErrors::default();
        let locale = choice("lang", request.lang.as_deref(), &mut fields);
        if !fields.is_empty() {
            return Err(Error::Invalid(fields));
        }
        Ok(self.report_of(team, &scan, locale).await?.0)
    }

    /// The report of a check of the team, and the findings that it is made of.
    pub(super) async fn report_of(
        &self,
        team: TeamId,
        scan: &Scan,
        locale: Option<Locale>,
    ) -> Result<(Report, Findings), Error> {
        let ScanState::Completed { outcome, finished_at, .. } = &scan.state else { return Err(Error::NotCompleted) };
        // Site and findings go when the check goes: one of them missing means that it was deleted in between.
        let site = self.store().site(team, scan.site).await?.ok_or(Error::NotFound)?;
        let findings = self.store().findings(team, scan.id).await?.ok_or(Error::NotFound)?;
        let trend = self.store().trend(team, scan.id, Report::TREND_LENGTH).await?;
        let sources = Sources {
            scan,
            outcome,
            finished_at: *finished_at,
            site: &site,
            findings: &findings,
            trend: &trend,
            links: self.links(),
        };
        let report = Report::new(sources, locale.unwrap_or(site.details.report_locale));
        Ok((report, findings))
    }
}
