//! The result of a check as it is stored: findings as one compressed document, pictures as they are.

use a11ycheck_core::{
    domain::{Findings, Memo, Scan, ScreenshotId},
    id::ScanId,
    scanner::{Screenshot, ScreenshotFormat},
    store::{OpenFindings, transfer::PackedFindings},
};
use sqlx::SqliteConnection;
use sqlx_macros::FromRow;

use crate::db::{
    columns::{BoxedError, count},
    error::Corrupt,
    ids::{At, Id},
};

/// Reads findings of a check from their stored form.
pub(crate) async fn unpack(scan: ScanId, document: Vec<u8>) -> Result<Findings, Corrupt> {
    let findings = PackedFindings::from_stored(document).unpack().await;
    findings.map_err(|source| Corrupt::new("findings", scan, source))
}

/// Opens findings of a check in their stored form for what pages need of them.
pub(crate) async fn open(scan: ScanId, document: Vec<u8>) -> Result<OpenFindings, Corrupt> {
    let findings = PackedFindings::from_stored(document).open().await;
    findings.map_err(|source| Corrupt::new("findings", scan, source))
}

#[derive(FromRow)]
pub(crate) struct ScreenshotRow {
    scan_id: String,
    number: i64,
    format: String,
    width: i64,
    height: i64,
    bytes: Vec<u8>,
}

impl ScreenshotRow {
    /// Returns the id of the check as it is stored.
    pub(crate) fn scan_id(&self) -> &str {
        &self.scan_id
    }

    pub(crate) fn screenshot(self) -> Result<Screenshot, Corrupt> {
        let id = format!("{} {}", self.scan_id, self.number);
        self.read().map_err(|source| Corrupt::new("screenshots", id, source))
    }

    fn read(self) -> Result<Screenshot, BoxedError> {
        let format = match self.format.as_str() {
            "png" => ScreenshotFormat::Png,
            "webp" => ScreenshotFormat::WebP,
            other => return Err(format!("there is no format `{other}`").into()),
        };
        let id = ScreenshotId(count(self.number)?);
        Ok(Screenshot::new(id, format, count(self.width)?, count(self.height)?, self.bytes))
    }
}

/// The result of a check, ready to be stored.
pub(crate) struct Results<'a> {
    /// The findings.
    pub(crate) findings: &'a PackedFindings,
    pub(crate) screenshots: &'a [Screenshot],
    pub(crate) screen: Option<&'a Screenshot>,
    /// The memo for the next check of the site; `None` if the scanner left none.
    pub(crate) memo: Option<&'a Memo>,
}

/// Stores the result of a check.
pub(crate) async fn insert(db: &mut SqliteConnection, scan: &Scan, results: &Results<'_>) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO findings (scan_id, team_id, document) VALUES (?1, ?2, ?3)")
        .bind(Id(scan.id))
        .bind(Id(scan.team))
        .bind(results.findings.as_bytes())
        .execute(&mut *db)
        .await?;
    let elements = results.screenshots.iter().map(|picture| ("element", picture));
    for (subject, picture) in elements.chain(results.screen.map(|picture| ("screen", picture))) {
        sqlx::query(
            "INSERT INTO screenshots (scan_id, team_id, subject, number, format, width, height, bytes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )
        .bind(Id(scan.id))
        .bind(Id(scan.team))
        .bind(subject)
        .bind(i64::from(picture.id.0))
        .bind(format_name(picture.format))
        .bind(i64::from(picture.width))
        .bind(i64::from(picture.height))
        .bind(picture.bytes.as_slice())
        .execute(&mut *db)
        .await?;
    }
    remember(db, scan, results.memo).await
}

/// Stores the memo of a check in place of the one of its site, or deletes that if the check has none.
async fn remember(db: &mut SqliteConnection, scan: &Scan, memo: Option<&Memo>) -> Result<(), sqlx::Error> {
    let Some(Memo { full_at, barred_until, document }) = memo else {
        sqlx::query("DELETE FROM memos WHERE site_id = ?1").bind(Id(scan.site)).execute(db).await?;
        return Ok(());
    };
    sqlx::query(
        "INSERT INTO memos (site_id, team_id, scan_id, full_at, barred_until, document) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (site_id) DO UPDATE
             SET scan_id = excluded.scan_id, full_at = excluded.full_at, barred_until = excluded.barred_until,
                 document = excluded.document",
    )
    .bind(Id(scan.site))
    .bind(Id(scan.team))
    .bind(Id(scan.id))
    .bind(At(*full_at))
    .bind(barred_until.map(At))
    .bind(document.as_slice())
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) const fn format_name(format: ScreenshotFormat) -> &'static str {
    match format {
        ScreenshotFormat::Png => "png",
        ScreenshotFormat::WebP => "webp",
    }
}
