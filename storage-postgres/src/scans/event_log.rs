//! The log of occurrences. Entries are written by the steps in which they happen (`moves`); here they are numbered,
//! read and purged.
//!
//! Positions are assigned under the lock of the one row of `event_head`, and in one transaction with the entries that
//! get them. So any snapshot has all positions up to the greatest that it has, and reading numbered entries takes no
//! lock.

use a11ycheck_core::{
    domain::{ScanEventEntry, ScanEventKind},
    store::{EventLog, EventPage, ReadEventsError, StoreError},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use sqlx_macros::FromRow;

use crate::{
    PostgresStore,
    db::{
        columns::{BoxedError, named},
        error::{Corrupt, Failure},
        transaction::Tx,
    },
};

/// The most entries that one transaction numbers: other readers wait for it.
const NUMBERED_AT_ONCE: u32 = 1_000;

/// The condition that there are entries without a position.
macro_rules! is_behind {
    () => {
        "EXISTS (SELECT FROM scan_events WHERE position IS NULL)"
    };
}

#[async_trait]
impl EventLog for PostgresStore {
    async fn newest_scan_event(&self) -> Result<u64, StoreError> {
        let mut head: Head = self
            .step(|| async {
                let head = sqlx::query_as(concat!("SELECT position, ", is_behind!(), " AS is_behind FROM event_head"))
                    .fetch_optional(&mut *self.session().await?)
                    .await?;
                Ok::<_, Failure<StoreError>>(head.ok_or_else(no_head)?)
            })
            .await?;
        while head.is_behind {
            head = self.number_some().await?;
        }
        Ok(head.position.unsigned_abs())
    }

    async fn scan_events(&self, after: u64, limit: u32) -> Result<EventPage, ReadEventsError> {
        let (rows, is_behind) = self.read_numbered(after, limit).await?;
        if !is_behind || u32::try_from(rows.len()) == Ok(limit) {
            return Ok(page(rows, after, limit));
        }
        self.number_some().await?;
        let (rows, _) = self.read_numbered(after, limit).await?;
        Ok(page(rows, after, limit))
    }

    async fn purge_scan_events(&self, limit: u32) -> Result<u32, StoreError> {
        let purged: i64 = self
            .transaction(async |mut tx| {
                let locked = lock_head(&mut tx).await?;
                // Entries that nobody has read are purged, too, and a reader that lags must learn that.
                number(tx.db(), locked.position, limit).await?;
                Ok::<_, Failure<StoreError>>(
                    sqlx::query_scalar(
                        "WITH oldest AS MATERIALIZED (
                             SELECT id, position, at FROM scan_events
                             WHERE position IS NOT NULL ORDER BY position LIMIT $1
                         ), gone AS (
                             DELETE FROM scan_events WHERE id = ANY (ARRAY(
                                 SELECT id FROM oldest WHERE position < coalesce(
                                     (SELECT min(position) FROM oldest WHERE at >= $2), 9223372036854775807
                                 )
                             ))
                             RETURNING position
                         ), head AS (
                             UPDATE event_head SET purged = (SELECT max(position) FROM gone)
                             WHERE EXISTS (SELECT FROM gone)
                         )
                         SELECT count(*) FROM gone",
                    )
                    .bind(i64::from(limit))
                    .bind(ScanEventEntry::kept_since(locked.now))
                    .fetch_one(tx.db())
                    .await?,
                )
            })
            .await?;
        // Not more than `limit`, which is a u32.
        Ok(u32::try_from(purged).unwrap_or(limit))
    }
}

impl PostgresStore {
    /// Reads entries that have positions, and returns whether there are others.
    async fn read_numbered(&self, after: u64, limit: u32) -> Result<(Vec<EntryRow>, bool), ReadEventsError> {
        let rows: Vec<ReadRow> = self
            .step(|| async {
                let rows = sqlx::query_as(concat!(
                    "SELECT head.purged, head.is_behind, e.position, e.kind, e.team_id, e.site_id, e.scan_id
                     FROM (SELECT purged, ",
                    is_behind!(),
                    " AS is_behind FROM event_head) AS head
                     LEFT JOIN LATERAL (
                         SELECT * FROM scan_events WHERE position > $1 ORDER BY position LIMIT $2
                     ) AS e ON true
                     ORDER BY e.position",
                ))
                .bind(i64::try_from(after).unwrap_or(i64::MAX))
                .bind(i64::from(limit))
                .fetch_all(&mut *self.session().await?)
                .await?;
                Ok::<_, Failure<StoreError>>(rows)
            })
            .await?;
        let head = rows.first().ok_or_else(|| StoreError::from(no_head()))?;
        let (purged, is_behind) = (head.purged.unsigned_abs(), head.is_behind);
        if after < purged {
            return Err(ReadEventsError::Lagged(purged));
        }
        Ok((rows.into_iter().filter_map(ReadRow::entry).collect(), is_behind))
    }

    /// Numbers the first of the entries that have no position yet.
    async fn number_some(&self) -> Result<Head, StoreError> {
        self.transaction(async |mut tx| {
            let locked = lock_head(&mut tx).await?;
            let numbered = number(tx.db(), locked.position, NUMBERED_AT_ONCE).await?;
            let is_behind = numbered == i64::from(NUMBERED_AT_ONCE);
            Ok::<_, Failure<StoreError>>(Head { position: locked.position + numbered, is_behind })
        })
        .await
    }
}

/// Locks the head, so that no other caller assigns positions until the transaction has ended. Entries that were
/// committed before are seen by the statements after this one.
async fn lock_head(tx: &mut Tx) -> Result<LockedHead, Failure<StoreError>> {
    let head = sqlx::query_as("SELECT position, coalesce($1, clock_timestamp()) AS now FROM event_head FOR UPDATE")
        .bind(tx.instant())
        .fetch_optional(tx.db())
        .await?;
    Ok(head.ok_or_else(no_head)?)
}

/// Assigns positions after `last` to at most `limit` entries, and returns how many there were. The caller has locked
/// the head.
async fn number(db: &mut PgConnection, last: i64, limit: u32) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(
        "WITH waiting AS MATERIALIZED (
             SELECT id, row_number() OVER (ORDER BY id) AS number
             FROM (SELECT id FROM scan_events WHERE position IS NULL ORDER BY id LIMIT $2) AS first
         ), numbered AS (
             UPDATE scan_events e SET position = $1 + waiting.number FROM waiting WHERE e.id = waiting.id
         ), head AS (
             UPDATE event_head SET position = $1 + (SELECT count(*) FROM waiting) WHERE EXISTS (SELECT FROM waiting)
         )
         SELECT count(*) FROM waiting",
    )
    .bind(last)
    .bind(i64::from(limit))
    .fetch_one(db)
    .await
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

fn no_head() -> Corrupt {
    Corrupt::new("event_head", "", "its row is missing")
}

#[derive(FromRow)]
struct Head {
    /// The greatest position that was assigned.
    position: i64,
    /// True if there are entries without a position.
    is_behind: bool,
}

#[derive(FromRow)]
struct LockedHead {
    position: i64,
    now: DateTime<Utc>,
}

/// The head, and an entry if there is one: all of its columns or none.
#[derive(FromRow)]
struct ReadRow {
    purged: i64,
    is_behind: bool,
    position: Option<i64>,
    kind: Option<String>,
    team_id: Option<String>,
    site_id: Option<String>,
    scan_id: Option<String>,
}

impl ReadRow {
    fn entry(self) -> Option<EntryRow> {
        let Self { position, kind, team_id, site_id, scan_id, .. } = self;
        Some(EntryRow { position: position?, kind: kind?, team_id: team_id?, site_id: site_id?, scan_id: scan_id? })
    }
}

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
