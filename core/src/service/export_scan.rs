//! `GET /scans/{scan}/export`, `GET /sites/{site}/export` and `GET /scans/{scan}/pdf`.

use std::str::FromStr;

#[cfg(feature = "pdf")]
use super::pdf::PdfFile;
use super::{
    Actor, ExportedFile, Service,
    choice::choice,
    exported_file::{FileFacts, FileKind},
};
use crate::{
    domain::{Ability, FieldErrors, Scan, ScanState, Team},
    error::Error,
    export::{ExportFormat, UnknownFormat},
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
};

/// Which issue export is wanted.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// Of which check.
    pub target: ExportTarget,
    /// The name of an [`ExportFormat`], or `pdf`; `json` where none is named.
    pub format: Option<String>,
    /// The code of a [`Locale`]; the site's report language where none is named.
    pub lang: Option<String>,
}

/// A check to be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportTarget {
    /// This one.
    Scan(ScanId),
    /// The one of this site that completed last.
    LatestOf(SiteId),
}

/// What `format` can name.
enum Wanted {
    Issues(ExportFormat),
    #[cfg(feature = "pdf")]
    Pdf,
}

impl FromStr for Wanted {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        match word {
            #[cfg(feature = "pdf")]
            "pdf" => Ok(Self::Pdf),
            word => word.parse().map(Self::Issues),
        }
    }
}

impl Service {
    /// The issues of a completed check as a file, or the PDF report where `format` is `pdf`.
    ///
    /// A plan without exports has them for a check for which an express report was bought, when it is asked for that
    /// check by its id.
    ///
    /// # Errors
    /// In this order: [`Error::MissingAbility`] without `read`; [`Error::NotFound`]; [`Error::NoCompletedCheck`] for the
    /// latest of a site that has none; [`Error::Invalid`] with the fields `format` and `lang`;
    /// [`Error::ExportsNotIncluded`]; [`Error::NotCompleted`] for a check that is queued, running or failed;
    /// [`Error::PdfUnavailable`].
    pub async fn export_scan(&self, actor: &Actor, request: &ExportRequest) -> Result<ExportedFile, Error> {
        #[cfg(feature = "pdf")]
        let arrived = tokio::time::Instant::now();
        actor.require(Ability::Read)?;
        let team = actor.team();
        let scan = self.target(team.id, request.target).await?;

        let mut fields = FieldErrors::default();
        let format: Option<Wanted> = choice("format", request.format.as_deref(), &mut fields);
        let locale: Option<Locale> = choice("lang", request.lang.as_deref(), &mut fields);
        if !fields.is_empty() {
            return Err(Error::Invalid(fields));
        }

        let format = match format {
            // In every plan with the API (contract, "Format and plan rules for files").
            #[cfg(feature = "pdf")]
            Some(Wanted::Pdf) => return self.pdf(team, scan, PdfFile::Report, locale, arrived).await,
            Some(Wanted::Issues(format)) => format,
            None => ExportFormat::default(),
        };
        let is_included = match request.target {
            ExportTarget::Scan(_) => team.includes_exports_of(&scan),
            // What was bought for a check is not the site's.
            ExportTarget::LatestOf(_) => team.plan.features.exports,
        };
        if !is_included {
            return Err(Error::ExportsNotIncluded);
        }

        let kind = FileKind::Issues(format);
        Ok(ExportedFile::new(scan.id, kind, self.file_facts(team, &scan, locale).await?))
    }

    /// What a file of a completed check is made of.
    pub(super) async fn file_facts(
        &self,
        team: &Team,
        scan: &Scan,
        locale: Option<Locale>,
    ) -> Result<FileFacts, Error> {
        let ScanState::Completed { finished_at, .. } = scan.state else { return Err(Error::NotCompleted) };
        // Site and findings go when the check goes: one of them missing means that it was deleted in between.
        let site = self.store().site(team.id, scan.site).await?.ok_or(Error::NotFound)?.details;
        let findings = self.store().findings(team.id, scan.id).await?.ok_or(Error::NotFound)?;
        let locale = locale.unwrap_or(site.report_locale);
        Ok(FileFacts { team: team.name.clone(), site, checked_at: finished_at, findings, locale })
    }

    async fn target(&self, team: TeamId, target: ExportTarget) -> Result<Scan, Error> {
        match target {
            ExportTarget::Scan(scan) => self.store().scan(team, scan).await?.ok_or(Error::NotFound),
            ExportTarget::LatestOf(site) => {
                let site = self.store().site(team, site).await?.ok_or(Error::NotFound)?;
                self.store().latest_completed(team, site.id).await?.ok_or(Error::NoCompletedCheck)
            }
        }
    }
}
