//! Sites.

use a11ycheck_core::{
    domain::{NewSite, PlatformKey, ScanKind, Site, SiteDetails, StandardId, Urgency, next_scan_at},
    id::{ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{AddSiteError, AddedOnce, SiteStore, SiteUsage, StoreError, Work},
};
use async_trait::async_trait;
use sqlx_macros::FromRow;

use crate::{
    SqliteStore,
    db::{
        columns::{count, json, paged},
        error::{Corrupt, Failure},
        ids::{At, Id},
        transaction::Tx,
    },
    scans::{
        enqueue::{NewScan, enqueue},
        retention::deletion,
    },
    sites::rows::{ManualRow, SiteRow, manual_columns, site_columns},
    teams::plans::plan_of,
};

/// The sites of a team `?1`, those with the tag `?2` unless that is NULL. An order may follow.
macro_rules! of_team {
    () => {
        " FROM sites site WHERE site.team_id = ?1
          AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(site.tags) AS tag WHERE tag.value = ?2))"
    };
}

/// The failing sites of a team `?1`, those with the tag `?2` unless that is NULL, where the team's history begins at `?3`. Checks of a site
/// end in the order in which they were queued, for there is one at a time. An order may follow.
macro_rules! failing {
    () => {
        concat!(
            of_team!(),
            " AND EXISTS (
                SELECT 1 FROM scans AS s
                WHERE s.id = (
                    SELECT e.id FROM scans AS e WHERE e.site_id = site.id AND e.finished_at IS NOT NULL
                    ORDER BY e.queued_at DESC, e.id DESC LIMIT 1
                ) AND s.outcome IS NULL AND ",
            crate::twins::in_history!("?3"),
            ")"
        )
    };
}

#[async_trait]
impl SiteStore for SqliteStore {
    async fn add_site(&self, team: TeamId, site: NewSite, first_scan: Option<ScanId>) -> Result<Site, AddSiteError> {
        let added = self.write(async |mut tx| add(&mut tx, team, site, first_scan).await).await?;
        if first_scan.is_some() {
            self.hints().give(Work::Scans);
        }
        Ok(added)
    }

    async fn add_site_once(
        &self,
        team: TeamId,
        site: NewSite,
        first_scan: Option<ScanId>,
    ) -> Result<AddedOnce, AddSiteError> {
        let added = self
            .write(async |mut tx| {
                let url = &site.details.url;
                let row: Option<SiteRow> = sqlx::query_as(concat!(
                    "SELECT ",
                    site_columns!(),
                    " FROM sites site WHERE site.team_id = ?1 AND site.domain = ?2 AND site.url = ?3
                      ORDER BY site.id LIMIT 1",
                ))
                .bind(Id(team))
                .bind(url.domain())
                .bind(url.as_str())
                .fetch_optional(tx.db())
                .await?;
                match row {
                    Some(row) => Ok(AddedOnce::Present(row.site()?)),
                    None => Ok(AddedOnce::Added(add(&mut tx, team, site, first_scan).await?)),
                }
            })
            .await?;
        if first_scan.is_some() && matches!(added, AddedOnce::Added(_)) {
            self.hints().give(Work::Scans);
        }
        Ok(added)
    }

    async fn site(&self, team: TeamId, id: SiteId) -> Result<Option<Site>, StoreError> {
        self.read(async |mut db| {
            let row: Option<SiteRow> = sqlx::query_as(concat!(
                "SELECT ",
                site_columns!(),
                " FROM sites site WHERE site.team_id = ?1 AND site.id = ?2",
            ))
            .bind(Id(team))
            .bind(Id(id))
            .fetch_optional(&mut *db)
            .await?;
            Ok(row.map(SiteRow::site).transpose()?)
        })
        .await
    }

    async fn sites(&self, team: TeamId, tag: Option<&str>, page: PageRequest) -> Result<Page<Site>, StoreError> {
        self.read(async |mut db| {
            let (limit, offset) = paged(page);
            let rows: Vec<SiteRow> = sqlx::query_as(concat!(
                "SELECT ",
                site_columns!(),
                of_team!(),
                " ORDER BY site.domain, site.id LIMIT ?3 OFFSET ?4",
            ))
            .bind(Id(team))
            .bind(tag)
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *db)
            .await?;
            let total: i64 = sqlx::query_scalar(concat!("SELECT count(*)", of_team!()))
                .bind(Id(team))
                .bind(tag)
                .fetch_one(&mut *db)
                .await?;
            let items = rows.into_iter().map(SiteRow::site).collect::<Result<_, _>>()?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    async fn failing_sites(
        &self,
        team: TeamId,
        tag: Option<&str>,
        page: PageRequest,
    ) -> Result<Page<Site>, StoreError> {
        self.read(async |mut db| {
            let Some(start) = self.history_of(&mut db, team).await? else {
                return Ok(Page { request: page, items: Vec::new(), total: 0 });
            };
            let (limit, offset) = paged(page);
            let rows: Vec<SiteRow> = sqlx::query_as(concat!(
                "SELECT ",
                site_columns!(),
                failing!(),
                " ORDER BY site.domain, site.id LIMIT ?4 OFFSET ?5",
            ))
            .bind(Id(team))
            .bind(tag)
            .bind(start)
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *db)
            .await?;
            let total: i64 = sqlx::query_scalar(concat!("SELECT count(*)", failing!()))
                .bind(Id(team))
                .bind(tag)
                .bind(start)
                .fetch_one(&mut *db)
                .await?;
            let items = rows.into_iter().map(SiteRow::site).collect::<Result<_, _>>()?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    async fn change_site(&self, team: TeamId, id: SiteId, details: SiteDetails) -> Result<Option<Site>, StoreError> {
        self.write(async |mut tx| {
            let stack: Vec<&str> = details.stack.iter().map(PlatformKey::as_str).collect();
            let changed = sqlx::query(
                "UPDATE sites SET name = ?3, report_locale = ?4, stack = ?5, tags = ?6, platform = ?7, standard = ?8
                 WHERE team_id = ?1 AND id = ?2",
            )
            .bind(Id(team))
            .bind(Id(id))
            .bind(&details.name)
            .bind(details.report_locale.code())
            .bind(json(&stack)?)
            .bind(json(&details.tags)?)
            .bind(details.platform.as_ref().map(PlatformKey::as_str))
            .bind(details.standard.as_ref().map(StandardId::as_str))
            .execute(tx.db())
            .await?;
            if changed.rows_affected() == 0 {
                return Ok::<_, Failure<StoreError>>(None);
            }
            let row: Option<SiteRow> = sqlx::query_as(concat!(
                "SELECT ",
                site_columns!(),
                " FROM sites site WHERE site.team_id = ?1 AND site.id = ?2",
            ))
            .bind(Id(team))
            .bind(Id(id))
            .fetch_optional(tx.db())
            .await?;
            Ok(row.map(SiteRow::site).transpose()?)
        })
        .await
    }

    async fn delete_site(&self, team: TeamId, id: SiteId) -> Result<bool, StoreError> {
        let deleted = self
            .write(async |mut tx| {
                let found: bool =
                    sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM sites WHERE team_id = ?1 AND id = ?2)")
                        .bind(Id(team))
                        .bind(Id(id))
                        .fetch_one(tx.db())
                        .await?;
                if !found {
                    return Ok::<_, Failure<StoreError>>(false);
                }
                for statement in deletion!("site_id = ?1") {
                    sqlx::query(statement).bind(Id(id)).execute(tx.db()).await?;
                }
                sqlx::query("DELETE FROM sites WHERE id = ?1").bind(Id(id)).execute(tx.db()).await?;
                Ok(true)
            })
            .await?;
        if deleted {
            self.sweep_soon();
        }
        Ok(deleted)
    }

    async fn site_usage(&self, team: TeamId) -> Result<SiteUsage, StoreError> {
        self.read(async |mut db| {
            let Some(plan) = plan_of(&mut db, team).await? else {
                return Ok(SiteUsage { sites: 0, manual_checks_available: 0 });
            };
            let rows: Vec<UsageRow> = sqlx::query_as(concat!(
                "SELECT a.site_id IS NULL AS is_free, ",
                manual_columns!(),
                " FROM sites site LEFT JOIN active_scans a ON a.site_id = site.id WHERE site.team_id = ?1",
            ))
            .bind(Id(team))
            .fetch_all(&mut *db)
            .await?;
            let (interval, now) = (plan.plan()?.limits.manual_check_interval, self.time());
            // Months are counted by the calendar, which the domain does.
            let available =
                rows.iter().filter(|row| row.is_free && row.manual.checks().may_start(interval, now)).count();
            let number = |number: usize| {
                count(i64::try_from(number).unwrap_or(i64::MAX)).map_err(|source| Corrupt::new("teams", team, source))
            };
            Ok(SiteUsage { sites: number(rows.len())?, manual_checks_available: number(available)? })
        })
        .await
    }
}

async fn add(
    tx: &mut Tx,
    team: TeamId,
    site: NewSite,
    first_scan: Option<ScanId>,
) -> Result<Site, Failure<AddSiteError>> {
    let now = tx.now();
    let Some(plan) = plan_of(tx.db(), team).await? else {
        return Err(Failure::Refused(AddSiteError::NoTeam));
    };
    let limits = plan.plan()?.limits;
    let sites: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sites WHERE team_id = ?1").bind(Id(team)).fetch_one(tx.db()).await?;
    if sites >= i64::from(limits.sites) {
        return Err(Failure::Refused(AddSiteError::LimitReached(limits.sites)));
    }
    let NewSite { id, details } = site;
    let next_scan_at = next_scan_at(id, limits.check_frequency, now);
    let stack: Vec<&str> = details.stack.iter().map(PlatformKey::as_str).collect();
    sqlx::query(
        "INSERT INTO sites
             (id, team_id, url, domain, name, report_locale, platform, stack, tags, next_scan_at, created_at,
              standard)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )
    .bind(Id(id))
    .bind(Id(team))
    .bind(details.url.as_str())
    .bind(details.url.domain())
    .bind(&details.name)
    .bind(details.report_locale.code())
    .bind(details.platform.as_ref().map(PlatformKey::as_str))
    .bind(json(&stack)?)
    .bind(json(&details.tags)?)
    .bind(At(next_scan_at))
    .bind(At(now))
    .bind(details.standard.as_ref().map(StandardId::as_str))
    .execute(tx.db())
    .await?;
    if let Some(scan) = first_scan {
        let (kind, pages_requested) = (ScanKind::Scheduled, limits.pages_per_check);
        let first = NewScan { id: scan, team, site: id, pages_requested, depth: kind.usual_depth() };
        enqueue(tx.db(), first, kind, Urgency::Requested, now).await?;
    }
    Ok(Site { id, team, details, next_scan_at, created_at: now })
}

#[derive(FromRow)]
struct UsageRow {
    /// True if nothing is queued or running.
    is_free: bool,
    #[sqlx(flatten)]
    manual: ManualRow,
}
