//! The statements that write plans.

use a11ycheck_core::{
    domain::{Plan, PlanCode, ShortenedHistory},
    id::TeamId,
    store::{DeletePlanError, StoreError},
};
use sqlx::SqliteConnection;

use crate::{
    db::{columns::json, error::Failure, ids::Id, transaction::Tx},
    scans::retention::{hold_plan, look_at_plan},
    teams::rows::PlanRow,
};

/// Stores plans if there is none.
pub(crate) async fn seed(db: &mut SqliteConnection, plans: &[Plan]) -> Result<bool, Failure<StoreError>> {
    if sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM plans)").fetch_one(&mut *db).await? {
        return Ok(false);
    }
    for plan in plans {
        write(db, plan).await?;
    }
    Ok(true)
}

/// Adds the plans whose code is missing, and returns what is stored under all the codes.
pub(crate) async fn add_missing(db: &mut SqliteConnection, plans: &[Plan]) -> Result<Vec<Plan>, Failure<StoreError>> {
    let mut stored = Vec::new();
    for plan in plans {
        match find(db, &plan.code).await? {
            Some(row) => stored.push(row.plan()?),
            None => {
                write(db, plan).await?;
                stored.push(plan.clone());
            }
        }
    }
    stored.sort_by(|one, other| one.code.cmp(&other.code));
    Ok(stored)
}

/// Adds plans, and replaces stored ones with the same code.
pub(crate) async fn put(tx: &mut Tx, plans: &[Plan]) -> Result<Vec<ShortenedHistory>, Failure<StoreError>> {
    let now = tx.now();
    let mut shortened = Vec::new();
    for plan in plans {
        let Some(stored) = find(tx.db(), &plan.code).await? else {
            write(tx.db(), plan).await?;
            continue;
        };
        let (before, months) = (stored.history_months(), plan.limits.history_months);
        match stored.plan() {
            Ok(stored) => write(tx.db(), &plan.clone().in_place_of(&stored)).await?,
            // One that can't be read is repaired by being replaced.
            Err(_) => write(tx.db(), plan).await?,
        }
        match ShortenedHistory::by(before, plan, now) {
            Some(history) => {
                hold_plan(tx.db(), &plan.code, history.held_until).await?;
                shortened.push(history);
            }
            None if months != before => look_at_plan(tx.db(), &plan.code, now).await?,
            None => {}
        }
    }
    Ok(shortened)
}

/// Deletes a plan that no team is on.
pub(crate) async fn delete(db: &mut SqliteConnection, code: &PlanCode) -> Result<bool, Failure<DeletePlanError>> {
    let teams: i64 = sqlx::query_scalar("SELECT count(*) FROM teams WHERE plan_code = ?1")
        .bind(code.as_str())
        .fetch_one(&mut *db)
        .await?;
    if teams > 0 {
        return Err(Failure::Refused(DeletePlanError::InUse(teams.unsigned_abs())));
    }
    let deleted = sqlx::query("DELETE FROM plans WHERE code = ?1").bind(code.as_str()).execute(db).await?;
    Ok(deleted.rows_affected() > 0)
}

/// Returns a plan by its code.
pub(crate) async fn find(db: &mut SqliteConnection, code: &PlanCode) -> Result<Option<PlanRow>, sqlx::Error> {
    sqlx::query_as("SELECT p.code AS plan_code, p.document AS plan FROM plans p WHERE p.code = ?1")
        .bind(code.as_str())
        .fetch_optional(db)
        .await
}

/// Returns the plan of a team.
pub(crate) async fn plan_of(db: &mut SqliteConnection, team: TeamId) -> Result<Option<PlanRow>, sqlx::Error> {
    sqlx::query_as(
        "SELECT p.code AS plan_code, p.document AS plan FROM teams t JOIN plans p ON p.code = t.plan_code WHERE t.id = ?1",
    )
    .bind(Id(team))
    .fetch_optional(db)
    .await
}

async fn write<E>(db: &mut SqliteConnection, plan: &Plan) -> Result<(), Failure<E>> {
    sqlx::query(
        "INSERT INTO plans (code, document) VALUES (?1, ?2) ON CONFLICT (code) DO UPDATE SET document = excluded.document",
    )
    .bind(plan.code.as_str())
    .bind(json(plan)?)
    .execute(db)
    .await?;
    Ok(())
}
