//! Queuing checks, as three different steps do.

use a11ycheck_core::{
    domain::{Depth, ManualChecks, Scan, ScanKind, ScanState, Urgency},
    id::{ScanId, SiteId, TeamId},
};
use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

use crate::{
    db::ids::{At, Id},
    sites::rows::{ManualRow, manual_columns},
};

/// A check to be queued.
pub(crate) struct NewScan {
    pub(crate) id: ScanId,
    pub(crate) team: TeamId,
    pub(crate) site: SiteId,
    pub(crate) pages_requested: u32,
    pub(crate) depth: Depth,
}

/// Queues a check, and returns it; `None` if the site has a queued or running one.
pub(crate) async fn enqueue(
    db: &mut SqliteConnection,
    new: NewScan,
    kind: ScanKind,
    urgency: Urgency,
    now: DateTime<Utc>,
) -> Result<Option<Scan>, sqlx::Error> {
    let NewScan { id, team, site, pages_requested, depth } = new;
    let active = sqlx::query(
        "INSERT INTO active_scans (site_id, scan_id, team_id, queued_at, rank_at, urgency)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (site_id) DO NOTHING",
    )
    .bind(Id(site))
    .bind(Id(id))
    .bind(Id(team))
    .bind(At(now))
    .bind(At(urgency.rank_at(now)))
    .bind(urgency.as_str())
    .execute(&mut *db)
    .await?;
    if active.rows_affected() == 0 {
        return Ok(None);
    }
    sqlx::query(
        "INSERT INTO scans (id, team_id, site_id, kind, pages_requested, queued_at, express, incremental)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7)",
    )
    .bind(Id(id))
    .bind(Id(team))
    .bind(Id(site))
    .bind(kind.as_str())
    .bind(i64::from(pages_requested))
    .bind(At(now))
    .bind(depth.is_incremental())
    .execute(&mut *db)
    .await?;
    if kind == ScanKind::Manual {
        let row: ManualRow =
            sqlx::query_as(concat!("SELECT ", manual_columns!(), " FROM sites site WHERE site.id = ?1"))
                .bind(Id(site))
                .fetch_one(&mut *db)
                .await?;
        write_manual(db, site, row.checks().started(now)).await?;
    }
    let state = ScanState::Queued;
    Ok(Some(Scan { id, team, site, kind, pages_requested, queued_at: now, state, express: false, depth }))
}

/// Writes what a site remembers of its manual checks.
pub(crate) async fn write_manual(
    db: &mut SqliteConnection,
    site: SiteId,
    checks: ManualChecks,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE sites SET last_manual_at = ?2, previous_manual_at = ?3, manual_given_back_at = ?4 WHERE id = ?1",
    )
    .bind(Id(site))
    .bind(checks.last_at.map(At))
    .bind(checks.previous_at.map(At))
    .bind(checks.given_back_at.map(At))
    .execute(db)
    .await
    .map(drop)
}
