//! Files that are made while they are read.

use std::{
    io::{self, BufWriter, Write as _},
    path::Path,
};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::{Stream, StreamExt as _, stream};

use super::FileChunks;
use crate::{
    domain::{Acceptances, Findings, SiteDetails},
    export::{
        self, Artifact, Brand, ExportFormat, ExportSource,
        acr::{self, AcrFormat, DraftOptions},
        html::{self, Gallery, HtmlSource},
    },
    id::ScanId,
    locale::Locale,
    report::Report,
};

/// A file that was made from a check. Most files are written while they are read; until then, only their sources are held.
#[derive(Debug, Clone)]
pub struct MadeFile {
    scan: ScanId,
    artifact: Artifact,
    file_name: String,
    content: Content,
    length: Option<u64>,
}

/// The content of a file.
#[derive(Debug, Clone)]
enum Content {
    /// Written while it is read.
    Issues(ExportFormat, Box<FileFacts>),
    /// Written while it is read, with this brand.
    Draft(AcrFormat, Box<Brand>, Box<FileFacts>),
    /// Written while it is read, with its pictures.
    Report(Box<ReportFacts>),
    /// Made earlier.
    Ready(Bytes),
}

/// The sources of a file.
#[derive(Debug, Clone)]
pub(super) struct FileFacts {
    pub(super) team: String,
    pub(super) site: SiteDetails,
    pub(super) checked_at: DateTime<Utc>,
    pub(super) findings: Findings,
    pub(super) locale: Locale,
    /// The address of the list of all elements.
    pub(super) rest: Option<String>,
    pub(super) draft: DraftOptions,
    /// The accepted elements; `None` where the file does not say.
    pub(super) accepted: Option<Acceptances>,
}

/// The sources of the report's web page.
#[derive(Debug, Clone)]
pub(super) struct ReportFacts {
    pub(super) report: Report,
    pub(super) site: SiteDetails,
    pub(super) findings: Findings,
    pub(super) brand: Brand,
    pub(super) gallery: Gallery,
    pub(super) generated_by: Option<&'static str>,
}

impl MadeFile {
    /// The most bytes of a file that is kept while it is measured.
    pub const KEPT: usize = 256 * 1024;

    pub(super) fn issues(scan: ScanId, format: ExportFormat, facts: FileFacts) -> Self {
        let (artifact, file_name) = (Artifact::Issues(format), facts.file_name(Artifact::Issues(format)));
        Self { scan, artifact, file_name, content: Content::Issues(format, Box::new(facts)), length: None }
    }

    pub(super) fn draft(scan: ScanId, format: AcrFormat, brand: Brand, facts: FileFacts) -> Self {
        let (artifact, file_name) = (Artifact::Acr(format), facts.file_name(Artifact::Acr(format)));
        let content = Content::Draft(format, Box::new(brand), Box::new(facts));
        Self { scan, artifact, file_name, content, length: None }
    }

    pub(super) fn report(scan: ScanId, facts: ReportFacts) -> Self {
        let artifact = Artifact::ReportHtml;
        let file_name = artifact.file_name(&facts.site, facts.report.checked_at, facts.report.locale);
        Self { scan, artifact, file_name, content: Content::Report(Box::new(facts)), length: None }
    }

    /// Returns a file that has already been made.
    #[cfg(feature = "pdf")]
    pub(super) fn ready(
        scan: ScanId,
        artifact: Artifact,
        site: &SiteDetails,
        checked_at: DateTime<Utc>,
        locale: Locale,
        bytes: Bytes,
    ) -> Self {
        let file_name = artifact.file_name(site, checked_at, locale);
        Self { scan, artifact, file_name, length: Some(length(&bytes)), content: Content::Ready(bytes) }
    }

    /// Returns the check that the file is about.
    pub const fn scan(&self) -> ScanId {
        self.scan
    }

    /// Returns the kind of file.
    pub const fn artifact(&self) -> Artifact {
        self.artifact
    }

    /// Returns the media type, as `Content-Type` has it.
    pub const fn media_type(&self) -> &'static str {
        self.artifact.media_type()
    }

    /// Returns the name under which the file is offered: ASCII, without a path.
    pub fn file_name(&self) -> &str {
        &self.file_name
    }

    /// Writes the file, and takes as long as that takes: in async code use [`bytes`](Self::bytes), [`save`](Self::save),
    /// [`into_stream`](Self::into_stream) or [`into_chunks`](Self::into_chunks).
    ///
    /// # Errors
    /// Those of `out`; what was written by then is not a whole file.
    pub fn write_to(&self, mut out: impl io::Write) -> io::Result<()> {
        match &self.content {
            Content::Issues(format, facts) => export::write(*format, &facts.source(), out),
            Content::Draft(format, brand, facts) => acr::write(*format, &facts.source(), brand, out),
            Content::Report(facts) => html::write(&facts.source(), out),
            Content::Ready(bytes) => out.write_all(bytes),
        }
    }

    /// Returns the length of the file in bytes; `None` before it was [measured](Self::measured).
    pub const fn length(&self) -> Option<u64> {
        self.length
    }

    /// Measures the length of the file. That takes a thread of its own for as long as writing the file; a file of up to
    /// [`KEPT`](Self::KEPT) bytes is kept, so that it is written only once, and a longer one is written again when it is
    /// read.
    ///
    /// # Errors
    /// None in this version: every source can be written.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub async fn measured(self) -> io::Result<Self> {
        if self.length.is_some() {
            return Ok(self);
        }
        on_a_thread(move || {
            let mut measure = Measure { length: 0, kept: Some(Vec::new()) };
            self.write_to(&mut measure)?;
            let Measure { length, kept } = measure;
            let content = kept.map_or(self.content, |kept| Content::Ready(kept.into()));
            Ok(Self { content, length: Some(length), ..self })
        })
        .await
    }

    /// Saves the file under this path, in place of what is there. It is written beside the path and renamed when it is
    /// whole, so that nobody reads half of it, and nothing is left of a file that could not be written. Once begun, saving
    /// continues even if the future is dropped.
    ///
    /// # Errors
    /// Those of the file system; what was under the path before is still there.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub async fn save(self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref().to_owned();
        on_a_thread(move || self.save_to(&path)).await
    }

    fn save_to(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".").suffix(".part");
        #[cfg(unix)]
        {
            // Like files of any other program: the process's mask decides. By default, nobody else could read it.
            use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};
            builder.permissions(Permissions::from_mode(0o666));
        }
        let beside = builder.tempfile_in(folder)?;
        let mut out = BufWriter::with_capacity(FileChunks::SIZE, beside.as_file());
        self.write_to(&mut out)?;
        out.flush()?;
        drop(out);
        // After a crash, the name must not lead to less than the whole file.
        beside.as_file().sync_all()?;
        beside.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Returns the whole file.
    ///
    /// # Errors
    /// None in this version: every source can be written.
    ///
    /// # Panics
    /// Outside a Tokio runtime with a timer.
    pub async fn bytes(self) -> io::Result<Bytes> {
        match &self.content {
            Content::Ready(bytes) => Ok(bytes.clone()),
            Content::Issues(..) | Content::Draft(..) | Content::Report(_) => {
                Ok(self.into_chunks().collect().await?.into())
            }
        }
    }

    /// Returns the bytes of the file as they are made. Nothing is written before the stream is first polled; after that it
    /// behaves like [`into_chunks`](Self::into_chunks).
    ///
    /// # Panics
    /// The first poll panics outside a Tokio runtime with a timer.
    pub fn into_stream(self) -> impl Stream<Item = io::Result<Bytes>> + Send + Sync + use<> {
        let chunks = stream::once(async move { self.into_chunks() });
        chunks.flat_map(|chunks| {
            stream::unfold(chunks, |mut chunks| async { chunks.next().await.map(|chunk| (chunk, chunks)) })
        })
    }

    /// Writes the file on a thread of its own while its chunks are taken: at most [`FileChunks::AHEAD`] are ready at once,
    /// and the thread ends when the chunks are dropped or none is taken for [`FileChunks::PATIENCE`].
    ///
    /// # Panics
    /// Outside a Tokio runtime with a timer.
    pub fn into_chunks(self) -> FileChunks {
        let (mut out, chunks) = FileChunks::channel();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = self.write_to(&mut out).and_then(|()| out.finish()) {
                tracing::debug!(scan = %self.scan, file = self.file_name, %error, "A file was not taken to its end");
            }
        });
        chunks
    }
}

impl FileFacts {
    fn file_name(&self, artifact: Artifact) -> String {
        artifact.file_name(&self.site, self.checked_at, self.locale)
    }

    fn source(&self) -> ExportSource<'_> {
        let Self { team, site, checked_at, findings, locale, rest, draft, accepted } = self;
        let source = ExportSource::new(team, site, *checked_at, findings, *locale);
        let source = source.with_rest(rest.as_deref()).with_draft(draft);
        accepted.as_ref().map_or(source, |accepted| source.with_accepted(accepted))
    }
}

impl ReportFacts {
    fn source(&self) -> HtmlSource<'_> {
        let Self { report, site, findings, brand, gallery, generated_by } = self;
        HtmlSource::new(report, site, findings, brand, gallery).with_generated_by(*generated_by)
    }
}

/// Runs work that may take long on a thread where it holds up no other task.
async fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|panic| Err(io::Error::other(panic)))
}

fn length(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}

/// Counts what is written, and keeps it as long as it is short.
struct Measure {
    length: u64,
    kept: Option<Vec<u8>>,
}

impl io::Write for Measure {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.length += length(bytes);
        match &mut self.kept {
            Some(kept) if kept.len() + bytes.len() <= MadeFile::KEPT => kept.extend_from_slice(bytes),
            _ => self.kept = None,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::domain::{Finding, Impact, PageOutcome, RuleFacts, RuleId, SiteUrl, StandardId, Tool};

    fn file(elements: usize) -> MadeFile {
        let rule = RuleId::new("image-alt");
        let facts = RuleFacts {
            impact: Impact::Critical,
            tags: vec!["wcag2a".to_owned()],
            help: String::new(),
            description: String::new(),
            help_url: String::new(),
        };
        let url = SiteUrl::parse("https://a.example").unwrap();
        let element = Finding::new(rule.clone(), 0, url.as_str(), "img", &"<img>".repeat(100), "");
        let findings = Findings {
            engine: Tool::axe_core("", ""),
            pages: vec![PageOutcome::checked(url.as_str(), "")],
            rules: BTreeMap::from([(rule, facts)]),
            items: vec![element; elements],
            needs_review: BTreeMap::new(),
            undecided: Vec::new(),
            undecided_reasons: BTreeMap::new(),
            stack: vec![],
            screen: None,
            ran: None,
            pictures_not_stored: false,
            stopped_by_timeouts: false,
            standard: StandardId::Wcag21Aa,
        };
        let site = SiteDetails {
            url,
            name: None,
            report_locale: Locale::En,
            platform: None,
            stack: vec![],
            tags: vec![],
            standard: None,
        };
        let scan = ScanId::generate(Utc::now());
        let facts = FileFacts {
            team: String::new(),
            site,
            checked_at: Utc::now(),
            findings,
            locale: Locale::En,
            rest: None,
            draft: DraftOptions::default(),
            accepted: None,
        };
        MadeFile::issues(scan, ExportFormat::Json, facts)
    }

    #[tokio::test]
    async fn chunks_together_are_the_file() {
        let file = file(2_000);
        let mut whole = Vec::new();
        file.write_to(&mut whole).unwrap();
        let mut chunks = file.clone().into_chunks();
        let first = chunks.next().await.unwrap().unwrap();
        assert!(first.len() < whole.len() / 4, "one chunk of {} bytes", first.len());
        let rest = chunks.collect().await.unwrap();
        assert!([&first[..], &rest].concat() == whole);
    }

    #[tokio::test]
    async fn a_measured_file_is_as_long_as_it_says_and_the_same() {
        for (elements, is_kept) in [(0, true), (20, true), (5_000, false)] {
            let (file, mut whole) = (file(elements), Vec::new());
            file.write_to(&mut whole).unwrap();
            assert_eq!(file.length(), None);
            let measured = file.measured().await.unwrap();
            assert_eq!(measured.length(), Some(whole.len() as u64));
            assert_eq!(matches!(measured.content, Content::Ready(_)), is_kept, "{} bytes", whole.len());
            assert!(measured.into_chunks().collect().await.unwrap() == whole);
        }
    }

    #[tokio::test]
    async fn the_stream_and_the_bytes_are_the_file() {
        for file in [file(2_000), file(20).measured().await.unwrap()] {
            let mut whole = Vec::new();
            file.write_to(&mut whole).unwrap();
            assert!(file.clone().bytes().await.unwrap() == whole);
            let chunks: Vec<Bytes> = file.into_stream().map(Result::unwrap).collect().await;
            assert!(chunks.concat() == whole);
        }
    }

    #[tokio::test]
    async fn a_file_is_saved_whole_in_place_of_what_was_there_and_nothing_stands_beside_it() {
        let (folder, file) = (tempfile::tempdir().unwrap(), file(2_000));
        let path = folder.path().join("issues.json");
        let mut whole = Vec::new();
        file.write_to(&mut whole).unwrap();
        std::fs::write(&path, "before").unwrap();
        file.save(&path).await.unwrap();
        assert!(std::fs::read(&path).unwrap() == whole);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn a_file_that_could_not_be_saved_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("a-folder");
        std::fs::create_dir(&taken).unwrap();
        assert!(file(20).save(&taken).await.is_err(), "a file does not take the place of a folder");
        assert!(file(20).save(folder.path().join("nowhere/issues.json")).await.is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// With the user's own mask, like a file that any other program saves.
    #[cfg(unix)]
    #[tokio::test]
    async fn a_saved_file_can_be_read_by_whoever_reads_other_files_of_the_user() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let [saved, other] = ["saved", "other"].map(|name| folder.path().join(name));
        std::fs::write(&other, "").unwrap();
        file(1).save(&saved).await.unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&saved), mode(&other));
    }
}
