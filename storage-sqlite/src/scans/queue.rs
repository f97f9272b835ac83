//! Checks, as workers and the scheduler see them.

use std::collections::HashMap;

use a11ycheck_core::{
    domain::{
        Failure as ScanFailure, Memo, PageCounts, RetryBy, Scan, ScanEventKind, ScanKind, ScanState, Team, Urgency,
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
use sqlx::SqliteConnection;

use crate::{
    SqliteStore,
    db::{
        columns::json,
        error::{Corrupt, Failure},
        ids::{At, Id},
        transaction::Tx,
    },
    deliveries::outbox::{Stored, store_events},
    mails::notices,
    scans::{
        claim::take_next,
        enqueue::{NewScan, enqueue},
        moves::{give_back, move_on},
        results::{self, Results},
        rows::{ScanRow, scan_columns},
    },
    teams::rows::{TeamRow, team_columns},
    twins,
};

#[async_trait]
impl QueueStore for SqliteStore {
    async fn queue_due_scans(&self, limit: u32) -> Result<DueSites, StoreError> {
        let due = self.write(async |mut tx| self.queue_due(&mut tx, limit).await).await?;
        if !due.queued.is_empty() {
            self.hints().give(Work::Scans);
        }
        Ok(due)
    }

    async fn claim_scan(&self, worker: &WorkerId, term: TimeDelta) -> Result<Option<ClaimedScan>, StoreError> {
        loop {
            let taken =
                self.write(async |mut tx| take_next(&mut tx, worker, term, &self.unreadable().scans).await).await;
            let taken = match taken {
                Ok(taken) => taken,
                Err(LeaseError::Store(error)) => return Err(error),
                // Nobody else changes what the transaction has read.
                Err(other) => return Err(StoreError::Unavailable(other.into())),
            };
            if taken.has_given_up || taken.claimed.is_some() {
                self.hints().give(Work::Events);
            }
            if taken.claimed.is_some() {
                self.hints().give(Work::Scans);
            }
            if !taken.is_to_continue {
                return Ok(taken.claimed);
            }
        }
    }

    async fn renew_lease(&self, claim: Claim, term: TimeDelta, pages: PageCounts) -> Result<(), LeaseError> {
        self.write(async |mut tx| {
            let renew = |held: ScanState, now| held.renew(claim.token, term, pages, now);
            move_on(&mut tx, claim.scan, None, renew).await.map(drop)
        })
        .await
    }

    async fn hand_back(&self, claim: Claim) -> Result<(), LeaseError> {
        self.write(async |mut tx| {
            move_on(&mut tx, claim.scan, None, |held, now| held.hand_back(claim.token, now)).await.map(drop)
        })
        .await?;
        self.hints().give(Work::Scans);
        Ok(())
    }

    async fn retry_scan(&self, claim: Claim, delay: TimeDelta, next: RetryBy) -> Result<(), LeaseError> {
        self.write(async |mut tx| {
            let retry = |held: ScanState, now| held.retry_at(claim.token, now + delay, next);
            move_on(&mut tx, claim.scan, None, retry).await.map(drop)
        })
        .await
    }

    async fn complete_scan(&self, claim: Claim, completion: Completion) -> Result<Scan, LeaseError> {
        let Completion { finished_at, outcome, findings, screenshots, screen, events, memo } = completion;
        // Before the transaction: no other step waits while the processor works.
        let findings = PackedFindings::pack(findings).await?;
        let results =
            Results { findings: &findings, screenshots: &screenshots, screen: screen.as_ref(), memo: memo.as_ref() };
        let (scan, stored) = self
            .write(async |mut tx| {
                // The instant is that of the result, whatever the clock says by now.
                let complete = |held: ScanState, _| held.complete(claim.token, outcome, finished_at);
                let scan = move_on(&mut tx, claim.scan, Some(ScanEventKind::Completed), complete).await?;
                results::insert(tx.db(), &scan, &results).await?;
                let stored = store_events(&mut tx, scan.team, &events).await?;
                Ok((scan, stored))
            })
            .await?;
        self.hints().give(Work::Events);
        if stored == Stored::Deliveries {
            self.hints().give(Work::Deliveries);
        }
        Ok(scan)
    }

    async fn memo(&self, team: TeamId, site: SiteId, scan: ScanId) -> Result<Option<Memo>, StoreError> {
        self.read(async |mut db| {
            let row: Option<(At, Option<At>, Vec<u8>)> = sqlx::query_as(
                "SELECT full_at, barred_until, document FROM memos WHERE site_id = ?1 AND team_id = ?2 AND scan_id = ?3",
            )
            .bind(Id(site))
            .bind(Id(team))
            .bind(Id(scan))
            .fetch_optional(&mut *db)
            .await?;
            let memo = |(full_at, barred_until, document): (At, Option<At>, _)| Memo {
                full_at: full_at.0,
                barred_until: barred_until.map(|At(until)| until),
                document,
            };
            Ok(row.map(memo))
        })
        .await
    }

    async fn fail_scan(&self, claim: Claim, failure: ScanFailure) -> Result<Scan, LeaseError> {
        let failed = self
            .write(async |mut tx| {
                let fail = |held: ScanState, now| held.fail(claim.token, failure, now);
                let failed = move_on(&mut tx, claim.scan, Some(ScanEventKind::Failed), fail).await?;
                give_back(tx.db(), &failed).await?;
                notices::failed(tx.db(), &failed).await?;
                Ok(failed)
            })
            .await?;
        self.hints().give(Work::Events);
        Ok(failed)
    }

    async fn running_scans(&self, limit: u32) -> Result<Vec<Scan>, StoreError> {
        self.read(async |mut db| {
            let rows: Vec<ScanRow> = sqlx::query_as(concat!(
                "SELECT ",
                scan_columns!(),
                " FROM active_scans a INDEXED BY active_scans_running CROSS JOIN scans s ON s.id = a.scan_id
                  WHERE a.lease_worker IS NOT NULL ORDER BY a.started_at, a.scan_id LIMIT ?1",
            ))
            .bind(i64::from(limit))
            .fetch_all(&mut *db)
            .await?;
            Ok(rows.into_iter().map(ScanRow::scan).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn queue_depth(&self) -> Result<QueueDepth, StoreError> {
        self.read(async |mut db| {
            let counted: Vec<(String, i64, Option<At>)> = sqlx::query_as(concat!(
                "SELECT urgency, count(*), min(queued_at) FROM active_scans WHERE ",
                twins::scan_is_due!("", "?1"),
                " GROUP BY urgency",
            ))
            .bind(At(self.time()))
            .fetch_all(&mut *db)
            .await?;
            let of = |urgency: Urgency| {
                let row = counted.iter().find(|(word, ..)| word == urgency.as_str());
                row.map_or_else(Waiting::default, |(_, checks, oldest)| Waiting {
                    checks: checks.unsigned_abs(),
                    oldest: oldest.map(|at| at.0),
                })
            };
            Ok(QueueDepth { requested: of(Urgency::Requested), scheduled: of(Urgency::Scheduled) })
        })
        .await
    }
}

impl SqliteStore {
    async fn queue_due(&self, tx: &mut Tx, limit: u32) -> Result<DueSites, Failure<StoreError>> {
        let (now, skipped) = (tx.now(), &self.unreadable().due);
        let due: Vec<(String, String)> = sqlx::query_as(
            "SELECT id, team_id FROM sites
             WHERE next_scan_at <= ?1
                 AND id NOT IN (SELECT value FROM json_each(?3)) AND team_id NOT IN (SELECT value FROM json_each(?3))
             ORDER BY next_scan_at, id LIMIT ?2",
        )
        .bind(At(now))
        .bind(i64::from(limit))
        .bind(json(skipped.ids())?)
        .fetch_all(tx.db())
        .await?;
        let mut more = u32::try_from(due.len()) == Ok(limit);
        let mut queued = Vec::new();
        let mut teams: HashMap<String, Team> = HashMap::new();
        for (id, team_id) in due {
            let site: SiteId = match id.parse() {
                Ok(site) => site,
                Err(error) => {
                    // A row that would be met again at once is left until later.
                    more &= skipped.add(id.clone(), &Corrupt::new("sites", &id, Box::new(error)));
                    continue;
                }
            };
            if !teams.contains_key(&team_id) {
                match team(tx.db(), &team_id).await {
                    Ok(team) => drop(teams.insert(team_id.clone(), team)),
                    Err(Failure::Corrupt(problem)) => {
                        // Its other sites can't be read for the same reason.
                        more &= skipped.add(team_id, &problem);
                        continue;
                    }
                    Err(other) => return Err(other),
                }
            }
            let Some(team) = teams.get(&team_id) else { continue };
            move_next_scan(tx.db(), &id, next_scan_at(site, team.plan.limits.check_frequency, now)).await?;
            if team.is_served(now) {
                let pages_requested = team.plan.limits.pages_per_check;
                let (kind, id) = (ScanKind::Scheduled, ScanId::generate(now));
                let new = NewScan { id, team: team.id, site, pages_requested, depth: kind.usual_depth() };
                queued.extend(enqueue(tx.db(), new, kind, Urgency::Scheduled, now).await?);
            }
        }
        Ok(DueSites { queued, more })
    }
}

async fn team(db: &mut SqliteConnection, id: &str) -> Result<Team, Failure<StoreError>> {
    let row: Option<TeamRow> = sqlx::query_as(concat!(
        "SELECT ",
        team_columns!(),
        " FROM teams t JOIN plans p ON p.code = t.plan_code WHERE t.id = ?1",
    ))
    .bind(id)
    .fetch_optional(db)
    .await?;
    Ok(row.ok_or_else(|| Corrupt::new("teams", id, "it has a site, and it is missing"))?.team()?)
}

/// Sets the instant at which a site is checked next.
pub(crate) async fn move_next_scan(
    db: &mut SqliteConnection,
    site: &str,
    next: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE sites SET next_scan_at = ?2 WHERE id = ?1")
        .bind(site)
        .bind(At(next))
        .execute(db)
        .await
        .map(drop)
}
