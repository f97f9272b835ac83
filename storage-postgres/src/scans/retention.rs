//! The purge of checks that have left the history of their team's plan, unless that history became shorter a short
//! while ago.

use a11ycheck_core::{id::TeamId, store::StoreError};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::{
    db::{error::Failure, ids::Id},
    files::uploads::mark_for_deletion,
    twins,
};

/// The plan of a team that is due. LIMIT affects only the plan of the statement: teams are looked up one by one.
macro_rules! plan {
    () => {
        "CROSS JOIN LATERAL (
             SELECT p.document FROM teams t JOIN plans p ON p.code = t.plan_code WHERE t.id = due.team_id LIMIT 1
         ) AS plan"
    };
}

/// Delays the purge for the team `$1`, or for all teams on the plans `$1`, until `$2`. A team without a row gets one: a
/// check of it may end, and leave its history, before the hold does.
macro_rules! hold {
    ($teams:literal) => {
        concat!(
            "INSERT INTO retention AS r (team_id, due_at, held_until)
             SELECT t.id, $2, $2 FROM teams t WHERE ",
            $teams,
            " ORDER BY t.id
             ON CONFLICT (team_id) DO UPDATE
             SET due_at = ",
            twins::later_hold!("r.held_until", "excluded.held_until"),
            ", held_until = ",
            twins::later_hold!("r.held_until", "excluded.held_until")
        )
    };
}

/// Delays the purge of a team until an instant.
pub(crate) async fn hold_team(db: &mut PgConnection, team: TeamId, until: DateTime<Utc>) -> Result<(), sqlx::Error> {
    sqlx::query(hold!("t.id = $1")).bind(Id(team)).bind(until).execute(db).await.map(drop)
}

/// Delays the purge of all teams on these plans until an instant.
pub(crate) async fn hold_plans(db: &mut PgConnection, plans: &[&str], until: DateTime<Utc>) -> Result<(), sqlx::Error> {
    sqlx::query(hold!("t.plan_code = ANY($1)")).bind(plans).bind(until).execute(db).await.map(drop)
}

/// Makes a team whose history did not become shorter due for the purge, once no hold is in force.
pub(crate) async fn look_at_team(db: &mut PgConnection, team: TeamId) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE retention SET due_at = coalesce(held_until, '-infinity') WHERE team_id = $1")
        .bind(Id(team))
        .execute(db)
        .await
        .map(drop)
}

/// Does the same for all teams on these plans.
pub(crate) async fn look_at_plans(db: &mut PgConnection, plans: &[&str]) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE retention r SET due_at = coalesce(r.held_until, '-infinity')
         FROM teams t WHERE t.id = r.team_id AND t.plan_code = ANY($1)",
    )
    .bind(plans)
    .execute(db)
    .await
    .map(drop)
}

/// The result of one transaction of the purge.
pub(crate) struct Purged {
    /// The instant of the transaction.
    pub(crate) now: DateTime<Utc>,
    pub(crate) scans: u32,
    /// True if more teams may be due.
    pub(crate) more: bool,
}

/// Purges some of the teams that are due, and deletes at most `limit` of their checks. Returns `None` if no team is
/// due.
///
/// A team that another caller is purging is skipped.
pub(crate) async fn purge_some(
    db: &mut PgConnection,
    limit: u32,
    instant: Option<DateTime<Utc>>,
) -> Result<Option<Purged>, Failure<StoreError>> {
    /// The number of teams in one transaction.
    const TEAMS: usize = 32;
    let due: Vec<(String, DateTime<Utc>)> = sqlx::query_as(concat!(
        "WITH instant AS MATERIALIZED (
             SELECT coalesce($1, clock_timestamp()) AS now
         ), r AS MATERIALIZED (
             SELECT team_id FROM retention WHERE due_at <= (SELECT now FROM instant)
                 -- A node of the release before may have set an instant before the end of a hold.
                 AND (",
        twins::is_held!("held_until", "(SELECT now FROM instant)"),
        ") IS NOT TRUE
             ORDER BY due_at, team_id LIMIT $2
             FOR UPDATE SKIP LOCKED
         )
         SELECT r.team_id, instant.now FROM r CROSS JOIN instant",
    ))
    .bind(instant)
    .bind(i64::try_from(TEAMS).unwrap_or(i64::MAX))
    .fetch_all(&mut *db)
    .await?;
    let Some(now) = due.first().map(|(_, now)| *now) else { return Ok(None) };
    let more = due.len() == TEAMS;
    let teams: Vec<String> = due.into_iter().map(|(team, _)| team).collect();
    let purged: Vec<String> = sqlx::query_scalar(concat!(
        "WITH gone AS MATERIALIZED (
             SELECT old.id
             FROM unnest($1::text[]) AS due (team_id) ",
        plan!(),
        " CROSS JOIN LATERAL (
                 SELECT s.id FROM scans s
                 WHERE s.team_id = due.team_id
                     AND ",
        twins::left_history!("$2", "plan.document"),
        "        LIMIT $3
                 FOR UPDATE SKIP LOCKED
             ) AS old
             LIMIT $3
         )
         DELETE FROM scans WHERE id = ANY (ARRAY(SELECT id FROM gone)) RETURNING id",
    ))
    .bind(&teams)
    .bind(now)
    .bind(i64::from(limit))
    .fetch_all(&mut *db)
    .await?;
    mark_for_deletion(db, &purged, Some(now)).await?;
    // Not more than `limit`, which is a u32.
    let scans = u32::try_from(purged.len()).unwrap_or(u32::MAX);
    if scans < limit {
        // Nothing is left, except for checks that another step has locked just now: those are tried again in a second.
        sqlx::query(concat!(
            "UPDATE retention r
             SET due_at = CASE WHEN next.at > $2 THEN next.at ELSE $2 + interval '1 second' END
             FROM unnest($1::text[]) AS due (team_id) ",
            plan!(),
            " LEFT JOIN LATERAL (
                 SELECT s.queued_at FROM scans s
                 WHERE s.team_id = due.team_id AND s.finished_at IS NOT NULL AND s.id IS DISTINCT FROM ",
            twins::latest_completed!(),
            "    ORDER BY s.queued_at LIMIT 1
             ) AS oldest ON true
             CROSS JOIN LATERAL (
                 SELECT least(",
            twins::leaves_history_at!("oldest.queued_at", "plan.document"),
            ", $2 + interval '1 month') AS at
             ) AS next
             WHERE r.team_id = due.team_id",
        ))
        .bind(&teams)
        .bind(now)
        .execute(db)
        .await?;
    }
    Ok(Some(Purged { now, scans, more }))
}
