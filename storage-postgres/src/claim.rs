//! Giving the next check to a worker.

use a11ycheck_core::{
    domain::{Scan, ScanState, Site, TransitionError, TransitionRefusal},
    id::{ScanId, WorkerId},
    store::{Claim, ClaimedScan, LeaseError},
};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{FromRow, PgConnection};

use crate::{
    error::{Corrupt, Failure},
    give_back::{give_back, lock_site},
    moves::{move_on, write_state},
    rows::{ScanRow, SiteRow, scan_columns, site_columns},
};

/// What became of the check that has waited longest.
pub(crate) enum Taken {
    /// It was given to the worker.
    Claimed(Box<ClaimedScan>),
    /// It was begun as often as it may be, and is to be given up.
    WornOut(ScanId),
    /// It can't be read, and was left as it is; its id.
    Unreadable(String, Corrupt),
    /// There is none.
    Nothing,
}

/// Gives the check that has waited longest to the worker. What another caller has locked is passed over, and so is
/// `unreadable`.
pub(crate) async fn take_next<E>(
    db: &mut PgConnection,
    worker: &WorkerId,
    term: TimeDelta,
    unreadable: &[String],
    instant: Option<DateTime<Utc>>,
) -> Result<Taken, Failure<E>> {
    let next: Option<NextRow> = sqlx::query_as(concat!(
        "WITH instant AS MATERIALIZED (
             SELECT coalesce($1, clock_timestamp()) AS now
         ), a AS MATERIALIZED (
             SELECT * FROM active_scans
             WHERE (lease_expires_at IS NULL OR lease_expires_at <= (SELECT now FROM instant)) AND scan_id <> ALL ($2)
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
    .bind(unreadable)
    .fetch_optional(&mut *db)
    .await?;
    let Some(next) = next else { return without_partner(db, unreadable, instant).await };
    let id = next.scan.id().to_owned();
    let (scan, site) = match next.claimed(worker, term) {
        Ok(Claimed::Running(running)) => *running,
        Ok(Claimed::WornOut(scan)) => return Ok(Taken::WornOut(scan)),
        Err(problem) => return Ok(Taken::Unreadable(id, problem)),
    };
    write_state(db, scan.id, &scan.state).await?;
    let ScanState::Running { lease, .. } = &scan.state else {
        return Err(Corrupt::new("active_scans", scan.id, "it was claimed, and is not running").into());
    };
    let claim = Claim { scan: scan.id, token: lease.token };
    Ok(Taken::Claimed(Box::new(ClaimedScan { claim, scan, site })))
}

/// Gives up a check that was begun as often as it may be. Nothing is left to do where its last worker came back, or another
/// caller was faster.
pub(crate) async fn give_up(
    db: &mut PgConnection,
    scan: ScanId,
    instant: Option<DateTime<Utc>>,
) -> Result<(), Failure<LeaseError>> {
    lock_site(db, scan).await?;
    let given_up = move_on(db, scan, instant, |held, now| held.abandon(now)).await?;
    give_back(db, &given_up).await
}

/// A row of the queue may stand alone, as there are no foreign keys: whoever takes up the work would find nothing, for ever.
async fn without_partner<E>(
    db: &mut PgConnection,
    unreadable: &[String],
    instant: Option<DateTime<Utc>>,
) -> Result<Taken, Failure<E>> {
    let alone: Option<String> = sqlx::query_scalar(
        "SELECT scan_id FROM active_scans a
         WHERE (lease_expires_at IS NULL OR lease_expires_at <= coalesce($1, clock_timestamp())) AND scan_id <> ALL ($2)
             AND NOT EXISTS (SELECT FROM scans s JOIN sites site ON site.id = s.site_id WHERE s.id = a.scan_id)
         LIMIT 1",
    )
    .bind(instant)
    .bind(unreadable)
    .fetch_optional(db)
    .await?;
    Ok(alone.map_or(Taken::Nothing, |id| {
        let problem = Corrupt::new("active_scans", &id, "there is no such check, or no site of it");
        Taken::Unreadable(id, problem)
    }))
}

#[derive(FromRow)]
struct NextRow {
    now: DateTime<Utc>,
    #[sqlx(flatten)]
    scan: ScanRow,
    #[sqlx(flatten)]
    site: SiteRow,
}

impl NextRow {
    fn claimed(self, worker: &WorkerId, term: TimeDelta) -> Result<Claimed, Corrupt> {
        let (mut scan, site) = (self.scan.scan()?, self.site.site()?);
        match scan.state.clone().claim(worker.clone(), term, self.now) {
            Ok(running) => {
                scan.state = running;
                Ok(Claimed::Running(Box::new((scan, site))))
            }
            Err(TransitionError { refusal: TransitionRefusal::AttemptsUsedUp, .. }) => Ok(Claimed::WornOut(scan.id)),
            Err(problem) => Err(Corrupt::new("active_scans", scan.id, problem)),
        }
    }
}

/// What a claim makes of a check that is due.
enum Claimed {
    Running(Box<(Scan, Site)>),
    WornOut(ScanId),
}
