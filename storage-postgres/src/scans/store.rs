//! Checks, as their team sees them.

use a11ycheck_core::{
    domain::{Depth, Findings, ManualChecks, Scan, ScanKind, Urgency},
    id::{ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{OpenFindings, ScanStore, StartScanError, StoreError, TrendPoint, Work},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::{
    PostgresStore,
    db::{
        columns::{Counted, paged},
        error::{Corrupt, Failure},
        ids::Id,
    },
    scans::{
        enqueue::{NewScan, enqueue},
        results,
        retention::purge_some,
        rows::{ScanRow, scan_columns},
    },
    teams::rows::{PlanDocument, read_plan},
};

/// The checks `s` that a team `$1` sees at `$2` (NULL: the database's time), with their rows among the active ones `a`. More
/// conditions may follow.
macro_rules! from_history {
    () => {
        concat!(
            " FROM scans s
          JOIN teams t ON t.id = s.team_id
          JOIN plans p ON p.code = t.plan_code
          LEFT JOIN active_scans a ON a.scan_id = s.id
          WHERE s.team_id = $1 AND ",
            crate::twins::in_history!("coalesce($2::timestamptz, clock_timestamp())", "p.document")
        )
    };
}

pub(crate) use from_history;

#[async_trait]
impl ScanStore for PostgresStore {
    async fn start_manual_scan(
        &self,
        team: TeamId,
        site: SiteId,
        id: ScanId,
        depth: Depth,
    ) -> Result<Scan, StartScanError> {
        let started = self
            .transaction(async |mut tx| {
                let locked: Option<(Option<DateTime<Utc>>, PlanDocument, DateTime<Utc>)> = sqlx::query_as(
                    "SELECT site.last_manual_at, p.document, coalesce($3, clock_timestamp())
                     FROM sites site JOIN teams t ON t.id = site.team_id JOIN plans p ON p.code = t.plan_code
                     WHERE site.team_id = $1 AND site.id = $2
                     FOR NO KEY UPDATE OF site",
                )
                .bind(Id(team))
                .bind(Id(site))
                .bind(tx.instant())
                .fetch_optional(tx.db())
                .await?;
                let Some((last_at, plan, now)) = locked else { return Err(Failure::Refused(StartScanError::NoSite)) };
                let limits = read_plan(plan)?.limits;
                let new = NewScan { id, team, site, pages_requested: limits.pages_per_check, depth };
                // Undone if the interval is not over: an active check is reported first.
                let queued = enqueue(tx.db(), &[new], ScanKind::Manual, Urgency::Requested, now).await?;
                let scan = queued.into_iter().next().ok_or(Failure::Refused(StartScanError::Active))?;
                if !(ManualChecks { last_at, ..ManualChecks::default() }).may_start(limits.manual_check_interval, now) {
                    return Err(Failure::Refused(StartScanError::TooSoon(limits.manual_check_interval)));
                }
                Ok(scan)
            })
            .await?;
        self.node().hint(Work::Scans);
        Ok(started)
    }

    async fn scan(&self, team: TeamId, id: ScanId) -> Result<Option<Scan>, StoreError> {
        self.step(|| async {
            let mut session = self.session().await?;
            let row: Option<ScanRow> =
                sqlx::query_as(concat!("SELECT ", scan_columns!(), from_history!(), " AND s.id = $3"))
                    .bind(Id(team))
                    .bind(self.instant())
                    .bind(Id(id))
                    .fetch_optional(&mut *session)
                    .await?;
            session.leave_ready();
            Ok(row.map(ScanRow::scan).transpose()?)
        })
        .await
    }

    async fn scans(&self, team: TeamId, site: SiteId, page: PageRequest) -> Result<Option<Page<Scan>>, StoreError> {
        self.step(|| async {
            let (limit, offset) = paged(page);
            let mut session = self.session().await?;
            let rows: Vec<Counted<ScanRow>> = sqlx::query_as(concat!(
                "SELECT (SELECT count(*)",
                from_history!(),
                " AND s.site_id = $3) AS total, ",
                scan_columns!(),
                from_history!(),
                " AND s.site_id = $3 ORDER BY s.queued_at DESC, s.id DESC LIMIT $4 OFFSET $5",
            ))
            .bind(Id(team))
            .bind(self.instant())
            .bind(Id(site))
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *session)
            .await?;
            session.leave_ready();
            let total: Option<i64> = match rows.first() {
                Some(row) => Some(row.total),
                // No such site, an empty list, or a page beyond its end.
                None => {
                    sqlx::query_scalar(concat!(
                        "SELECT (SELECT count(*)",
                        from_history!(),
                        " AND s.site_id = $3) FROM sites WHERE team_id = $1 AND id = $3",
                    ))
                    .bind(Id(team))
                    .bind(self.instant())
                    .bind(Id(site))
                    .fetch_optional(&mut *self.session().await?)
                    .await?
                }
            };
            let Some(total) = total else { return Ok(None) };
            let items = rows.into_iter().map(|row| row.item.scan()).collect::<Result<_, _>>()?;
            Ok(Some(Page { request: page, items, total: total.unsigned_abs() }))
        })
        .await
    }

    async fn latest_completed(&self, team: TeamId, site: SiteId) -> Result<Option<Scan>, StoreError> {
        self.step(|| async {
            // It is in the history however old it is.
            let mut session = self.session().await?;
            let row: Option<ScanRow> = sqlx::query_as(concat!(
                "SELECT ",
                scan_columns!(),
                " FROM scans s LEFT JOIN active_scans a ON a.scan_id = s.id
                  WHERE s.team_id = $1 AND s.site_id = $2 AND s.outcome IS NOT NULL
                  ORDER BY s.finished_at DESC, s.id DESC LIMIT 1",
            ))
            .bind(Id(team))
            .bind(Id(site))
            .fetch_optional(&mut *session)
            .await?;
            session.leave_ready();
            Ok(row.map(ScanRow::scan).transpose()?)
        })
        .await
    }

    async fn latest_problems(&self, team: TeamId) -> Result<Vec<(SiteId, u64)>, StoreError> {
        self.step(|| async {
            let rows: Vec<(String, Option<i64>)> = sqlx::query_as(
                "SELECT site.id, (
                     SELECT s.problems FROM scans s WHERE s.site_id = site.id AND s.outcome IS NOT NULL
                     ORDER BY s.finished_at DESC, s.id DESC LIMIT 1
                 )
                 FROM sites site WHERE site.team_id = $1 ORDER BY site.id",
            )
            .bind(Id(team))
            .fetch_all(&mut *self.session().await?)
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
        self.step(|| async {
            match self.packed(team, scan).await? {
                Some(document) => Ok(Some(results::unpack(scan, document).await?)),
                None => Ok(None),
            }
        })
        .await
    }

    async fn open_findings(&self, team: TeamId, scan: ScanId) -> Result<Option<OpenFindings>, StoreError> {
        self.step(|| async {
            match self.packed(team, scan).await? {
                Some(document) => Ok(Some(results::open(scan, document).await?)),
                None => Ok(None),
            }
        })
        .await
    }

    async fn trend(&self, team: TeamId, scan: ScanId, limit: u32) -> Result<Vec<TrendPoint>, StoreError> {
        self.step(|| async {
            let mut session = self.session().await?;
            let rows: Vec<(String, DateTime<Utc>, i64)> = sqlx::query_as(concat!(
                "WITH last AS (SELECT s.site_id, s.finished_at, s.id",
                from_history!(),
                " AND s.id = $3 AND s.outcome IS NOT NULL), points AS (SELECT s.id, s.finished_at, s.problems",
                from_history!(),
                " AND s.outcome IS NOT NULL
                  AND s.site_id = (SELECT site_id FROM last)
                  AND (s.finished_at, s.id) <= (SELECT finished_at, id FROM last)
                  ORDER BY s.finished_at DESC, s.id DESC LIMIT $4)
                  SELECT id, finished_at, problems FROM points ORDER BY finished_at, id",
            ))
            .bind(Id(team))
            .bind(self.instant())
            .bind(Id(scan))
            .bind(i64::from(limit))
            .fetch_all(&mut *session)
            .await?;
            session.leave_ready();
            let point = |(id, finished_at, problems): (String, _, i64)| {
                let id = id.parse().map_err(|error| Corrupt::new("scans", &id, Box::new(error)))?;
                Ok(TrendPoint { id, finished_at, total: problems.unsigned_abs() })
            };
            rows.into_iter().map(point).collect()
        })
        .await
    }

    async fn mark_express(&self, team: TeamId, scan: ScanId) -> Result<bool, StoreError> {
        self.step(|| async {
            let marked = sqlx::query(concat!(
                "UPDATE scans SET express = true WHERE id = (SELECT s.id",
                from_history!(),
                " AND s.id = $3)",
            ))
            .bind(Id(team))
            .bind(self.instant())
            .bind(Id(scan))
            .execute(&mut *self.session().await?)
            .await?;
            Ok(marked.rows_affected() > 0)
        })
        .await
    }

    async fn purge_scans(&self, limit: u32) -> Result<u32, StoreError> {
        let (mut purged, mut instant) = (0, self.instant());
        // One transaction for some teams at a time, all for the same instant: a team that has been purged is not due
        // again then.
        while purged < limit {
            let some = self.transaction(async |mut tx| purge_some(tx.db(), limit - purged, instant).await).await?;
            let Some(some) = some else { break };
            (purged, instant) = (purged + some.scans, Some(some.now));
            if !some.more {
                break;
            }
        }
        // Files that could not be deleted are taken up again: the checks are deleted, and nobody sees their files.
        if let Err(error) = self.delete_uploads().await {
            tracing::warn!(error = &error as &dyn std::error::Error, "Files of purged checks could not be deleted yet");
        }
        Ok(purged)
    }
}

impl PostgresStore {
    /// Returns the findings of a completed check in their stored form, and gives the connection back.
    async fn packed(&self, team: TeamId, scan: ScanId) -> Result<Option<Vec<u8>>, Failure<StoreError>> {
        let mut session = self.session().await?;
        let document = sqlx::query_scalar(concat!(
            "SELECT document FROM findings WHERE scan_id = (SELECT s.id",
            from_history!(),
            " AND s.id = $3)",
        ))
        .bind(Id(team))
        .bind(self.instant())
        .bind(Id(scan))
        .fetch_optional(&mut *session)
        .await?;
        session.leave_ready();
        Ok(document)
    }
}
