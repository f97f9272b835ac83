//! Sites.

use a11ycheck_core::{
    domain::{
        IsoDuration, ManualChecks, NewSite, PlatformKey, ScanKind, Site, SiteDetails, StandardId, Urgency, next_scan_at,
    },
    id::{ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{AddSiteError, AddedOnce, SiteStore, SiteUsage, StoreError, Work},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::FromRow as _;

use crate::{
    PostgresStore,
    db::{
        columns::{self, Counted, paged},
        error::{Corrupt, Failure},
        ids::Id,
        transaction::Tx,
    },
    files::uploads::mark_for_deletion,
    scans::enqueue::{NewScan, enqueue},
    sites::rows::{SiteRow, site_columns},
    teams::rows::{PlanDocument, read_plan},
};

/// The failing sites of a team `$1` at `$2` (NULL: the database's time), those with the tag `$3` unless that is NULL. Checks of a site end in
/// the order in which they were queued, for there is one at a time. An order may follow.
macro_rules! failing {
    () => {
        concat!(
            " FROM teams t
              JOIN plans p ON p.code = t.plan_code
              JOIN sites site ON site.team_id = t.id AND ($3::text IS NULL OR $3 = ANY (site.tags))
              CROSS JOIN LATERAL (
                  SELECT e.id, e.site_id, e.queued_at, e.finished_at, e.outcome FROM scans e
                  WHERE e.site_id = site.id AND e.finished_at IS NOT NULL
                  ORDER BY e.queued_at DESC, e.id DESC LIMIT 1
              ) AS s
              WHERE t.id = $1 AND s.outcome IS NULL AND ",
            crate::twins::in_history!("coalesce($2::timestamptz, clock_timestamp())", "p.document")
        )
    };
}

#[async_trait]
impl SiteStore for PostgresStore {
    async fn add_site(&self, team: TeamId, site: NewSite, first_scan: Option<ScanId>) -> Result<Site, AddSiteError> {
        let added = self
            .transaction(async |mut tx| {
                let owner = lock_owner(&mut tx, team).await?;
                add(&mut tx, owner, team, &site, first_scan).await
            })
            .await?;
        if first_scan.is_some() {
            self.node().hint(Work::Scans);
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
            .transaction(async |mut tx| {
                let owner = lock_owner(&mut tx, team).await?;
                let url = &site.details.url;
                let row: Option<SiteRow> = sqlx::query_as(concat!(
                    "SELECT ",
                    site_columns!(),
                    " FROM sites site WHERE site.team_id = $1 AND site.domain = $2 AND site.url = $3
                      ORDER BY site.id LIMIT 1",
                ))
                .bind(Id(team))
                .bind(url.domain())
                .bind(url.as_str())
                .fetch_optional(tx.db())
                .await?;
                match row {
                    Some(row) => Ok(AddedOnce::Present(row.site()?)),
                    None => Ok(AddedOnce::Added(add(&mut tx, owner, team, &site, first_scan).await?)),
                }
            })
            .await?;
        if first_scan.is_some() && matches!(added, AddedOnce::Added(_)) {
            self.node().hint(Work::Scans);
        }
        Ok(added)
    }

    async fn site(&self, team: TeamId, id: SiteId) -> Result<Option<Site>, StoreError> {
        self.step(|| async {
            let mut session = self.session().await?;
            let row: Option<SiteRow> = sqlx::query_as(concat!(
                "SELECT ",
                site_columns!(),
                " FROM sites site WHERE site.team_id = $1 AND site.id = $2",
            ))
            .bind(Id(team))
            .bind(Id(id))
            .fetch_optional(&mut *session)
            .await?;
            session.leave_ready();
            Ok(row.map(SiteRow::site).transpose()?)
        })
        .await
    }

    async fn sites(&self, team: TeamId, tag: Option<&str>, page: PageRequest) -> Result<Page<Site>, StoreError> {
        self.step(|| async {
            let key = (team, tag.map(str::to_owned), page);
            let together = self.statements().sites.call(self, key, Self::pages_together).await;
            let (rows, total) = match &together {
                Some((rows, total)) => (rows.iter().map(SiteRow::from_row).collect::<Result<_, _>>()?, *total),
                None => self.page_of_sites(team, tag, page).await?,
            };
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
        self.step(|| async {
            let (limit, offset) = paged(page);
            let rows: Vec<Counted<SiteRow>> = sqlx::query_as(concat!(
                "SELECT count(*) OVER () AS total, ",
                site_columns!(),
                failing!(),
                " ORDER BY site.domain, site.id LIMIT $4 OFFSET $5",
            ))
            .bind(Id(team))
            .bind(self.instant())
            .bind(tag)
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *self.session().await?)
            .await?;
            let total: i64 = match rows.first() {
                Some(row) => row.total,
                // None, or a page beyond the end.
                None if page.page() == 1 => 0,
                None => {
                    sqlx::query_scalar(concat!("SELECT count(*)", failing!()))
                        .bind(Id(team))
                        .bind(self.instant())
                        .bind(tag)
                        .fetch_one(&mut *self.session().await?)
                        .await?
                }
            };
            let items = rows.into_iter().map(|row| row.item.site()).collect::<Result<_, _>>()?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    async fn change_site(&self, team: TeamId, id: SiteId, details: SiteDetails) -> Result<Option<Site>, StoreError> {
        self.step(|| async {
            let stack: Vec<&str> = details.stack.iter().map(PlatformKey::as_str).collect();
            let row: Option<SiteRow> = sqlx::query_as(concat!(
                "UPDATE sites site SET name = $3, report_locale = $4, stack = $5, tags = $6, platform = $7, standard = $8
                 WHERE site.team_id = $1 AND site.id = $2
                 RETURNING ",
                site_columns!(),
            ))
            .bind(Id(team))
            .bind(Id(id))
            .bind(&details.name)
            .bind(details.report_locale.code())
            .bind(&stack)
            .bind(&details.tags)
            .bind(details.platform.as_ref().map(PlatformKey::as_str))
            .bind(details.standard.as_ref().map(StandardId::as_str))
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(row.map(SiteRow::site).transpose()?)
        })
        .await
    }

    async fn delete_site(&self, team: TeamId, id: SiteId) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| {
            // Locks the site, so that no more checks of it start; each later statement sees those that have.
            let found = sqlx::query("SELECT FROM sites WHERE team_id = $1 AND id = $2 FOR UPDATE")
                .bind(Id(team))
                .bind(Id(id))
                .fetch_optional(tx.db())
                .await?;
            if found.is_none() {
                return Ok(false);
            }
            sqlx::query("DELETE FROM active_scans WHERE site_id = $1").bind(Id(id)).execute(tx.db()).await?;
            let scans: Vec<String> = sqlx::query_scalar("DELETE FROM scans WHERE site_id = $1 RETURNING id")
                .bind(Id(id))
                .fetch_all(tx.db())
                .await?;
            let instant = tx.instant();
            mark_for_deletion(tx.db(), &scans, instant).await?;
            sqlx::query("DELETE FROM sites WHERE id = $1").bind(Id(id)).execute(tx.db()).await?;
            Ok(true)
        })
        .await
    }

    async fn site_usage(&self, team: TeamId) -> Result<SiteUsage, StoreError> {
        self.step(|| async {
            let together = self.statements().usage.call(self, team, Self::usage_together).await;
            let row = match &together {
                Some(row) => Some(UsageRow::from_row(row)?),
                None => self.usage(team).await?,
            };
            let Some((interval, now, sites, idle)) = row else {
                return Ok(SiteUsage { sites: 0, manual_checks_available: 0 });
            };
            let interval = interval.parse::<IsoDuration>();
            let interval = interval.map_err(|source| Corrupt::new("plans", format!("of team {team}"), source))?;
            // Months are counted by the calendar, which the domain does.
            let may_start = |last_at: &&Option<DateTime<Utc>>| {
                ManualChecks { last_at: **last_at, ..ManualChecks::default() }.may_start(interval, now)
            };
            let available = idle.iter().flatten().filter(may_start).count();
            let number = |count: i64| columns::count(count).map_err(|source| Corrupt::new("teams", team, source));
            Ok(SiteUsage {
                sites: number(sites)?,
                manual_checks_available: u32::try_from(available).unwrap_or(u32::MAX),
            })
        })
        .await
    }
}

impl PostgresStore {
    /// Reads a page of the sites of a team, and the number of sites on all pages.
    async fn page_of_sites(
        &self,
        team: TeamId,
        tag: Option<&str>,
        page: PageRequest,
    ) -> Result<(Vec<SiteRow>, i64), sqlx::Error> {
        let (limit, offset) = paged(page);
        let mut session = self.session().await?;
        let rows: Vec<Counted<SiteRow>> = sqlx::query_as(concat!(
            "SELECT total.total, ",
            site_columns!(),
            " FROM (
                  SELECT count(*) AS total FROM sites WHERE team_id = $1 AND ($2::text IS NULL OR $2 = ANY (tags))
              ) AS total
              JOIN sites site ON site.team_id = $1 AND ($2::text IS NULL OR $2 = ANY (site.tags))
              ORDER BY site.domain, site.id LIMIT $3 OFFSET $4",
        ))
        .bind(Id(team))
        .bind(tag)
        .bind(limit)
        .bind(offset)
        .fetch_all(&mut *session)
        .await?;
        let total = match rows.first() {
            Some(row) => row.total,
            // An empty list, or a page beyond its end.
            None => {
                sqlx::query_scalar(
                    "SELECT count(*) FROM sites WHERE team_id = $1 AND ($2::text IS NULL OR $2 = ANY (tags))",
                )
                .bind(Id(team))
                .bind(tag)
                .fetch_one(&mut *session)
                .await?
            }
        };
        session.leave_ready();
        Ok((rows.into_iter().map(|row| row.item).collect(), total))
    }

    /// Reads the usage of a team; `None` if it is not there.
    async fn usage(&self, team: TeamId) -> Result<Option<UsageRow>, sqlx::Error> {
        let mut session = self.session().await?;
        let row = sqlx::query_as(
            "SELECT
                 p.document #>> '{limits,manual_check_interval}',
                 coalesce($2, clock_timestamp()),
                 count(site.id),
                 array_agg(site.last_manual_at) FILTER (WHERE site.id IS NOT NULL AND a.site_id IS NULL)
             FROM teams t
             JOIN plans p ON p.code = t.plan_code
             LEFT JOIN sites site ON site.team_id = t.id
             LEFT JOIN active_scans a ON a.site_id = site.id
             WHERE t.id = $1
             GROUP BY p.code",
        )
        .bind(Id(team))
        .bind(self.instant())
        .fetch_optional(&mut *session)
        .await?;
        session.leave_ready();
        Ok(row)
    }
}

/// Locks the team, so that its sites are counted, and compared, after every other addition. Returns its plan and the present instant.
async fn lock_owner(tx: &mut Tx, team: TeamId) -> Result<(PlanDocument, DateTime<Utc>), Failure<AddSiteError>> {
    let owner: Option<(PlanDocument, DateTime<Utc>)> = sqlx::query_as(
        "SELECT p.document, coalesce($2, clock_timestamp())
         FROM teams t JOIN plans p ON p.code = t.plan_code
         WHERE t.id = $1
         FOR NO KEY UPDATE OF t",
    )
    .bind(Id(team))
    .bind(tx.instant())
    .fetch_optional(tx.db())
    .await?;
    owner.ok_or(Failure::Refused(AddSiteError::NoTeam))
}

/// Adds a site to a team that is locked.
async fn add(
    tx: &mut Tx,
    (plan, now): (PlanDocument, DateTime<Utc>),
    team: TeamId,
    site: &NewSite,
    first_scan: Option<ScanId>,
) -> Result<Site, Failure<AddSiteError>> {
    let limits = read_plan(plan)?.limits;
    let next_scan_at = next_scan_at(site.id, limits.check_frequency, now);
    let details = &site.details;
    let stack: Vec<&str> = details.stack.iter().map(|key| key.as_str()).collect();
    let added = sqlx::query(
        "INSERT INTO sites
             (id, team_id, url, domain, name, report_locale, stack, tags, next_scan_at, created_at,
              platform, standard)
         SELECT $2, $1, $3, $4, $5, $6, $7, $8, $9, $10, $12, $13
         WHERE (SELECT count(*) FROM sites WHERE team_id = $1) < $11",
    )
    .bind(Id(team))
    .bind(Id(site.id))
    .bind(details.url.as_str())
    .bind(details.url.domain())
    .bind(&details.name)
    .bind(details.report_locale.code())
    .bind(&stack)
    .bind(&details.tags)
    .bind(next_scan_at)
    .bind(now)
    .bind(i64::from(limits.sites))
    .bind(details.platform.as_ref().map(PlatformKey::as_str))
    .bind(details.standard.as_ref().map(StandardId::as_str))
    .execute(tx.db())
    .await?;
    if added.rows_affected() == 0 {
        return Err(Failure::Refused(AddSiteError::LimitReached(limits.sites)));
    }
    if let Some(id) = first_scan {
        let (kind, pages_requested) = (ScanKind::Scheduled, limits.pages_per_check);
        let first = NewScan { id, team, site: site.id, pages_requested, depth: kind.usual_depth() };
        enqueue(tx.db(), &[first], kind, Urgency::Requested, now).await?;
    }
    Ok(Site { id: site.id, team, details: details.clone(), next_scan_at, created_at: now })
}

/// The plan's interval of manual checks, the present instant, the number of sites, and the instant of the last manual check for each of those that
/// have no queued or running check.
type UsageRow = (String, DateTime<Utc>, i64, Option<Vec<Option<DateTime<Utc>>>>);
