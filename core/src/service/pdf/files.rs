//! The sources of PDF files, and the keeping of these files.

use std::collections::HashMap;

use bytes::Bytes;
use futures_util::FutureExt as _;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::{
    catalog::Review,
    domain::{DraftHead, Findings, HeadText, Logo, PlatformKey, Scan, SiteDetails, Team},
    error::Error,
    export::{
        Brand, ExportSource,
        acr::DraftOptions,
        pdf::{Detail, DraftSource, PdfError, PdfSource, render, render_draft},
    },
    id::{ScanId, SiteId, TeamId},
    locale::Locale,
    report::Report,
    service::{Service, assessments::stamp, brand::generated_by, made_file::FileFacts},
    store::{Document, DocumentKey, StyleHash},
};

/// The most pictures that go into one file.
const MAX_PICTURES: usize = 200;

impl Service {
    /// Returns a PDF file of a completed check: from the store or, the first time for a language and a brand, rendered and
    /// then kept.
    ///
    /// # Errors
    /// [`Error::PdfUnavailable`] if too many files are waited for, if this one takes longer than
    /// [`RenderLimits::patience`](super::RenderLimits::patience), counted from `arrived` (it is still rendered, and kept),
    /// or if its rendering failed.
    pub(in crate::service) async fn document(
        &self,
        team: &Team,
        scan: &Scan,
        key: DocumentKey,
        options: DraftOptions,
        arrived: Instant,
    ) -> Result<Bytes, Error> {
        let site = self.store().site(team.id, scan.site).await?.ok_or(Error::NotFound)?;
        let decided = self.shown_decisions(team.id, site.id, key).await?;
        let style = self.style_of(&self.shown_brand(team).await?, &site.details, key, &options, &decided);
        if let Some(bytes) = self.kept(team.id, scan.id, key, style).await? {
            return Ok(bytes);
        }
        let (service, owner, of) = (self.clone(), team.clone(), scan.clone());
        // The log lines of a rendering belong to the request that it is rendered for.
        let work = async move { service.rendered(&owner, &of, key, options).await }.in_current_span();
        self.parts().renderings.wait(team.id, (scan.id, key, style), arrived, || work.boxed()).await
    }

    /// Returns what tells all that people have decided, and that a file shows, from what was so at another time.
    async fn shown_decisions(&self, team: TeamId, site: SiteId, key: DocumentKey) -> Result<String, Error> {
        let decided = self.decided(team, site).await?;
        match key {
            DocumentKey::Report(_) | DocumentKey::FullReport(_) => Ok(decided),
            DocumentKey::ConformanceReport(_) => Ok(decided + &self.assessed(team, site).await?),
        }
    }

    /// Returns the style hash of a file that carries a brand. It differs for every brand, for every name and platform of the site, for every
    /// review of the language, for every choice of options, and for all that is accepted; of a draft, for all that was assessed.
    fn style_of(
        &self,
        brand: &Brand,
        site: &SiteDetails,
        key: DocumentKey,
        options: &DraftOptions,
        decided: &str,
    ) -> StyleHash {
        let (DocumentKey::Report(locale) | DocumentKey::FullReport(locale) | DocumentKey::ConformanceReport(locale)) =
            key;
        style_of(brand, site, self.parts().reviews.get(&locale), options, decided)
    }

    /// Returns the file as it was kept, if it has this style hash.
    async fn kept(
        &self,
        team: TeamId,
        scan: ScanId,
        key: DocumentKey,
        style: StyleHash,
    ) -> Result<Option<Bytes>, Error> {
        let document = self.store().document(team, scan, key).await?;
        Ok(document.filter(|document| document.style == style).map(|document| document.bytes.into()))
    }

    async fn rendered(
        &self,
        team: &Team,
        scan: &Scan,
        key: DocumentKey,
        options: DraftOptions,
    ) -> Result<Bytes, Error> {
        let brand = self.shown_brand(team).await?;
        let site = self.store().site(team.id, scan.site).await?.ok_or(Error::NotFound)?;
        let decided = self.shown_decisions(team.id, site.id, key).await?;
        let style = self.style_of(&brand, &site.details, key, &options, &decided);
        // It may have been rendered by this node or another one since it was asked for.
        if let Some(bytes) = self.kept(team.id, scan.id, key, style).await? {
            return Ok(bytes);
        }
        let (rendering, pictures) = match key {
            DocumentKey::Report(locale) => self.report_file(team, scan, (locale, Detail::Brief), brand).await?,
            DocumentKey::FullReport(locale) => self.report_file(team, scan, (locale, Detail::Full), brand).await?,
            DocumentKey::ConformanceReport(locale) => {
                (self.draft_file(team, scan, locale, brand, options).await?, Found::All)
            }
        };
        // Else it would be kept as what it is not.
        let is_settled = self.shown_decisions(team.id, site.id, key).await? == decided;
        let rendered = tokio::task::spawn_blocking(rendering).await;
        let outcome = if matches!(rendered, Ok(Ok(_))) { "rendered" } else { "failed" };
        metrics::counter!("a11ycheck_pdf_renderings_total", "outcome" => outcome).increment(1);
        let bytes = match rendered {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) => return Err(failed(scan.id, &error)),
            Err(panic) => return Err(failed(scan.id, &panic)),
        };
        if pictures == Found::Some || !is_settled {
            // Not kept, so that a whole file is rendered when the lost pictures are restored.
            return Ok(bytes.into());
        }
        let document = Document { style, bytes: bytes.clone() };
        match self.store().put_document(team.id, scan.id, key, document).await {
            Ok(true) => Ok(bytes.into()),
            // A check that was deleted in the meantime no longer has files.
            Ok(false) => Err(Error::NotFound),
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(scan = %scan.id, error, "A PDF could not be kept, and is rendered again when it is asked for");
                Ok(bytes.into())
            }
        }
    }

    /// Gathers the sources of the report's file.
    async fn report_file(
        &self,
        team: &Team,
        scan: &Scan,
        (locale, detail): (Locale, Detail),
        brand: Brand,
    ) -> Result<(Rendering, Found), Error> {
        let (report, _, _) = self.reviewed(team.id, scan, Some(locale)).await?;
        let findings = self.store().findings(team.id, scan.id).await?.ok_or(Error::NotFound)?;
        let (pictures, found) = self.pictures(team.id, &report, &findings).await?;
        let screen = match report.screen {
            Some(_) => self.store().screen(team.id, scan.id).await?.map(|picture| picture.bytes),
            None => None,
        };
        let found = if report.screen.is_some() && screen.is_none() { Found::Some } else { found };
        let generated_by = generated_by(team);
        let rendering: Rendering = Box::new(move || {
            let picture = |issue: u64| pictures.get(&issue).map(Vec::as_slice);
            render(&PdfSource {
                report: &report,
                brand: &brand,
                generated_by,
                pictures: &picture,
                screen: screen.as_deref(),
                detail,
                pictures_lost: found == Found::Some,
            })
        });
        Ok((rendering, found))
    }

    /// Gathers the sources of the file of a conformance report's draft.
    async fn draft_file(
        &self,
        team: &Team,
        scan: &Scan,
        locale: Locale,
        brand: Brand,
        options: DraftOptions,
    ) -> Result<Rendering, Error> {
        let FileFacts { team: name, site, checked_at, findings, locale, draft, .. } =
            self.draft_facts(team, scan, Some(locale), &brand, options).await?;
        let generated_by = generated_by(team);
        Ok(Box::new(move || {
            let export = &ExportSource::new(&name, &site, checked_at, &findings, locale).with_draft(&draft);
            render_draft(&DraftSource { export, brand: &brand, generated_by })
        }))
    }

    async fn pictures(
        &self,
        team: TeamId,
        report: &Report,
        findings: &Findings,
    ) -> Result<(HashMap<u64, Vec<u8>>, Found), Error> {
        let groups = report.groups.iter().chain(&report.advisory);
        let examples = groups.flat_map(|group| &group.examples);
        let shots = examples.filter_map(|example| Some((example.id, findings.numbered(example.id)?.screenshot?)));
        let (mut pictures, mut found) = (HashMap::new(), Found::All);
        for (issue, shot) in shots.take(MAX_PICTURES) {
            match self.store().screenshot(team, report.scan_id, shot.id).await? {
                Some(picture) => drop(pictures.insert(issue, picture.bytes)),
                // The findings name it, so it once existed.
                None => found = Found::Some,
            }
        }
        Ok((pictures, found))
    }
}

/// The result of looking for the pictures that findings name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    All,
    /// Some of them, or none, were found.
    Some,
}

/// The rendering of a file from its sources; takes up to seconds of one core.
type Rendering = Box<dyn FnOnce() -> Result<Vec<u8>, PdfError> + Send>;

/// The layout of files. It changes with what they show, so that those which an earlier release kept are made again.
const LAYOUT: &[u8] = b"2";

/// Returns the style hash of files that carry a brand, in a language that was reviewed or not, and of drafts with these options.
fn style_of(
    brand: &Brand,
    site: &SiteDetails,
    review: Option<&Review>,
    options: &DraftOptions,
    decided: &str,
) -> StyleHash {
    let Brand { name, colour, logo } = brand;
    let mut digest = Sha256::new();
    // Each part goes with its length, so that no two brands have the same bytes.
    for part in [LAYOUT, name.as_bytes(), colour.to_string().as_bytes(), logo.as_ref().map_or(&[], Logo::bytes)] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    // Both may be changed after the file was made.
    for part in site.name.iter().map(String::as_str).chain(site.stack.iter().map(PlatformKey::as_str)) {
        digest.update(b"s");
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    // What is absent adds nothing. Each of the three begins with a byte of its own.
    if let Some(review) = review {
        digest.update(b"r");
        digest.update((review.by().len() as u64).to_be_bytes());
        digest.update(review.by());
        digest.update(review.on().to_string());
    }
    if *options != DraftOptions::default() {
        let DraftOptions {
            head: DraftHead { product_version, contact, evaluator },
            lists_aaa,
            decided: _,
            assessments,
        } = options;
        digest.update([b'o', u8::from(*lists_aaa)]);
        for line in [product_version, contact, evaluator] {
            let line = line.as_ref().map_or("", HeadText::as_str);
            digest.update((line.len() as u64).to_be_bytes());
            digest.update(line);
        }
        // Those of a host that keeps them itself.
        digest.update(assessments.iter().map(stamp).collect::<String>());
    }
    if !decided.is_empty() {
        digest.update(b"j");
        digest.update(decided);
    }
    let mut style = [0; 16];
    style.copy_from_slice(&digest.finalize()[..16]);
    StyleHash(style)
}

fn failed(scan: ScanId, error: &(dyn std::error::Error + 'static)) -> Error {
    tracing::error!(%scan, error, "A PDF could not be rendered");
    Error::PdfUnavailable
}
