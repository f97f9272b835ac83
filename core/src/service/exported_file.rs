//! A file that is made while it is read.

use std::{
    io::{self, BufWriter, Write as _},
    time::Duration,
};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use tokio::{runtime::Handle, sync::mpsc, time};

use crate::{
    domain::{Findings, SiteDetails},
    export::{
        self, Brand, ExportFormat, ExportSource,
        acr::{self, AcrFormat},
        content_disposition, file_name,
    },
    id::ScanId,
    locale::Locale,
};

/// A file made of a check. Nothing is written before it is asked for, and nothing is held but what it is made of.
#[derive(Debug, Clone)]
pub struct ExportedFile {
    /// The check.
    pub scan: ScanId,
    /// The value of `Content-Type`.
    pub media_type: &'static str,
    /// In ASCII, without a path.
    pub file_name: String,
    content: Content,
    length: Option<u64>,
}

/// What a file holds.
#[derive(Debug, Clone)]
enum Content {
    /// Made while it is read.
    Made(FileKind, Box<FileFacts>),
    /// Made before.
    Ready(Bytes),
}

/// Which file it is.
#[derive(Debug, Clone)]
pub(super) enum FileKind {
    Issues(ExportFormat),
    Acr(AcrFormat, Box<Brand>),
}

/// What a file is made of.
#[derive(Debug, Clone)]
pub(super) struct FileFacts {
    pub(super) team: String,
    pub(super) site: SiteDetails,
    pub(super) checked_at: DateTime<Utc>,
    pub(super) findings: Findings,
    pub(super) locale: Locale,
}

impl ExportedFile {
    /// Bytes of a file that is kept while it is measured.
    pub const KEPT: usize = 256 * 1024;

    pub(super) fn new(scan: ScanId, kind: FileKind, facts: FileFacts) -> Self {
        let (media_type, suffix) = match &kind {
            FileKind::Issues(format) => (format.media_type(), format.suffix()),
            FileKind::Acr(format, _) => (format.media_type(), format.suffix()),
        };
        let file_name = file_name(facts.site.url.domain(), facts.checked_at, suffix);
        Self { scan, media_type, file_name, content: Content::Made(kind, Box::new(facts)), length: None }
    }

    /// A PDF that is there already.
    #[cfg(feature = "pdf")]
    pub(super) fn ready(
        scan: ScanId,
        site: &SiteDetails,
        checked_at: DateTime<Utc>,
        suffix: &str,
        bytes: Bytes,
    ) -> Self {
        let file_name = file_name(site.url.domain(), checked_at, suffix);
        Self {
            scan,
            media_type: "application/pdf",
            file_name,
            length: Some(length(&bytes)),
            content: Content::Ready(bytes),
        }
    }

    /// The value of `Content-Disposition`.
    pub fn content_disposition(&self) -> String {
        content_disposition(&self.file_name)
    }

    /// Writes the file, and takes as long as that takes: in async code use [`into_chunks`](Self::into_chunks).
    ///
    /// # Errors
    /// Those of `out`; what is written by then is not a whole file.
    pub fn write_to(&self, mut out: impl io::Write) -> io::Result<()> {
        match &self.content {
            Content::Made(kind, facts) => {
                let FileFacts { team, site, checked_at, findings, locale } = &**facts;
                let source = ExportSource { team, site, checked_at: *checked_at, findings, locale: *locale };
                match kind {
                    FileKind::Issues(format) => export::write(*format, &source, out),
                    FileKind::Acr(format, brand) => acr::write(*format, &source, brand, out),
                }
            }
            Content::Ready(bytes) => out.write_all(bytes),
        }
    }

    /// How many bytes the file has; `None` before it was [measured](Self::measured).
    pub const fn length(&self) -> Option<u64> {
        self.length
    }

    /// Finds out how long the file is. That takes a thread of its own as long as writing it; a file of up to
    /// [`KEPT`](Self::KEPT) bytes is kept, so that it is written once, and of a longer one nothing is.
    ///
    /// # Errors
    /// None that this version knows of: what the file is made of can be written.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub async fn measured(self) -> io::Result<Self> {
        if self.length.is_some() {
            return Ok(self);
        }
        let measuring = tokio::task::spawn_blocking(move || {
            let mut measure = Measure { length: 0, kept: Some(Vec::new()) };
            self.write_to(&mut measure)?;
            let Measure { length, kept } = measure;
            let content = kept.map_or(self.content, |kept| Content::Ready(kept.into()));
            Ok(Self { content, length: Some(length), ..self })
        });
        measuring.await.unwrap_or_else(|panic| Err(io::Error::other(panic)))
    }

    /// Writes the file on a thread of its own while its chunks are taken: at most [`FileChunks::AHEAD`] are ready at once,
    /// and the thread ends when the chunks are dropped or none is taken for [`FileChunks::PATIENCE`].
    ///
    /// # Panics
    /// Outside a Tokio runtime with a timer.
    pub fn into_chunks(self) -> FileChunks {
        let (sender, receiver) = mpsc::channel(FileChunks::AHEAD);
        let runtime = Handle::current();
        tokio::task::spawn_blocking(move || {
            let chunks = Chunks { sender, runtime, is_given_up: false };
            let mut out = BufWriter::with_capacity(FileChunks::SIZE, chunks);
            let written = self.write_to(&mut out).and_then(|()| out.flush()).and_then(|()| out.get_mut().send(None));
            if let Err(error) = written {
                tracing::debug!(scan = %self.scan, file = self.file_name, %error, "A file was not taken to its end");
            }
        });
        FileChunks { receiver, is_ended: false }
    }
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
            Some(kept) if kept.len() + bytes.len() <= ExportedFile::KEPT => kept.extend_from_slice(bytes),
            _ => self.kept = None,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes of a file, piece by piece.
#[derive(Debug)]
pub struct FileChunks {
    /// `None` follows the last piece of a whole file.
    receiver: mpsc::Receiver<Option<Vec<u8>>>,
    is_ended: bool,
}

impl FileChunks {
    /// Chunks that are made before they are taken.
    pub const AHEAD: usize = 4;
    /// How long a chunk waits to be taken before the file is given up: a thread is not held up by a reader who has gone.
    pub const PATIENCE: Duration = Duration::from_secs(60);
    /// Bytes that are gathered before they are sent.
    const SIZE: usize = 64 * 1024;

    /// The next chunk; `None` after the last.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] where the file broke off; nothing follows it.
    pub async fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        if self.is_ended {
            return None;
        }
        match self.receiver.recv().await {
            Some(Some(bytes)) => Some(Ok(bytes)),
            Some(None) => {
                self.is_ended = true;
                None
            }
            None => {
                self.is_ended = true;
                Some(Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file broke off")))
            }
        }
    }

    /// All that is left, in one piece.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn collect(mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.next().await {
            bytes.extend(chunk?);
        }
        Ok(bytes)
    }
}

/// Sends what is written.
struct Chunks {
    sender: mpsc::Sender<Option<Vec<u8>>>,
    runtime: Handle,
    /// Writers with something left in their buffers try once more: that must not take as long again.
    is_given_up: bool,
}

impl Chunks {
    fn send(&mut self, chunk: Option<Vec<u8>>) -> io::Result<()> {
        if self.is_given_up {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let sending = self.sender.send(chunk);
        let sent = match self.runtime.block_on(async { time::timeout(FileChunks::PATIENCE, sending).await }) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        };
        self.is_given_up = sent.is_err();
        sent
    }
}

impl io::Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.send(Some(bytes.to_vec()))?;
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
    use crate::domain::{Engine, Finding, Impact, PageOutcome, RuleFacts, RuleId, SiteUrl};

    fn file(elements: usize) -> ExportedFile {
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
            engine: Engine::axe_core("", ""),
            pages: vec![PageOutcome::checked(url.as_str(), "")],
            rules: BTreeMap::from([(rule, facts)]),
            items: vec![element; elements],
            needs_review: BTreeMap::new(),
            stack: vec![],
            screen: None,
            ran: None,
            pictures_not_stored: false,
            stopped_by_timeouts: false,
        };
        let site =
            SiteDetails { url, name: None, report_locale: Locale::En, platform: None, stack: vec![], tags: vec![] };
        let scan = ScanId::generate(Utc::now());
        let facts = FileFacts { team: String::new(), site, checked_at: Utc::now(), findings, locale: Locale::En };
        ExportedFile::new(scan, FileKind::Issues(ExportFormat::Json), facts)
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
        assert!([first, rest].concat() == whole);
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
    async fn a_reader_who_goes_away_ends_the_writer() {
        let mut chunks = file(2_000).into_chunks();
        assert!(chunks.next().await.unwrap().is_ok());
        chunks.receiver.close();
        // `recv` ends when what was sent is taken and the writer has let go of its end.
        while let Some(chunk) = chunks.receiver.recv().await {
            assert!(chunk.is_some(), "the writer went on to the end");
        }
    }

    #[tokio::test]
    async fn a_file_that_broke_off_is_not_taken_for_a_whole_one() {
        let (sender, receiver) = mpsc::channel(FileChunks::AHEAD);
        sender.send(Some(b"half".to_vec())).await.unwrap();
        drop(sender);
        let mut chunks = FileChunks { receiver, is_ended: false };
        assert_eq!(chunks.next().await.unwrap().unwrap(), b"half");
        assert_eq!(chunks.next().await.unwrap().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(chunks.next().await.is_none());
    }
}
