//! The purge of checks that have left the history of their team's plan, unless that history became shorter a short
//! while ago.

use a11ycheck_core::{
    domain::{PlanCode, is_held},
    id::{ScanId, TeamId},
    store::StoreError,
};
use chrono::{DateTime, Datelike as _, Months, NaiveTime, TimeDelta, Utc};
use sqlx::SqliteConnection;
use sqlx_macros::FromRow;

use crate::{
    db::{
        columns::json,
        error::Failure,
        ids::{At, Id},
        transaction::Tx,
    },
    teams::rows::PlanRow,
    twins,
};

/// The statements that delete checks, in their order: those of a condition on a row of `scans` with one parameter. What
/// belongs to completed ones is deleted afterwards ([`sweep`](crate::SqliteStore::sweep)).
macro_rules! deletion {
    ($condition:literal) => {
        [
            concat!(
                "INSERT INTO deleted_scans (scan_id) SELECT id FROM scans WHERE outcome IS NOT NULL AND ",
                $condition
            ),
            concat!("DELETE FROM active_scans WHERE scan_id IN (SELECT id FROM scans WHERE ", $condition, ")"),
            concat!("DELETE FROM scans WHERE ", $condition),
        ]
    };
}

pub(crate) use deletion;

/// Makes a team due for the purge at an instant, or when its hold ends: `?1` is the team or the plan, `?2` the instant.
macro_rules! due_for_purge {
    ($teams:literal) => {
        concat!("UPDATE teams SET purge_due_at = max(?2, coalesce(held_until, ?2)) WHERE ", $teams)
    };
}

/// Ends a check's being active, and makes its team due for the purge: an older check of its site may no longer be the
/// latest.
pub(crate) async fn check_ended(
    db: &mut SqliteConnection,
    team: TeamId,
    scan: ScanId,
    finished_at: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM active_scans WHERE scan_id = ?1").bind(Id(scan)).execute(&mut *db).await?;
    sqlx::query(due_for_purge!(
        "id = ?1 AND (purge_due_at IS NULL OR purge_due_at > max(?2, coalesce(held_until, ?2)))"
    ))
    .bind(Id(team))
    .bind(At(finished_at))
    .execute(db)
    .await
    .map(drop)
}

/// Makes a team whose plan changed due for the purge, once no hold is in force.
pub(crate) async fn look_at_team(
    db: &mut SqliteConnection,
    team: TeamId,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(due_for_purge!("id = ?1")).bind(Id(team)).bind(At(now)).execute(db).await.map(drop)
}

/// Does the same for all teams on a plan.
pub(crate) async fn look_at_plan(
    db: &mut SqliteConnection,
    plan: &PlanCode,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(due_for_purge!("plan_code = ?1")).bind(plan.as_str()).bind(At(now)).execute(db).await.map(drop)
}

/// Delays the purge of all teams on a plan until an instant, unless an earlier hold ends later.
pub(crate) async fn hold_plan(
    db: &mut SqliteConnection,
    plan: &PlanCode,
    until: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(concat!(
        "UPDATE teams SET held_until = ",
        twins::later_hold!("held_until", "?2"),
        " WHERE plan_code = ?1"
    ))
    .bind(plan.as_str())
    .bind(At(until))
    .execute(&mut *db)
    .await?;
    look_at_plan(db, plan, until).await
}

/// The result of one transaction of the purge.
pub(crate) struct Purged {
    pub(crate) scans: u32,
    /// True if more teams may be due.
    pub(crate) more: bool,
}

/// Purges some of the teams that are due at `now`, and deletes at most `limit` of their checks.
pub(crate) async fn purge_some(tx: &mut Tx, limit: u32, now: DateTime<Utc>) -> Result<Purged, Failure<StoreError>> {
    /// The number of teams in one transaction.
    const TEAMS: u32 = 32;
    /// The most checks that one transaction deletes, so that other steps wait for milliseconds only.
    const SCANS: u32 = 256;
    let limit = limit.min(SCANS);
    let due: Vec<DueRow> = sqlx::query_as(
        "SELECT t.id, t.held_until, p.code AS plan_code, p.document AS plan
         FROM teams t JOIN plans p ON p.code = t.plan_code
         WHERE t.purge_due_at <= ?1 ORDER BY t.purge_due_at, t.id LIMIT ?2",
    )
    .bind(At(now))
    .bind(i64::from(TEAMS))
    .fetch_all(tx.db())
    .await?;
    let more = u32::try_from(due.len()) == Ok(TEAMS);
    let mut scans = 0;
    for team in due {
        if scans == limit {
            return Ok(Purged { scans, more: true });
        }
        scans += purge_team(tx, team, limit - scans, now).await?;
    }
    Ok(Purged { scans, more: more || scans == limit })
}

/// Deletes at most `limit` checks of a team, and writes down when the next one leaves, if none is left for now.
async fn purge_team(tx: &mut Tx, team: DueRow, limit: u32, now: DateTime<Utc>) -> Result<u32, Failure<StoreError>> {
    let held_until = team.held_until.map(|at| at.0);
    if is_held(held_until, now) {
        next_look(tx.db(), &team.id, held_until).await?;
        return Ok(0);
    }
    let months = team.plan.history_months();
    let gone: Vec<String> = sqlx::query_scalar(concat!(
        "SELECT s.id FROM scans s INDEXED BY scans_ended WHERE s.team_id = ?1 AND ",
        twins::left_history!("?2"),
        " ORDER BY s.queued_at, s.id LIMIT ?3",
    ))
    .bind(&team.id)
    .bind(At(history_start(now, months)))
    .bind(i64::from(limit))
    .fetch_all(tx.db())
    .await?;
    let ids = json(&gone)?;
    for statement in deletion!("id IN (SELECT value FROM json_each(?1))") {
        sqlx::query(statement).bind(&ids).execute(tx.db()).await?;
    }
    // Not more than `limit`, which is a u32.
    let purged = u32::try_from(gone.len()).unwrap_or(u32::MAX);
    if purged < limit {
        let oldest: Option<At> = sqlx::query_scalar(concat!(
            "SELECT s.queued_at FROM scans s INDEXED BY scans_ended
             WHERE s.team_id = ?1 AND s.finished_at IS NOT NULL AND s.id IS NOT ",
            twins::latest_completed!(),
            " ORDER BY s.queued_at LIMIT 1",
        ))
        .bind(&team.id)
        .fetch_optional(tx.db())
        .await?;
        next_look(tx.db(), &team.id, oldest.and_then(|oldest| leaves_history_at(oldest.0, months))).await?;
    }
    Ok(purged)
}

async fn next_look(db: &mut SqliteConnection, team: &str, at: Option<DateTime<Utc>>) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE teams SET purge_due_at = ?2 WHERE id = ?1")
        .bind(team)
        .bind(at.map(At))
        .execute(db)
        .await
        .map(drop)
}

/// Returns the earliest instant at which a check may have been queued to be in a history of so many months, as
/// [`is_in_history`](a11ycheck_core::domain::is_in_history) has it.
pub(crate) fn history_start(now: DateTime<Utc>, months: u32) -> DateTime<Utc> {
    now.checked_sub_months(Months::new(months)).unwrap_or(DateTime::<Utc>::MIN_UTC)
}

/// Returns the first instant at which a check is no longer in such a history; `None` if that is beyond the calendar. Where
/// the month in which it comes is too short for the day, it is the beginning of the next month.
fn leaves_history_at(queued_at: DateTime<Utc>, months: u32) -> Option<DateTime<Utc>> {
    let reached = queued_at.checked_add_months(Months::new(months))?;
    if history_start(reached, months) >= queued_at {
        return reached.checked_add_signed(TimeDelta::microseconds(1));
    }
    let next_month = reached.date_naive().with_day(1)?.checked_add_months(Months::new(1))?;
    Some(next_month.and_time(NaiveTime::MIN).and_utc())
}

#[derive(FromRow)]
struct DueRow {
    id: String,
    held_until: Option<At>,
    #[sqlx(flatten)]
    plan: PlanRow,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_check_is_looked_at_when_it_leaves_and_not_a_microsecond_earlier(
            micros in 0_i64..4_000_000_000_000_000,
            months in 0_u32..60,
        ) {
            let queued_at = DateTime::from_timestamp_micros(micros).unwrap();
            let leaves = leaves_history_at(queued_at, months).unwrap();
            prop_assert!(queued_at < history_start(leaves, months));
            prop_assert!(queued_at >= history_start(leaves - TimeDelta::microseconds(1), months));
        }
    }

    #[test]
    fn a_history_without_end_is_never_looked_at() {
        assert_eq!(leaves_history_at(Utc::now(), u32::MAX), None);
        assert_eq!(history_start(Utc::now(), u32::MAX), DateTime::<Utc>::MIN_UTC);
    }
}
