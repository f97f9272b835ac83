//! Files of checks.

use a11ycheck_core::{
    domain::ScreenshotId,
    id::{ScanId, TeamId},
    scanner::Screenshot,
    store::{Document, DocumentKey, FileStore, Look, StoreError},
};
use async_trait::async_trait;

use crate::{PostgresStore, documents::ScreenshotRow, error::Corrupt, scans::from_history};

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

    async fn document(&self, team: TeamId, scan: ScanId, key: DocumentKey) -> Result<Option<Document>, StoreError> {
        let (kind, locale) = columns(key);
        self.step(|| async {
            // A document without a look is one from before there were looks.
            let row: Option<(Vec<u8>, Vec<u8>)> = sqlx::query_as(concat!(
                "SELECT look, bytes FROM documents WHERE look <> '' AND kind = $4 AND locale = $5 AND scan_id = (SELECT s.id",
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
            let document = |(look, bytes): (Vec<u8>, _)| match look.try_into() {
                Ok(look) => Ok(Document { look: Look(look), bytes }),
                Err(_) => Err(Corrupt::new("documents", format!("{scan} {kind} {locale}"), "a look of 16 bytes is missing")),
            };
            Ok(row.map(document).transpose()?)
        })
        .await
    }

    async fn put_document(
        &self,
        team: TeamId,
        scan: ScanId,
        key: DocumentKey,
        document: Document,
    ) -> Result<bool, StoreError> {
        let (kind, locale) = columns(key);
        self.step(|| async {
            // Only a completed check has findings. They are locked, so that the check is not deleted in between.
            let put = sqlx::query(concat!(
                "INSERT INTO documents (scan_id, team_id, kind, locale, look, bytes)
                 SELECT f.scan_id, f.team_id, $4, $5, $6, $7 FROM findings f WHERE f.scan_id = (SELECT s.id",
                from_history!(),
                " AND s.id = $3)
                 FOR KEY SHARE OF f
                 ON CONFLICT (scan_id, kind, locale) DO UPDATE SET look = excluded.look, bytes = excluded.bytes",
            ))
            .bind(team.to_string())
            .bind(self.instant())
            .bind(scan.to_string())
            .bind(kind)
            .bind(locale)
            .bind(document.look.0.as_slice())
            .bind(&document.bytes)
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
