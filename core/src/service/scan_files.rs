//! The report of a check, and the files that are made from it.

use std::sync::Arc;
#[cfg(feature = "pdf")]
use std::time::Duration;

#[cfg(feature = "pdf")]
use tokio::time::Instant;

use super::{
    MadeFile, Service, TeamHandle,
    brand::generated_by,
    drafts::decided_by_persons,
    judgements::Joined,
    made_file::{FileFacts, ReportFacts},
};
#[cfg(feature = "pdf")]
use crate::store::DocumentKey;
use crate::{
    domain::{Ability, Scan, ScanState, Team},
    error::Error,
    export::{Artifact, Brand, acr::DraftOptions},
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
    report::{ExtractSources, Report},
    store::OpenFindings,
};

/// The check whose files are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanTarget {
    /// The check with this id.
    Scan(ScanId),
    /// The latest completed check of this site.
    LatestOf(SiteId),
}

impl From<ScanId> for ScanTarget {
    fn from(scan: ScanId) -> Self {
        Self::Scan(scan)
    }
}

/// True if a report has what people decided about its elements.
#[derive(Debug, Clone, Copy)]
enum Judgements {
    LeftOut,
    Joined,
}

/// A check that was found, with the right to its report and its files.
///
/// A frontend that parses words of a request finds the check first, and uses the parsed words afterwards: a check that does
/// not exist is refused before words that mean nothing. A host that has types calls [`TeamHandle::report`] and
/// [`TeamHandle::file`], which do both.
#[derive(Debug)]
pub struct ScanFiles {
    pub(super) service: Service,
    pub(super) team: Arc<Team>,
    target: ScanTarget,
    pub(super) scan: Scan,
    /// The address of the list of all elements.
    rest: Option<String>,
    /// True if lists of issues say what people decided.
    judgements: Judgements,
    /// The time that it took to find the check, which counts towards the time that a request waits for a file.
    #[cfg(feature = "pdf")]
    looked_up_in: Duration,
}

impl TeamHandle {
    /// Finds the check whose report or files are wanted, in whatever state it is.
    ///
    /// # Errors
    /// Returns, in this order, [`Error::MissingAbility`] without `read`; [`Error::NotFound`]; [`Error::NoCompletedCheck`] for the
    /// latest of a site that has none; and those of [every call](TeamHandle#errors).
    pub async fn files_of(&self, target: impl Into<ScanTarget> + Send) -> Result<ScanFiles, Error> {
        #[cfg(feature = "pdf")]
        let arrived = Instant::now();
        let target = target.into();
        let team = self.team_that_may(Ability::Read).await?;
        let scan = self.service().target(team.id, target).await?;
        Ok(ScanFiles {
            service: self.service().clone(),
            team,
            target,
            scan,
            rest: None,
            judgements: Judgements::LeftOut,
            #[cfg(feature = "pdf")]
            looked_up_in: arrived.elapsed(),
        })
    }

    /// Returns the report of a completed check, in the site's report language if none is named.
    ///
    /// # Errors
    /// Returns those of [`files_of`](Self::files_of), then those of [`ScanFiles::report`].
    pub async fn report(&self, scan: ScanId, locale: impl Into<Option<Locale>> + Send) -> Result<Report, Error> {
        let locale = locale.into();
        self.files_of(scan).await?.report(locale).await
    }

    /// Makes a file of a completed check, in the site's report language if none is named.
    ///
    /// # Errors
    /// Returns those of [`files_of`](Self::files_of), then those of [`ScanFiles::make`].
    pub async fn file(
        &self,
        target: impl Into<ScanTarget> + Send,
        artifact: Artifact,
        locale: impl Into<Option<Locale>> + Send,
    ) -> Result<MadeFile, Error> {
        let locale = locale.into();
        self.files_of(target).await?.make(artifact, locale).await
    }
}

impl Service {
    async fn target(&self, team: TeamId, target: ScanTarget) -> Result<Scan, Error> {
        match target {
            ScanTarget::Scan(scan) => self.store().scan(team, scan).await?.ok_or(Error::NotFound),
            ScanTarget::LatestOf(site) => {
                let site = self.store().site(team, site).await?.ok_or(Error::NotFound)?;
                self.store().latest_completed(team, site.id).await?.ok_or(Error::NoCompletedCheck)
            }
        }
    }

    /// Returns the report of a check of the team as the check found it.
    pub(super) async fn report_of(&self, team: TeamId, scan: &Scan, locale: Option<Locale>) -> Result<Report, Error> {
        let (report, _, _) = self.report_with(team, scan, locale, Judgements::LeftOut).await?;
        Ok(report)
    }

    /// Returns the report of a check of the team in which accepted elements are marked, the findings for what pages need of them, and
    /// what people decided.
    pub(super) async fn reviewed(
        &self,
        team: TeamId,
        scan: &Scan,
        locale: Option<Locale>,
    ) -> Result<(Report, OpenFindings, Joined), Error> {
        self.report_with(team, scan, locale, Judgements::Joined).await
    }

    async fn report_with(
        &self,
        team: TeamId,
        scan: &Scan,
        locale: Option<Locale>,
        judgements: Judgements,
    ) -> Result<(Report, OpenFindings, Joined), Error> {
        let ScanState::Completed { outcome, finished_at, .. } = &scan.state else { return Err(Error::NotCompleted) };
        // Site and findings are deleted with the check: if one of them is missing, the check was deleted in between.
        let site = self.store().site(team, scan.site).await?.ok_or(Error::NotFound)?;
        let open = self.store().open_findings(team, scan.id).await?.ok_or(Error::NotFound)?;
        let trend = self.store().trend(team, scan.id, Report::TREND_LENGTH).await?;
        let (extract, finished_at) = (open.extract(), *finished_at);
        let sources = ExtractSources { scan, outcome, finished_at, site: &site, extract, trend: &trend };
        let locale = locale.unwrap_or(site.details.report_locale);
        let joined = match judgements {
            Judgements::LeftOut => Joined::default(),
            Judgements::Joined => self.joined_to(team, site.id, extract).await?,
        };
        let accepted = joined.1.acceptances(&joined.0);
        let report =
            Report::of_extract(sources, accepted, locale).with_review(self.parts().reviews.get(&locale).cloned());
        Ok((report, open, joined))
    }

    /// Returns the sources of a file of a completed check.
    async fn file_facts(&self, team: &Team, scan: &Scan, locale: Option<Locale>) -> Result<FileFacts, Error> {
        let ScanState::Completed { finished_at, .. } = scan.state else { return Err(Error::NotCompleted) };
        // Site and findings are deleted with the check: if one of them is missing, the check was deleted in between.
        let site = self.store().site(team.id, scan.site).await?.ok_or(Error::NotFound)?.details;
        let findings = self.store().findings(team.id, scan.id).await?.ok_or(Error::NotFound)?;
        let locale = locale.unwrap_or(site.report_locale);
        let (team, draft) = (team.name.clone(), DraftOptions::default());
        Ok(FileFacts { team, site, checked_at: finished_at, findings, locale, rest: None, draft, accepted: None })
    }

    /// Returns the options of a draft, with what the team has set where they have nothing.
    async fn draft_options(&self, team: &Team, options: DraftOptions) -> Result<DraftOptions, Error> {
        let own = self.store().brand(team.id).await?.draft;
        Ok(DraftOptions { head: options.head.over(own), ..options })
    }

    /// Returns the sources of a draft under this brand.
    pub(super) async fn draft_facts(
        &self,
        team: &Team,
        scan: &Scan,
        locale: Option<Locale>,
        brand: &Brand,
        draft: DraftOptions,
    ) -> Result<FileFacts, Error> {
        let mut facts = self.file_facts(team, scan, locale).await?;
        facts.draft = draft;
        let (judgements, judged) = self.joined(team.id, scan.site, &facts.findings).await?;
        facts.draft.decided = decided_by_persons(&mut facts.findings, &judgements, &judged);
        if let Some(assessments) = self.kept_assessments(team.id, scan.site).await? {
            facts.draft.assessments = assessments;
        }
        if team.plan.features.white_label {
            // Readers know the brand, so the brand is named as the author.
            facts.team.clone_from(&brand.name);
        }
        Ok(facts)
    }
}

impl ScanFiles {
    /// Returns the id of the check.
    pub const fn scan(&self) -> ScanId {
        self.scan.id
    }

    /// Sets the address at which readers of a ticket find all elements, for example that of the CSV export: a ticket lists the
    /// first 50. Default: none; a ticket then says only how many there are.
    #[must_use]
    pub fn with_rest(self, address: impl Into<String>) -> Self {
        Self { rest: Some(address.into()), ..self }
    }

    /// Lets lists of issues say what people decided about elements: in columns of CSV and fields of JSON that they have only then,
    /// and only for a site of which something is decided. Default: they have what the contract says.
    #[must_use]
    pub fn with_judgements(self) -> Self {
        Self { judgements: Judgements::Joined, ..self }
    }

    /// Returns the report, in the site's report language if none is named.
    ///
    /// # Errors
    /// [`Error::NotCompleted`] for a check that is queued, running or failed; [`Error::NotFound`] if it was deleted in the
    /// meantime.
    pub async fn report(&self, locale: Option<Locale>) -> Result<Report, Error> {
        self.service.report_of(self.team.id, &self.scan, locale).await
    }

    /// Makes a file, in the site's report language if none is named. Reports as web pages and PDFs mark what is accepted, without a
    /// change of any number, and drafts of conformance reports are made after what people have decided: what is no barrier is left out, what no program could decide about
    /// and is a barrier fails, and how much of the rest was decided is named. What people have said about success criteria is in drafts as well.
    ///
    /// In a plan without exports, a check for which an express report was bought has exports all the same, if it is asked
    /// for by its id.
    ///
    /// # Errors
    /// In this order: [`Error::ExportsNotIncluded`] and [`Error::AcrNotIncluded`] in plans without them;
    /// [`Error::NotBuiltIn`]; [`Error::NotCompleted`] for a check that is queued, running or failed; [`Error::NotFound`] if
    /// it was deleted in the meantime; [`Error::PdfUnavailable`].
    pub async fn make(&self, artifact: Artifact, locale: Option<Locale>) -> Result<MadeFile, Error> {
        self.make_with(artifact, locale, DraftOptions::default()).await
    }

    /// Makes a file as [`make`](Self::make) does; the draft of a conformance report with these options, and with what the team
    /// has set where they have nothing. Other files do not have them.
    ///
    /// # Errors
    /// Those of [`make`](Self::make).
    pub async fn make_with(
        &self,
        artifact: Artifact,
        locale: Option<Locale>,
        options: DraftOptions,
    ) -> Result<MadeFile, Error> {
        self.require_included(artifact)?;
        let Self { service, team, scan, .. } = self;
        match artifact {
            Artifact::Issues(format) => {
                let mut facts = FileFacts { rest: self.rest.clone(), ..service.file_facts(team, scan, locale).await? };
                if matches!(self.judgements, Judgements::Joined) {
                    let (judgements, judged) = service.joined(team.id, scan.site, &facts.findings).await?;
                    facts.accepted = (!judgements.is_empty()).then(|| judged.acceptances(&judgements));
                }
                Ok(MadeFile::issues(scan.id, format, facts))
            }
            Artifact::ReportHtml => {
                let (report, _, _) = service.reviewed(team.id, scan, locale).await?;
                // Deleted with the check.
                let site = service.store().site(team.id, scan.site).await?.ok_or(Error::NotFound)?.details;
                let findings = service.store().findings(team.id, scan.id).await?.ok_or(Error::NotFound)?;
                let gallery = service.gallery(team.id, &report, &findings).await?;
                let (brand, generated_by) = (service.shown_brand(team).await?, generated_by(team));
                let facts = ReportFacts { report, site, findings, brand, gallery, generated_by };
                Ok(MadeFile::report(scan.id, facts))
            }
            Artifact::Acr(format) => {
                let brand = service.shown_brand(team).await?;
                let options = service.draft_options(team, options).await?;
                let facts = service.draft_facts(team, scan, locale, &brand, options).await?;
                Ok(MadeFile::draft(scan.id, format, brand, facts))
            }
            #[cfg(feature = "pdf")]
            Artifact::ReportPdf => self.pdf(artifact, DocumentKey::Report, locale, DraftOptions::default()).await,
            #[cfg(feature = "pdf")]
            Artifact::FullReportPdf => {
                self.pdf(artifact, DocumentKey::FullReport, locale, DraftOptions::default()).await
            }
            #[cfg(feature = "pdf")]
            Artifact::AcrPdf => {
                let options = service.draft_options(team, options).await?;
                self.pdf(artifact, DocumentKey::ConformanceReport, locale, options).await
            }
            #[cfg(not(feature = "pdf"))]
            Artifact::ReportPdf | Artifact::FullReportPdf | Artifact::AcrPdf => Err(Error::NotBuiltIn(artifact)),
        }
    }

    fn require_included(&self, artifact: Artifact) -> Result<(), Error> {
        let (is_included, refusal) = match artifact {
            // In every plan with the API (contract §9.2).
            Artifact::ReportPdf | Artifact::FullReportPdf | Artifact::ReportHtml => return Ok(()),
            Artifact::Issues(_) => {
                let is_included = match self.target {
                    ScanTarget::Scan(_) => self.team.includes_exports_of(&self.scan),
                    // An express report is bought for a check, not for the site.
                    ScanTarget::LatestOf(_) => self.team.plan.features.exports,
                };
                (is_included, Error::ExportsNotIncluded)
            }
            Artifact::Acr(_) | Artifact::AcrPdf => (self.team.plan.features.acr_drafts, Error::AcrNotIncluded),
        };
        if is_included { Ok(()) } else { Err(refusal) }
    }

    #[cfg(feature = "pdf")]
    async fn pdf(
        &self,
        artifact: Artifact,
        key: fn(Locale) -> DocumentKey,
        locale: Option<Locale>,
        options: DraftOptions,
    ) -> Result<MadeFile, Error> {
        let now = Instant::now();
        let arrived = now.checked_sub(self.looked_up_in).unwrap_or(now);
        let ScanState::Completed { finished_at, .. } = self.scan.state else { return Err(Error::NotCompleted) };
        let site = self.service.store().site(self.team.id, self.scan.site).await?.ok_or(Error::NotFound)?.details;
        let locale = locale.unwrap_or(site.report_locale);
        let bytes = self.service.document(&self.team, &self.scan, key(locale), options, arrived).await?;
        Ok(MadeFile::ready(self.scan.id, artifact, &site, finished_at, locale, bytes))
    }
}
