//! Pictures of checks.

use a11ycheck_core::{
    domain::ScreenshotId,
    id::{ScanId, TeamId},
    scanner::Screenshot,
    store::{FileStore, StoreError},
};
use async_trait::async_trait;

use crate::{PostgresStore, documents::ScreenshotRow, scans::from_history};

#[async_trait]
impl FileStore for PostgresStore {
    async fn screenshot(&self, team: TeamId, scan: ScanId, id: ScreenshotId) -> Result<Option<Screenshot>, StoreError> {
        self.step(|| async {
            let row: Option<ScreenshotRow> = sqlx::query_as(concat!(
                "SELECT scan_id, number, format, width, height, bytes FROM screenshots
                 WHERE subject = 'element' AND number = $4 AND scan_id = (SELECT s.id",
                from_history!(),
                " AND s.id = $3)",
            ))
            .bind(team.to_string())
            .bind(self.instant())
            .bind(scan.to_string())
            .bind(i64::from(id.0))
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(row.map(ScreenshotRow::screenshot).transpose()?)
        })
        .await
    }

    async fn screen(&self, team: TeamId, scan: ScanId) -> Result<Option<Screenshot>, StoreError> {
        self.step(|| async {
            let row: Option<ScreenshotRow> = sqlx::query_as(concat!(
                "SELECT scan_id, number, format, width, height, bytes FROM screenshots
                 WHERE subject = 'screen' AND scan_id = (SELECT s.id",
                from_history!(),
                " AND s.id = $3)",
            ))
            .bind(team.to_string())
            .bind(self.instant())
            .bind(scan.to_string())
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(row.map(ScreenshotRow::screenshot).transpose()?)
        })
        .await
    }
}
