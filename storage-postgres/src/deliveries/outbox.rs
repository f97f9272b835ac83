//! Storing events as deliveries, in the transaction of the step that causes them.

use a11ycheck_core::{
    domain::{Delivery, DeliveryState, EventKind, NewEvent},
    id::{DeliveryId, EndpointId, EventId, TeamId},
};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use sqlx_macros::FromRow;

use crate::db::{ids::Id, transaction::Tx};
use crate::{
    db::error::Failure,
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
    // Locked, so that none is deleted or switched off before its deliveries are there to be deleted or dropped with it.
    let rows: Vec<ListenerRow> = sqlx::query_as(concat!(
        "WITH e AS MATERIALIZED (SELECT * FROM endpoints WHERE team_id = $1 AND off_since IS NULL FOR SHARE)
         SELECT coalesce($2, clock_timestamp()) AS now, ",
        endpoint_columns!(),
        " FROM e",
    ))
    .bind(Id(team))
    .bind(tx.instant())
    .fetch_all(tx.db())
    .await?;
    // The latest of several instants: the one at which all were locked.
    let Some(now) = rows.iter().map(|row| row.now).max() else { return Ok(Stored::Nothing) };
    let mut made: Vec<Delivery> = Vec::new();
    for row in rows {
        let endpoint = row.endpoint.endpoint()?;
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
    insert_deliveries(tx.db(), &made).await?;
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
pub(crate) async fn insert_event(db: &mut PgConnection, team: TeamId, event: &NewEvent) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO events (id, team_id, kind, created_at, body) VALUES ($1, $2, $3, $4, $5)")
        .bind(Id(event.id))
        .bind(Id(team))
        .bind(event.kind.as_str())
        .bind(event.created_at)
        .bind(event.body.as_ref())
        .execute(db)
        .await?;
    Ok(())
}

/// Stores deliveries. The caller has locked their endpoints.
pub(crate) async fn insert_deliveries(db: &mut PgConnection, made: &[Delivery]) -> Result<(), sqlx::Error> {
    let states: Vec<StateColumns> = made.iter().map(|delivery| StateColumns::of(&delivery.state)).collect();
    sqlx::query(
        "INSERT INTO deliveries
             (id, team_id, endpoint_id, event_id, created_at, state, attempts, token, after_id, next_attempt_at)
         SELECT * FROM unnest(
             $1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::bigint[], $8::bigint[],
             $9::text[], $10::timestamptz[]
         )",
    )
    .bind(made.iter().map(|delivery| Id(delivery.id)).collect::<Vec<_>>())
    .bind(made.iter().map(|delivery| Id(delivery.team)).collect::<Vec<_>>())
    .bind(made.iter().map(|delivery| Id(delivery.endpoint)).collect::<Vec<_>>())
    .bind(made.iter().map(|delivery| Id(delivery.event)).collect::<Vec<_>>())
    .bind(made.iter().map(|delivery| delivery.created_at).collect::<Vec<_>>())
    .bind(states.iter().map(|state| state.state.as_str()).collect::<Vec<_>>())
    .bind(states.iter().map(|state| state.attempts).collect::<Vec<_>>())
    .bind(states.iter().map(|state| state.token).collect::<Vec<_>>())
    .bind(states.iter().map(|state| state.after_id.as_deref()).collect::<Vec<_>>())
    .bind(states.iter().map(|state| state.next_attempt_at).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

#[derive(FromRow)]
struct ListenerRow {
    now: DateTime<Utc>,
    #[sqlx(flatten)]
    endpoint: EndpointRow,
}
