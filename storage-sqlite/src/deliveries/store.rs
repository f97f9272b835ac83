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

use crate::{
    SqliteStore,
    db::{
        columns::paged,
        error::Failure,
        ids::{At, Id},
    },
    deliveries::{
        attempts, claim, endpoints,
        outbox::{insert_delivery, insert_event, new_delivery},
        rows::{AttemptRow, DeliveryRow, EndpointRow, delivery_columns, endpoint_columns},
    },
    twins,
};

/// The deliveries `d` of a team `?1`: those to the endpoint `?2`, of the kind `?3`, in the state `?4`, unless these are NULL, that were
/// created at `?5` or later. An order may follow.
macro_rules! from_log {
    () => {
        " FROM deliveries d
          WHERE d.team_id = ?1
              AND d.endpoint_id IN (SELECT e.id FROM endpoints e WHERE e.team_id = ?1 AND (?2 IS NULL OR e.id = ?2))
              AND (?3 IS NULL OR EXISTS (SELECT 1 FROM events ev WHERE ev.id = d.event_id AND ev.kind = ?3))
              AND (?4 IS NULL OR d.state = ?4)
              AND d.created_at >= ?5"
    };
}

#[async_trait]
impl WebhookStore for SqliteStore {
    async fn create_endpoint(
        &self,
        team: TeamId,
        endpoint: NewEndpoint,
    ) -> Result<WebhookEndpoint, CreateEndpointError> {
        self.write(async |mut tx| endpoints::create(&mut tx, team, endpoint).await).await
    }

    async fn endpoints(&self, team: TeamId) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.read(async |mut db| {
            let rows: Vec<EndpointRow> = sqlx::query_as(concat!(
                "SELECT ",
                endpoint_columns!(),
                " FROM endpoints e WHERE e.team_id = ?1 ORDER BY e.created_at, e.id",
            ))
            .bind(Id(team))
            .fetch_all(&mut *db)
            .await?;
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
        self.write(async |mut tx| endpoints::change(&mut tx, team, id, details).await).await
    }

    async fn rotate_secret(
        &self,
        team: TeamId,
        id: EndpointId,
        secret: Sealed,
        overlap: TimeDelta,
    ) -> Result<bool, StoreError> {
        self.write(async |mut tx| endpoints::rotate_secret(&mut tx, team, id, secret, overlap).await).await
    }

    async fn enable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError> {
        self.write(async |mut tx| endpoints::switch(&mut tx, team, id, |_| EndpointStatus::ON).await).await
    }

    async fn disable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError> {
        self.write(async |mut tx| {
            let now = tx.now();
            endpoints::switch(&mut tx, team, id, |status| status.switched_off(now)).await
        })
        .await
    }

    async fn delete_endpoint(&self, team: TeamId, id: EndpointId) -> Result<bool, StoreError> {
        self.write(async |mut tx| {
            let found: Option<String> = sqlx::query_scalar("SELECT id FROM endpoints WHERE team_id = ?1 AND id = ?2")
                .bind(Id(team))
                .bind(Id(id))
                .fetch_optional(tx.db())
                .await?;
            let Some(id) = found else { return Ok(false) };
            endpoints::delete_whole(tx.db(), &id).await?;
            Ok(true)
        })
        .await
    }

    async fn send_event(&self, team: TeamId, endpoint: EndpointId, event: NewEvent) -> Result<Delivery, SendError> {
        let sent = self
            .write(async |mut tx| {
                let now = tx.now();
                let to =
                    endpoints::find(tx.db(), team, endpoint).await?.ok_or(Failure::Refused(SendError::NotFound))?;
                if !to.status.is_on() {
                    return Err(Failure::Refused(SendError::SwitchedOff));
                }
                insert_event(tx.db(), team, &event).await?;
                let delivery = new_delivery(team, endpoint, (event.id, event.kind), None, now);
                insert_delivery(tx.db(), &delivery).await?;
                Ok(delivery)
            })
            .await?;
        self.hints().give(Work::Deliveries);
        Ok(sent)
    }

    async fn resend_delivery(&self, team: TeamId, delivery: DeliveryId) -> Result<Delivery, SendError> {
        let sent = self
            .write(async |mut tx| {
                let now = tx.now();
                let found = attempts::find(tx.db(), delivery, Some(team)).await?;
                let found = found.ok_or(Failure::Refused(SendError::NotFound))?;
                let ended = found.delivery;
                if ended.state.status() == DeliveryStatus::Pending {
                    return Err(Failure::Refused(SendError::Pending));
                }
                if !found.endpoint.is_on() {
                    return Err(Failure::Refused(SendError::SwitchedOff));
                }
                let delivery = new_delivery(team, ended.endpoint, (ended.event, ended.kind), None, now);
                insert_delivery(tx.db(), &delivery).await?;
                Ok(delivery)
            })
            .await?;
        self.hints().give(Work::Deliveries);
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
            .write(async |mut tx| {
                let now = tx.now();
                let to =
                    endpoints::find(tx.db(), team, endpoint).await?.ok_or(Failure::Refused(SendError::NotFound))?;
                if !to.status.is_on() {
                    return Err(Failure::Refused(SendError::SwitchedOff));
                }
                let mut rows: Vec<DeliveryRow> = sqlx::query_as(concat!(
                    "SELECT ",
                    delivery_columns!(),
                    " FROM deliveries d JOIN events ev ON ev.id = d.event_id
                      WHERE d.endpoint_id = ?1 AND d.created_at >= ?2 AND d.state IN ('failed', 'dropped')
                          AND NOT EXISTS (
                              SELECT 1 FROM deliveries n
                              WHERE n.event_id = d.event_id AND n.endpoint_id = ?1
                                  AND (n.created_at, n.id) > (d.created_at, d.id)
                          )
                      ORDER BY d.created_at, d.id LIMIT ?3",
                ))
                .bind(Id(endpoint))
                .bind(At(since))
                .bind(i64::from(limit) + 1)
                .fetch_all(tx.db())
                .await?;
                let more = rows.len() > usize::try_from(limit).unwrap_or(usize::MAX);
                if more {
                    rows.pop();
                }
                let queued = u32::try_from(rows.len()).unwrap_or(limit);
                for row in rows {
                    let ended = row.delivery()?;
                    let delivery = new_delivery(team, endpoint, (ended.event, ended.kind), None, now);
                    insert_delivery(tx.db(), &delivery).await?;
                }
                Ok(Resent { queued, more })
            })
            .await?;
        if resent.queued > 0 {
            self.hints().give(Work::Deliveries);
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
        let since = At(since.unwrap_or(DateTime::UNIX_EPOCH));
        self.read(async |mut db| {
            let (limit, offset) = paged(page);
            let rows: Vec<DeliveryRow> = sqlx::query_as(concat!(
                "SELECT ",
                delivery_columns!(),
                // The page first, so that no more events are looked up than it has deliveries.
                " FROM (SELECT d.*",
                from_log!(),
                " ORDER BY d.created_at DESC, d.id DESC LIMIT ?6 OFFSET ?7) AS d JOIN events ev ON ev.id = d.event_id
                  ORDER BY d.created_at DESC, d.id DESC",
            ))
            .bind(Id(team))
            .bind(endpoint.map(Id))
            .bind(kind.as_ref().map(EventKind::as_str))
            .bind(status.map(DeliveryStatus::as_str))
            .bind(since)
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *db)
            .await?;
            let total: i64 = sqlx::query_scalar(concat!("SELECT count(*)", from_log!()))
                .bind(Id(team))
                .bind(endpoint.map(Id))
                .bind(kind.as_ref().map(EventKind::as_str))
                .bind(status.map(DeliveryStatus::as_str))
                .bind(since)
                .fetch_one(&mut *db)
                .await?;
            let items = rows.into_iter().map(DeliveryRow::delivery).collect::<Result<_, _>>()?;
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
        self.read(async |mut db| {
            let total: Option<i64> = sqlx::query_scalar(
                "SELECT (SELECT count(*) FROM deliveries WHERE endpoint_id = ?2)
                 FROM endpoints WHERE team_id = ?1 AND id = ?2",
            )
            .bind(Id(team))
            .bind(Id(endpoint))
            .fetch_optional(&mut *db)
            .await?;
            let Some(total) = total else { return Ok(None) };
            let (limit, offset) = paged(page);
            let rows: Vec<DeliveryRow> = sqlx::query_as(concat!(
                "SELECT ",
                delivery_columns!(),
                // The page first, so that no more events are looked up than it has deliveries.
                " FROM (
                      SELECT * FROM deliveries WHERE team_id = ?1 AND endpoint_id = ?2
                      ORDER BY created_at DESC, id DESC LIMIT ?3 OFFSET ?4
                  ) AS d JOIN events ev ON ev.id = d.event_id
                  ORDER BY d.created_at DESC, d.id DESC",
            ))
            .bind(Id(team))
            .bind(Id(endpoint))
            .bind(limit)
            .bind(offset)
            .fetch_all(&mut *db)
            .await?;
            let items = rows.into_iter().map(DeliveryRow::delivery).collect::<Result<_, _>>()?;
            Ok(Some(Page { request: page, items, total: total.unsigned_abs() }))
        })
        .await
    }

    async fn delivery(&self, team: TeamId, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        self.read(async |mut db| Ok(attempts::find(&mut db, id, Some(team)).await?.map(|found| found.delivery))).await
    }

    async fn attempts(&self, team: TeamId, delivery: DeliveryId) -> Result<Option<Vec<Attempt>>, StoreError> {
        self.read(async |mut db| {
            let is_there: bool =
                sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM deliveries WHERE team_id = ?1 AND id = ?2)")
                    .bind(Id(team))
                    .bind(Id(delivery))
                    .fetch_one(&mut *db)
                    .await?;
            if !is_there {
                return Ok(None);
            }
            let rows: Vec<AttemptRow> = sqlx::query_as(
                "SELECT number, started_at, ended_at, duration, status, excerpt, failure
                 FROM delivery_attempts WHERE delivery_id = ?1 ORDER BY number",
            )
            .bind(Id(delivery))
            .fetch_all(&mut *db)
            .await?;
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
        let skipped = &self.unreadable().deliveries;
        let lost =
            self.read(async |mut db| attempts::lost(&mut db, limits.all, &skipped.ids(), self.time()).await).await?;
        let mut unskipped = None;
        // Before the claim: a failure here leaves nothing behind that was given out.
        for id in lost {
            let given_up = self.write(async |mut tx| match attempts::give_up::<StoreError>(&mut tx, &id).await {
                Err(Failure::Corrupt(problem)) => Ok(Err(problem)),
                ended => ended.map(Ok),
            });
            match given_up.await? {
                Ok(true) => self.hints().give(Work::Deliveries),
                Ok(false) => {}
                Err(problem) => {
                    if !skipped.add(id, &problem) {
                        unskipped.get_or_insert(problem);
                    }
                }
            }
        }
        let claimed =
            self.write(async |mut tx| claim::claim(&mut tx, worker, limits, term, keys, skipped).await).await?;
        match claimed.unskipped.or(unskipped) {
            // Such rows may have taken all the room of this claim, and would take that of every later one: the worker
            // must not take that for an empty queue. What was claimed beside them is worked on first.
            Some(problem) if claimed.deliveries.is_empty() => Err(problem.into()),
            Some(_) | None => Ok(claimed.deliveries),
        }
    }

    async fn record_attempt(&self, claim: DeliveryClaim, report: AttemptReport) -> Result<Delivery, RecordError> {
        let recorded = self.write(async |mut tx| attempts::record(&mut tx, claim, &report).await).await?;
        if recorded.unblocked {
            self.hints().give(Work::Deliveries);
        }
        Ok(recorded.delivery)
    }

    async fn purge_deliveries(&self, limit: u32) -> Result<u32, StoreError> {
        self.write(async |mut tx| attempts::purge(&mut tx, limit).await).await
    }

    async fn endpoints_off(&self, limit: u32) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.read(async |mut db| {
            let rows: Vec<EndpointRow> = sqlx::query_as(concat!(
                "SELECT ",
                endpoint_columns!(),
                " FROM endpoints e WHERE e.off_since IS NOT NULL ORDER BY e.off_since DESC, e.id LIMIT ?1",
            ))
            .bind(i64::from(limit))
            .fetch_all(&mut *db)
            .await?;
            Ok(rows.into_iter().map(EndpointRow::endpoint).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn delivery_depth(&self) -> Result<DeliveryDepth, StoreError> {
        self.read(async |mut db| {
            let (pending, due, oldest_due, off): (i64, i64, Option<At>, i64) = sqlx::query_as(concat!(
                "SELECT
                     (SELECT count(*) FROM deliveries WHERE state = 'pending'),
                     (SELECT count(*) FROM deliveries WHERE ",
                twins::delivery_is_due!("?1"),
                "),
                     (SELECT min(next_attempt_at) FROM deliveries WHERE ",
                twins::delivery_is_due!("?1"),
                "),
                     (SELECT count(*) FROM endpoints WHERE off_since IS NOT NULL)",
            ))
            .bind(At(self.time()))
            .fetch_one(&mut *db)
            .await?;
            Ok(DeliveryDepth {
                pending: pending.unsigned_abs(),
                due: due.unsigned_abs(),
                oldest_due: oldest_due.map(|at| at.0),
                endpoints_off: off.unsigned_abs(),
            })
        })
        .await
    }
}
