//! The one way in which a check changes its state: locked, decided by the domain, written. And what follows if a manual
//! check failed through our own fault.

use a11ycheck_core::{
    domain::{Lease, ManualChecks, Scan, ScanEventKind, ScanKind, ScanState, TransitionError},
    id::ScanId,
    store::LeaseError,
};
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, types::Json};
use sqlx_macros::FromRow;

use crate::{
    db::{
        error::{Corrupt, Failure},
        ids::Id,
        transaction::Tx,
    },
    scans::rows::{ScanRow, scan_columns},
    teams::rows::{PlanDocument, read_plan},
};

/// Changes the state of a check as its holder asks: the domain decides, and a refusal changes nothing. Returns the
/// check as it is afterwards. If `logged` names a kind of entry, that entry is written too.
pub(crate) async fn move_on(
    tx: &mut Tx,
    id: ScanId,
    logged: Option<ScanEventKind>,
    decide: impl FnOnce(ScanState, DateTime<Utc>) -> Result<ScanState, TransitionError>,
) -> Result<Scan, Failure<LeaseError>> {
    let HeldRow { now, scan } = lock(tx, id).await?.ok_or(Failure::Refused(LeaseError::Gone))?;
    let mut scan = scan.scan()?;
    scan.state = decide(scan.state, now).map_err(|refusal| Failure::Refused(refusal.into()))?;
    write_state(tx.db(), id, &scan.state, logged.map(|kind| Logged { kind, at: now })).await?;
    Ok(scan)
}

/// Locks a check that is queued or running; one that has ended is returned without a lock, since it never changes
/// again.
async fn lock(tx: &mut Tx, id: ScanId) -> Result<Option<HeldRow>, sqlx::Error> {
    let active = sqlx::query_as(concat!(
        "WITH a AS MATERIALIZED (SELECT * FROM active_scans WHERE scan_id = $1 FOR UPDATE)
         SELECT coalesce($2, clock_timestamp()) AS now, ",
        scan_columns!(),
        " FROM a JOIN scans s ON s.id = a.scan_id",
    ))
    .bind(Id(id))
    .bind(tx.instant())
    .fetch_optional(tx.db())
    .await?;
    if active.is_some() {
        return Ok(active);
    }
    sqlx::query_as(concat!(
        "SELECT coalesce($2, clock_timestamp()) AS now, ",
        scan_columns!(),
        " FROM scans s LEFT JOIN active_scans a ON a.scan_id = s.id WHERE s.id = $1",
    ))
    .bind(Id(id))
    .bind(tx.instant())
    .fetch_optional(tx.db())
    .await
}

/// Makes the team of the check `$1`, which ends at `$3`, due for the purge: an older check of its site may no longer be
/// the latest.
///
/// Most teams are due already, because an earlier check ended after their last purge. Their row is only locked against
/// the purge until this transaction commits. The lock is shared, so that checks of one team are stored without waiting
/// for each other. Without a lock, a purge that runs before the commit would not see this check, and could postpone the
/// team's next purge by a month. If a purge is under way, this statement waits for it, and then compares the instant
/// that the purge has written.
macro_rules! made_due {
    () => {
        "due AS MATERIALIZED (
             SELECT r.team_id FROM retention r
             WHERE r.team_id = (SELECT team_id FROM scans WHERE id = $1) AND r.due_at <= greatest($3, r.held_until)
             FOR KEY SHARE
         ), made_due AS (
             INSERT INTO retention AS r (team_id, due_at) SELECT team_id, $3 FROM scans
             WHERE id = $1 AND NOT EXISTS (SELECT FROM due)
             ON CONFLICT (team_id) DO UPDATE SET due_at = greatest(excluded.due_at, r.held_until)
             WHERE r.due_at > greatest(excluded.due_at, r.held_until)
         )"
    };
}

/// Writes an entry about the check `$1`, in the statement that makes the change, so that the log costs no further one.
macro_rules! logged {
    ($kind:literal, $at:literal) => {
        concat!(
            "logged AS (
                 INSERT INTO scan_events (kind, team_id, site_id, scan_id, at)
                 SELECT ",
            $kind,
            ", team_id, site_id, id, ",
            $at,
            " FROM scans WHERE id = $1
             )"
        )
    };
}

/// Changes the lease of the check `$1`.
macro_rules! leased {
    () => {
        "UPDATE active_scans
         SET lease_worker = $2, lease_token = $3, lease_expires_at = $4, attempt = $5, started_at = $6,
             pages_scanned = $7, pages_found = $8
         WHERE scan_id = $1"
    };
}

/// An entry that is to be written into the log of occurrences.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Logged {
    pub(crate) kind: ScanEventKind,
    pub(crate) at: DateTime<Utc>,
}

/// Writes the state of a check that the caller has locked, and the entry for the log, which every check that ends must
/// have.
pub(crate) async fn write_state<E>(
    db: &mut PgConnection,
    id: ScanId,
    state: &ScanState,
    logged: Option<Logged>,
) -> Result<(), Failure<E>> {
    let end = || logged.ok_or_else(|| Corrupt::new("scans", id, "it ends, and nothing is logged of it"));
    let written = match state {
        ScanState::Running {
            lease: Lease { worker, token, expires_at },
            attempt,
            started_at,
            pages_scanned,
            pages_found,
        } => {
            let statement = match logged {
                Some(_) => concat!("WITH ", logged!("$9", "$10"), " ", leased!()),
                None => leased!(),
            };
            let mut query = sqlx::query(statement)
                .bind(Id(id))
                .bind(Id(worker))
                .bind(token.get())
                .bind(expires_at)
                .bind(i64::from(*attempt))
                .bind(started_at)
                .bind(i64::from(*pages_scanned))
                .bind(i64::from(*pages_found));
            if let Some(Logged { kind, at }) = &logged {
                query = query.bind(kind.as_str()).bind(at);
            }
            query.execute(db).await?
        }
        ScanState::Completed { started_at, finished_at, outcome } => {
            let problems = i64::try_from(outcome.totals.total()).map_err(|error| Corrupt::new("scans", id, error))?;
            let Logged { kind, at } = end()?;
            sqlx::query(concat!(
                "WITH active AS (DELETE FROM active_scans WHERE scan_id = $1), ",
                made_due!(),
                ", ",
                logged!("$6", "$7"),
                " UPDATE scans SET started_at = $2, finished_at = $3, outcome = $4, problems = $5 WHERE id = $1",
            ))
            .bind(Id(id))
            .bind(started_at)
            .bind(finished_at)
            .bind(Json(outcome))
            .bind(problems)
            .bind(kind.as_str())
            .bind(at)
            .execute(db)
            .await?
        }
        ScanState::Failed { started_at, finished_at, pages_scanned, failure } => {
            let Logged { kind, at } = end()?;
            sqlx::query(concat!(
                "WITH active AS (DELETE FROM active_scans WHERE scan_id = $1), ",
                made_due!(),
                ", ",
                logged!("$6", "$7"),
                " UPDATE scans SET started_at = $2, finished_at = $3, pages_scanned = $4, failure = $5 WHERE id = $1",
            ))
            .bind(Id(id))
            .bind(started_at)
            .bind(finished_at)
            .bind(i64::from(*pages_scanned))
            .bind(Json(failure))
            .bind(kind.as_str())
            .bind(at)
            .execute(db)
            .await?
        }
        ScanState::Queued => return Err(Corrupt::new("scans", id, "nothing moves a check back into the queue").into()),
    };
    if written.rows_affected() == 1 {
        Ok(())
    } else {
        Err(Corrupt::new("scans", id, "it was locked, and is gone").into())
    }
}

/// Locks the site of a manual check that may be given back when it fails: sites come before active checks in the order
/// of locks.
pub(crate) async fn lock_site(db: &mut PgConnection, scan: ScanId) -> Result<(), sqlx::Error> {
    sqlx::query("SELECT FROM sites WHERE id = (SELECT site_id FROM scans WHERE id = $1) FOR NO KEY UPDATE")
        .bind(Id(scan))
        .execute(db)
        .await?;
    Ok(())
}

/// Gives a manual check that has failed back to its team, as [`ManualChecks::failed`] says. The caller has locked the
/// site.
pub(crate) async fn give_back<E>(db: &mut PgConnection, scan: &Scan) -> Result<(), Failure<E>> {
    let (ScanState::Failed { failure, .. }, ScanKind::Manual) = (&scan.state, scan.kind) else { return Ok(()) };
    if !failure.code.is_our_fault() {
        return Ok(());
    }
    let row: Option<ManualRow> = sqlx::query_as(
        "SELECT site.last_manual_at, site.previous_manual_at, site.manual_given_back_at, p.document
         FROM sites site JOIN teams t ON t.id = site.team_id JOIN plans p ON p.code = t.plan_code
         WHERE site.id = $1",
    )
    .bind(Id(scan.site))
    .fetch_optional(&mut *db)
    .await?;
    let Some((last_at, previous_at, given_back_at, plan)) = row else { return Ok(()) };
    let interval = match read_plan(plan) {
        Ok(plan) => plan.limits.manual_check_interval,
        // A check must be able to fail whatever its team's plan contains.
        Err(problem) => {
            let error: &dyn std::error::Error = &problem;
            tracing::warn!(scan = %scan.id, error, "A manual check was not given back");
            return Ok(());
        }
    };
    let before = ManualChecks { last_at, previous_at, given_back_at };
    let after = before.failed(scan.queued_at, failure.code, interval);
    if after != before {
        sqlx::query(
            "UPDATE sites SET last_manual_at = $2, previous_manual_at = $3, manual_given_back_at = $4 WHERE id = $1",
        )
        .bind(Id(scan.site))
        .bind(after.last_at)
        .bind(after.previous_at)
        .bind(after.given_back_at)
        .execute(db)
        .await?;
    }
    Ok(())
}

/// The columns of [`ManualChecks`], and the plan.
type ManualRow = (Option<DateTime<Utc>>, Option<DateTime<Utc>>, Option<DateTime<Utc>>, PlanDocument);

#[derive(FromRow)]
struct HeldRow {
    now: DateTime<Utc>,
    #[sqlx(flatten)]
    scan: ScanRow,
}
