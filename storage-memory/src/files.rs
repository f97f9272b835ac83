//! Pictures of checks.

use std::sync::Arc;

use a11ycheck_core::{
    domain::ScreenshotId,
    id::{ScanId, TeamId},
    scanner::Screenshot,
    store::{FileStore, StoreError},
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
}
