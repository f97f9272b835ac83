//! Pictures of checks.

use async_trait::async_trait;

use super::StoreError;
use crate::{
    domain::ScreenshotId,
    id::{ScanId, TeamId},
    scanner::Screenshot,
};

/// Reads the pictures that came with completed checks. They go when their check goes.
#[async_trait]
pub trait FileStore {
    /// The picture of an element; `None` where the team has no such picture in its history.
    async fn screenshot(&self, team: TeamId, scan: ScanId, id: ScreenshotId) -> Result<Option<Screenshot>, StoreError>;

    /// The picture of a check's first page; likewise.
    async fn screen(&self, team: TeamId, scan: ScanId) -> Result<Option<Screenshot>, StoreError>;
}
