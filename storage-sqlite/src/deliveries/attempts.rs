//! The end of attempts: what follows, what is kept of them, and for how long.

use a11ycheck_core::{
    domain::{AttemptReport, AttemptResult, Delivery, DeliveryRefusal, DeliveryState, EndpointStatus},
    id::{DeliveryId, EndpointId, TeamId},
    store::{DeliveryClaim, RecordError, StoreError},
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
    deliveries::{
        endpoints::write_status,
        rows::{DeliveryRow, StateColumns, StatusRow, delivery_columns},
    },
    mails::notices,
    twins::{self, DROP_DELIVERIES, UNBLOCK_DELIVERIES},
};

/// Returns the ids of attempts that are lost, in the order in which their leases ended; without those of `unreadable`.
pub(crate) async fn lost(
    db: &mut SqliteConnection,
    limit: u32,
    unreadable: &[String],
    now: DateTime<Utc>,
) -> Result<Vec<String>, Failure<StoreError>> {
    let lost = sqlx::query_scalar(concat!(
        "SELECT id FROM deliveries WHERE ",
        twins::delivery_is_lost!("?1"),
        " AND id NOT IN (SELECT value FROM json_each(?3)) ORDER BY next_attempt_at, id LIMIT ?2",
    ))
    .bind(At(now))
    .bind(i64::from(limit))
    .bind(json(unreadable)?)
    .fetch_all(db)
    .await?;
    Ok(lost)
}

/// Abandons an attempt that is lost, and returns whether another delivery waited for it. If it is no longer lost,
/// its worker came back, or it was dropped with its endpoint; then this does nothing.
pub(crate) async fn give_up<E>(tx: &mut Tx, id: &str) -> Result<bool, Failure<E>> {
    let id = id.parse().map_err(|error| Corrupt::new("deliveries", id, error))?;
    let ended = end_attempt(tx, id, &AttemptReport::WORKER_LOST, DeliveryState::give_up).await?;
    Ok(ended.is_some_and(|ended| ended.is_ok_and(|recorded| recorded.unblocked)))
}

/// A delivery, with the status of its endpoint.
pub(crate) struct Found {
    pub(crate) delivery: Delivery,
    pub(crate) endpoint: EndpointStatus,
}

/// Returns a delivery if it is the team's (any team's if that is `None`).
pub(crate) async fn find<E>(
    db: &mut SqliteConnection,
    id: DeliveryId,
    team: Option<TeamId>,
) -> Result<Option<Found>, Failure<E>> {
    let row: Option<FoundRow> = sqlx::query_as(concat!(
        "SELECT e.failed_in_a_row, e.off_since, ",
        delivery_columns!(),
        " FROM deliveries d JOIN events ev ON ev.id = d.event_id JOIN endpoints e ON e.id = d.endpoint_id
          WHERE d.id = ?1 AND (?2 IS NULL OR d.team_id = ?2)",
    ))
    .bind(Id(id))
    .bind(team.map(Id))
    .fetch_optional(db)
    .await?;
    let Some(FoundRow { status, delivery }) = row else { return Ok(None) };
    let delivery = delivery.delivery()?;
    let endpoint = status.status().map_err(|source| Corrupt::new("endpoints", delivery.endpoint, source))?;
    Ok(Some(Found { delivery, endpoint }))
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
    let now = tx.now();
    let Some(Found { mut delivery, endpoint }) = find(tx.db(), id, None).await? else { return Ok(None) };
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
            let moved = sqlx::query(UNBLOCK_DELIVERIES).bind(Id(id)).bind(At(now)).execute(tx.db()).await?;
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
        write_status(tx.db(), delivery.endpoint, status).await?;
    }
    if endpoint.is_on() && !status.is_on() {
        drop_pending(tx.db(), delivery.endpoint, now).await?;
        notices::switched_off(tx.db(), delivery.team, delivery.endpoint, now).await?;
    }
    Ok(Some(Ok(Recorded { delivery, unblocked })))
}

/// Drops the pending deliveries to an endpoint that was switched off, however many there are.
pub(crate) async fn drop_pending(
    db: &mut SqliteConnection,
    endpoint: EndpointId,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(DROP_DELIVERIES).bind(Id(endpoint)).bind(At(now)).execute(db).await.map(drop)
}

async fn insert_attempt(
    db: &mut SqliteConnection,
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
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )
    .bind(Id(delivery.id))
    .bind(Id(delivery.team))
    .bind(i64::from(number))
    .bind(At(started_at))
    .bind(At(now))
    // More than an i64 of microseconds would be 292,000 years.
    .bind(report.duration.num_microseconds().unwrap_or(i64::MAX))
    .bind(status)
    .bind(excerpt)
    .bind(failure)
    .execute(db)
    .await
    .map(drop)
}

/// Writes the state of a delivery.
pub(crate) async fn write_state<E>(
    db: &mut SqliteConnection,
    id: DeliveryId,
    state: &DeliveryState,
) -> Result<(), Failure<E>> {
    let columns = StateColumns::of(state);
    let written = sqlx::query(
        "UPDATE deliveries
         SET state = ?2, attempts = ?3, tries = ?4, token = ?5, after_id = ?6, next_attempt_at = ?7, lease_worker = ?8,
             lease_started_at = ?9, finished_at = ?10
         WHERE id = ?1",
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
        Err(Corrupt::new("deliveries", id, "it was read, and is gone").into())
    }
}

/// Deletes deliveries that have left the log, the oldest first. Returns how many there were.
pub(crate) async fn purge(tx: &mut Tx, limit: u32) -> Result<u32, Failure<StoreError>> {
    let oldest = At(tx.now() - DeliveryState::LOG_TERM);
    let events: Vec<String> = sqlx::query_scalar(concat!(
        "DELETE FROM deliveries WHERE id IN (
             SELECT id FROM deliveries WHERE ",
        twins::delivery_has_left_log!("?1"),
        " ORDER BY finished_at, id LIMIT ?2
         ) RETURNING event_id",
    ))
    .bind(oldest)
    .bind(i64::from(limit))
    .fetch_all(tx.db())
    .await?;
    // Not more than `limit`, which is a u32.
    let count = u32::try_from(events.len()).unwrap_or(u32::MAX);
    delete_events(tx.db(), events).await?;
    Ok(count)
}

/// Deletes those of these events of which no delivery is left.
pub(crate) async fn delete_events(
    db: &mut SqliteConnection,
    mut events: Vec<String>,
) -> Result<(), Failure<StoreError>> {
    events.sort_unstable();
    events.dedup();
    sqlx::query(
        "DELETE FROM events WHERE id IN (SELECT value FROM json_each(?1))
             AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = events.id)",
    )
    .bind(json(events)?)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(FromRow)]
struct FoundRow {
    #[sqlx(flatten)]
    status: StatusRow,
    #[sqlx(flatten)]
    delivery: DeliveryRow,
}
