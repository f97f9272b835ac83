//! Checks, as workers and the scheduler see them.

use a11ycheck_core::{
    domain::{
        Failure as ScanFailure, Memo, PageCounts, RetryBy, Scan, ScanEventKind, ScanKind, ScanState, Urgency,
        next_scan_at,
    },
    id::{ScanId, SiteId, TeamId, WorkerId},
    store::{
        Claim, ClaimedScan, Completion, DueSites, LeaseError, QueueDepth, QueueStore, StoreError, Waiting, Work,
        transfer::PackedFindings,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;
use sqlx_macros::FromRow;

use crate::{
    PostgresStore,
    db::{error::Corrupt, ids::Id},
    deliveries::outbox::{Stored, store_events},
    files::uploads::{UploadError, adopt},
    mails::notices,
    scans::{
        claim::{Taken, give_up, take_next},
        enqueue::{NewScan, enqueue},
        moves::{give_back, lock_site, move_on},
        results::{self, Results},
        rows::{ScanRow, scan_columns},
    },
    teams::rows::{TeamRow, team_columns},
    twins,
};

#[async_trait]
impl QueueStore for PostgresStore {
    async fn queue_due_scans(&self, limit: u32) -> Result<DueSites, StoreError> {
        let due = self
            .transaction::<_, StoreError, _>(async |mut tx| {
                let due: Vec<DueRow> = sqlx::query_as(concat!(
                    "WITH instant AS MATERIALIZED (
                         SELECT coalesce($1, clock_timestamp()) AS now
                     ), site AS MATERIALIZED (
                         SELECT id, team_id FROM sites
                         WHERE next_scan_at <= (SELECT now FROM instant) AND id <> ALL ($3) AND team_id <> ALL ($3)
                         ORDER BY next_scan_at, id LIMIT $2
                         FOR NO KEY UPDATE SKIP LOCKED
                     )
                     SELECT site.id, instant.now, owner.* FROM site CROSS JOIN instant CROSS JOIN LATERAL (SELECT ",
                    team_columns!(),
                    // LIMIT affects only the plan of the statement: teams are looked up one by one, never all read.
                    " FROM teams t JOIN plans p ON p.code = t.plan_code WHERE t.id = site.team_id LIMIT 1) AS owner",
                ))
                .bind(tx.instant())
                .bind(i64::from(limit))
                .bind(self.unreadable().due.ids())
                .fetch_all(tx.db())
                .await?;
                let mut more = u32::try_from(due.len()) == Ok(limit);
                let Some(now) = due.first().map(|row| row.now) else {
                    return Ok(DueSites { queued: Vec::new(), more });
                };
                let mut new = Vec::new();
                let (mut ids, mut nexts) = (Vec::new(), Vec::new());
                for row in due {
                    let site: SiteId = match row.id.parse() {
                        Ok(site) => site,
                        Err(error) => {
                            let problem = Corrupt::new("sites", &row.id, Box::new(error));
                            // A row that would be met again at once is left until later.
                            more &= self.unreadable().due.add(row.id, &problem);
                            continue;
                        }
                    };
                    // Its other sites can't be read for the same reason.
                    let team_id = row.team.id().to_owned();
                    let team = match row.team.team() {
                        Ok(team) => team,
                        Err(problem) => {
                            more &= self.unreadable().due.add(team_id, &problem);
                            continue;
                        }
                    };
                    ids.push(row.id);
                    nexts.push(next_scan_at(site, team.plan.limits.check_frequency, now));
                    if team.is_served(now) {
                        let pages_requested = team.plan.limits.pages_per_check;
                        let (id, depth) = (ScanId::generate(now), ScanKind::Scheduled.usual_depth());
                        new.push(NewScan { id, team: team.id, site, pages_requested, depth });
                    }
                }
                let queued = enqueue(tx.db(), &new, ScanKind::Scheduled, Urgency::Scheduled, now).await?;
                move_next_scans(tx.db(), ids, nexts).await?;
                Ok(DueSites { queued, more })
            })
            .await?;
        if !due.queued.is_empty() {
            self.node().hint(Work::Scans);
        }
        Ok(due)
    }

    async fn claim_scan(&self, worker: &WorkerId, term: TimeDelta) -> Result<Option<ClaimedScan>, StoreError> {
        // One transaction for each check that is considered: those that are abandoned stay so, however many there are.
        loop {
            let taken = self
                .transaction(async |mut tx| {
                    take_next::<StoreError>(&mut tx, worker, term, &self.unreadable().scans.ids()).await
                })
                .await?;
            match taken {
                Taken::Claimed(claimed) => {
                    self.node().pass_on(Work::Scans);
                    self.node().pass_on(Work::Events);
                    return Ok(Some(*claimed));
                }
                Taken::AttemptsUsedUp(id) => self.give_up(id).await?,
                Taken::Unreadable(id, problem) => {
                    if !self.unreadable().scans.add(id, &problem) {
                        return Err(problem.into());
                    }
                }
                Taken::Nothing => return Ok(None),
            }
        }
    }

    async fn renew_lease(&self, claim: Claim, term: TimeDelta, pages: PageCounts) -> Result<(), LeaseError> {
        self.transaction(async |mut tx| {
            let renew = |held: ScanState, now| held.renew(claim.token, term, pages, now);
            move_on(&mut tx, claim.scan, None, renew).await.map(drop)
        })
        .await
    }

    async fn hand_back(&self, claim: Claim) -> Result<(), LeaseError> {
        self.transaction(async |mut tx| {
            move_on(&mut tx, claim.scan, None, |held, now| held.hand_back(claim.token, now)).await.map(drop)
        })
        .await?;
        self.node().hint(Work::Scans);
        Ok(())
    }

    async fn retry_scan(&self, claim: Claim, delay: TimeDelta, next: RetryBy) -> Result<(), LeaseError> {
        self.transaction(async |mut tx| {
            let retry = |held: ScanState, now| held.retry_at(claim.token, now + delay, next);
            move_on(&mut tx, claim.scan, None, retry).await.map(drop)
        })
        .await
    }

    async fn complete_scan(&self, claim: Claim, completion: Completion) -> Result<Scan, LeaseError> {
        let Completion { finished_at, outcome, findings, screenshots, screen, events, memo } = completion;
        // Before the transaction: nothing is locked while the processor works.
        let findings = PackedFindings::pack(findings).await?;
        let mut results = Results {
            findings: &findings,
            screenshots: &screenshots,
            screen: screen.as_ref(),
            upload: None,
            memo: memo.as_ref(),
        };
        let upload = match self.objects() {
            Some(objects) if screen.is_some() || !screenshots.is_empty() => {
                let upload = self.upload(objects, claim.scan, results.files()).await.map_err(|error| match error {
                    UploadError::Store(error) => LeaseError::Store(error),
                    UploadError::Objects(error) => LeaseError::Pictures(Box::new(error)),
                })?;
                Some(upload.ok_or(LeaseError::Gone)?)
            }
            Some(_) | None => None,
        };
        results.upload = upload.as_deref();
        let (scan, stored) = self
            .transaction(async |mut tx| {
                // The instant is that of the result, whatever the clock says by now.
                let complete = |held: ScanState, _| held.complete(claim.token, outcome.clone(), finished_at);
                let scan = move_on(&mut tx, claim.scan, Some(ScanEventKind::Completed), complete).await?;
                results::insert(tx.db(), &scan, &results).await?;
                if let Some(upload) = results.upload {
                    adopt(tx.db(), scan.team, upload).await?;
                }
                let stored = store_events(&mut tx, scan.team, &events).await?;
                Ok((scan, stored))
            })
            .await?;
        self.node().pass_on(Work::Events);
        if stored == Stored::Deliveries {
            self.node().hint(Work::Deliveries);
        }
        Ok(scan)
    }

    async fn memo(&self, team: TeamId, site: SiteId, scan: ScanId) -> Result<Option<Memo>, StoreError> {
        self.step(|| async {
            let mut session = self.session().await?;
            let row: Option<(DateTime<Utc>, Option<DateTime<Utc>>, Vec<u8>)> = sqlx::query_as(
                "SELECT full_at, barred_until, document FROM memos WHERE site_id = $1 AND team_id = $2 AND scan_id = $3",
            )
            .bind(Id(site))
            .bind(Id(team))
            .bind(Id(scan))
            .fetch_optional(&mut *session)
            .await?;
            session.leave_ready();
            Ok(row.map(|(full_at, barred_until, document)| Memo { full_at, barred_until, document }))
        })
        .await
    }

    async fn fail_scan(&self, claim: Claim, failure: ScanFailure) -> Result<Scan, LeaseError> {
        let failed = self
            .transaction(async |mut tx| {
                // It may be given back, and notes that its failure was reported.
                lock_site(tx.db(), claim.scan).await?;
                let fail = |held: ScanState, now| held.fail(claim.token, failure.clone(), now);
                let failed = move_on(&mut tx, claim.scan, Some(ScanEventKind::Failed), fail).await?;
                give_back(tx.db(), &failed).await?;
                notices::failed(tx.db(), &failed).await?;
                Ok(failed)
            })
            .await?;
        self.node().pass_on(Work::Events);
        Ok(failed)
    }

    async fn running_scans(&self, limit: u32) -> Result<Vec<Scan>, StoreError> {
        self.step(|| async {
            let rows: Vec<ScanRow> = sqlx::query_as(concat!(
                "SELECT ",
                scan_columns!(),
                " FROM active_scans a JOIN scans s ON s.id = a.scan_id
                  WHERE a.lease_worker IS NOT NULL ORDER BY a.started_at, a.scan_id LIMIT $1",
            ))
            .bind(i64::from(limit))
            .fetch_all(&mut *self.session().await?)
            .await?;
            Ok(rows.into_iter().map(ScanRow::scan).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn queue_depth(&self) -> Result<QueueDepth, StoreError> {
        self.step(|| async {
            let counted: Vec<(String, i64, Option<DateTime<Utc>>)> = sqlx::query_as(concat!(
                "SELECT urgency, count(*), min(queued_at) FROM active_scans WHERE ",
                twins::scan_is_due!("coalesce($1, statement_timestamp())"),
                " GROUP BY urgency",
            ))
            .bind(self.instant())
            .fetch_all(&mut *self.session().await?)
            .await?;
            let of = |urgency: Urgency| {
                let row = counted.iter().find(|(word, ..)| word == urgency.as_str());
                row.map_or_else(Waiting::default, |(_, checks, oldest)| Waiting {
                    checks: checks.unsigned_abs(),
                    oldest: *oldest,
                })
            };
            Ok(QueueDepth { requested: of(Urgency::Requested), scheduled: of(Urgency::Scheduled) })
        })
        .await
    }
}

impl PostgresStore {
    /// Abandons a check that was begun as often as it may be.
    async fn give_up(&self, scan: ScanId) -> Result<(), StoreError> {
        let given_up = self.transaction(async |mut tx| give_up(&mut tx, scan).await).await;
        match given_up {
            Ok(()) => {
                self.node().pass_on(Work::Events);
                Ok(())
            }
            // Its last worker came back, another caller was faster, or the site was deleted.
            Err(LeaseError::Refused(_) | LeaseError::Gone) => Ok(()),
            Err(LeaseError::Store(error)) => Err(error),
            Err(other) => Err(StoreError::Unavailable(other.into())),
        }
    }
}

/// Sets the instants at which sites are checked next.
pub(crate) async fn move_next_scans(
    db: &mut PgConnection,
    ids: Vec<String>,
    nexts: Vec<DateTime<Utc>>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE sites SET next_scan_at = moved.next_scan_at
         FROM unnest($1::text[], $2::timestamptz[]) AS moved (id, next_scan_at)
         WHERE sites.id = moved.id",
    )
    .bind(ids)
    .bind(nexts)
    .execute(db)
    .await?;
    Ok(())
}

/// A site whose next check is due, with its team.
#[derive(FromRow)]
struct DueRow {
    id: String,
    now: DateTime<Utc>,
    #[sqlx(flatten)]
    team: TeamRow,
}
