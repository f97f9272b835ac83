//! Files of checks.

use a11ycheck_core::{
    domain::ScreenshotId,
    id::{ScanId, TeamId},
    scanner::Screenshot,
    store::{DocumentKey, FileStore, StoreError},
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

    async fn document(&self, team: TeamId, scan: ScanId, key: DocumentKey) -> Result<Option<Vec<u8>>, StoreError> {
        let (kind, locale) = columns(key);
        self.step(|| async {
            let bytes: Option<Vec<u8>> = sqlx::query_scalar(concat!(
                "SELECT bytes FROM documents WHERE kind = $4 AND locale = $5 AND scan_id = (SELECT s.id",
                from_history!(),
                " AND s.id = $3)",
            ))
            .bind(team.to_string())
            .bind(self.instant())
            .bind(scan.to_string())
            .bind(kind)
            .bind(locale)
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(bytes)
        })
        .await
    }

    async fn put_document(
        &self,
        team: TeamId,
        scan: ScanId,
        key: DocumentKey,
        bytes: Vec<u8>,
    ) -> Result<bool, StoreError> {
        let (kind, locale) = columns(key);
        self.step(|| async {
            // Only a completed check has findings. They are locked, so that the check is not deleted in between.
            let put = sqlx::query(concat!(
                "INSERT INTO documents (scan_id, team_id, kind, locale, bytes)
                 SELECT f.scan_id, f.team_id, $4, $5, $6 FROM findings f WHERE f.scan_id = (SELECT s.id",
                from_history!(),
                " AND s.id = $3)
                 FOR KEY SHARE OF f
                 ON CONFLICT (scan_id, kind, locale) DO UPDATE SET bytes = excluded.bytes",
            ))
            .bind(team.to_string())
            .bind(self.instant())
            .bind(scan.to_string())
            .bind(kind)
            .bind(locale)
            .bind(&bytes)
            .execute(&mut *self.session().await?)
            .await?;
            Ok(put.rows_affected() > 0)
        })
        .await
    }
}

/// A document's kind and language as the table has them.
const fn columns(key: DocumentKey) -> (&'static str, &'static str) {
    match key {
        DocumentKey::Report(locale) => ("report", locale.code()),
        DocumentKey::ConformanceReport(locale) => ("conformance-report", locale.code()),
    }
}
