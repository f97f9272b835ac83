//! Storing events as deliveries, in the transaction of the step that causes them.

use a11ycheck_core::{
    domain::{Delivery, DeliveryState, EventKind, NewEvent},
    id::{DeliveryId, EndpointId, EventId, TeamId},
};
use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

use crate::{
    db::{
        error::Failure,
        ids::{At, Id},
        transaction::Tx,
    },
    deliveries::rows::{EndpointRow, StateColumns, endpoint_columns},
};

/// The outcome of [`store_events`]: whether there is anything to deliver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    /// At least one delivery was made.
    Deliveries,
    /// No endpoint listens.
    Nothing,
}

/// Makes a delivery of each event to each endpoint of the team that listens to it. The first to an endpoint is due at
/// once, each further one waits for the one before it. An event to which no endpoint listens is not kept.
pub(crate) async fn store_events<E>(tx: &mut Tx, team: TeamId, events: &[NewEvent]) -> Result<Stored, Failure<E>> {
    if events.is_empty() {
        return Ok(Stored::Nothing);
    }
    let now = tx.now();
    let rows: Vec<EndpointRow> = sqlx::query_as(concat!(
        "SELECT ",
        endpoint_columns!(),
        " FROM endpoints e WHERE e.team_id = ?1 AND e.off_since IS NULL ORDER BY e.created_at, e.id",
    ))
    .bind(Id(team))
    .fetch_all(tx.db())
    .await?;
    let mut made: Vec<Delivery> = Vec::new();
    for row in rows {
        let endpoint = row.endpoint()?;
        let mut before = None;
        for event in events.iter().filter(|event| endpoint.listens_to(event.kind)) {
            let delivery = new_delivery(team, endpoint.id, (event.id, event.kind), before, now);
            before = Some(delivery.id);
            made.push(delivery);
        }
    }
    for event in events {
        if made.iter().any(|delivery| delivery.event == event.id) {
            insert_event(tx.db(), team, event).await?;
        }
    }
    for delivery in &made {
        insert_delivery(tx.db(), delivery).await?;
    }
    Ok(if made.is_empty() { Stored::Nothing } else { Stored::Deliveries })
}

/// Returns a delivery that waits for the first attempt of `after`, or is due now.
pub(crate) fn new_delivery(
    team: TeamId,
    endpoint: EndpointId,
    (event, kind): (EventId, EventKind),
    after: Option<DeliveryId>,
    now: DateTime<Utc>,
) -> Delivery {
    let state = after.map_or_else(|| DeliveryState::due(now), |after| DeliveryState::Blocked { after });
    Delivery { id: DeliveryId::generate(now), team, endpoint, event, kind, created_at: now, state }
}

/// Stores an event, whose id must be new. The caller stores a delivery of it in the same transaction.
pub(crate) async fn insert_event(db: &mut SqliteConnection, team: TeamId, event: &NewEvent) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO events (id, team_id, kind, created_at, body) VALUES (?1, ?2, ?3, ?4, ?5)")
        .bind(Id(event.id))
        .bind(Id(team))
        .bind(event.kind.as_str())
        .bind(At(event.created_at))
        .bind(event.body.as_ref())
        .execute(db)
        .await
        .map(drop)
}

/// Stores a new delivery.
pub(crate) async fn insert_delivery(db: &mut SqliteConnection, delivery: &Delivery) -> Result<(), sqlx::Error> {
    let state = StateColumns::of(&delivery.state);
    sqlx::query(
        "INSERT INTO deliveries
             (id, team_id, endpoint_id, event_id, created_at, state, attempts, tries, token, after_id, next_attempt_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )
    .bind(Id(delivery.id))
    .bind(Id(delivery.team))
    .bind(Id(delivery.endpoint))
    .bind(Id(delivery.event))
    .bind(At(delivery.created_at))
    .bind(state.state)
    .bind(state.attempts)
    .bind(state.tries)
    .bind(state.token)
    .bind(state.after_id)
    .bind(state.next_attempt_at)
    .execute(db)
    .await
    .map(drop)
}
