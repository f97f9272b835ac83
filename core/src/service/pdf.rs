//! PDF files: rendered once per language, then kept.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

use super::{ExportedFile, Service, exported_file::FileFacts};
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
    store::{Document, DocumentKey, Look},
};

/// Which PDF file of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PdfFile {
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

/// The files that are being rendered in this process.
#[derive(Debug)]
pub(crate) struct Renderer {
    /// At most one rendering per core would leave none for requests.
    places: Arc<Semaphore>,
    under_way: Mutex<HashSet<(ScanId, DocumentKey)>>,
}

impl Default for Renderer {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { places: Arc::new(Semaphore::new(cores.div_ceil(2))), under_way: Mutex::default() }
    }
}

impl Renderer {
    /// How long a client waits for a first rendering (contract, "Limits": up to one minute).
    const PATIENCE: Duration = Duration::from_secs(55);
    /// Pictures that go into one file.
    const MAX_PICTURES: usize = 200;

    fn under_way(&self) -> std::sync::MutexGuard<'_, HashSet<(ScanId, DocumentKey)>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service {
    /// A PDF file of a completed check, from the store or, the first time for a language and a brand, rendered and
    /// kept.
    ///
    /// # Errors
    /// [`Error::NotCompleted`]; [`Error::PdfUnavailable`] while the same file is being rendered for somebody else, all
    /// places are taken, the rendering takes too long (it goes on, and is kept), or it failed.
    pub(super) async fn pdf(
        &self,
        team: &Team,
        scan: Scan,
        file: PdfFile,
        locale: Option<Locale>,
    ) -> Result<ExportedFile, Error> {
        let ScanState::Completed { finished_at, .. } = scan.state else { return Err(Error::NotCompleted) };
        let site = self.store().site(team.id, scan.site).await?.ok_or(Error::NotFound)?;
        let locale = locale.unwrap_or(site.details.report_locale);
        let id = scan.id;
        let brand = self.shown_brand(team).await?;
        let bytes = match self.store().document(team.id, id, file.key(locale)).await? {
            Some(document) if document.look == look_of(&brand) => document.bytes,
            Some(_) | None => self.render(team, scan, file, locale).await?,
        };
        Ok(ExportedFile::ready(id, &site.details, finished_at, file.suffix(), bytes))
    }

    /// Renders in a task of its own, so that a client who goes away does not waste what was begun.
    async fn render(&self, team: &Team, scan: Scan, file: PdfFile, locale: Locale) -> Result<Vec<u8>, Error> {
        let renderer = &self.parts().renderer;
        let place = Arc::clone(&renderer.places).try_acquire_owned().map_err(|_| Error::PdfUnavailable)?;
        let work = (scan.id, file.key(locale));
        if !renderer.under_way().insert(work) {
            return Err(Error::PdfUnavailable);
        }
        let (service, team) = (self.clone(), team.clone());
        let rendering = tokio::spawn(async move {
            let rendered = service.rendered(&team, &scan, file, locale).await;
            service.parts().renderer.under_way().remove(&work);
            drop(place);
            rendered
        });
        match tokio::time::timeout(Renderer::PATIENCE, rendering).await {
            Ok(Ok(rendered)) => rendered,
            Ok(Err(panic)) => {
                tracing::error!(scan = %work.0, error = &panic as &dyn std::error::Error, "Rendering a PDF panicked");
                renderer.under_way().remove(&work);
                Err(Error::PdfUnavailable)
            }
            Err(_) => Err(Error::PdfUnavailable),
        }
    }

    async fn rendered(&self, team: &Team, scan: &Scan, file: PdfFile, locale: Locale) -> Result<Vec<u8>, Error> {
        let brand = self.shown_brand(team).await?;
        let look = look_of(&brand);
        let rendering = match file {
            PdfFile::Report => self.report_file(team, scan, locale, brand).await?,
            PdfFile::ConformanceReport => self.draft_file(team, scan, locale, brand).await?,
        };
        let bytes = match tokio::task::spawn_blocking(rendering).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) => return Err(failed(scan.id, &error)),
            Err(panic) => return Err(failed(scan.id, &panic)),
        };
        // A check that was deleted meanwhile has no files any more.
        let document = Document { look, bytes: bytes.clone() };
        let is_kept = self.store().put_document(team.id, scan.id, file.key(locale), document).await?;
        if is_kept { Ok(bytes) } else { Err(Error::NotFound) }
    }

    /// Gets what the report's file is made of.
    async fn report_file(&self, team: &Team, scan: &Scan, locale: Locale, brand: Brand) -> Result<Rendering, Error> {
        let (report, findings) = self.report_of(team.id, scan, Some(locale)).await?;
        let pictures = self.pictures(team.id, &report, |issue| {
            let index = usize::try_from(issue).ok()?.checked_sub(1)?;
            findings.items.get(index)?.screenshot
        });
        let pictures = pictures.await?;
        let generated_by = generated_by(team);
        Ok(Box::new(move || {
            let picture = |issue: u64| pictures.get(&issue).map(Vec::as_slice);
            render(&PdfSource { report: &report, findings: &findings, brand: &brand, generated_by, pictures: &picture })
        }))
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
    ) -> Result<HashMap<u64, Vec<u8>>, Error> {
        let groups = report.groups.iter().chain(&report.advisory);
        let examples = groups.flat_map(|group| &group.examples);
        let shots = examples.filter_map(|example| Some((example.id, shot_of(example.id)?)));
        let mut pictures = HashMap::new();
        for (issue, shot) in shots.take(Renderer::MAX_PICTURES) {
            if let Some(picture) = self.store().screenshot(team, report.scan_id, shot.id).await? {
                pictures.insert(issue, picture.bytes);
            }
        }
        Ok(pictures)
    }
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
