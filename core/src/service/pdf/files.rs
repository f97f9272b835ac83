//! What a PDF file is made of, and where it is kept.

use std::collections::HashMap;

use bytes::Bytes;
use futures_util::FutureExt as _;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::{
    domain::{Logo, Scan, ScanState, ScreenshotRef, Team},
    error::Error,
    export::{
        Brand, ExportSource,
        pdf::{DraftSource, PdfError, PdfSource, render, render_draft},
    },
    id::{ScanId, TeamId},
    locale::Locale,
    report::Report,
    service::{ExportedFile, Service, exported_file::FileFacts},
    store::{Document, DocumentKey, Look},
};

/// Which PDF file of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::service) enum PdfFile {
    /// The report for the site's owner.
    Report,
    /// The draft of a conformance report.
    ConformanceReport,
}

impl PdfFile {
    const fn key(self, locale: Locale) -> DocumentKey {
        match self {
            Self::Report => DocumentKey::Report(locale),
            Self::ConformanceReport => DocumentKey::ConformanceReport(locale),
        }
    }

    /// How the file's name ends.
    const fn suffix(self) -> &'static str {
        match self {
            Self::Report => "accessibility.pdf",
            Self::ConformanceReport => "accessibility-acr.pdf",
        }
    }
}

/// Pictures that go into one file.
const MAX_PICTURES: usize = 200;

impl Service {
    /// A PDF file of a completed check, from the store or, the first time for a language and a brand, rendered and
    /// kept.
    ///
    /// # Errors
    /// [`Error::NotCompleted`]; [`Error::PdfUnavailable`] where too many are waited for, it takes longer than
    /// [`RenderLimits::patience`](super::RenderLimits::patience) from `arrived` on (it is still rendered, and kept), or its
    /// rendering failed.
    pub(in crate::service) async fn pdf(
        &self,
        team: &Team,
        scan: Scan,
        file: PdfFile,
        locale: Option<Locale>,
        arrived: Instant,
    ) -> Result<ExportedFile, Error> {
        let ScanState::Completed { finished_at, .. } = scan.state else { return Err(Error::NotCompleted) };
        let site = self.store().site(team.id, scan.site).await?.ok_or(Error::NotFound)?;
        let locale = locale.unwrap_or(site.details.report_locale);
        let (id, key) = (scan.id, file.key(locale));
        let look = look_of(&self.shown_brand(team).await?);
        let bytes = match self.kept(team.id, id, key, look).await? {
            Some(bytes) => bytes,
            None => {
                let (service, owner) = (self.clone(), team.clone());
                // What is logged belongs to the request that it is rendered for.
                let work = async move { service.rendered(&owner, &scan, file, locale).await }.in_current_span();
                self.parts().renderings.wait(team.id, (id, key, look), arrived, || work.boxed()).await?
            }
        };
        Ok(ExportedFile::ready(id, &site.details, finished_at, file.suffix(), bytes))
    }

    /// The file as it was kept, if it looks like this.
    async fn kept(&self, team: TeamId, scan: ScanId, key: DocumentKey, look: Look) -> Result<Option<Bytes>, Error> {
        let document = self.store().document(team, scan, key).await?;
        Ok(document.filter(|document| document.look == look).map(|document| document.bytes.into()))
    }

    async fn rendered(&self, team: &Team, scan: &Scan, file: PdfFile, locale: Locale) -> Result<Bytes, Error> {
        let key = file.key(locale);
        let brand = self.shown_brand(team).await?;
        let look = look_of(&brand);
        // By this node or another one, since it was asked for.
        if let Some(bytes) = self.kept(team.id, scan.id, key, look).await? {
            return Ok(bytes);
        }
        let (rendering, pictures) = match file {
            PdfFile::Report => self.report_file(team, scan, locale, brand).await?,
            PdfFile::ConformanceReport => (self.draft_file(team, scan, locale, brand).await?, Found::All),
        };
        let rendered = tokio::task::spawn_blocking(rendering).await;
        let outcome = if matches!(rendered, Ok(Ok(_))) { "rendered" } else { "failed" };
        metrics::counter!("a11ycheck_pdf_renderings_total", "outcome" => outcome).increment(1);
        let bytes = match rendered {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) => return Err(failed(scan.id, &error)),
            Err(panic) => return Err(failed(scan.id, &panic)),
        };
        if pictures == Found::Some {
            // Whoever brings the lost ones back is given a whole file.
            return Ok(bytes.into());
        }
        let document = Document { look, bytes: bytes.clone() };
        match self.store().put_document(team.id, scan.id, key, document).await {
            Ok(true) => Ok(bytes.into()),
            // A check that was deleted meanwhile has no files any more.
            Ok(false) => Err(Error::NotFound),
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(scan = %scan.id, error, "A PDF could not be kept, and is rendered again when it is asked for");
                Ok(bytes.into())
            }
        }
    }

    /// Gets what the report's file is made of.
    async fn report_file(
        &self,
        team: &Team,
        scan: &Scan,
        locale: Locale,
        brand: Brand,
    ) -> Result<(Rendering, Found), Error> {
        let (report, findings) = self.report_of(team.id, scan, Some(locale)).await?;
        let pictures = self.pictures(team.id, &report, |issue| {
            let index = usize::try_from(issue).ok()?.checked_sub(1)?;
            findings.items.get(index)?.screenshot
        });
        let (pictures, found) = pictures.await?;
        let generated_by = generated_by(team);
        let rendering: Rendering = Box::new(move || {
            let picture = |issue: u64| pictures.get(&issue).map(Vec::as_slice);
            render(&PdfSource {
                report: &report,
                findings: &findings,
                brand: &brand,
                generated_by,
                pictures: &picture,
                pictures_lost: found == Found::Some,
            })
        });
        Ok((rendering, found))
    }

    /// Gets what the file of a conformance report's draft is made of.
    async fn draft_file(&self, team: &Team, scan: &Scan, locale: Locale, brand: Brand) -> Result<Rendering, Error> {
        let FileFacts { team: name, site, checked_at, findings, locale } =
            self.draft_facts(team, scan, Some(locale), &brand).await?;
        let generated_by = generated_by(team);
        Ok(Box::new(move || {
            let export = &ExportSource { team: &name, site: &site, checked_at, findings: &findings, locale };
            render_draft(&DraftSource { export, brand: &brand, generated_by })
        }))
    }

    async fn pictures(
        &self,
        team: TeamId,
        report: &Report,
        shot_of: impl Fn(u64) -> Option<ScreenshotRef>,
    ) -> Result<(HashMap<u64, Vec<u8>>, Found), Error> {
        let groups = report.groups.iter().chain(&report.advisory);
        let examples = groups.flat_map(|group| &group.examples);
        let shots = examples.filter_map(|example| Some((example.id, shot_of(example.id)?)));
        let (mut pictures, mut found) = (HashMap::new(), Found::All);
        for (issue, shot) in shots.take(MAX_PICTURES) {
            match self.store().screenshot(team, report.scan_id, shot.id).await? {
                Some(picture) => drop(pictures.insert(issue, picture.bytes)),
                // The findings name it, so it was there.
                None => found = Found::Some,
            }
        }
        Ok((pictures, found))
    }
}

/// Whether the pictures that findings name were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    All,
    /// Some, or none, are there.
    Some,
}

/// What makes a file out of what was got for it; takes up to seconds of one core.
type Rendering = Box<dyn FnOnce() -> Result<Vec<u8>, PdfError> + Send>;

/// White label leaves our name out.
fn generated_by(team: &Team) -> Option<&'static str> {
    (!team.plan.features.white_label).then_some(concat!("a11ycheck ", env!("CARGO_PKG_VERSION")))
}

/// The look of files that carry a brand.
fn look_of(brand: &Brand) -> Look {
    let Brand { name, colour, logo } = brand;
    let mut digest = Sha256::new();
    // Each part with its length, so that no two brands are written alike.
    for part in [name.as_bytes(), colour.to_string().as_bytes(), logo.as_ref().map_or(&[], Logo::bytes)] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    let mut look = [0; 16];
    look.copy_from_slice(&digest.finalize()[..16]);
    Look(look)
}

fn failed(scan: ScanId, error: &(dyn std::error::Error + 'static)) -> Error {
    tracing::error!(%scan, error, "A PDF could not be rendered");
    Error::PdfUnavailable
}
