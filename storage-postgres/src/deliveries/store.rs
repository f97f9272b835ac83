//! Endpoints, and what is delivered to them.

use a11ycheck_core::{
    domain::{
        Attempt, AttemptReport, Delivery, DeliveryStatus, EndpointDetails, EndpointStatus, NewEndpoint, NewEvent,
        WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, TeamId, WorkerId},
    page::{Page, PageRequest},
    sealing::{KeyId, Sealed},
    store::{
        ClaimLimits, ClaimedDelivery, CreateEndpointError, DeliveryClaim, DeliveryDepth, RecordError, SendError,
        StoreError, WebhookStore, Work,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{Connection as _, FromRow, PgConnection};

use crate::{
    PostgresStore,
    db::{
        columns::{Counted, paged},
        error::{Corrupt, Failure},
        store::end,
    },
    deliveries::{
        attempts,
        figures::{self},
        outbox::{insert_deliveries, insert_event, new_delivery},
        rows::{AttemptRow, DeliveryRow, EndpointRow, StatusRow, delivery_columns, endpoint_columns, stored_status},
    },
};

#[async_trait]
impl WebhookStore for PostgresStore {
    async fn create_endpoint(
        &self,
        team: TeamId,
        endpoint: NewEndpoint,
    ) -> Result<WebhookEndpoint, CreateEndpointError> {
        self.step(|| async {
            let mut db = self.session().await?;
            let mut tx = db.begin().await?;
            let created = create_endpoint(&mut tx, team, &endpoint, self.instant()).await;
            end(tx, created).await
        })
        .await
    }

    async fn endpoints(&self, team: TeamId) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.step(|| async {
            let rows: Vec<EndpointRow> = sqlx::query_as(concat!(
                "SELECT ",
                endpoint_columns!(),
                " FROM endpoints e WHERE e.team_id = $1 ORDER BY e.created_at, e.id",
            ))
            .bind(team.to_string())
            .fetch_all(&mut *self.session().await?)
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
        self.step(|| async {
            let mut db = self.session().await?;
            let mut tx = db.begin().await?;
            let changed = change_endpoint(&mut tx, team, id, &details).await;
            end(tx, changed).await
        })
        .await
    }

    async fn rotate_secret(
        &self,
        team: TeamId,
        id: EndpointId,
        secret: Sealed,
        overlap: TimeDelta,
    ) -> Result<bool, StoreError> {
        self.step(|| async {
            // As `EndpointSecrets::rotated` says; the one before may not be sealed yet.
            let rotated = sqlx::query(
                "UPDATE endpoints
                 SET previous_secret = secret, sealed_previous = sealed_secret, sealed_previous_with = sealed_with,
                     previous_until = coalesce($3, clock_timestamp()) + $4,
                     secret = NULL, sealed_secret = $5, sealed_with = $6
                 WHERE team_id = $1 AND id = $2",
            )
            .bind(team.to_string())
            .bind(id.to_string())
            .bind(self.instant())
            .bind(overlap)
            .bind(secret.to_bytes())
            .bind(secret.key().to_string())
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
            .bind(team.to_string())
            .bind(id.to_string())
            .bind(failed_in_a_row)
            .bind(off_since)
            .fetch_optional(&mut *self.session().await?)
            .await?;
            Ok(row.map(EndpointRow::endpoint).transpose()?)
        })
        .await
    }

    async fn disable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError> {
        self.step(|| async {
            let mut db = self.session().await?;
            let mut tx = db.begin().await?;
            let disabled = figures::disable_endpoint(&mut tx, team, id, self.instant()).await;
            end(tx, disabled).await
        })
        .await
    }

    async fn delete_endpoint(&self, team: TeamId, id: EndpointId) -> Result<bool, StoreError> {
        self.step(|| async {
            let mut db = self.session().await?;
            let mut tx = db.begin().await?;
            let deleted = delete_endpoint(&mut tx, team, id).await;
            end(tx, deleted).await
        })
        .await
    }

    async fn send_event(&self, team: TeamId, endpoint: EndpointId, event: NewEvent) -> Result<Delivery, SendError> {
        let sent = self
            .step(|| async {
                let mut db = self.session().await?;
                let mut tx = db.begin().await?;
                let sent = send_event(&mut tx, team, endpoint, &event, self.instant()).await;
                end(tx, sent).await
            })
            .await?;
        self.node().tell(Work::Deliveries);
        Ok(sent)
    }

    async fn resend_delivery(&self, team: TeamId, delivery: DeliveryId) -> Result<Delivery, SendError> {
        let sent = self
            .step(|| async {
                let mut db = self.session().await?;
                let mut tx = db.begin().await?;
                let sent = resend_delivery(&mut tx, team, delivery, self.instant()).await;
                end(tx, sent).await
            })
            .await?;
        self.node().tell(Work::Deliveries);
        Ok(sent)
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
            .bind(team.to_string())
            .bind(endpoint.to_string())
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
                    .bind(team.to_string())
                    .bind(endpoint.to_string())
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
        self.one_delivery(team, id).await
    }

    async fn attempts(&self, team: TeamId, delivery: DeliveryId) -> Result<Option<Vec<Attempt>>, StoreError> {
        self.step(|| async {
            let rows: Vec<AttemptRow> = sqlx::query_as(
                "SELECT a.* FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id
                 WHERE d.team_id = $1 AND d.id = $2 ORDER BY a.number",
            )
            .bind(team.to_string())
            .bind(delivery.to_string())
            .fetch_all(&mut *self.session().await?)
            .await?;
            if rows.is_empty() {
                // No such delivery, or none of its attempts has ended.
                let found = sqlx::query("SELECT FROM deliveries WHERE team_id = $1 AND id = $2")
                    .bind(team.to_string())
                    .bind(delivery.to_string())
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
        // Before the claim: what fails now leaves nothing behind that was given out.
        for id in lost.await? {
            let given_up = self.step(|| async {
                let mut db = self.session().await?;
                let mut tx = db.begin().await?;
                let given_up = attempts::give_up(&mut tx, &id, self.instant()).await;
                match end::<_, StoreError>(tx, given_up).await {
                    Err(Failure::Corrupt(problem)) => {
                        self.unreadable().deliveries.add(id.clone(), &problem);
                        Ok(false)
                    }
                    ended => ended,
                }
            });
            if given_up.await? {
                self.node().tell(Work::Deliveries);
            }
        }
        self.step(|| async {
            let mut db = self.session().await?;
            let mut tx = db.begin().await?;
            let passed_over = &self.unreadable().deliveries;
            let claimed = attempts::claim(&mut tx, worker, limits, term, keys, passed_over, self.instant()).await;
            end(tx, claimed).await
        })
        .await
    }

    async fn record_attempt(&self, claim: DeliveryClaim, report: AttemptReport) -> Result<Delivery, RecordError> {
        let recorded = self
            .step(|| async {
                let mut db = self.session().await?;
                let mut tx = db.begin().await?;
                let recorded = attempts::record(&mut tx, claim, &report, self.instant()).await;
                end(tx, recorded).await
            })
            .await?;
        if recorded.unblocked {
            self.node().tell(Work::Deliveries);
        }
        Ok(recorded.delivery)
    }

    async fn purge_deliveries(&self, limit: u32) -> Result<u32, StoreError> {
        self.step(|| async {
            let mut db = self.session().await?;
            let mut tx = db.begin().await?;
            let purged = attempts::purge(&mut tx, limit, self.instant()).await;
            end(tx, purged).await
        })
        .await
    }

    async fn delivery_depth(&self) -> Result<DeliveryDepth, StoreError> {
        self.count_deliveries().await
    }
}

/// The statements of [`WebhookStore::create_endpoint`].
async fn create_endpoint(
    db: &mut PgConnection,
    team: TeamId,
    endpoint: &NewEndpoint,
    instant: Option<DateTime<Utc>>,
) -> Result<WebhookEndpoint, Failure<CreateEndpointError>> {
    // Locks the team, so that its endpoints are counted after every other addition.
    let now: Option<DateTime<Utc>> = sqlx::query_scalar(
        "WITH t AS MATERIALIZED (SELECT FROM teams WHERE id = $1 FOR NO KEY UPDATE)
         SELECT coalesce($2, clock_timestamp()) FROM t",
    )
    .bind(team.to_string())
    .bind(instant)
    .fetch_optional(&mut *db)
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
    .bind(team.to_string())
    .bind(id.to_string())
    .bind(details.url.as_str())
    .bind(stored_events(details))
    .bind(secret.to_bytes())
    .bind(secret.key().to_string())
    .bind(failed_in_a_row)
    .bind(off_since)
    .bind(now)
    .bind(i64::from(WebhookEndpoint::MAX_PER_TEAM))
    .execute(db)
    .await?;
    if created.rows_affected() == 0 {
        return Err(Failure::Refused(CreateEndpointError::LimitReached));
    }
    Ok(WebhookEndpoint { id: *id, team, details: details.clone(), status, created_at: now })
}

/// The statements of [`WebhookStore::change_endpoint`].
async fn change_endpoint<E>(
    db: &mut PgConnection,
    team: TeamId,
    id: EndpointId,
    details: &EndpointDetails,
) -> Result<Option<WebhookEndpoint>, Failure<E>> {
    let row: Option<EndpointRow> = sqlx::query_as(concat!(
        "SELECT ",
        endpoint_columns!(),
        " FROM endpoints e WHERE e.team_id = $1 AND e.id = $2 FOR NO KEY UPDATE",
    ))
    .bind(team.to_string())
    .bind(id.to_string())
    .fetch_optional(&mut *db)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let stored = row.endpoint()?;
    let details = details.clone().in_place_of(&stored.details);
    sqlx::query("UPDATE endpoints SET url = $2, events = $3 WHERE id = $1")
        .bind(id.to_string())
        .bind(details.url.as_str())
        .bind(stored_events(&details))
        .execute(db)
        .await?;
    Ok(Some(WebhookEndpoint { details, ..stored }))
}

/// The statements of [`WebhookStore::delete_endpoint`].
async fn delete_endpoint<E>(db: &mut PgConnection, team: TeamId, id: EndpointId) -> Result<bool, Failure<E>> {
    // Locks the endpoint, so that nothing is made for it any more.
    let found = sqlx::query("SELECT FROM endpoints WHERE team_id = $1 AND id = $2 FOR UPDATE")
        .bind(team.to_string())
        .bind(id.to_string())
        .fetch_optional(&mut *db)
        .await?;
    if found.is_none() {
        return Ok(false);
    }
    let gone = sqlx::query_as("SELECT id, event_id FROM deliveries WHERE endpoint_id = $1 FOR UPDATE")
        .bind(id.to_string())
        .fetch_all(&mut *db)
        .await?;
    attempts::delete(db, gone).await?;
    sqlx::query("DELETE FROM endpoints WHERE id = $1").bind(id.to_string()).execute(db).await?;
    Ok(true)
}

/// The statements of [`WebhookStore::send_event`].
async fn send_event(
    db: &mut PgConnection,
    team: TeamId,
    endpoint: EndpointId,
    event: &NewEvent,
    instant: Option<DateTime<Utc>>,
) -> Result<Delivery, Failure<SendError>> {
    let row: Option<LockedStatus> = sqlx::query_as(
        "WITH e AS MATERIALIZED (SELECT * FROM endpoints WHERE team_id = $1 AND id = $2 FOR SHARE)
         SELECT coalesce($3, clock_timestamp()) AS now, failed_in_a_row, off_since FROM e",
    )
    .bind(team.to_string())
    .bind(endpoint.to_string())
    .bind(instant)
    .fetch_optional(&mut *db)
    .await?;
    let Some(LockedStatus { now, status }) = row else { return Err(Failure::Refused(SendError::NotFound)) };
    let status = status.status().map_err(|source| Corrupt::new("endpoints", endpoint, source))?;
    if !status.is_on() {
        return Err(Failure::Refused(SendError::SwitchedOff));
    }
    insert_event(db, team, event).await?;
    let delivery = new_delivery(team, endpoint, (event.id, event.kind), None, now);
    insert_deliveries(db, std::slice::from_ref(&delivery)).await?;
    Ok(delivery)
}

/// The statements of [`WebhookStore::resend_delivery`].
async fn resend_delivery(
    db: &mut PgConnection,
    team: TeamId,
    id: DeliveryId,
    instant: Option<DateTime<Utc>>,
) -> Result<Delivery, Failure<SendError>> {
    // Locked, so that neither it nor its event is purged before there is another delivery of that.
    let locked = attempts::lock(db, id, Some(team), instant).await?.ok_or(Failure::Refused(SendError::NotFound))?;
    let ended = locked.delivery;
    if ended.state.status() == DeliveryStatus::Pending {
        return Err(Failure::Refused(SendError::Pending));
    }
    if !locked.endpoint.is_on() {
        return Err(Failure::Refused(SendError::SwitchedOff));
    }
    let delivery = new_delivery(team, ended.endpoint, (ended.event, ended.kind), None, locked.now);
    insert_deliveries(db, std::slice::from_ref(&delivery)).await?;
    Ok(delivery)
}

fn stored_events(details: &EndpointDetails) -> Vec<&str> {
    details.events.iter().map(|kind| kind.as_str()).collect()
}

#[derive(FromRow)]
struct LockedStatus {
    now: DateTime<Utc>,
    #[sqlx(flatten)]
    status: StatusRow,
}
