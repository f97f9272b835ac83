//! Files of checks: pictures that came with the result, documents that were rendered from it.

use std::fmt;

use async_trait::async_trait;

use super::StoreError;
use crate::{
    domain::ScreenshotId,
    id::{ScanId, TeamId},
    locale::Locale,
    scanner::Screenshot,
};

/// A document that is rendered once and kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKey {
    /// The PDF report in this language.
    Report(Locale),
    /// The long form of the PDF report in this language.
    FullReport(Locale),
    /// The PDF draft of a conformance report in this language.
    ConformanceReport(Locale),
}

impl DocumentKey {
    /// Returns the word of the kind, as it is stored.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Report(_) => "report",
            Self::FullReport(_) => "full-report",
            Self::ConformanceReport(_) => "conformance-report",
        }
    }

    /// Returns the language.
    pub const fn locale(self) -> Locale {
        match self {
            Self::Report(locale) | Self::FullReport(locale) | Self::ConformanceReport(locale) => locale,
        }
    }

    /// Returns the key with these words; `None` if this release knows no such kind or language.
    pub fn from_stored(kind: &str, locale: &str) -> Option<Self> {
        let locale = locale.parse().ok()?;
        let keys = [Self::Report(locale), Self::FullReport(locale), Self::ConformanceReport(locale)];
        keys.into_iter().find(|key| key.kind() == kind)
    }
}

/// A document as it was rendered.
#[derive(Clone, PartialEq, Eq)]
pub struct Document {
    /// The hash of the style in which it was rendered.
    pub style: StyleHash,
    /// The file.
    pub bytes: Vec<u8>,
}

/// The style hash of a document: a fingerprint of what it shows beside its check, the brand above all. A document with
/// another style hash than the present one is out of date. To a store it is 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StyleHash(pub [u8; 16]);

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").field("style", &self.style).field("bytes", &self.bytes.len()).finish()
    }
}

/// Keeps the files of completed checks. They are deleted with their check.
#[async_trait]
pub trait FileStore {
    /// Returns the picture of an element; `None` if the team has no such picture in its history, or if its bytes were lost,
    /// which is logged.
    async fn screenshot(&self, team: TeamId, scan: ScanId, id: ScreenshotId) -> Result<Option<Screenshot>, StoreError>;

    /// Returns the picture of a check's first page; `None` as for [`screenshot`](Self::screenshot).
    async fn screen(&self, team: TeamId, scan: ScanId) -> Result<Option<Screenshot>, StoreError>;

    /// Returns a document that was kept; `None` if there is none, if the team has no such completed check in its history,
    /// or if the bytes were lost, which is logged.
    async fn document(&self, team: TeamId, scan: ScanId, key: DocumentKey) -> Result<Option<Document>, StoreError>;

    /// Keeps a document, in place of the one with the same key, whatever its style hash. Returns `false` if the team has no
    /// such completed check in its history: nothing is kept.
    async fn put_document(
        &self,
        team: TeamId,
        scan: ScanId,
        key: DocumentKey,
        document: Document,
    ) -> Result<bool, StoreError>;

    /// Returns whether files can be kept and read, as far as is known: the answer is at most half a minute old if this is
    /// asked as often. Returns at once, and costs next to nothing.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if they can't.
    async fn files_ready(&self) -> Result<(), StoreError>;
}
