//! Giving a manual check back that failed through our own fault.

use a11ycheck_core::{
    domain::{ManualChecks, Scan, ScanKind, ScanState},
    id::ScanId,
};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::{
    db::error::Failure,
    teams::rows::{PlanDocument, read_plan},
};

/// Locks the site of a check that may be given back when it fails: sites come before active checks in the order of locks.
pub(crate) async fn lock_site(db: &mut PgConnection, scan: ScanId) -> Result<(), sqlx::Error> {
    sqlx::query("SELECT FROM sites WHERE id = (SELECT site_id FROM scans WHERE id = $1) FOR NO KEY UPDATE")
        .bind(scan.to_string())
        .execute(db)
        .await?;
    Ok(())
}

/// Gives a check back that has failed, as [`ManualChecks::failed`] says. The caller has locked the site.
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
    .bind(scan.site.to_string())
    .fetch_optional(&mut *db)
    .await?;
    let Some((last_at, previous_at, given_back_at, plan)) = row else { return Ok(()) };
    let interval = match read_plan(plan) {
        Ok(plan) => plan.limits.manual_check_interval,
        // A check must be able to fail whatever its team's plan looks like.
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
        .bind(scan.site.to_string())
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
