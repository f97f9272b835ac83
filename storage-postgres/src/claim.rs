//! Giving the next check to a worker.

use a11ycheck_core::{
    domain::{ScanState, TransitionError, TransitionRefusal},
    id::WorkerId,
    store::{Claim, ClaimedScan},
};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{FromRow, PgConnection};

use crate::{
    error::{Corrupt, Failure},
    moves::write_state,
    rows::{ScanRow, SiteRow, scan_columns, site_columns},
};

/// What became of the check that has waited longest.
pub(crate) enum Taken {
    /// It was given to the worker.
    Claimed(Box<ClaimedScan>),
    /// It was begun as often as it may be, and has failed.
    GivenUp,
    /// There is none.
    Nothing,
}

/// Gives the check that has waited longest to the worker. What another caller has locked is passed over.
pub(crate) async fn take_next<E>(
    db: &mut PgConnection,
    worker: &WorkerId,
    term: TimeDelta,
    instant: Option<DateTime<Utc>>,
) -> Result<Taken, Failure<E>> {
    let next: Option<NextRow> = sqlx::query_as(concat!(
        "WITH instant AS MATERIALIZED (
             SELECT coalesce($1, clock_timestamp()) AS now
         ), a AS MATERIALIZED (
             SELECT * FROM active_scans
             WHERE lease_expires_at IS NULL OR lease_expires_at <= (SELECT now FROM instant)
             ORDER BY queued_at, scan_id LIMIT 1
             FOR UPDATE SKIP LOCKED
         )
         SELECT instant.now, ",
        scan_columns!(),
        ", ",
        site_columns!(),
        " FROM a JOIN scans s ON s.id = a.scan_id JOIN sites site ON site.id = s.site_id CROSS JOIN instant",
    ))
    .bind(instant)
    .fetch_optional(&mut *db)
    .await?;
    let Some(NextRow { now, scan, site }) = next else { return Ok(Taken::Nothing) };
    let (mut scan, site) = (scan.scan()?, site.site()?);
    let corrupt = |problem: TransitionError| Corrupt::new("active_scans", scan.id, problem);
    match scan.state.clone().claim(worker.clone(), term, now) {
        Ok(running) => scan.state = running,
        Err(TransitionError { refusal: TransitionRefusal::AttemptsUsedUp, .. }) => {
            let failed = scan.state.clone().abandon(now).map_err(corrupt)?;
            write_state(db, scan.id, &failed).await?;
            return Ok(Taken::GivenUp);
        }
        Err(error) => return Err(corrupt(error).into()),
    }
    write_state(db, scan.id, &scan.state).await?;
    let ScanState::Running { lease, .. } = &scan.state else {
        return Err(Corrupt::new("active_scans", scan.id, "it was claimed, and is not running").into());
    };
    let claim = Claim { scan: scan.id, token: lease.token };
    Ok(Taken::Claimed(Box::new(ClaimedScan { claim, scan, site })))
}

#[derive(FromRow)]
struct NextRow {
    now: DateTime<Utc>,
    #[sqlx(flatten)]
    scan: ScanRow,
    #[sqlx(flatten)]
    site: SiteRow,
}
