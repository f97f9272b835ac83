//! Files of checks.

use a11ycheck_core::{
    domain::ScreenshotId,
    id::{ScanId, TeamId},
    scanner::Screenshot,
    store::{Document, DocumentKey, FileStore, StoreError, StyleHash},
};
use async_trait::async_trait;

use crate::{
    PostgresStore,
    db::{
        error::{Corrupt, Failure},
        ids::Id,
    },
    files::{
        objects::Objects,
        uploads::{Bytes, Place, adopt},
    },
    scans::{
        results::{ScreenshotRow, size},
        store::from_history,
    },
};

/// The name of a document within its upload.
pub(crate) const DOCUMENT: &str = "document";
/// The time for which an upload that was replaced is kept, for readers that have begun to read it.
const REPLACED: chrono::TimeDelta = chrono::TimeDelta::hours(1);

#[async_trait]
impl FileStore for PostgresStore {
    async fn screenshot(&self, team: TeamId, scan: ScanId, id: ScreenshotId) -> Result<Option<Screenshot>, StoreError> {
        self.picture(team, scan, "element", Some(i64::from(id.0))).await
    }

    async fn screen(&self, team: TeamId, scan: ScanId) -> Result<Option<Screenshot>, StoreError> {
        self.picture(team, scan, "screen", None).await
    }

    async fn document(&self, team: TeamId, scan: ScanId, key: DocumentKey) -> Result<Option<Document>, StoreError> {
        let mut missing = None;
        for _ in 0..2 {
            let Some((style, place)) = self.place_of_document(team, scan, key).await? else { return Ok(None) };
            match self.bytes(place).await? {
                Bytes::Found(bytes) => return Ok(Some(Document { style, bytes })),
                // It was deleted or replaced since: then the row shows that now.
                Bytes::Missing(object) => missing = Some(object),
            }
        }
        missing.into_iter().for_each(|object| object.log(scan));
        Ok(None)
    }

    async fn put_document(
        &self,
        team: TeamId,
        scan: ScanId,
        key: DocumentKey,
        document: Document,
    ) -> Result<bool, StoreError> {
        let Document { style, bytes } = document;
        let size = size(&bytes);
        let (bytes, upload) = match self.objects() {
            None => (Some(bytes), None),
            Some(objects) => {
                let Some(upload) = self.upload(objects, scan, vec![(DOCUMENT.to_owned(), bytes)]).await? else {
                    return Ok(false);
                };
                (None, Some(upload))
            }
        };
        let (kind, locale) = columns(key);
        self.transaction(async |mut tx| {
            // Only a completed check has findings. They are locked, so that the check is not deleted in between.
            let found = sqlx::query(concat!(
                "SELECT FROM findings f WHERE f.scan_id = (SELECT s.id",
                from_history!(),
                " AND s.id = $3) FOR NO KEY UPDATE OF f",
            ))
            .bind(Id(team))
            .bind(tx.instant())
            .bind(Id(scan))
            .fetch_optional(tx.db())
            .await?;
            if found.is_none() {
                return Ok(false);
            }
            sqlx::query(
                "WITH replaced AS (
                     UPDATE uploads SET delete_at = coalesce($8, clock_timestamp()) + $9 WHERE name = (
                         SELECT upload FROM documents WHERE scan_id = $1 AND kind = $3 AND locale = $4
                     )
                 )
                 INSERT INTO documents (scan_id, team_id, kind, locale, bytes, upload, size, look)
                 VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $6 IS NOT NULL THEN $7::bigint END, $10)
                 ON CONFLICT (scan_id, kind, locale) DO UPDATE
                     SET bytes = excluded.bytes, upload = excluded.upload, size = excluded.size, look = excluded.look",
            )
            .bind(Id(scan))
            .bind(Id(team))
            .bind(kind)
            .bind(locale)
            .bind(bytes.as_deref())
            .bind(&upload)
            .bind(size)
            .bind(tx.instant())
            .bind(REPLACED)
            .bind(style.0.as_slice())
            .execute(tx.db())
            .await?;
            if let Some(upload) = &upload {
                adopt(tx.db(), team, upload).await?;
            }
            Ok(true)
        })
        .await
    }

    async fn files_ready(&self) -> Result<(), StoreError> {
        match self.objects().map(Objects::health) {
            Some(Err(fault)) => Err(StoreError::Unavailable(Box::new(fault))),
            Some(Ok(())) | None => Ok(()),
        }
    }
}

impl PostgresStore {
    /// Returns the picture of this subject, with this number unless that is `None`. A picture in a format of a later
    /// release counts as none.
    async fn picture(
        &self,
        team: TeamId,
        scan: ScanId,
        subject: &'static str,
        number: Option<i64>,
    ) -> Result<Option<Screenshot>, StoreError> {
        let mut missing = None;
        for _ in 0..2 {
            let row: Option<ScreenshotRow> = self
                .step(|| async {
                    let row = sqlx::query_as(concat!(
                        "SELECT scan_id, subject, number, format, width, height, bytes, upload, size FROM screenshots
                         WHERE subject = $4 AND ($5::bigint IS NULL OR number = $5) AND format IN ('png', 'webp')
                             AND scan_id = (SELECT s.id",
                        from_history!(),
                        " AND s.id = $3)",
                    ))
                    .bind(Id(team))
                    .bind(self.instant())
                    .bind(Id(scan))
                    .bind(subject)
                    .bind(number)
                    .fetch_optional(&mut *self.session().await?)
                    .await?;
                    Ok::<_, Failure<StoreError>>(row)
                })
                .await?;
            let Some(mut row) = row else { return Ok(None) };
            match self.bytes(row.place()?).await? {
                Bytes::Found(bytes) => return Ok(Some(row.screenshot(bytes)?)),
                // It was deleted since: then the row is deleted, too.
                Bytes::Missing(object) => missing = Some(object),
            }
        }
        missing.into_iter().for_each(|object| object.log(scan));
        Ok(None)
    }

    async fn place_of_document(
        &self,
        team: TeamId,
        scan: ScanId,
        key: DocumentKey,
    ) -> Result<Option<(StyleHash, Place)>, StoreError> {
        let (kind, locale) = columns(key);
        self.step(|| async {
            // A document without a style hash was written before there were style hashes.
            let row: Option<PlaceRow> = sqlx::query_as(concat!(
                "SELECT look, bytes, upload, size FROM documents
                 WHERE look <> '' AND kind = $4 AND locale = $5 AND scan_id = (SELECT s.id",
                from_history!(),
                " AND s.id = $3)",
            ))
            .bind(Id(team))
            .bind(self.instant())
            .bind(Id(scan))
            .bind(kind)
            .bind(locale)
            .fetch_optional(&mut *self.session().await?)
            .await?;
            let Some((style, bytes, upload, size)) = row else { return Ok(None) };
            let style = style.try_into().map_err(|_| {
                Corrupt::new("documents", format!("{scan} {kind} {locale}"), "a style hash of 16 bytes is missing")
            })?;
            Ok(Some((StyleHash(style), Place::new(bytes, upload, size, DOCUMENT)?)))
        })
        .await
    }
}

/// A document's style hash, and the columns of its [`Place`].
type PlaceRow = (Vec<u8>, Option<Vec<u8>>, Option<String>, Option<i64>);

/// Returns a document's kind and language as the table has them.
const fn columns(key: DocumentKey) -> (&'static str, &'static str) {
    (key.kind(), key.locale().code())
}
