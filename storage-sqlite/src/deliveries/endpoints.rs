//! Endpoints: how many a team may have, and what follows when one is changed, switched off or deleted.

use a11ycheck_core::{
    domain::{EndpointDetails, EndpointSecrets, EndpointStatus, NewEndpoint, WebhookEndpoint},
    id::{EndpointId, TeamId},
    sealing::Sealed,
    store::{CreateEndpointError, StoreError},
};
use chrono::TimeDelta;
use sqlx::SqliteConnection;

use crate::{
    db::{
        columns::json,
        error::{Corrupt, Failure},
        ids::{At, Id},
        transaction::Tx,
    },
    deliveries::{
        attempts::{delete_events, drop_pending},
        rows::{EndpointRow, SecretsRow, endpoint_columns, secrets_columns, stored_status},
    },
};

/// Creates an endpoint, unless the team has as many as it may have.
pub(crate) async fn create(
    tx: &mut Tx,
    team: TeamId,
    endpoint: NewEndpoint,
) -> Result<WebhookEndpoint, Failure<CreateEndpointError>> {
    let now = tx.now();
    let (is_there, endpoints): (bool, i64) = sqlx::query_as(
        "SELECT EXISTS (SELECT 1 FROM teams WHERE id = ?1), (SELECT count(*) FROM endpoints WHERE team_id = ?1)",
    )
    .bind(Id(team))
    .fetch_one(tx.db())
    .await?;
    if !is_there {
        return Err(Failure::Refused(CreateEndpointError::NoTeam));
    }
    if endpoints >= i64::from(WebhookEndpoint::MAX_PER_TEAM) {
        return Err(Failure::Refused(CreateEndpointError::LimitReached));
    }
    let NewEndpoint { id, details, secret } = endpoint;
    let status = EndpointStatus::ON;
    let (failed_in_a_row, off_since) = stored_status(status);
    sqlx::query(
        "INSERT INTO endpoints
             (id, team_id, url, events, sealed_secret, sealed_with, failed_in_a_row, off_since, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )
    .bind(Id(id))
    .bind(Id(team))
    .bind(details.url.as_str())
    .bind(stored_events(&details)?)
    .bind(secret.to_bytes())
    .bind(Id(secret.key()))
    .bind(failed_in_a_row)
    .bind(off_since)
    .bind(At(now))
    .execute(tx.db())
    .await?;
    Ok(WebhookEndpoint { id, team, details, status, created_at: now })
}

/// Changes an endpoint, and returns it as it is afterwards.
pub(crate) async fn change<E>(
    tx: &mut Tx,
    team: TeamId,
    id: EndpointId,
    details: EndpointDetails,
) -> Result<Option<WebhookEndpoint>, Failure<E>> {
    let Some(stored) = find(tx.db(), team, id).await? else { return Ok(None) };
    let details = details.in_place_of(&stored.details);
    sqlx::query("UPDATE endpoints SET url = ?2, events = ?3 WHERE id = ?1")
        .bind(Id(id))
        .bind(details.url.as_str())
        .bind(stored_events(&details)?)
        .execute(tx.db())
        .await?;
    Ok(Some(WebhookEndpoint { details, ..stored }))
}

/// Replaces the secret of an endpoint. Returns whether there is one.
pub(crate) async fn rotate_secret<E>(
    tx: &mut Tx,
    team: TeamId,
    id: EndpointId,
    secret: Sealed,
    overlap: TimeDelta,
) -> Result<bool, Failure<E>> {
    let row: Option<SecretsRow> =
        sqlx::query_as(concat!("SELECT ", secrets_columns!(), " FROM endpoints e WHERE e.team_id = ?1 AND e.id = ?2"))
            .bind(Id(team))
            .bind(Id(id))
            .fetch_optional(tx.db())
            .await?;
    let Some(row) = row else { return Ok(false) };
    let secrets = row.secrets().map_err(|source| Corrupt::new("endpoints", id, source))?;
    let secrets = secrets.rotated(secret, tx.now() + overlap);
    write_secrets(tx.db(), id, &secrets).await?;
    Ok(true)
}

/// Writes the secrets of an endpoint.
pub(crate) async fn write_secrets(
    db: &mut SqliteConnection,
    id: EndpointId,
    secrets: &EndpointSecrets,
) -> Result<(), sqlx::Error> {
    let (previous, until) = secrets.previous.as_ref().map(|(sealed, until)| (sealed, At(*until))).unzip();
    sqlx::query(
        "UPDATE endpoints SET sealed_secret = ?2, sealed_with = ?3, sealed_previous = ?4, sealed_previous_with = ?5,
             previous_until = ?6
         WHERE id = ?1",
    )
    .bind(Id(id))
    .bind(secrets.current.to_bytes())
    .bind(Id(secrets.current.key()))
    .bind(previous.map(Sealed::to_bytes))
    .bind(previous.map(|previous| Id(previous.key())))
    .bind(until)
    .execute(db)
    .await
    .map(drop)
}

/// Switches an endpoint on or off, and returns it as it is afterwards; its pending deliveries are dropped if it was
/// switched off.
pub(crate) async fn switch<E>(
    tx: &mut Tx,
    team: TeamId,
    id: EndpointId,
    switch: impl FnOnce(EndpointStatus) -> EndpointStatus + Send,
) -> Result<Option<WebhookEndpoint>, Failure<E>> {
    let now = tx.now();
    let Some(mut endpoint) = find(tx.db(), team, id).await? else { return Ok(None) };
    let before = endpoint.status;
    endpoint.status = switch(before);
    write_status(tx.db(), id, endpoint.status).await?;
    if before.is_on() && !endpoint.status.is_on() {
        drop_pending(tx.db(), id, now).await?;
    }
    Ok(Some(endpoint))
}

/// Writes the status of an endpoint.
pub(crate) async fn write_status(
    db: &mut SqliteConnection,
    id: EndpointId,
    status: EndpointStatus,
) -> Result<(), sqlx::Error> {
    let (failed_in_a_row, off_since) = stored_status(status);
    sqlx::query("UPDATE endpoints SET failed_in_a_row = ?2, off_since = ?3 WHERE id = ?1")
        .bind(Id(id))
        .bind(failed_in_a_row)
        .bind(off_since)
        .execute(db)
        .await
        .map(drop)
}

/// Deletes an endpoint with its deliveries, their log, and the events that no other delivery needs.
pub(crate) async fn delete_whole(db: &mut SqliteConnection, id: &str) -> Result<(), Failure<StoreError>> {
    let events: Vec<String> = sqlx::query_scalar("DELETE FROM deliveries WHERE endpoint_id = ?1 RETURNING event_id")
        .bind(id)
        .fetch_all(&mut *db)
        .await?;
    delete_events(db, events).await?;
    sqlx::query("DELETE FROM endpoints WHERE id = ?1").bind(id).execute(db).await?;
    Ok(())
}

pub(crate) async fn find<E>(
    db: &mut SqliteConnection,
    team: TeamId,
    id: EndpointId,
) -> Result<Option<WebhookEndpoint>, Failure<E>> {
    let row: Option<EndpointRow> =
        sqlx::query_as(
            concat!("SELECT ", endpoint_columns!(), " FROM endpoints e WHERE e.team_id = ?1 AND e.id = ?2",),
        )
        .bind(Id(team))
        .bind(Id(id))
        .fetch_optional(db)
        .await?;
    Ok(row.map(EndpointRow::endpoint).transpose()?)
}

pub(crate) fn stored_events(details: &EndpointDetails) -> Result<String, Corrupt> {
    json(details.events.iter().map(|kind| kind.as_str()).collect::<Vec<_>>())
}
