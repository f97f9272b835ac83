//! The log of occurrences. Entries are written by the steps in which they happen (`moves`), which gives them their
//! positions: one step takes effect after the other.

use a11ycheck_core::{
    domain::{ScanEventEntry, ScanEventKind},
    store::{EventLog, EventPage, ReadEventsError, StoreError},
};
use async_trait::async_trait;
use sqlx_macros::FromRow;

use crate::{
    SqliteStore,
    db::{
        columns::{BoxedError, named},
        error::{Corrupt, Failure},
        ids::At,
    },
};

/// The greatest position that was given.
macro_rules! newest {
    () => {
        "coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'scan_events'), 0)"
    };
}

pub(crate) use newest;

#[async_trait]
impl EventLog for SqliteStore {
    async fn newest_scan_event(&self) -> Result<u64, StoreError> {
        self.read(async |mut db| {
            let newest: i64 = sqlx::query_scalar(concat!("SELECT ", newest!())).fetch_one(&mut *db).await?;
            Ok(newest.unsigned_abs())
        })
        .await
    }

    async fn scan_events(&self, after: u64, limit: u32) -> Result<EventPage, ReadEventsError> {
        let (purged, rows) = self
            .read(async |mut db| {
                // The entries are read first: if some are written and purged between the two statements, the position
                // of the purge says so, and the reader gets an error instead of a gap.
                let rows: Vec<EntryRow> = sqlx::query_as(
                    "SELECT position, kind, team_id, site_id, scan_id FROM scan_events
                     WHERE position > ?1 ORDER BY position LIMIT ?2",
                )
                .bind(i64::try_from(after).unwrap_or(i64::MAX))
                .bind(i64::from(limit))
                .fetch_all(&mut *db)
                .await?;
                // The position before the oldest entry. Positions have no gaps.
                let purged: i64 = sqlx::query_scalar(concat!(
                    "SELECT coalesce((SELECT position - 1 FROM scan_events ORDER BY position LIMIT 1), ",
                    newest!(),
                    ")"
                ))
                .fetch_one(&mut *db)
                .await?;
                Ok::<_, Failure<StoreError>>((purged.unsigned_abs(), rows))
            })
            .await?;
        // Entries may have been written since they were read, and all before them purged: those that were read are whole.
        if rows.first().map_or(after < purged, |first| first.position.unsigned_abs() > after + 1) {
            return Err(ReadEventsError::Lagged(purged));
        }
        Ok(page(rows, after, limit))
    }

    async fn purge_scan_events(&self, limit: u32) -> Result<u32, StoreError> {
        self.write(async |mut tx| {
            let since = At(ScanEventEntry::kept_since(tx.now()));
            let purged = sqlx::query(
                "DELETE FROM scan_events WHERE position IN (
                     SELECT position FROM (SELECT position, at FROM scan_events ORDER BY position LIMIT ?2) AS oldest
                     WHERE position < coalesce(
                         (SELECT position FROM scan_events WHERE at >= ?1 ORDER BY position LIMIT 1), 9223372036854775807
                     )
                 )",
            )
            .bind(since)
            .bind(i64::from(limit))
            .execute(tx.db())
            .await?;
            // Not more than `limit`, which is a u32.
            Ok(u32::try_from(purged.rows_affected()).unwrap_or(limit))
        })
        .await
    }
}

fn page(rows: Vec<EntryRow>, after: u64, limit: u32) -> EventPage {
    let reached = rows.last().map_or(after, |row| row.position.unsigned_abs());
    let more = u32::try_from(rows.len()) == Ok(limit);
    let mut entries = Vec::new();
    for row in rows {
        match row.entry() {
            Ok(entry) => entries.push(entry),
            Err(problem) => tracing::error!(
                error = &problem as &dyn std::error::Error,
                "An entry of the log of occurrences can't be read, and its readers do not see it"
            ),
        }
    }
    EventPage { entries, reached, more }
}

#[derive(FromRow)]
struct EntryRow {
    position: i64,
    kind: String,
    team_id: String,
    site_id: String,
    scan_id: String,
}

impl EntryRow {
    fn entry(self) -> Result<ScanEventEntry, Corrupt> {
        named("scan_events", self.position.to_string(), self.read())
    }

    fn read(self) -> Result<ScanEventEntry, BoxedError> {
        Ok(ScanEventEntry {
            position: self.position.unsigned_abs(),
            kind: ScanEventKind::from_stored(&self.kind)?,
            team: self.team_id.parse()?,
            site: self.site_id.parse()?,
            scan: self.scan_id.parse()?,
        })
    }
}
