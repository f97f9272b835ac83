//! What operators look at: a single delivery, and how many wait.

use a11ycheck_core::{
    domain::{Delivery, WebhookEndpoint},
    id::{DeliveryId, EndpointId, TeamId},
    store::{DeliveryDepth, StoreError},
};
use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};

use crate::{
    PostgresStore,
    db::error::Failure,
    deliveries::{
        attempts,
        rows::{DeliveryRow, EndpointRow, delivery_columns, endpoint_columns, stored_status},
    },
};

impl PostgresStore {
    /// [`WebhookStore::delivery`](a11ycheck_core::store::WebhookStore::delivery).
    pub(crate) async fn one_delivery(&self, team: TeamId, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        self.step(|| async {
            let row: Option<DeliveryRow> = sqlx::query_as(concat!(
                "SELECT ",
                delivery_columns!(),
                " FROM deliveries d JOIN events ev ON ev.id = d.event_id WHERE d.team_id = $1 AND d.id = $2",
            ))
            .bind(team.to_string())
            .bind(id.to_string())
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(row.map(DeliveryRow::delivery).transpose()?)
        })
        .await
    }

    /// [`WebhookStore::delivery_depth`](a11ycheck_core::store::WebhookStore::delivery_depth).
    pub(crate) async fn count_deliveries(&self) -> Result<DeliveryDepth, StoreError> {
        self.step(|| async {
            let (pending, due, oldest_due, off): (i64, i64, Option<DateTime<Utc>>, i64) = sqlx::query_as(
                "WITH instant AS MATERIALIZED (
                     SELECT coalesce($1, statement_timestamp()) AS now
                 )
                 SELECT
                     count(*),
                     count(*) FILTER (WHERE next_attempt_at <= (SELECT now FROM instant)),
                     min(next_attempt_at) FILTER (WHERE next_attempt_at <= (SELECT now FROM instant)),
                     (SELECT count(*) FROM endpoints WHERE off_since IS NOT NULL)
                 FROM deliveries WHERE state = 'pending'",
            )
            .bind(self.instant())
            .fetch_one(&mut *self.session().await?)
            .await?;
            Ok(DeliveryDepth {
                pending: pending.unsigned_abs(),
                due: due.unsigned_abs(),
                oldest_due,
                endpoints_off: off.unsigned_abs(),
            })
        })
        .await
    }
}

/// The statements of [`WebhookStore::disable_endpoint`](a11ycheck_core::store::WebhookStore::disable_endpoint).
pub(crate) async fn disable_endpoint<E>(
    db: &mut PgConnection,
    team: TeamId,
    id: EndpointId,
    instant: Option<DateTime<Utc>>,
) -> Result<Option<WebhookEndpoint>, Failure<E>> {
    let row: Option<LockedEndpoint> = sqlx::query_as(concat!(
        "WITH e AS MATERIALIZED (SELECT * FROM endpoints WHERE team_id = $1 AND id = $2 FOR NO KEY UPDATE)
         SELECT coalesce($3, clock_timestamp()) AS now, ",
        endpoint_columns!(),
        " FROM e",
    ))
    .bind(team.to_string())
    .bind(id.to_string())
    .bind(instant)
    .fetch_optional(&mut *db)
    .await?;
    let Some(LockedEndpoint { now, endpoint }) = row else { return Ok(None) };
    let mut endpoint = endpoint.endpoint()?;
    if endpoint.status.is_on() {
        endpoint.status = endpoint.status.switched_off(now);
        let (failed_in_a_row, off_since) = stored_status(endpoint.status);
        sqlx::query("UPDATE endpoints SET failed_in_a_row = $2, off_since = $3 WHERE id = $1")
            .bind(id.to_string())
            .bind(failed_in_a_row)
            .bind(off_since)
            .execute(&mut *db)
            .await?;
        attempts::drop_pending(db, id, now).await?;
    }
    Ok(Some(endpoint))
}

#[derive(FromRow)]
struct LockedEndpoint {
    now: DateTime<Utc>,
    #[sqlx(flatten)]
    endpoint: EndpointRow,
}
