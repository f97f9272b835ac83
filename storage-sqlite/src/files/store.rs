//! Files of checks.

use a11ycheck_core::{
    domain::ScreenshotId,
    id::{ScanId, TeamId},
    scanner::Screenshot,
    store::{Document, DocumentKey, FileStore, StoreError, StyleHash},
};
use async_trait::async_trait;

use crate::{
    SqliteStore,
    db::{error::Corrupt, ids::Id},
    scans::{
        results::ScreenshotRow,
        store::{from_history, history_of},
    },
};

#[async_trait]
impl FileStore for SqliteStore {
    async fn screenshot(&self, team: TeamId, scan: ScanId, id: ScreenshotId) -> Result<Option<Screenshot>, StoreError> {
        self.picture(team, scan, "element", Some(i64::from(id.0))).await
    }

    async fn screen(&self, team: TeamId, scan: ScanId) -> Result<Option<Screenshot>, StoreError> {
        self.picture(team, scan, "screen", None).await
    }

    async fn document(&self, team: TeamId, scan: ScanId, key: DocumentKey) -> Result<Option<Document>, StoreError> {
        let (kind, locale) = columns(key);
        self.read(async |mut db| {
            let Some(start) = history_of(&mut db, team, self.time()).await? else { return Ok(None) };
            let row: Option<(Vec<u8>, Vec<u8>)> = sqlx::query_as(concat!(
                "SELECT style_hash, bytes FROM documents
                 WHERE kind = ?4 AND locale = ?5 AND scan_id = (SELECT s.id",
                from_history!(),
                " AND s.id = ?3)",
            ))
            .bind(Id(team))
            .bind(start)
            .bind(Id(scan))
            .bind(kind)
            .bind(locale)
            .fetch_optional(&mut *db)
            .await?;
            let Some((hash, bytes)) = row else { return Ok(None) };
            let hash = hash.try_into().map_err(|_| {
                Corrupt::new("documents", format!("{scan} {kind} {locale}"), "a style hash of 16 bytes is missing")
            })?;
            Ok(Some(Document { style: StyleHash(hash), bytes }))
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
        self.write(async |mut tx| {
            let now = tx.now();
            let Some(start) = history_of(tx.db(), team, now).await? else { return Ok(false) };
            let put = sqlx::query(concat!(
                "INSERT INTO documents (scan_id, team_id, kind, locale, style_hash, bytes)
                 SELECT s.id, s.team_id, ?4, ?5, ?6, ?7",
                from_history!(),
                " AND s.id = ?3 AND s.outcome IS NOT NULL
                 ON CONFLICT (scan_id, kind, locale) DO UPDATE SET style_hash = excluded.style_hash, bytes = excluded.bytes",
            ))
            .bind(Id(team))
            .bind(start)
            .bind(Id(scan))
            .bind(kind)
            .bind(locale)
            .bind(document.style.0.as_slice())
            .bind(&document.bytes)
            .execute(tx.db())
            .await?;
            Ok(put.rows_affected() > 0)
        })
        .await
    }

    /// They are where everything else is.
    async fn files_ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl SqliteStore {
    /// Returns the picture of this subject, with this number unless that is `None`. A picture in a format of a later
    /// release counts as none.
    async fn picture(
        &self,
        team: TeamId,
        scan: ScanId,
        subject: &'static str,
        number: Option<i64>,
    ) -> Result<Option<Screenshot>, StoreError> {
        self.read(async |mut db| {
            let Some(start) = history_of(&mut db, team, self.time()).await? else { return Ok(None) };
            let row: Option<ScreenshotRow> = sqlx::query_as(concat!(
                "SELECT scan_id, number, format, width, height, bytes FROM screenshots
                 WHERE subject = ?4 AND (?5 IS NULL OR number = ?5) AND format IN ('png', 'webp')
                     AND scan_id = (SELECT s.id",
                from_history!(),
                " AND s.id = ?3)",
            ))
            .bind(Id(team))
            .bind(start)
            .bind(Id(scan))
            .bind(subject)
            .bind(number)
            .fetch_optional(&mut *db)
            .await?;
            Ok(row.map(ScreenshotRow::screenshot).transpose()?)
        })
        .await
    }
}

/// Returns a document's kind and language as the table has them.
const fn columns(key: DocumentKey) -> (&'static str, &'static str) {
    (key.kind(), key.locale().code())
}
