//! Endpoints: how many a team may have, and what follows when one is changed, switched off or deleted.

use a11ycheck_core::{
    domain::{EndpointDetails, EndpointStatus, NewEndpoint, WebhookEndpoint},
    id::{EndpointId, TeamId},
    store::CreateEndpointError,
};
use chrono::{DateTime, Utc};
use sqlx_macros::FromRow;

use crate::{
    db::{error::Failure, ids::Id, transaction::Tx},
    deliveries::{
        attempts::{self, drop_pending},
        rows::{EndpointRow, endpoint_columns, stored_status},
    },
};

/// Creates an endpoint, unless the team has as many as it may have.
pub(crate) async fn create(
    tx: &mut Tx,
    team: TeamId,
    endpoint: &NewEndpoint,
) -> Result<WebhookEndpoint, Failure<CreateEndpointError>> {
    // Locks the team, so that its endpoints are counted after every other addition.
    let now: Option<DateTime<Utc>> = sqlx::query_scalar(
        "WITH t AS MATERIALIZED (SELECT FROM teams WHERE id = $1 FOR NO KEY UPDATE)
         SELECT coalesce($2, clock_timestamp()) FROM t",
    )
    .bind(Id(team))
    .bind(tx.instant())
    .fetch_optional(tx.db())
    .await?;
    let Some(now) = now else { return Err(Failure::Refused(CreateEndpointError::NoTeam)) };
    let NewEndpoint { id, details, secret } = endpoint;
    let status = EndpointStatus::ON;
    let (failed_in_a_row, off_since) = stored_status(status);
    let created = sqlx::query(
        "INSERT INTO endpoints
             (id, team_id, url, events, sealed_secret, sealed_with, failed_in_a_row, off_since, created_at)
         SELECT $2, $1, $3, $4, $5, $6, $7, $8, $9
         WHERE (SELECT count(*) FROM endpoints WHERE team_id = $1) < $10",
    )
    .bind(Id(team))
    .bind(Id(id))
    .bind(details.url.as_str())
    .bind(stored_events(details))
    .bind(secret.to_bytes())
    .bind(Id(secret.key()))
    .bind(failed_in_a_row)
    .bind(off_since)
    .bind(now)
    .bind(i64::from(WebhookEndpoint::MAX_PER_TEAM))
    .execute(tx.db())
    .await?;
    if created.rows_affected() == 0 {
        return Err(Failure::Refused(CreateEndpointError::LimitReached));
    }
    Ok(WebhookEndpoint { id: *id, team, details: details.clone(), status, created_at: now })
}

/// Changes an endpoint, and returns it as it is afterwards.
pub(crate) async fn change<E>(
    tx: &mut Tx,
    team: TeamId,
    id: EndpointId,
    details: &EndpointDetails,
) -> Result<Option<WebhookEndpoint>, Failure<E>> {
    let row: Option<EndpointRow> = sqlx::query_as(concat!(
        "SELECT ",
        endpoint_columns!(),
        " FROM endpoints e WHERE e.team_id = $1 AND e.id = $2 FOR NO KEY UPDATE",
    ))
    .bind(Id(team))
    .bind(Id(id))
    .fetch_optional(tx.db())
    .await?;
    let Some(row) = row else { return Ok(None) };
    let stored = row.endpoint()?;
    let details = details.clone().in_place_of(&stored.details);
    sqlx::query("UPDATE endpoints SET url = $2, events = $3 WHERE id = $1")
        .bind(Id(id))
        .bind(details.url.as_str())
        .bind(stored_events(&details))
        .execute(tx.db())
        .await?;
    Ok(Some(WebhookEndpoint { details, ..stored }))
}

/// Switches an endpoint off, and drops its pending deliveries.
pub(crate) async fn disable<E>(
    tx: &mut Tx,
    team: TeamId,
    id: EndpointId,
) -> Result<Option<WebhookEndpoint>, Failure<E>> {
    let row: Option<LockedEndpoint> = sqlx::query_as(concat!(
        "WITH e AS MATERIALIZED (SELECT * FROM endpoints WHERE team_id = $1 AND id = $2 FOR NO KEY UPDATE)
         SELECT coalesce($3, clock_timestamp()) AS now, ",
        endpoint_columns!(),
        " FROM e",
    ))
    .bind(Id(team))
    .bind(Id(id))
    .bind(tx.instant())
    .fetch_optional(tx.db())
    .await?;
    let Some(LockedEndpoint { now, endpoint }) = row else { return Ok(None) };
    let mut endpoint = endpoint.endpoint()?;
    if endpoint.status.is_on() {
        endpoint.status = endpoint.status.switched_off(now);
        let (failed_in_a_row, off_since) = stored_status(endpoint.status);
        sqlx::query("UPDATE endpoints SET failed_in_a_row = $2, off_since = $3 WHERE id = $1")
            .bind(Id(id))
            .bind(failed_in_a_row)
            .bind(off_since)
            .execute(tx.db())
            .await?;
        drop_pending(tx.db(), id, now).await?;
    }
    Ok(Some(endpoint))
}

/// Deletes an endpoint with its deliveries. Returns whether there was one.
pub(crate) async fn delete<E>(tx: &mut Tx, team: TeamId, id: EndpointId) -> Result<bool, Failure<E>> {
    // Locks the endpoint, so that no more deliveries are made for it.
    let found = sqlx::query("SELECT FROM endpoints WHERE team_id = $1 AND id = $2 FOR UPDATE")
        .bind(Id(team))
        .bind(Id(id))
        .fetch_optional(tx.db())
        .await?;
    if found.is_none() {
        return Ok(false);
    }
    let gone = sqlx::query_as("SELECT id, event_id FROM deliveries WHERE endpoint_id = $1 FOR UPDATE")
        .bind(Id(id))
        .fetch_all(tx.db())
        .await?;
    attempts::delete(tx.db(), gone).await?;
    sqlx::query("DELETE FROM endpoints WHERE id = $1").bind(Id(id)).execute(tx.db()).await?;
    Ok(true)
}

pub(crate) fn stored_events(details: &EndpointDetails) -> Vec<&str> {
    details.events.iter().map(|kind| kind.as_str()).collect()
}

#[derive(FromRow)]
struct LockedEndpoint {
    now: DateTime<Utc>,
    #[sqlx(flatten)]
    endpoint: EndpointRow,
}
