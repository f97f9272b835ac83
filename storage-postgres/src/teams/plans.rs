//! The statements that write plans. Plans are locked before teams, and in the order of their codes, so that steps don't
//! wait for each other in a circle.

use std::collections::HashMap;

use a11ycheck_core::{
    domain::{Plan, PlanCode, ShortenedHistory},
    store::{DeletePlanError, StoreError},
};
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{PgConnection, types::Json};

use crate::db::transaction::Tx;
use crate::{
    db::error::Failure,
    scans::retention::{hold_plans, look_at_plans},
    teams::rows::{PlanDocument, read_plan},
    twins,
};

/// Stores plans if there is none.
pub(crate) async fn seed(db: &mut PgConnection, plans: &[Plan]) -> Result<bool, Failure<StoreError>> {
    let has_plans = "SELECT EXISTS (SELECT FROM plans)";
    if sqlx::query_scalar(has_plans).fetch_one(&mut *db).await? {
        return Ok(false);
    }
    // The absence of rows can't be locked otherwise. Reading plans goes on, and this happens once in a database's life.
    sqlx::query("LOCK TABLE plans IN SHARE ROW EXCLUSIVE MODE").execute(&mut *db).await?;
    if sqlx::query_scalar(has_plans).fetch_one(&mut *db).await? {
        return Ok(false);
    }
    insert_missing(db, plans).await?;
    Ok(true)
}

/// Adds the plans whose code is missing, and returns what is stored under all the codes.
pub(crate) async fn add_missing(db: &mut PgConnection, plans: &[Plan]) -> Result<Vec<Plan>, Failure<StoreError>> {
    insert_missing(db, plans).await?;
    // A statement of its own: it sees what others have stored since the first one began.
    let documents: Vec<PlanDocument> =
        sqlx::query_scalar("SELECT document FROM plans WHERE code = ANY($1) ORDER BY code")
            .bind(codes(plans))
            .fetch_all(db)
            .await?;
    Ok(documents.into_iter().map(read_plan).collect::<Result<_, _>>()?)
}

/// Adds plans, and replaces stored ones with the same code.
pub(crate) async fn put(tx: &mut Tx, plans: &[Plan]) -> Result<Vec<ShortenedHistory>, Failure<StoreError>> {
    insert_missing(tx.db(), plans).await?;
    let locked: Vec<(String, PlanDocument, DateTime<Utc>)> = sqlx::query_as(
        "SELECT code, document, coalesce($2, clock_timestamp()) FROM plans WHERE code = ANY($1)
         ORDER BY code FOR NO KEY UPDATE",
    )
    .bind(codes(plans))
    .bind(tx.instant())
    .fetch_all(tx.db())
    .await?;
    let Some(now) = locked.first().map(|(_, _, now)| *now) else { return Ok(Vec::new()) };
    let before: HashMap<String, u32> =
        locked.into_iter().map(|(code, Json(document), _)| (code, history_months(&document))).collect();
    sqlx::query(concat!(
        "UPDATE plans SET document = ",
        twins::merged_plan!("plans.document", "new.document"),
        " FROM unnest($1::jsonb[]) AS new (document) WHERE plans.code = new.document ->> 'code'",
    ))
    .bind(documents(plans))
    .execute(tx.db())
    .await?;
    let (mut shortened, mut others) = (Vec::new(), Vec::new());
    for plan in plans {
        let months = plan.limits.history_months;
        let before = before.get(plan.code.as_str()).copied().unwrap_or(months);
        match ShortenedHistory::by(before, plan, now) {
            Some(history) => shortened.push(history),
            None if months != before => others.push(plan.code.as_str()),
            None => {}
        }
    }
    if let Some(until) = shortened.first().map(|history| history.held_until) {
        let codes: Vec<&str> = shortened.iter().map(|history| history.plan.as_str()).collect();
        hold_plans(tx.db(), &codes, until).await?;
    }
    if !others.is_empty() {
        look_at_plans(tx.db(), &others).await?;
    }
    Ok(shortened)
}

/// Deletes a plan that no team is on.
pub(crate) async fn delete(db: &mut PgConnection, code: &PlanCode) -> Result<bool, Failure<DeletePlanError>> {
    // Waits for a step that puts a team on it at this moment.
    let locked: Option<i32> = sqlx::query_scalar("SELECT 1 FROM plans WHERE code = $1 FOR UPDATE")
        .bind(code.as_str())
        .fetch_optional(&mut *db)
        .await?;
    if locked.is_none() {
        return Ok(false);
    }
    let teams: i64 = sqlx::query_scalar("SELECT count(*) FROM teams WHERE plan_code = $1")
        .bind(code.as_str())
        .fetch_one(&mut *db)
        .await?;
    if teams > 0 {
        return Err(Failure::Refused(DeletePlanError::InUse(teams.unsigned_abs())));
    }
    sqlx::query("DELETE FROM plans WHERE code = $1").bind(code.as_str()).execute(db).await?;
    Ok(true)
}

/// Returns the months of a stored plan's history, of any release. If they can't be read, every number counts as fewer:
/// then the purge is delayed rather than begun.
pub(crate) fn history_months(document: &Value) -> u32 {
    let months = document.pointer("/limits/history_months").and_then(Value::as_u64);
    months.and_then(|months| u32::try_from(months).ok()).unwrap_or(u32::MAX)
}

async fn insert_missing(db: &mut PgConnection, plans: &[Plan]) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO plans (code, document)
         SELECT document ->> 'code', document FROM unnest($1::jsonb[]) AS document
         ORDER BY document ->> 'code' COLLATE \"C\"
         ON CONFLICT (code) DO NOTHING",
    )
    .bind(documents(plans))
    .execute(db)
    .await
    .map(drop)
}

fn documents(plans: &[Plan]) -> Vec<Json<&Plan>> {
    plans.iter().map(Json).collect()
}

fn codes(plans: &[Plan]) -> Vec<&str> {
    plans.iter().map(|plan| plan.code.as_str()).collect()
}
