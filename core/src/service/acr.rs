//! `GET /scans/{scan}/acr`.

use super::{Actor, ExportedFile, Service, choice::choice, exported_file::FileKind};
use crate::{
    domain::{Ability, FieldErrors},
    error::Error,
    export::acr::AcrFormat,
    id::ScanId,
    locale::Locale,
};

/// Which draft of a conformance report is wanted.
#[derive(Debug, Clone)]
pub struct AcrRequest {
    /// Of which check.
    pub scan: ScanId,
    /// The name of an [`AcrFormat`]; `json` where none is named.
    pub format: Option<String>,
    /// The code of a [`Locale`]; the site's report language where none is named.
    pub lang: Option<String>,
}

impl Service {
    /// The draft of an accessibility conformance report from a completed check.
    ///
    /// # Errors
    /// In this order: [`Error::MissingAbility`] without `read`; [`Error::NotFound`]; [`Error::Invalid`] with the fields
    /// `format` and `lang`; [`Error::AcrNotIncluded`]; [`Error::NotCompleted`] for a check that is queued, running or
    /// failed.
    pub async fn acr(&self, actor: &Actor, request: &AcrRequest) -> Result<ExportedFile, Error> {
        actor.require(Ability::Read)?;
        let team = actor.team();
        let scan = self.store().scan(team.id, request.scan).await?.ok_or(Error::NotFound)?;

        let mut fields = FieldErrors::default();
        let format: Option<AcrFormat> = choice("format", request.format.as_deref(), &mut fields);
        let locale: Option<Locale> = choice("lang", request.lang.as_deref(), &mut fields);
        if !fields.is_empty() {
            return Err(Error::Invalid(fields));
        }

        if !team.plan.features.acr_drafts {
            return Err(Error::AcrNotIncluded);
        }
        let kind = FileKind::Acr(format.unwrap_or_default());
        Ok(ExportedFile::new(scan.id, kind, self.file_facts(team, &scan, locale).await?))
    }
}
