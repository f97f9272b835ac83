//! Files of checks.

use std::sync::Arc;

use a11ycheck_core::{
    domain::ScreenshotId,
    id::{ScanId, TeamId},
    scanner::Screenshot,
    store::{Document, DocumentKey, FileStore, StoreError},
};
use async_trait::async_trait;

use crate::MemoryStore;

#[async_trait]
impl FileStore for MemoryStore {
    async fn screenshot(&self, team: TeamId, scan: ScanId, id: ScreenshotId) -> Result<Option<Screenshot>, StoreError> {
        let picture = self.step(|state, now| {
            Ok::<_, StoreError>(state.result(team, scan, now)?.and_then(|result| result.screenshots.get(&id).cloned()))
        })?;
        Ok(picture.map(Arc::unwrap_or_clone))
    }

    async fn screen(&self, team: TeamId, scan: ScanId) -> Result<Option<Screenshot>, StoreError> {
        let picture = self.step(|state, now| {
            Ok::<_, StoreError>(state.result(team, scan, now)?.and_then(|result| result.screen.clone()))
        })?;
        Ok(picture.map(Arc::unwrap_or_clone))
    }

    async fn document(&self, team: TeamId, scan: ScanId, key: DocumentKey) -> Result<Option<Document>, StoreError> {
        let document = self.step(|state, now| {
            Ok::<_, StoreError>(state.result(team, scan, now)?.and_then(|result| result.documents.get(&key).cloned()))
        })?;
        Ok(document.map(Arc::unwrap_or_clone))
    }

    async fn put_document(
        &self,
        team: TeamId,
        scan: ScanId,
        key: DocumentKey,
        document: Document,
    ) -> Result<bool, StoreError> {
        self.step(|state, now| {
            if state.result(team, scan, now)?.is_none() {
                return Ok(false);
            }
            let result = state.scans.get_mut(&scan).and_then(|row| row.result.as_mut());
            Ok(result.map(|result| result.documents.insert(key, Arc::new(document))).is_some())
        })
    }

    async fn files_ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
