//! The end of attempts: what follows, what is kept of them, and for how long.

use a11ycheck_core::{
    domain::{AttemptReport, AttemptResult, Delivery, DeliveryRefusal, DeliveryState, EndpointStatus},
    id::{DeliveryId, EndpointId, TeamId},
    store::{DeliveryClaim, RecordError},
};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use sqlx_macros::FromRow;

use crate::{
    db::{
        error::{Corrupt, Failure},
        ids::Id,
        transaction::Tx,
    },
    deliveries::rows::{DeliveryRow, StateColumns, StatusRow, delivery_columns, stored_status},
    mails::notices,
    twins::{self, DROP_DELIVERIES, UNBLOCK_DELIVERIES},
};

/// Returns the ids of attempts that are lost, in the order in which their leases ended; without those of `unreadable`.
/// Nothing is locked.
pub(crate) async fn lost(
    db: &mut PgConnection,
    limit: u32,
    unreadable: &[String],
    instant: Option<DateTime<Utc>>,
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar(concat!(
        "SELECT id FROM deliveries WHERE ",
        twins::delivery_is_lost!("coalesce($1, statement_timestamp())"),
        " AND id <> ALL ($3) ORDER BY next_attempt_at, id LIMIT $2",
    ))
    .bind(instant)
    .bind(i64::from(limit))
    .bind(unreadable)
    .fetch_all(db)
    .await
}

/// Abandons an attempt that is lost, and returns whether another delivery waited for it. If it is no longer lost,
/// another caller was faster, or it was dropped with its endpoint; then this does nothing.
pub(crate) async fn give_up<E>(tx: &mut Tx, id: &str) -> Result<bool, Failure<E>> {
    let id = id.parse().map_err(|error| Corrupt::new("deliveries", id, error))?;
    let ended = end_attempt(tx, id, &AttemptReport::WORKER_LOST, DeliveryState::give_up).await?;
    Ok(ended.is_some_and(|ended| ended.is_ok_and(|recorded| recorded.unblocked)))
}

/// A locked delivery, with the status of its endpoint, which is locked too.
pub(crate) struct Locked {
    pub(crate) now: DateTime<Utc>,
    pub(crate) delivery: Delivery,
    pub(crate) endpoint: EndpointStatus,
}

/// Locks a delivery if it is the team's (any team's if that is `None`), after its endpoint: the steps of one endpoint
/// happen one after the other.
///
/// The endpoint is locked first, as in every step, and until the end of the transaction. The state of the endpoint
/// decides what becomes of the delivery, so it must not change meanwhile. The order avoids a deadlock with the step
/// that switches the endpoint off and drops its deliveries. A shared lock would not be enough, since two failures at
/// the same time must be counted as two.
pub(crate) async fn lock<E>(tx: &mut Tx, id: DeliveryId, team: Option<TeamId>) -> Result<Option<Locked>, Failure<E>> {
    let endpoint: Option<StatusRow> = sqlx::query_as(
        "SELECT failed_in_a_row, off_since FROM endpoints
         WHERE id = (SELECT endpoint_id FROM deliveries WHERE id = $1 AND ($2::text IS NULL OR team_id = $2))
         FOR NO KEY UPDATE",
    )
    .bind(Id(id))
    .bind(team.map(Id))
    .fetch_optional(tx.db())
    .await?;
    let Some(endpoint) = endpoint else { return Ok(None) };
    let row: Option<LockedRow> = sqlx::query_as(concat!(
        "WITH d AS MATERIALIZED (SELECT * FROM deliveries WHERE id = $1 FOR UPDATE)
         SELECT coalesce($2, clock_timestamp()) AS now, ",
        delivery_columns!(),
        " FROM d JOIN events ev ON ev.id = d.event_id",
    ))
    .bind(Id(id))
    .bind(tx.instant())
    .fetch_optional(tx.db())
    .await?;
    let Some(LockedRow { now, delivery }) = row else { return Ok(None) };
    let delivery = delivery.delivery()?;
    let endpoint = endpoint.status().map_err(|source| Corrupt::new("endpoints", delivery.endpoint, source))?;
    Ok(Some(Locked { now, delivery, endpoint }))
}

/// A delivery after an attempt was recorded.
pub(crate) struct Recorded {
    pub(crate) delivery: Delivery,
    /// True if another delivery waited for this attempt, and is due now.
    pub(crate) unblocked: bool,
}

/// Records the end of a holder's attempt.
pub(crate) async fn record(
    tx: &mut Tx,
    claim: DeliveryClaim,
    report: &AttemptReport,
) -> Result<Recorded, Failure<RecordError>> {
    let decide = |held: DeliveryState, endpoint, now| held.record(claim.token, report.is_success(), endpoint, now);
    match end_attempt(tx, claim.delivery, report, decide).await? {
        Some(Ok(recorded)) => Ok(recorded),
        Some(Err(refusal)) => Err(Failure::Refused(refusal.into())),
        None => Err(Failure::Refused(RecordError::Gone)),
    }
}

/// Ends an attempt as `decide` says, given the delivery's state and that of its endpoint, with all that follows.
/// Returns `None` if there is no such delivery; a refusal changes nothing.
async fn end_attempt<E>(
    tx: &mut Tx,
    id: DeliveryId,
    report: &AttemptReport,
    decide: impl FnOnce(DeliveryState, EndpointStatus, DateTime<Utc>) -> Result<DeliveryState, DeliveryRefusal>,
) -> Result<Option<Result<Recorded, DeliveryRefusal>>, Failure<E>> {
    let Some(Locked { now, mut delivery, endpoint }) = lock(tx, id, None).await? else { return Ok(None) };
    let held = delivery.state.clone();
    delivery.state = match decide(held.clone(), endpoint, now) {
        Ok(ended) => ended,
        Err(refusal) => return Ok(Some(Err(refusal))),
    };
    write_state(tx.db(), id, &delivery.state).await?;
    let mut unblocked = false;
    if let DeliveryState::Attempting { attempts, started_at, .. } = held {
        insert_attempt(tx.db(), &delivery, attempts + 1, started_at, now, report).await?;
        if attempts == 0 {
            let moved = sqlx::query(UNBLOCK_DELIVERIES).bind(Id(id)).bind(now).execute(tx.db()).await?;
            unblocked = moved.rows_affected() > 0;
        }
    }
    let status = match delivery.state {
        DeliveryState::Delivered { .. } => endpoint.after_delivered(),
        DeliveryState::Failed { .. } => endpoint.after_failed(now),
        DeliveryState::Blocked { .. }
        | DeliveryState::Waiting { .. }
        | DeliveryState::Attempting { .. }
        | DeliveryState::Dropped { .. } => endpoint,
    };
    if status != endpoint {
        let (failed_in_a_row, off_since) = stored_status(status);
        sqlx::query("UPDATE endpoints SET failed_in_a_row = $2, off_since = $3 WHERE id = $1")
            .bind(Id(delivery.endpoint))
            .bind(failed_in_a_row)
            .bind(off_since)
            .execute(tx.db())
            .await?;
    }
    if endpoint.is_on() && !status.is_on() {
        drop_pending(tx.db(), delivery.endpoint, now).await?;
        notices::switched_off(tx.db(), delivery.team, delivery.endpoint, now).await?;
    }
    Ok(Some(Ok(Recorded { delivery, unblocked })))
}

/// Drops the pending deliveries to an endpoint that was switched off, however many there are. The caller has locked the
/// endpoint.
pub(crate) async fn drop_pending(
    db: &mut PgConnection,
    endpoint: EndpointId,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(DROP_DELIVERIES).bind(Id(endpoint)).bind(now).execute(db).await?;
    Ok(())
}

async fn insert_attempt(
    db: &mut PgConnection,
    delivery: &Delivery,
    number: u32,
    started_at: DateTime<Utc>,
    now: DateTime<Utc>,
    report: &AttemptReport,
) -> Result<(), sqlx::Error> {
    let (status, excerpt, failure) = match &report.result {
        AttemptResult::Answered { status, excerpt } => (Some(i64::from(*status)), Some(excerpt.as_str()), None),
        AttemptResult::Failed(failure) => (None, None, Some(failure.as_str())),
    };
    sqlx::query(
        "INSERT INTO delivery_attempts
             (delivery_id, team_id, number, started_at, ended_at, duration, status, excerpt, failure)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(Id(delivery.id))
    .bind(Id(delivery.team))
    .bind(i64::from(number))
    .bind(started_at)
    .bind(now)
    // More than an i64 of microseconds would be 292,000 years.
    .bind(report.duration.num_microseconds().unwrap_or(i64::MAX))
    .bind(status)
    .bind(excerpt)
    .bind(failure)
    .execute(db)
    .await?;
    Ok(())
}

/// Writes the state of a delivery that the caller has locked.
pub(crate) async fn write_state<E>(
    db: &mut PgConnection,
    id: DeliveryId,
    state: &DeliveryState,
) -> Result<(), Failure<E>> {
    let columns = StateColumns::of(state);
    let written = sqlx::query(
        "UPDATE deliveries
         SET state = $2, attempts = $3, tries = $4, token = $5, after_id = $6, next_attempt_at = $7, lease_worker = $8,
             lease_started_at = $9, finished_at = $10
         WHERE id = $1",
    )
    .bind(Id(id))
    .bind(columns.state)
    .bind(columns.attempts)
    .bind(columns.tries)
    .bind(columns.token)
    .bind(columns.after_id)
    .bind(columns.next_attempt_at)
    .bind(columns.lease_worker)
    .bind(columns.lease_started_at)
    .bind(columns.finished_at)
    .execute(db)
    .await?;
    if written.rows_affected() == 1 {
        Ok(())
    } else {
        Err(Corrupt::new("deliveries", id, "it was locked, and is gone").into())
    }
}

/// Deletes deliveries that have left the log, the oldest first. Returns how many there were.
pub(crate) async fn purge<E>(tx: &mut Tx, limit: u32) -> Result<u32, Failure<E>> {
    let gone: Vec<(String, String)> = sqlx::query_as(concat!(
        "WITH instant AS MATERIALIZED (
             SELECT coalesce($1, clock_timestamp()) AS now
         )
         SELECT id, event_id FROM deliveries
         WHERE ",
        twins::delivery_has_left_log!("(SELECT now FROM instant)", "$2"),
        "
         ORDER BY finished_at, id LIMIT $3
         FOR UPDATE SKIP LOCKED",
    ))
    .bind(tx.instant())
    .bind(DeliveryState::LOG_TERM)
    .bind(i64::from(limit))
    .fetch_all(tx.db())
    .await?;
    // Not more than `limit`, which is a u32.
    let count = u32::try_from(gone.len()).unwrap_or(u32::MAX);
    delete(tx.db(), gone).await?;
    Ok(count)
}

/// Deletes deliveries that the caller has locked, by their ids and those of their events, with their attempts, and with the
/// events that no other delivery needs.
pub(crate) async fn delete(db: &mut PgConnection, gone: Vec<(String, String)>) -> Result<(), sqlx::Error> {
    let (ids, mut events): (Vec<String>, Vec<String>) = gone.into_iter().unzip();
    events.sort_unstable();
    events.dedup();
    // Locked, in one order, before the deliveries are deleted: of several callers that each delete some deliveries of
    // an event, the last one sees that none is left.
    sqlx::query("SELECT FROM events WHERE id = ANY ($1) ORDER BY id FOR UPDATE")
        .bind(&events)
        .execute(&mut *db)
        .await?;
    sqlx::query("DELETE FROM deliveries WHERE id = ANY ($1)").bind(ids).execute(&mut *db).await?;
    sqlx::query(
        "DELETE FROM events WHERE id = ANY ($1) AND NOT EXISTS (SELECT FROM deliveries WHERE event_id = events.id)",
    )
    .bind(events)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(FromRow)]
struct LockedRow {
    now: DateTime<Utc>,
    #[sqlx(flatten)]
    delivery: DeliveryRow,
}
