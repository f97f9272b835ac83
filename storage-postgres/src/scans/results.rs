//! The result of a check as it is stored: findings as one compressed document, pictures as they are.

use a11ycheck_core::{
    domain::{Findings, Memo, Scan, ScreenshotId},
    id::ScanId,
    scanner::{Screenshot, ScreenshotFormat},
    store::{OpenFindings, transfer::PackedFindings},
};
use sqlx::PgConnection;
use sqlx_macros::FromRow;

use crate::{
    db::{
        columns::{BoxedError, count},
        error::Corrupt,
        ids::Id,
    },
    files::uploads::{File, Place},
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

/// A picture without its bytes, and the place of these.
#[derive(FromRow)]
pub(crate) struct ScreenshotRow {
    scan_id: String,
    subject: String,
    number: i64,
    format: String,
    width: i64,
    height: i64,
    bytes: Option<Vec<u8>>,
    upload: Option<String>,
    size: Option<i64>,
}

impl ScreenshotRow {
    /// Returns the id of the check as it is stored.
    pub(crate) fn scan_id(&self) -> &str {
        &self.scan_id
    }

    /// Returns what it shows as it is stored.
    pub(crate) fn subject(&self) -> &str {
        &self.subject
    }

    pub(crate) fn place(&mut self) -> Result<Place, Corrupt> {
        Place::new(self.bytes.take(), self.upload.take(), self.size, &file_name(&self.subject, self.number))
    }

    pub(crate) fn screenshot(self, bytes: Vec<u8>) -> Result<Screenshot, Corrupt> {
        let id = format!("{} {}", self.scan_id, self.number);
        self.read(bytes).map_err(|source| Corrupt::new("screenshots", id, source))
    }

    fn read(self, bytes: Vec<u8>) -> Result<Screenshot, BoxedError> {
        let format = match self.format.as_str() {
            "png" => ScreenshotFormat::Png,
            "webp" => ScreenshotFormat::WebP,
            other => return Err(format!("there is no format `{other}`").into()),
        };
        let id = ScreenshotId(count(self.number)?);
        Ok(Screenshot::new(id, format, count(self.width)?, count(self.height)?, bytes))
    }
}

/// The result of a check, ready to be stored.
pub(crate) struct Results<'a> {
    /// The findings.
    pub(crate) findings: &'a PackedFindings,
    pub(crate) screenshots: &'a [Screenshot],
    pub(crate) screen: Option<&'a Screenshot>,
    /// The upload with the pictures' bytes, if they are not in the tables.
    pub(crate) upload: Option<&'a str>,
    /// The memo for the next check of the site; `None` if the scanner left none.
    pub(crate) memo: Option<&'a Memo>,
}

impl<'a> Results<'a> {
    /// Returns the pictures, each with its subject.
    fn pictures(&self) -> impl Iterator<Item = (&'static str, &'a Screenshot)> {
        let elements = self.screenshots.iter().map(|picture| ("element", picture));
        elements.chain(self.screen.map(|picture| ("screen", picture)))
    }

    /// Returns the pictures' bytes, to be written to an upload.
    pub(crate) fn files(&self) -> Vec<File> {
        let file = |(subject, picture): (&str, &Screenshot)| {
            (file_name(subject, i64::from(picture.id.0)), picture.bytes.clone())
        };
        self.pictures().map(file).collect()
    }
}

/// Returns the name of a picture within its upload.
pub(crate) fn file_name(subject: &str, number: i64) -> String {
    format!("{subject}-{number}")
}

/// Stores the result of a check.
pub(crate) async fn insert(db: &mut PgConnection, scan: &Scan, results: &Results<'_>) -> Result<(), sqlx::Error> {
    let pictures: Vec<(&str, &Screenshot)> = results.pictures().collect();
    let is_here = results.upload.is_none();
    sqlx::query(
        "WITH document AS (
             INSERT INTO findings (scan_id, team_id, document) VALUES ($1, $2, $3)
         ), memo AS (
             INSERT INTO memos AS m (site_id, team_id, scan_id, full_at, barred_until, document)
             SELECT $12, $2, $1, $13::timestamptz, $14::timestamptz, $15::bytea WHERE $15 IS NOT NULL
             ON CONFLICT (site_id) DO UPDATE
                 SET scan_id = excluded.scan_id, full_at = excluded.full_at, barred_until = excluded.barred_until,
                     document = excluded.document
         ), forgotten AS (
             DELETE FROM memos WHERE site_id = $12 AND $15::bytea IS NULL
         )
         INSERT INTO screenshots (scan_id, team_id, subject, number, format, width, height, bytes, size, upload)
         SELECT $1, $2, p.*, CASE WHEN p.size IS NOT NULL THEN $11 END FROM unnest(
             $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::bytea[], $10::bigint[]
         ) AS p (subject, number, format, width, height, bytes, size)",
    )
    .bind(Id(scan.id))
    .bind(Id(scan.team))
    .bind(results.findings.as_bytes())
    .bind(pictures.iter().map(|(subject, _)| *subject).collect::<Vec<_>>())
    .bind(pictures.iter().map(|(_, picture)| i64::from(picture.id.0)).collect::<Vec<_>>())
    .bind(pictures.iter().map(|(_, picture)| format_name(picture.format)).collect::<Vec<_>>())
    .bind(pictures.iter().map(|(_, picture)| i64::from(picture.width)).collect::<Vec<_>>())
    .bind(pictures.iter().map(|(_, picture)| i64::from(picture.height)).collect::<Vec<_>>())
    .bind(pictures.iter().map(|(_, picture)| is_here.then_some(picture.bytes.as_slice())).collect::<Vec<_>>())
    .bind(pictures.iter().map(|(_, picture)| (!is_here).then(|| size(&picture.bytes))).collect::<Vec<_>>())
    .bind(results.upload)
    .bind(Id(scan.site))
    .bind(results.memo.map(|memo| memo.full_at))
    .bind(results.memo.and_then(|memo| memo.barred_until))
    .bind(results.memo.map(|memo| memo.document.as_slice()))
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the length of a file as a column has it.
pub(crate) fn size(bytes: &[u8]) -> i64 {
    i64::try_from(bytes.len()).unwrap_or(i64::MAX)
}

pub(crate) const fn format_name(format: ScreenshotFormat) -> &'static str {
    match format {
        ScreenshotFormat::Png => "png",
        ScreenshotFormat::WebP => "webp",
    }
}
