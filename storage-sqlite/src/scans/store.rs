//! Checks, as their team sees them.

use a11ycheck_core::{
    domain::{Depth, Findings, Scan, ScanKind, Urgency},
    id::{ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{OpenFindings, ScanStore, StartScanError, StoreError, TrendPoint, Work},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::{Sqlite, SqliteConnection, pool::PoolConnection};
use sqlx_macros::FromRow;

use crate::{
    SqliteStore,
    db::{
        columns::paged,
        error::{Corrupt, Failure},
        ids::{At, Id},
    },
    scans::{
        enqueue::{NewScan, enqueue},
        results,
        retention::{history_start, purge_some},
        rows::{ScanRow, scan_columns},
    },
    sites::rows::{ManualRow, manual_columns},
    teams::{plans::plan_of, rows::PlanRow},
};

/// The checks `s` that a team `?1` sees whose history begins at `?2`, with their rows among the active ones `a`. More
/// conditions may follow.
macro_rules! from_history {
    () => {
        concat!(
            " FROM scans s LEFT JOIN active_scans a ON a.scan_id = s.id WHERE s.team_id = ?1 AND ",
            crate::twins::in_history!("?2")
        )
    };
}

pub(crate) use from_history;

#[async_trait]
impl ScanStore for SqliteStore {
    async fn start_manual_scan(
        &self,
        team: TeamId,
        site: SiteId,
        id: ScanId,
        depth: Depth,
    ) -> Result<Scan, StartScanError> {
        let started = self
            .write(async |mut tx| {
                let now = tx.now();
                let row: Option<StartRow> = sqlx::query_as(concat!(
                    "SELECT p.code AS plan_code, p.document AS plan, ",
                    manual_columns!(),
                    " FROM sites site JOIN teams t ON t.id = site.team_id JOIN plans p ON p.code = t.plan_code
                      WHERE site.team_id = ?1 AND site.id = ?2",
                ))
                .bind(Id(team))
                .bind(Id(site))
                .fetch_optional(tx.db())
                .await?;
                let Some(StartRow { plan, manual }) = row else {
                    return Err(Failure::Refused(StartScanError::NoSite));
                };
                let limits = plan.plan()?.limits;
                let new = NewScan { id, team, site, pages_requested: limits.pages_per_check, depth };
                // Undone if the interval is not over: an active check is reported first.
                let queued = enqueue(tx.db(), new, ScanKind::Manual, Urgency::Requested, now).await?;
                let scan = queued.ok_or(Failure::Refused(StartScanError::Active))?;
                if !manual.checks().may_start(limits.manual_check_interval, now) {
                    return Err(Failure::Refused(StartScanError::TooSoon(limits.manual_check_interval)));
                }
                Ok(scan)
            })
            .await?;
        self.hints().give(Work::Scans);
        Ok(started)
    }

    async fn scan(&self, team: TeamId, id: ScanId) -> Result<Option<Scan>, StoreError> {
        self.read(async |mut db| {
            let Some(start) = self.history_of(&mut db, team).await? else { return Ok(None) };
            let row: Option<ScanRow> =
                sqlx::query_as(concat!("SELECT ", scan_columns!(), from_history!(), " AND s.id = ?3"))
                    .bind(Id(team))
                    .bind(start)
                    .bind(Id(id))
                    .fetch_optional(&mut *db)
                    .await?;
            Ok(row.map(ScanRow::scan).transpose()?)
        })
        .await
    }

    async fn scans(&self, team: TeamId, site: SiteId, page: PageRequest) -> Result<Option<Page<Scan>>, StoreError> {
        self.read(async |mut db| {
            let is_there: bool =
                sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM sites WHERE team_id = ?1 AND id = ?2)")
                    .bind(Id(team))
                    .bind(Id(site))
                    .fetch_one(&mut *db)
                    .await?;
            let start = self.history_of(&mut db, team).await?.filter(|_| is_there);
            let Some(start) = start else { return Ok(None) };
            let (limit, offset) = paged(page);
            let rows: Vec<ScanRow> = sqlx::query_as(concat!(
                "SELECT ",
                scan_columns!(),
                from_history!(),
                " AND s.site_id = ?3 ORDER BY s.queued_at DESC, s.id DESC LIMIT ?4 OFFSET ?5",
            ))
            .bind(Id(team))
            .bind(start)
            .bind(Id(site))
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *db)
            .await?;
            let total: i64 = sqlx::query_scalar(concat!("SELECT count(*)", from_history!(), " AND s.site_id = ?3"))
                .bind(Id(team))
                .bind(start)
                .bind(Id(site))
                .fetch_one(&mut *db)
                .await?;
            let items = rows.into_iter().map(ScanRow::scan).collect::<Result<_, _>>()?;
            Ok(Some(Page { request: page, items, total: total.unsigned_abs() }))
        })
        .await
    }

    async fn latest_completed(&self, team: TeamId, site: SiteId) -> Result<Option<Scan>, StoreError> {
        self.read(async |mut db| {
            // It is in the history however old it is.
            let row: Option<ScanRow> = sqlx::query_as(concat!(
                "SELECT ",
                scan_columns!(),
                " FROM scans s LEFT JOIN active_scans a ON a.scan_id = s.id
                  WHERE s.team_id = ?1 AND s.site_id = ?2 AND s.outcome IS NOT NULL
                  ORDER BY s.finished_at DESC, s.id DESC LIMIT 1",
            ))
            .bind(Id(team))
            .bind(Id(site))
            .fetch_optional(&mut *db)
            .await?;
            Ok(row.map(ScanRow::scan).transpose()?)
        })
        .await
    }

    async fn latest_problems(&self, team: TeamId) -> Result<Vec<(SiteId, u64)>, StoreError> {
        self.read(async |mut db| {
            let rows: Vec<(String, Option<i64>)> = sqlx::query_as(
                "SELECT site.id, (
                     SELECT s.problems FROM scans s WHERE s.site_id = site.id AND s.outcome IS NOT NULL
                     ORDER BY s.finished_at DESC, s.id DESC LIMIT 1
                 )
                 FROM sites site WHERE site.team_id = ?1 ORDER BY site.id",
            )
            .bind(Id(team))
            .fetch_all(&mut *db)
            .await?;
            let checked = rows.into_iter().filter_map(|(id, problems)| Some((id, problems?)));
            let read = |(id, problems): (String, i64)| {
                let id = id.parse().map_err(|error| Corrupt::new("sites", &id, Box::new(error)))?;
                Ok((id, problems.unsigned_abs()))
            };
            checked.map(read).collect()
        })
        .await
    }

    async fn findings(&self, team: TeamId, scan: ScanId) -> Result<Option<Findings>, StoreError> {
        self.read(async |db| match self.packed(db, team, scan).await? {
            Some(document) => Ok(Some(results::unpack(scan, document).await?)),
            None => Ok(None),
        })
        .await
    }

    async fn open_findings(&self, team: TeamId, scan: ScanId) -> Result<Option<OpenFindings>, StoreError> {
        self.read(async |db| match self.packed(db, team, scan).await? {
            Some(document) => Ok(Some(results::open(scan, document).await?)),
            None => Ok(None),
        })
        .await
    }

    async fn trend(&self, team: TeamId, scan: ScanId, limit: u32) -> Result<Vec<TrendPoint>, StoreError> {
        self.read(async |mut db| {
            let Some(start) = self.history_of(&mut db, team).await? else { return Ok(Vec::new()) };
            let rows: Vec<(String, At, i64)> = sqlx::query_as(concat!(
                "WITH last AS (SELECT s.site_id, s.finished_at, s.id",
                from_history!(),
                " AND s.id = ?3 AND s.outcome IS NOT NULL), points AS (SELECT s.id, s.finished_at, s.problems",
                from_history!(),
                " AND s.outcome IS NOT NULL
                  AND s.site_id = (SELECT site_id FROM last)
                  AND (s.finished_at, s.id) <= (SELECT finished_at, id FROM last)
                  ORDER BY s.finished_at DESC, s.id DESC LIMIT ?4)
                  SELECT id, finished_at, problems FROM points ORDER BY finished_at, id",
            ))
            .bind(Id(team))
            .bind(start)
            .bind(Id(scan))
            .bind(i64::from(limit))
            .fetch_all(&mut *db)
            .await?;
            let point = |(id, At(finished_at), problems): (String, At, i64)| {
                let id = id.parse().map_err(|error| Corrupt::new("scans", &id, Box::new(error)))?;
                Ok(TrendPoint { id, finished_at, total: problems.unsigned_abs() })
            };
            rows.into_iter().map(point).collect()
        })
        .await
    }

    async fn mark_express(&self, team: TeamId, scan: ScanId) -> Result<bool, StoreError> {
        self.write(async |mut tx| {
            let now = tx.now();
            let Some(start) = history_of(tx.db(), team, now).await? else { return Ok(false) };
            let marked = sqlx::query(concat!(
                "UPDATE scans SET express = 1 WHERE id = (SELECT s.id",
                from_history!(),
                " AND s.id = ?3)",
            ))
            .bind(Id(team))
            .bind(start)
            .bind(Id(scan))
            .execute(tx.db())
            .await?;
            Ok(marked.rows_affected() > 0)
        })
        .await
    }

    async fn purge_scans(&self, limit: u32) -> Result<u32, StoreError> {
        // One transaction for some teams at a time, all for the same instant: a team that has been purged is not due
        // again then.
        let (mut purged, now) = (0, self.time());
        while purged < limit {
            let some = self.write(async |mut tx| purge_some(&mut tx, limit - purged, now).await).await?;
            purged += some.scans;
            if !some.more {
                break;
            }
        }
        self.sweep().await?;
        Ok(purged)
    }
}

impl SqliteStore {
    /// Returns the findings of a completed check in their stored form, and gives the connection back: others can read while they are
    /// unpacked.
    async fn packed(
        &self,
        mut db: PoolConnection<Sqlite>,
        team: TeamId,
        scan: ScanId,
    ) -> Result<Option<Vec<u8>>, Failure<StoreError>> {
        let Some(start) = self.history_of(&mut db, team).await? else { return Ok(None) };
        let document = sqlx::query_scalar(concat!(
            "SELECT document FROM findings WHERE scan_id = (SELECT s.id",
            from_history!(),
            " AND s.id = ?3)",
        ))
        .bind(Id(team))
        .bind(start)
        .bind(Id(scan))
        .fetch_optional(&mut *db)
        .await?;
        Ok(document)
    }
}

impl SqliteStore {
    /// Returns the instant at which the history of a team begins; `None` if there is no such team.
    pub(crate) async fn history_of<E>(
        &self,
        db: &mut SqliteConnection,
        team: TeamId,
    ) -> Result<Option<At>, Failure<E>> {
        history_of(db, team, self.time()).await
    }
}

/// Returns the same at an instant.
pub(crate) async fn history_of<E>(
    db: &mut SqliteConnection,
    team: TeamId,
    now: DateTime<Utc>,
) -> Result<Option<At>, Failure<E>> {
    let Some(plan) = plan_of(db, team).await? else { return Ok(None) };
    Ok(Some(At(history_start(now, plan.plan()?.limits.history_months))))
}

#[derive(FromRow)]
struct StartRow {
    #[sqlx(flatten)]
    plan: PlanRow,
    #[sqlx(flatten)]
    manual: ManualRow,
}
