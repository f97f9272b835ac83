//! Queuing checks, as three different steps do.

use std::collections::HashSet;

use a11ycheck_core::{
    domain::{Depth, Scan, ScanKind, ScanState, Urgency},
    id::{ScanId, SiteId, TeamId},
};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::{db::ids::Id, twins};

/// A check to be queued.
pub(crate) struct NewScan {
    pub(crate) id: ScanId,
    pub(crate) team: TeamId,
    pub(crate) site: SiteId,
    pub(crate) pages_requested: u32,
    pub(crate) depth: Depth,
}

/// Queues checks, and returns those that were queued: a site that has a queued or running check gets no second one. The
/// caller has locked the sites.
pub(crate) async fn enqueue(
    db: &mut PgConnection,
    new: &[NewScan],
    kind: ScanKind,
    urgency: Urgency,
    now: DateTime<Utc>,
) -> Result<Vec<Scan>, sqlx::Error> {
    let queued: Vec<String> = sqlx::query_scalar(concat!(
        "WITH new AS (
             SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $9::boolean[])
                 AS new (id, team_id, site_id, pages_requested, incremental)
         ), active AS (
             INSERT INTO active_scans (site_id, scan_id, team_id, queued_at, rank_at, urgency)
             SELECT site_id, id, team_id, $6, $7, $8 FROM new
             ON CONFLICT (site_id) DO NOTHING
             RETURNING scan_id
         ), manual AS (
             UPDATE sites SET ",
        twins::manual_check_started!("$6"),
        "
             FROM new JOIN active ON active.scan_id = new.id
             WHERE sites.id = new.site_id AND $5 = 'manual'
         )
         INSERT INTO scans (id, team_id, site_id, kind, pages_requested, queued_at, express, incremental)
         SELECT new.id, team_id, site_id, $5, pages_requested, $6, false, incremental
         FROM new JOIN active ON active.scan_id = new.id
         RETURNING id",
    ))
    .bind(new.iter().map(|scan| Id(scan.id)).collect::<Vec<_>>())
    .bind(new.iter().map(|scan| Id(scan.team)).collect::<Vec<_>>())
    .bind(new.iter().map(|scan| Id(scan.site)).collect::<Vec<_>>())
    .bind(new.iter().map(|scan| i64::from(scan.pages_requested)).collect::<Vec<_>>())
    .bind(kind.as_str())
    .bind(now)
    .bind(urgency.rank_at(now))
    .bind(urgency.as_str())
    .bind(new.iter().map(|scan| scan.depth.is_incremental()).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let queued: HashSet<String> = queued.into_iter().collect();
    let scans = new.iter().filter(|scan| queued.contains(&scan.id.to_string())).map(|new| Scan {
        id: new.id,
        team: new.team,
        site: new.site,
        kind,
        pages_requested: new.pages_requested,
        queued_at: now,
        state: ScanState::Queued,
        express: false,
        depth: new.depth,
    });
    Ok(scans.collect())
}
