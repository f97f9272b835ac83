//! The one way in which a check changes its state: read, decided by the domain, written. And what follows if a manual
//! check failed through our own fault.

use a11ycheck_core::{
    domain::{Lease, Scan, ScanEventKind, ScanKind, ScanState, TransitionError},
    id::ScanId,
    store::LeaseError,
};
use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;
use sqlx_macros::FromRow;

use crate::{
    db::{
        columns::json,
        error::{Corrupt, Failure},
        ids::{At, Id},
        transaction::Tx,
    },
    scans::{
        enqueue::write_manual,
        retention::check_ended,
        rows::{ScanRow, scan_columns},
    },
    sites::rows::{ManualRow, manual_columns},
    teams::rows::PlanRow,
};

/// Changes the state of a check as its holder asks: the domain decides, and a refusal changes nothing. Returns the
/// check as it is afterwards. If `logged` names a kind of entry, that entry is written too.
pub(crate) async fn move_on(
    tx: &mut Tx,
    id: ScanId,
    logged: Option<ScanEventKind>,
    decide: impl FnOnce(ScanState, DateTime<Utc>) -> Result<ScanState, TransitionError>,
) -> Result<Scan, Failure<LeaseError>> {
    let now = tx.now();
    let row: Option<ScanRow> = sqlx::query_as(concat!(
        "SELECT ",
        scan_columns!(),
        " FROM scans s LEFT JOIN active_scans a ON a.scan_id = s.id WHERE s.id = ?1",
    ))
    .bind(Id(id))
    .fetch_optional(tx.db())
    .await?;
    let mut scan = row.ok_or(Failure::Refused(LeaseError::Gone))?.scan()?;
    scan.state = decide(scan.state, now).map_err(|refusal| Failure::Refused(refusal.into()))?;
    write_state(tx.db(), &scan, logged.map(|kind| Logged { kind, at: now })).await?;
    Ok(scan)
}

/// An entry that is to be written into the log of occurrences.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Logged {
    pub(crate) kind: ScanEventKind,
    pub(crate) at: DateTime<Utc>,
}

/// Writes the state of a check, and the entry for the log, which every check that ends must have.
pub(crate) async fn write_state<E>(
    db: &mut SqliteConnection,
    scan: &Scan,
    logged: Option<Logged>,
) -> Result<(), Failure<E>> {
    let id = scan.id;
    let written = match &scan.state {
        ScanState::Running {
            lease: Lease { worker, token, expires_at },
            attempt,
            started_at,
            pages_scanned,
            pages_found,
        } => {
            sqlx::query(
                "UPDATE active_scans
                 SET lease_worker = ?2, lease_token = ?3, lease_expires_at = ?4, attempt = ?5, started_at = ?6,
                     pages_scanned = ?7, pages_found = ?8
                 WHERE scan_id = ?1",
            )
            .bind(Id(id))
            .bind(Id(worker))
            .bind(token.get())
            .bind(At(*expires_at))
            .bind(i64::from(*attempt))
            .bind(At(*started_at))
            .bind(i64::from(*pages_scanned))
            .bind(i64::from(*pages_found))
            .execute(&mut *db)
            .await?
        }
        ScanState::Completed { started_at, finished_at, outcome } => {
            let problems = i64::try_from(outcome.totals.total()).map_err(|error| Corrupt::new("scans", id, error))?;
            check_ended(db, scan.team, id, *finished_at).await?;
            sqlx::query("UPDATE scans SET started_at = ?2, finished_at = ?3, outcome = ?4, problems = ?5 WHERE id = ?1")
                .bind(Id(id))
                .bind(At(*started_at))
                .bind(At(*finished_at))
                .bind(json(outcome)?)
                .bind(problems)
                .execute(&mut *db)
                .await?
        }
        ScanState::Failed { started_at, finished_at, pages_scanned, failure } => {
            check_ended(db, scan.team, id, *finished_at).await?;
            sqlx::query(
                "UPDATE scans SET started_at = ?2, finished_at = ?3, pages_scanned = ?4, failure = ?5 WHERE id = ?1",
            )
            .bind(Id(id))
            .bind(At(*started_at))
            .bind(At(*finished_at))
            .bind(i64::from(*pages_scanned))
            .bind(json(failure)?)
            .execute(&mut *db)
            .await?
        }
        ScanState::Queued => return Err(Corrupt::new("scans", id, "nothing moves a check back into the queue").into()),
    };
    if written.rows_affected() != 1 {
        return Err(Corrupt::new("scans", id, "it was read, and is gone").into());
    }
    match logged {
        Some(Logged { kind, at }) => {
            sqlx::query("INSERT INTO scan_events (kind, team_id, site_id, scan_id, at) VALUES (?1, ?2, ?3, ?4, ?5)")
                .bind(kind.as_str())
                .bind(Id(scan.team))
                .bind(Id(scan.site))
                .bind(Id(id))
                .bind(At(at))
                .execute(db)
                .await?;
            Ok(())
        }
        None if scan.state.is_active() => Ok(()),
        None => Err(Corrupt::new("scans", id, "it ends, and nothing is logged of it").into()),
    }
}

/// Gives a manual check that has failed back to its team, as
/// [`ManualChecks::failed`](a11ycheck_core::domain::ManualChecks::failed) says.
pub(crate) async fn give_back<E>(db: &mut SqliteConnection, scan: &Scan) -> Result<(), Failure<E>> {
    let (ScanState::Failed { failure, .. }, ScanKind::Manual) = (&scan.state, scan.kind) else { return Ok(()) };
    if !failure.code.is_our_fault() {
        return Ok(());
    }
    let row: Option<GivenBackRow> = sqlx::query_as(concat!(
        "SELECT p.code AS plan_code, p.document AS plan, ",
        manual_columns!(),
        " FROM sites site JOIN teams t ON t.id = site.team_id JOIN plans p ON p.code = t.plan_code WHERE site.id = ?1",
    ))
    .bind(Id(scan.site))
    .fetch_optional(&mut *db)
    .await?;
    let Some(GivenBackRow { manual, plan }) = row else { return Ok(()) };
    let interval = match plan.plan() {
        Ok(plan) => plan.limits.manual_check_interval,
        // A check must be able to fail whatever its team's plan contains.
        Err(problem) => {
            let error: &dyn std::error::Error = &problem;
            tracing::warn!(scan = %scan.id, error, "A manual check was not given back");
            return Ok(());
        }
    };
    let before = manual.checks();
    let after = before.failed(scan.queued_at, failure.code, interval);
    if after != before {
        write_manual(db, scan.site, after).await?;
    }
    Ok(())
}

#[derive(FromRow)]
struct GivenBackRow {
    #[sqlx(flatten)]
    manual: ManualRow,
    #[sqlx(flatten)]
    plan: PlanRow,
}
