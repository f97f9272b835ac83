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
    /// The PDF draft of a conformance report in this language.
    ConformanceReport(Locale),
}

/// A document as it was rendered.
#[derive(Clone, PartialEq, Eq)]
pub struct Document {
    /// How it looks.
    pub look: Look,
    /// The file.
    pub bytes: Vec<u8>,
}

/// What a document shows beside its check, the brand above all, as a fingerprint. One of another look than is wanted now is
/// out of date. To a store it is 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Look(pub [u8; 16]);

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").field("look", &self.look).field("bytes", &self.bytes.len()).finish()
    }
}

/// Keeps the files of completed checks. They go when their check goes.
#[async_trait]
pub trait FileStore {
    /// The picture of an element; `None` where the team has no such picture in its history, or where its bytes were lost, which
    /// the log tells.
    async fn screenshot(&self, team: TeamId, scan: ScanId, id: ScreenshotId) -> Result<Option<Screenshot>, StoreError>;

    /// The picture of a check's first page; likewise.
    async fn screen(&self, team: TeamId, scan: ScanId) -> Result<Option<Screenshot>, StoreError>;

    /// A document that was kept; `None` where there is none, or no such completed check in the team's history, or where its
    /// bytes were lost, which the log tells.
    async fn document(&self, team: TeamId, scan: ScanId, key: DocumentKey) -> Result<Option<Document>, StoreError>;

    /// Keeps a document, in place of the one of the same key, whatever its look. `false` where the team has no such completed check in its
    /// history: nothing is kept.
    async fn put_document(
        &self,
        team: TeamId,
        scan: ScanId,
        key: DocumentKey,
        document: Document,
    ) -> Result<bool, StoreError>;

    /// Whether files can be kept and read, as far as is known: not older than half a minute where this is asked as often.
    /// Answers at once, and costs next to nothing.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] where they can't.
    async fn files_ready(&self) -> Result<(), StoreError>;
}
