//! The PDF report: rendered once per language, then kept.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::Semaphore;

use super::{ExportedFile, Service};
use crate::{
    domain::{Scan, ScanState, ScreenshotRef, Team},
    error::Error,
    export::pdf::{Brand, PdfSource, render},
    id::{ScanId, TeamId},
    locale::Locale,
    report::Report,
    store::DocumentKey,
};

/// The files that are being rendered in this process.
#[derive(Debug)]
pub(crate) struct Renderer {
    /// At most one rendering per core would leave none for requests.
    places: Arc<Semaphore>,
    under_way: Mutex<HashSet<(ScanId, Locale)>>,
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

    fn under_way(&self) -> std::sync::MutexGuard<'_, HashSet<(ScanId, Locale)>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service {
    /// The PDF report of a completed check, from the store or, the first time for a language, rendered and kept.
    ///
    /// # Errors
    /// [`Error::NotCompleted`]; [`Error::PdfUnavailable`] while the same file is being rendered for somebody else, all
    /// places are taken, the rendering takes too long (it goes on, and is kept), or it failed.
    pub(super) async fn pdf(&self, team: &Team, scan: Scan, locale: Option<Locale>) -> Result<ExportedFile, Error> {
        let ScanState::Completed { finished_at, .. } = scan.state else { return Err(Error::NotCompleted) };
        let site = self.store().site(team.id, scan.site).await?.ok_or(Error::NotFound)?;
        let locale = locale.unwrap_or(site.details.report_locale);
        let key = DocumentKey::Report(locale);
        let id = scan.id;
        let bytes = match self.store().document(team.id, id, key).await? {
            Some(bytes) => bytes,
            None => self.render(team, scan, locale).await?,
        };
        Ok(ExportedFile::ready(id, &site.details, finished_at, bytes))
    }

    /// Renders in a task of its own, so that a client who goes away does not waste what was begun.
    async fn render(&self, team: &Team, scan: Scan, locale: Locale) -> Result<Vec<u8>, Error> {
        let renderer = &self.parts().renderer;
        let place = Arc::clone(&renderer.places).try_acquire_owned().map_err(|_| Error::PdfUnavailable)?;
        let file = (scan.id, locale);
        if !renderer.under_way().insert(file) {
            return Err(Error::PdfUnavailable);
        }
        let (service, team) = (self.clone(), team.clone());
        let rendering = tokio::spawn(async move {
            let rendered = service.rendered(&team, &scan, locale).await;
            service.parts().renderer.under_way().remove(&file);
            drop(place);
            rendered
        });
        match tokio::time::timeout(Renderer::PATIENCE, rendering).await {
            Ok(Ok(rendered)) => rendered,
            Ok(Err(panic)) => {
                tracing::error!(scan = %file.0, error = &panic as &dyn std::error::Error, "Rendering a PDF panicked");
                renderer.under_way().remove(&file);
                Err(Error::PdfUnavailable)
            }
            Err(_) => Err(Error::PdfUnavailable),
        }
    }

    async fn rendered(&self, team: &Team, scan: &Scan, locale: Locale) -> Result<Vec<u8>, Error> {
        let (report, findings) = self.report_of(team.id, scan, Some(locale)).await?;
        let pictures = self.pictures(team.id, &report, |issue| {
            let index = usize::try_from(issue).ok()?.checked_sub(1)?;
            findings.items.get(index)?.screenshot
        });
        let pictures = pictures.await?;
        let brand = brand_of(team);
        let scan = scan.id;
        let rendering = tokio::task::spawn_blocking(move || {
            let picture = |issue: u64| pictures.get(&issue).map(Vec::as_slice);
            let generated_by = concat!("a11ycheck ", env!("CARGO_PKG_VERSION"));
            render(&PdfSource { report: &report, findings: &findings, brand: &brand, generated_by, pictures: &picture })
        });
        let bytes = match rendering.await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) => return Err(failed(scan, &error)),
            Err(panic) => return Err(failed(scan, &panic)),
        };
        // A check that was deleted meanwhile has no report any more.
        let is_kept = self.store().put_document(team.id, scan, DocumentKey::Report(locale), bytes.clone()).await?;
        if is_kept { Ok(bytes) } else { Err(Error::NotFound) }
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

/// "The PDF carries the team's brand on plans with white-label"; the product's own otherwise.
fn brand_of(team: &Team) -> Brand {
    if team.plan.features.white_label {
        Brand { name: team.name.clone(), ..Brand::default() }
    } else {
        Brand::default()
    }
}

fn failed(scan: ScanId, error: &(dyn std::error::Error + 'static)) -> Error {
    tracing::error!(%scan, error, "A PDF could not be rendered");
    Error::PdfUnavailable
}
