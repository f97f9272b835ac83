//! Files outside the tables, and the guarantee that each of them is deleted one day.
//!
//! An upload is recorded first, with an instant from which it may be deleted; then its objects are written; then, in
//! the transaction that makes them visible, it is adopted: the instant is removed. If that transaction is not reached,
//! the purge deletes the objects a day later. When the rows that refer to an upload are deleted, an instant is set
//! again.

use std::fmt;

use a11ycheck_core::{
    id::{ScanId, TeamId},
    store::StoreError,
};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;
use ulid::Ulid;

use crate::{
    PostgresStore,
    db::{
        error::{Corrupt, Failure},
        ids::Id,
    },
    files::objects::{ObjectError, Objects},
};

/// The time for which an upload that nothing refers to stays: far longer than one can be in progress, in any process.
const UNADOPTED: TimeDelta = TimeDelta::days(1);

/// A file to be written outside the tables: its name within the upload, and its bytes.
pub(crate) type File = (String, Vec<u8>);

/// The place where the bytes of a row are.
pub(crate) enum Place {
    Here(Vec<u8>),
    Object { name: String, size: u64 },
}

impl Place {
    /// Reads the place from a row's columns: either `bytes`, or `upload` and `size`. `file` is the name of the file
    /// within its upload.
    pub(crate) fn new(
        bytes: Option<Vec<u8>>,
        upload: Option<String>,
        size: Option<i64>,
        file: &str,
    ) -> Result<Self, Corrupt> {
        match (bytes, upload, size) {
            (Some(bytes), None, None) => Ok(Self::Here(bytes)),
            (None, Some(upload), Some(size)) => {
                Ok(Self::Object { name: format!("{upload}/{file}"), size: size.unsigned_abs() })
            }
            _ => Err(Corrupt::new("files", file, "it is nowhere, or in two places")),
        }
    }
}

/// The result of reading the bytes of a row.
pub(crate) enum Bytes {
    Found(Vec<u8>),
    Missing(Missing),
}

/// An object that does not exist (any longer), or is not as it was written.
pub(crate) struct Missing {
    name: String,
    error: Option<ObjectError>,
}

impl Missing {
    /// Logs that a row refers to the object, and that nothing of ours has deleted it.
    pub(crate) fn log(self, scan: impl fmt::Display) {
        let Self { name, error } = self;
        let error = error.as_ref().map(|error| error as &dyn std::error::Error);
        tracing::error!(%scan, object = name, error, "An object was lost: it is not in the object store as it was written");
    }
}

/// The cause why files were not written.
pub(crate) enum UploadError {
    /// The database failed.
    Store(StoreError),
    /// The object store failed, while the database is well.
    Objects(ObjectError),
}

impl From<StoreError> for UploadError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<UploadError> for StoreError {
    fn from(error: UploadError) -> Self {
        match error {
            UploadError::Store(error) => error,
            UploadError::Objects(error) => unavailable(error),
        }
    }
}

impl PostgresStore {
    /// Returns the bytes of a row.
    pub(crate) async fn bytes(&self, place: Place) -> Result<Bytes, StoreError> {
        let (name, size) = match place {
            Place::Here(bytes) => return Ok(Bytes::Found(bytes)),
            Place::Object { name, size } => (name, size),
        };
        let Some(objects) = self.objects() else { return Err(no_object_store()) };
        match objects.get(&name, size).await {
            Ok(Some(bytes)) => Ok(Bytes::Found(bytes)),
            Ok(None) => Ok(Bytes::Missing(Missing { name, error: None })),
            Err(error) if error.is_about_content() => Ok(Bytes::Missing(Missing { name, error: Some(error) })),
            Err(error) => Err(unavailable(error)),
        }
    }

    /// Writes files of a check, and returns the name of the upload, which is to be adopted; `None` if there is no such
    /// check.
    pub(crate) async fn upload(
        &self,
        objects: &Objects,
        scan: ScanId,
        files: Vec<File>,
    ) -> Result<Option<String>, UploadError> {
        let names: Vec<&str> = files.iter().map(|(file, _)| file.as_str()).collect();
        let name = format!("{scan}/{}", Ulid::generate());
        let begun = self
            .step(|| async {
                let begun = sqlx::query(
                    "INSERT INTO uploads (name, team_id, scan_id, objects, delete_at)
                     SELECT $2, team_id, id, $3, coalesce($4, clock_timestamp()) + $5 FROM scans WHERE id = $1",
                )
                .bind(Id(scan))
                .bind(&name)
                .bind(&names)
                .bind(self.instant())
                .bind(UNADOPTED)
                .execute(&mut *self.session().await?)
                .await?;
                Ok::<_, Failure<StoreError>>(begun.rows_affected())
            })
            .await
            .map_err(UploadError::Store)?;
        if begun == 0 {
            return Ok(None);
        }
        put(objects, &name, files).await?;
        Ok(Some(name))
    }

    /// Writes files of a check of this team, which may not be stored yet, and returns the name of the upload, which is to be
    /// adopted.
    pub(crate) async fn upload_for_team(
        &self,
        team: TeamId,
        scan: ScanId,
        files: Vec<File>,
    ) -> Result<String, UploadError> {
        let Some(objects) = self.objects() else { return Err(UploadError::Store(no_object_store())) };
        let names: Vec<&str> = files.iter().map(|(file, _)| file.as_str()).collect();
        let name = format!("{scan}/{}", Ulid::generate());
        self.step(|| async {
            sqlx::query(
                "INSERT INTO uploads (name, team_id, scan_id, objects, delete_at)
                 VALUES ($1, $2, $3, $4, coalesce($5, clock_timestamp()) + $6)",
            )
            .bind(&name)
            .bind(Id(team))
            .bind(Id(scan))
            .bind(&names)
            .bind(self.instant())
            .bind(UNADOPTED)
            .execute(&mut *self.session().await?)
            .await?;
            Ok::<_, Failure<StoreError>>(())
        })
        .await
        .map_err(UploadError::Store)?;
        put(objects, &name, files).await?;
        Ok(name)
    }

    /// Deletes the objects of all uploads that may be deleted.
    pub(crate) async fn delete_uploads(&self) -> Result<(), StoreError> {
        /// The number of uploads that are deleted at a time.
        const BATCH: i64 = 32;
        let Some(objects) = self.objects() else { return Ok(()) };
        loop {
            let due: Vec<(String, Vec<String>)> = self
                .step(|| async {
                    // No other node takes them up while they are being deleted, nor does this loop a second time.
                    let due = sqlx::query_as(
                        "WITH instant AS MATERIALIZED (
                             SELECT coalesce($1, clock_timestamp()) AS now
                         ), due AS MATERIALIZED (
                             SELECT name FROM uploads WHERE delete_at <= (SELECT now FROM instant)
                             ORDER BY delete_at, name LIMIT $2
                             FOR UPDATE SKIP LOCKED
                         )
                         UPDATE uploads SET delete_at = instant.now + interval '10 minutes' FROM instant
                         WHERE name = ANY (ARRAY(SELECT name FROM due))
                         RETURNING name, objects",
                    )
                    .bind(self.instant())
                    .bind(BATCH)
                    .fetch_all(&mut *self.session().await?)
                    .await?;
                    Ok::<_, Failure<StoreError>>(due)
                })
                .await?;
            let last = i64::try_from(due.len()) != Ok(BATCH);
            let objects_of = |(name, files): &(String, Vec<String>)| -> Vec<String> {
                files.iter().map(|file| format!("{name}/{file}")).collect()
            };
            objects.delete(due.iter().flat_map(objects_of).collect()).await.map_err(unavailable)?;
            let names: Vec<&str> = due.iter().map(|(name, _)| name.as_str()).collect();
            self.step(|| async {
                sqlx::query("DELETE FROM uploads WHERE name = ANY ($1)")
                    .bind(&names)
                    .execute(&mut *self.session().await?)
                    .await?;
                Ok::<_, Failure<StoreError>>(())
            })
            .await?;
            if last {
                return Ok(());
            }
        }
    }
}

/// Writes the files of an upload.
async fn put(objects: &Objects, upload: &str, files: Vec<File>) -> Result<(), UploadError> {
    let files = files.into_iter().map(|(file, bytes)| (format!("{upload}/{file}"), bytes)).collect();
    objects.put(files).await.map_err(UploadError::Objects)
}

/// Keeps an upload permanently. The caller stores, in the same transaction, the rows that refer to it.
pub(crate) async fn adopt<E>(db: &mut PgConnection, team: TeamId, upload: &str) -> Result<(), Failure<E>> {
    let adopted =
        sqlx::query("UPDATE uploads SET delete_at = NULL WHERE team_id = $1 AND name = $2 AND delete_at IS NOT NULL")
            .bind(Id(team))
            .bind(upload)
            .execute(db)
            .await?;
    // A day has passed since it began, and it was deleted.
    if adopted.rows_affected() == 1 { Ok(()) } else { Err(sqlx::Error::RowNotFound.into()) }
}

/// Marks the uploads of checks for deletion. The caller has deleted these checks, in the same transaction: only after
/// that no further upload of them can be adopted.
pub(crate) async fn mark_for_deletion(
    db: &mut PgConnection,
    scans: &[String],
    instant: Option<DateTime<Utc>>,
) -> Result<(), sqlx::Error> {
    if scans.is_empty() {
        return Ok(());
    }
    // An upload that is not adopted may be in progress still, and has its own instant.
    sqlx::query(
        "UPDATE uploads SET delete_at = coalesce($2, clock_timestamp()) WHERE scan_id = ANY ($1) AND delete_at IS NULL",
    )
    .bind(scans)
    .bind(instant)
    .execute(db)
    .await?;
    Ok(())
}

fn unavailable(error: ObjectError) -> StoreError {
    StoreError::Unavailable(Box::new(error))
}

fn no_object_store() -> StoreError {
    StoreError::Unavailable(Box::new(NoObjectStore))
}

/// A row refers to an object, and this process has no object store.
#[derive(Debug, thiserror::Error)]
#[error("the file is in an object store, and this process was given none")]
struct NoObjectStore;
