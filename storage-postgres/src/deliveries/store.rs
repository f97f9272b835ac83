//! Endpoints, and the deliveries to them.

use a11ycheck_core::{
    domain::{
        Attempt, AttemptReport, Delivery, DeliveryStatus, EndpointDetails, EndpointStatus, EventKind, NewEndpoint,
        NewEvent, WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, TeamId, WorkerId},
    paging::{Page, PageRequest},
    sealing::{KeyId, Sealed},
    store::{
        ClaimLimits, ClaimedDelivery, CreateEndpointError, DeliveryClaim, DeliveryDepth, DeliveryFilter, RecordError,
        Resent, SendError, StoreError, WebhookStore, Work,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx_macros::FromRow;

use crate::{
    PostgresStore,
    db::{
        columns::{Counted, paged},
        error::{Corrupt, Failure},
        ids::Id,
    },
    deliveries::{
        attempts, claim, endpoints,
        outbox::{insert_deliveries, insert_event, new_delivery},
        rows::{AttemptRow, DeliveryRow, EndpointRow, StatusRow, delivery_columns, endpoint_columns, stored_status},
    },
    twins::{self, ROTATE_SECRET},
};

/// The deliveries `d` of a team `$1`: those to the endpoint `$2`, of the kind `$3`, in the state `$4`, unless these are NULL, that were
/// created at `$5` or later. An order may follow.
macro_rules! from_log {
    () => {
        " FROM deliveries d
          WHERE d.team_id = $1
              AND d.endpoint_id IN (SELECT e.id FROM endpoints e WHERE e.team_id = $1 AND ($2::text IS NULL OR e.id = $2))
              AND ($3::text IS NULL OR EXISTS (SELECT 1 FROM events ev WHERE ev.id = d.event_id AND ev.kind = $3))
              AND ($4::text IS NULL OR d.state = $4)
              AND d.created_at >= $5"
    };
}

#[async_trait]
impl WebhookStore for PostgresStore {
    async fn create_endpoint(
        &self,
        team: TeamId,
        endpoint: NewEndpoint,
    ) -> Result<WebhookEndpoint, CreateEndpointError> {
        self.transaction(async |mut tx| endpoints::create(&mut tx, team, &endpoint).await).await
    }

    async fn endpoints(&self, team: TeamId) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.step(|| async {
            let mut session = self.session().await?;
            let rows: Vec<EndpointRow> = sqlx::query_as(concat!(
                "SELECT ",
                endpoint_columns!(),
                " FROM endpoints e WHERE e.team_id = $1 ORDER BY e.created_at, e.id",
            ))
            .bind(Id(team))
            .fetch_all(&mut *session)
            .await?;
            session.leave_ready();
            Ok(rows.into_iter().map(EndpointRow::endpoint).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn change_endpoint(
        &self,
        team: TeamId,
        id: EndpointId,
        details: EndpointDetails,
    ) -> Result<Option<WebhookEndpoint>, StoreError> {
        self.transaction(async |mut tx| endpoints::change(&mut tx, team, id, &details).await).await
    }

    async fn rotate_secret(
        &self,
        team: TeamId,
        id: EndpointId,
        secret: Sealed,
        overlap: TimeDelta,
    ) -> Result<bool, StoreError> {
        self.step(|| async {
            let rotated = sqlx::query(ROTATE_SECRET)
                .bind(Id(team))
                .bind(Id(id))
                .bind(self.instant())
                .bind(overlap)
                .bind(secret.to_bytes())
                .bind(Id(secret.key()))
                .execute(&mut *self.session().await?)
                .await?;
            Ok(rotated.rows_affected() > 0)
        })
        .await
    }

    async fn enable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError> {
        self.step(|| async {
            let (failed_in_a_row, off_since) = stored_status(EndpointStatus::ON);
            let row: Option<EndpointRow> = sqlx::query_as(concat!(
                "UPDATE endpoints e SET failed_in_a_row = $3, off_since = $4
                 WHERE e.team_id = $1 AND e.id = $2 RETURNING ",
                endpoint_columns!(),
            ))
            .bind(Id(team))
            .bind(Id(id))
            .bind(failed_in_a_row)
            .bind(off_since)
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(row.map(EndpointRow::endpoint).transpose()?)
        })
        .await
    }

    async fn disable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError> {
        self.transaction(async |mut tx| endpoints::disable(&mut tx, team, id).await).await
    }

    async fn delete_endpoint(&self, team: TeamId, id: EndpointId) -> Result<bool, StoreError> {
        self.transaction(async |mut tx| endpoints::delete(&mut tx, team, id).await).await
    }

    async fn send_event(&self, team: TeamId, endpoint: EndpointId, event: NewEvent) -> Result<Delivery, SendError> {
        let sent = self
            .transaction(async |mut tx| {
                let row: Option<LockedStatus> = sqlx::query_as(
                    "WITH e AS MATERIALIZED (SELECT * FROM endpoints WHERE team_id = $1 AND id = $2 FOR SHARE)
                     SELECT coalesce($3, clock_timestamp()) AS now, failed_in_a_row, off_since FROM e",
                )
                .bind(Id(team))
                .bind(Id(endpoint))
                .bind(tx.instant())
                .fetch_optional(tx.db())
                .await?;
                let Some(LockedStatus { now, status }) = row else { return Err(Failure::Refused(SendError::NotFound)) };
                let status = status.status().map_err(|source| Corrupt::new("endpoints", endpoint, source))?;
                if !status.is_on() {
                    return Err(Failure::Refused(SendError::SwitchedOff));
                }
                insert_event(tx.db(), team, &event).await?;
                let delivery = new_delivery(team, endpoint, (event.id, event.kind), None, now);
                insert_deliveries(tx.db(), std::slice::from_ref(&delivery)).await?;
                Ok(delivery)
            })
            .await?;
        self.node().hint(Work::Deliveries);
        Ok(sent)
    }

    async fn resend_delivery(&self, team: TeamId, delivery: DeliveryId) -> Result<Delivery, SendError> {
        let sent = self
            .transaction(async |mut tx| {
                // Locked, so that neither it nor its event is purged before the event has another delivery.
                let locked = attempts::lock(&mut tx, delivery, Some(team))
                    .await?
                    .ok_or(Failure::Refused(SendError::NotFound))?;
                let ended = locked.delivery;
                if ended.state.status() == DeliveryStatus::Pending {
                    return Err(Failure::Refused(SendError::Pending));
                }
                if !locked.endpoint.is_on() {
                    return Err(Failure::Refused(SendError::SwitchedOff));
                }
                let delivery = new_delivery(team, ended.endpoint, (ended.event, ended.kind), None, locked.now);
                insert_deliveries(tx.db(), std::slice::from_ref(&delivery)).await?;
                Ok(delivery)
            })
            .await?;
        self.node().hint(Work::Deliveries);
        Ok(sent)
    }

    async fn resend_failed(
        &self,
        team: TeamId,
        endpoint: EndpointId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Resent, SendError> {
        let resent = self
            .transaction(async |mut tx| {
                // The steps of one endpoint happen one after the other: the next statement sees what the one before has made.
                let locked: Option<(bool, DateTime<Utc>)> = sqlx::query_as(
                    "SELECT off_since IS NULL, coalesce($3, clock_timestamp()) FROM endpoints
                     WHERE team_id = $1 AND id = $2 FOR NO KEY UPDATE",
                )
                .bind(Id(team))
                .bind(Id(endpoint))
                .bind(tx.instant())
                .fetch_optional(tx.db())
                .await?;
                let Some((is_on, now)) = locked else { return Err(Failure::Refused(SendError::NotFound)) };
                if !is_on {
                    return Err(Failure::Refused(SendError::SwitchedOff));
                }
                // Locked, so that neither they nor their events are purged before the events have other deliveries.
                let mut rows: Vec<DeliveryRow> = sqlx::query_as(concat!(
                    "SELECT ",
                    delivery_columns!(),
                    " FROM deliveries d JOIN events ev ON ev.id = d.event_id
                      WHERE d.endpoint_id = $1 AND d.created_at >= $2 AND d.state IN ('failed', 'dropped')
                          AND NOT EXISTS (
                              SELECT FROM deliveries n
                              WHERE n.event_id = d.event_id AND n.endpoint_id = $1
                                  AND (n.created_at, n.id) > (d.created_at, d.id)
                          )
                      ORDER BY d.created_at, d.id LIMIT $3 FOR UPDATE OF d",
                ))
                .bind(Id(endpoint))
                .bind(since)
                .bind(i64::from(limit) + 1)
                .fetch_all(tx.db())
                .await?;
                let more = rows.len() > usize::try_from(limit).unwrap_or(usize::MAX);
                if more {
                    rows.pop();
                }
                let mut made = Vec::with_capacity(rows.len());
                for row in rows {
                    let ended = row.delivery()?;
                    made.push(new_delivery(team, endpoint, (ended.event, ended.kind), None, now));
                }
                insert_deliveries(tx.db(), &made).await?;
                Ok(Resent { queued: u32::try_from(made.len()).unwrap_or(limit), more })
            })
            .await?;
        if resent.queued > 0 {
            self.node().hint(Work::Deliveries);
        }
        Ok(resent)
    }

    async fn delivery_log(
        &self,
        team: TeamId,
        filter: &DeliveryFilter,
        page: PageRequest,
    ) -> Result<Page<Delivery>, StoreError> {
        let DeliveryFilter { endpoint, kind, status, since } = filter;
        let since = since.unwrap_or(DateTime::UNIX_EPOCH);
        self.step(|| async {
            let (limit, offset) = paged(page);
            let rows: Vec<Counted<DeliveryRow>> = sqlx::query_as(concat!(
                "SELECT (SELECT count(*)",
                from_log!(),
                ") AS total, ",
                delivery_columns!(),
                // The page first, so that no more events are looked up than it has deliveries.
                " FROM (SELECT d.*",
                from_log!(),
                " ORDER BY d.created_at DESC, d.id DESC LIMIT $6 OFFSET $7) AS d JOIN events ev ON ev.id = d.event_id
                  ORDER BY d.created_at DESC, d.id DESC",
            ))
            .bind(Id(team))
            .bind(endpoint.map(Id))
            .bind(kind.as_ref().map(EventKind::as_str))
            .bind(status.map(DeliveryStatus::as_str))
            .bind(since)
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *self.session().await?)
            .await?;
            let total: i64 = match rows.first() {
                Some(row) => row.total,
                // None, or a page beyond the end.
                None if page.page() == 1 => 0,
                None => {
                    sqlx::query_scalar(concat!("SELECT count(*)", from_log!()))
                        .bind(Id(team))
                        .bind(endpoint.map(Id))
                        .bind(kind.as_ref().map(EventKind::as_str))
                        .bind(status.map(DeliveryStatus::as_str))
                        .bind(since)
                        .fetch_one(&mut *self.session().await?)
                        .await?
                }
            };
            let items = rows.into_iter().map(|row| row.item.delivery()).collect::<Result<_, _>>()?;
            Ok(Page { request: page, items, total: total.unsigned_abs() })
        })
        .await
    }

    async fn deliveries(
        &self,
        team: TeamId,
        endpoint: EndpointId,
        page: PageRequest,
    ) -> Result<Option<Page<Delivery>>, StoreError> {
        self.step(|| async {
            let (limit, offset) = paged(page);
            let rows: Vec<Counted<DeliveryRow>> = sqlx::query_as(concat!(
                "SELECT (SELECT count(*) FROM deliveries WHERE endpoint_id = $2) AS total, ",
                delivery_columns!(),
                // The page first, so that no more events are looked up than it has deliveries.
                " FROM (
                      SELECT * FROM deliveries WHERE team_id = $1 AND endpoint_id = $2
                      ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4
                  ) AS d JOIN events ev ON ev.id = d.event_id
                  ORDER BY d.created_at DESC, d.id DESC",
            ))
            .bind(Id(team))
            .bind(Id(endpoint))
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *self.session().await?)
            .await?;
            let total: Option<i64> = match rows.first() {
                Some(row) => Some(row.total),
                // No such endpoint, an empty list, or a page beyond its end.
                None => {
                    sqlx::query_scalar(
                        "SELECT (SELECT count(*) FROM deliveries WHERE endpoint_id = $2)
                         FROM endpoints WHERE team_id = $1 AND id = $2",
                    )
                    .bind(Id(team))
                    .bind(Id(endpoint))
                    .fetch_optional(&mut *self.session().await?)
                    .await?
                }
            };
            let Some(total) = total else { return Ok(None) };
            let items = rows.into_iter().map(|row| row.item.delivery()).collect::<Result<_, _>>()?;
            Ok(Some(Page { request: page, items, total: total.unsigned_abs() }))
        })
        .await
    }

    async fn delivery(&self, team: TeamId, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        self.step(|| async {
            let row: Option<DeliveryRow> = sqlx::query_as(concat!(
                "SELECT ",
                delivery_columns!(),
                " FROM deliveries d JOIN events ev ON ev.id = d.event_id WHERE d.team_id = $1 AND d.id = $2",
            ))
            .bind(Id(team))
            .bind(Id(id))
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(row.map(DeliveryRow::delivery).transpose()?)
        })
        .await
    }

    async fn attempts(&self, team: TeamId, delivery: DeliveryId) -> Result<Option<Vec<Attempt>>, StoreError> {
        self.step(|| async {
            let rows: Vec<AttemptRow> = sqlx::query_as(
                "SELECT a.* FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id
                 WHERE d.team_id = $1 AND d.id = $2 ORDER BY a.number",
            )
            .bind(Id(team))
            .bind(Id(delivery))
            .fetch_all(&mut *self.session().await?)
            .await?;
            if rows.is_empty() {
                // No such delivery, or none of its attempts has ended.
                let found = sqlx::query("SELECT FROM deliveries WHERE team_id = $1 AND id = $2")
                    .bind(Id(team))
                    .bind(Id(delivery))
                    .fetch_optional(&mut *self.session().await?)
                    .await?;
                return Ok(found.map(|_| Vec::new()));
            }
            Ok(Some(rows.into_iter().map(|row| row.attempt(delivery)).collect::<Result<_, _>>()?))
        })
        .await
    }

    async fn claim_deliveries(
        &self,
        worker: &WorkerId,
        limits: ClaimLimits,
        term: TimeDelta,
        keys: &[KeyId],
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        let lost = self.step(|| async {
            let mut db = self.session().await?;
            Ok::<_, Failure<StoreError>>(
                attempts::lost(&mut db, limits.all, &self.unreadable().deliveries.ids(), self.instant()).await?,
            )
        });
        let mut unskipped = None;
        // Before the claim: a failure here leaves nothing behind that was given out.
        for id in lost.await? {
            let given_up = self.step(|| async {
                match self.try_transaction(async |mut tx| attempts::give_up::<StoreError>(&mut tx, &id).await).await {
                    Err(Failure::Corrupt(problem)) => Ok(Err(problem)),
                    ended => ended.map(Ok),
                }
            });
            match given_up.await? {
                Ok(true) => self.node().hint(Work::Deliveries),
                Ok(false) => {}
                Err(problem) => {
                    if !self.unreadable().deliveries.add(id, &problem) {
                        unskipped.get_or_insert(problem);
                    }
                }
            }
        }
        let claimed = self
            .transaction(async |mut tx| {
                claim::claim::<StoreError>(&mut tx, worker, limits, term, keys, &self.unreadable().deliveries).await
            })
            .await?;
        match claimed.unskipped.or(unskipped) {
            // Such rows may have taken all the room of this claim, and would take that of every later one: the worker
            // must not take that for an empty queue. What was claimed beside them is worked on first.
            Some(problem) if claimed.deliveries.is_empty() => Err(problem.into()),
            Some(_) | None => Ok(claimed.deliveries),
        }
    }

    async fn record_attempt(&self, claim: DeliveryClaim, report: AttemptReport) -> Result<Delivery, RecordError> {
        let recorded = self.transaction(async |mut tx| attempts::record(&mut tx, claim, &report).await).await?;
        if recorded.unblocked {
            self.node().hint(Work::Deliveries);
        }
        Ok(recorded.delivery)
    }

    async fn purge_deliveries(&self, limit: u32) -> Result<u32, StoreError> {
        self.transaction(async |mut tx| attempts::purge(&mut tx, limit).await).await
    }

    async fn endpoints_off(&self, limit: u32) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.step(|| async {
            let rows: Vec<EndpointRow> = sqlx::query_as(concat!(
                "SELECT ",
                endpoint_columns!(),
                " FROM endpoints e WHERE e.off_since IS NOT NULL ORDER BY e.off_since DESC, e.id LIMIT $1",
            ))
            .bind(i64::from(limit))
            .fetch_all(&mut *self.session().await?)
            .await?;
            Ok(rows.into_iter().map(EndpointRow::endpoint).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn delivery_depth(&self) -> Result<DeliveryDepth, StoreError> {
        self.step(|| async {
            let (pending, due, oldest_due, off): (i64, i64, Option<DateTime<Utc>>, i64) = sqlx::query_as(concat!(
                "WITH instant AS MATERIALIZED (
                     SELECT coalesce($1, statement_timestamp()) AS now
                 )
                 SELECT
                     count(*),
                     count(*) FILTER (WHERE ",
                twins::delivery_is_due!("(SELECT now FROM instant)"),
                "), min(next_attempt_at) FILTER (WHERE ",
                twins::delivery_is_due!("(SELECT now FROM instant)"),
                "),
                     (SELECT count(*) FROM endpoints WHERE off_since IS NOT NULL)
                 FROM deliveries WHERE state = 'pending'",
            ))
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

#[derive(FromRow)]
struct LockedStatus {
    now: DateTime<Utc>,
    #[sqlx(flatten)]
    status: StatusRow,
}
