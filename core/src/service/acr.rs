//! `GET /scans/{scan}/acr`.

use std::str::FromStr;

#[cfg(feature = "pdf")]
use super::pdf::PdfFile;
use super::{
    Actor, ExportedFile, Service,
    choice::choice,
    exported_file::{FileFacts, FileKind},
};
use crate::{
    domain::{Ability, FieldErrors, Scan, Team},
    error::Error,
    export::{
        Brand,
        acr::{AcrFormat, UnknownAcrFormat},
    },
    id::ScanId,
    locale::Locale,
};

/// Which draft of a conformance report is wanted.
#[derive(Debug, Clone)]
pub struct AcrRequest {
    /// Of which check.
    pub scan: ScanId,
    /// The name of an [`AcrFormat`], or `pdf`; `json` where none is named.
    pub format: Option<String>,
    /// The code of a [`Locale`]; the site's report language where none is named.
    pub lang: Option<String>,
}

/// What `format` can name.
enum Wanted {
    Draft(AcrFormat),
    #[cfg(feature = "pdf")]
    Pdf,
}

impl FromStr for Wanted {
    type Err = UnknownAcrFormat;

    fn from_str(word: &str) -> Result<Self, UnknownAcrFormat> {
        match word {
            #[cfg(feature = "pdf")]
            "pdf" => Ok(Self::Pdf),
            word => word.parse().map(Self::Draft),
        }
    }
}

impl Service {
    /// The draft of an accessibility conformance report from a completed check.
    ///
    /// # Errors
    /// In this order: [`Error::MissingAbility`] without `read`; [`Error::NotFound`]; [`Error::Invalid`] with the fields
    /// `format` and `lang`; [`Error::AcrNotIncluded`]; [`Error::NotCompleted`] for a check that is queued, running or
    /// failed; [`Error::PdfUnavailable`].
    pub async fn acr(&self, actor: &Actor, request: &AcrRequest) -> Result<ExportedFile, Error> {
        #[cfg(feature = "pdf")]
        let arrived = tokio::time::Instant::now();
        actor.require(Ability::Read)?;
        let team = actor.team();
        let scan = self.store().scan(team.id, request.scan).await?.ok_or(Error::NotFound)?;

        let mut fields = FieldErrors::default();
        let format: Option<Wanted> = choice("format", request.format.as_deref(), &mut fields);
        let locale: Option<Locale> = choice("lang", request.lang.as_deref(), &mut fields);
        if !fields.is_empty() {
            return Err(Error::Invalid(fields));
        }

        if !team.plan.features.acr_drafts {
            return Err(Error::AcrNotIncluded);
        }
        let format = match format {
            #[cfg(feature = "pdf")]
            Some(Wanted::Pdf) => return self.pdf(team, scan, PdfFile::ConformanceReport, locale, arrived).await,
            Some(Wanted::Draft(format)) => format,
            None => AcrFormat::default(),
        };
        let brand = self.shown_brand(team).await?;
        let facts = self.draft_facts(team, &scan, locale, &brand).await?;
        Ok(ExportedFile::new(scan.id, FileKind::Acr(format, Box::new(brand)), facts))
    }

    /// What a draft under this brand is made of.
    pub(super) async fn draft_facts(
        &self,
        team: &Team,
        scan: &Scan,
        locale: Option<Locale>,
        brand: &Brand,
    ) -> Result<FileFacts, Error> {
        let mut facts = self.file_facts(team, scan, locale).await?;
        if team.plan.features.white_label {
            // Who prepared it is whom its readers know.
            facts.team.clone_from(&brand.name);
        }
        Ok(facts)
    }
}
