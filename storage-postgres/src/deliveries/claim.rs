//! Giving due deliveries to a worker: the choice of those that are due and fit its limits, the test whether it can sign
//! them, and the changes to their rows.

use std::collections::HashMap;

use a11ycheck_core::{
    domain::{DeliveryState, SiteUrl},
    id::{DeliveryId, WorkerId},
    sealing::KeyId,
    store::{ClaimLimits, ClaimedDelivery, DeliveryClaim},
};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx_macros::FromRow;

use crate::{
    db::{
        error::{Corrupt, Failure},
        ids::Id,
        skipped::Skipped,
        transaction::Tx,
    },
    deliveries::{
        attempts::write_state,
        rows::{DeliveryRow, SecretsRow, delivery_columns, secrets_columns},
    },
    twins,
};

/// The deliveries that were given to a worker.
#[derive(Default)]
pub(crate) struct Claimed {
    pub(crate) deliveries: Vec<ClaimedDelivery>,
    /// The first row that can't be read and for which there was no room among those that are skipped: the next claim
    /// chooses it again.
    pub(crate) unskipped: Option<Corrupt>,
}

/// Gives due deliveries to a worker, up to its limits, and only those that its keys sign.
pub(crate) async fn claim<E>(
    tx: &mut Tx,
    worker: &WorkerId,
    limits: ClaimLimits,
    term: TimeDelta,
    keys: &[KeyId],
    skipped: &Skipped,
) -> Result<Claimed, Failure<E>> {
    let mut claimed = Claimed::default();
    let chosen = choose(tx, worker, limits, keys, &skipped.ids()).await?;
    if chosen.is_empty() {
        return Ok(claimed);
    }
    // Rows that another caller has locked, or claimed since, are skipped.
    let rows: Vec<DueRow> = sqlx::query_as(concat!(
        "WITH instant AS MATERIALIZED (
             SELECT coalesce($2, clock_timestamp()) AS now
         ), d AS MATERIALIZED (
             SELECT * FROM deliveries
             WHERE id = ANY ($1) AND ",
        twins::delivery_is_due!("(SELECT now FROM instant)"),
        "
             FOR UPDATE SKIP LOCKED
         )
         SELECT instant.now, e.url, e.off_since IS NULL AS is_on, ev.body, ",
        secrets_columns!(),
        ", ",
        delivery_columns!(),
        " FROM d JOIN endpoints e ON e.id = d.endpoint_id JOIN events ev ON ev.id = d.event_id CROSS JOIN instant
          ORDER BY d.next_attempt_at, d.id",
    ))
    .bind(chosen)
    .bind(tx.instant())
    .fetch_all(tx.db())
    .await?;
    let (mut ids, mut tokens, mut all_tries) = (Vec::new(), Vec::new(), Vec::new());
    let Some(now) = rows.first().map(|row| row.now) else { return Ok(claimed) };
    for row in rows {
        let (id, endpoint) = (row.delivery.id().to_owned(), row.delivery.endpoint_id().to_owned());
        match row.due(worker, term, keys) {
            // It was lost since the choice, or there were more than could be abandoned at once: the next claim abandons
            // it.
            Ok(Due::Lost) => {}
            // Its secrets were changed since the choice.
            Ok(Due::Locked) => {}
            Ok(Due::Dropped(id, state)) => write_state(tx.db(), id, &state).await?,
            Ok(Due::Claimed { delivery, tries }) => {
                ids.push(id);
                tokens.push(delivery.claim.token.get());
                all_tries.push(i64::from(tries));
                claimed.deliveries.push(*delivery);
            }
            Err(unusable) => {
                let (id, problem) = match unusable {
                    Unusable::Delivery(problem) => (id, problem),
                    Unusable::Endpoint(problem) => (endpoint, problem),
                };
                if !skipped.add(id, &problem) {
                    claimed.unskipped.get_or_insert(problem);
                }
            }
        }
    }
    sqlx::query(
        "UPDATE deliveries
         SET token = claimed.token, tries = claimed.tries, lease_worker = $4, lease_started_at = $5,
             next_attempt_at = $6
         FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS claimed (id, token, tries)
         WHERE deliveries.id = claimed.id",
    )
    .bind(ids)
    .bind(tokens)
    .bind(all_tries)
    .bind(Id(worker))
    .bind(now)
    .bind(now + term)
    .execute(tx.db())
    .await?;
    Ok(claimed)
}

/// Returns the ids of the deliveries that the worker takes up, and of those left for endpoints that are switched off,
/// in any order. Nothing is locked yet, and `unreadable` is skipped.
async fn choose(
    tx: &mut Tx,
    worker: &WorkerId,
    limits: ClaimLimits,
    keys: &[KeyId],
    unreadable: &[String],
) -> Result<Vec<String>, sqlx::Error> {
    let keys: Vec<Id<KeyId>> = keys.iter().copied().map(Id).collect();
    // Of each kind, some may be skipped because the other kind takes the room of an endpoint, but no more than are
    // taken of the other kind.
    let most = i64::from(limits.all) + i64::from(limits.retries);
    let mut due = ask(tx, FIRST_DUE, worker, limits, most, unreadable, &keys).await?;
    if i64::try_from(due.len()) == Ok(most) {
        // More may be due: the deliveries of one endpoint must not hide those of the others.
        due = ask(tx, FIRST_ATTEMPTS, worker, limits, most, unreadable, &keys).await?;
        due.extend(ask(tx, RETRIES, worker, limits, most, unreadable, &keys).await?);
    }
    Ok(taken_up(due, limits))
}

async fn ask(
    tx: &mut Tx,
    statement: &'static str,
    worker: &WorkerId,
    limits: ClaimLimits,
    most: i64,
    unreadable: &[String],
    keys: &[Id<KeyId>],
) -> Result<Vec<Candidate>, sqlx::Error> {
    sqlx::query_as(statement)
        .bind(tx.instant())
        .bind(Id(worker))
        .bind(i64::from(limits.per_endpoint))
        .bind(most)
        .bind(unreadable)
        .bind(keys)
        .fetch_all(tx.db())
        .await
}

/// Chooses the deliveries that fell due first, then by id, within the limits.
fn taken_up(mut due: Vec<Candidate>, limits: ClaimLimits) -> Vec<String> {
    due.sort_by(|one, other| (one.next_attempt_at, &one.id).cmp(&(other.next_attempt_at, &other.id)));
    let (mut left, mut retries_left) = (limits.all, limits.retries);
    let mut rooms: HashMap<String, i64> = HashMap::new();
    let mut taken_up = Vec::new();
    for Candidate { id, endpoint_id, room, is_retry, .. } in due {
        if left == 0 {
            break;
        }
        let Some(room) = room else {
            taken_up.push(id);
            continue;
        };
        let room = rooms.entry(endpoint_id).or_insert(room);
        if *room == 0 || (is_retry && retries_left == 0) {
            continue;
        }
        *room -= 1;
        left -= 1;
        retries_left -= u32::from(is_retry);
        taken_up.push(id);
    }
    taken_up
}

/// The present instant, and the number of attempts that the worker `$2` has in progress to each endpoint.
macro_rules! busy {
    () => {
        concat!(
            "instant AS MATERIALIZED (
                 SELECT coalesce($1, clock_timestamp()) AS now
             ), busy AS MATERIALIZED (
                 SELECT endpoint_id, count(*) AS attempts FROM deliveries
                 WHERE ",
            twins::delivery_is_under_way!("$2", "(SELECT now FROM instant)"),
            "
                 GROUP BY endpoint_id
             )"
        )
    };
}

/// The number of attempts that the worker may take up for an endpoint, up to its limit `$3`; 0 if a secret is sealed
/// with none of the keys `$6`, or not sealed yet; NULL for an endpoint that is switched off. Endpoints are looked up
/// one by one: that is the only effect of LIMIT.
macro_rules! room {
    ($endpoint:literal) => {
        concat!(
            "CROSS JOIN LATERAL (
                 SELECT e.id AS endpoint_id, CASE
                     WHEN e.off_since IS NOT NULL THEN NULL
                     WHEN ",
            twins::secrets_are_opened_by!("$6"),
            "            THEN greatest($3 - coalesce(
                             (SELECT attempts FROM busy WHERE busy.endpoint_id = e.id), 0
                         ), 0)
                     ELSE 0
                 END AS room
                 FROM endpoints e WHERE e.id = ",
            $endpoint,
            " LIMIT 1
             ) AS open"
        )
    };
}

/// The due deliveries, up to `$4` of them: usually all.
const FIRST_DUE: &str = concat!(
    "WITH ",
    busy!(),
    ", d AS MATERIALIZED (
         SELECT id, next_attempt_at, endpoint_id, attempts FROM deliveries
         WHERE ",
    twins::delivery_is_due!("(SELECT now FROM instant)"),
    "
             AND id <> ALL ($5) AND endpoint_id <> ALL ($5)
         ORDER BY next_attempt_at, id LIMIT $4
     )
     SELECT d.id, d.next_attempt_at, open.endpoint_id, open.room, d.attempts > 0 AS is_retry FROM d ",
    room!("d.endpoint_id"),
);

/// The due deliveries of one kind: at most `$4` in all, and of each endpoint as many as the worker may take up.
///
/// The endpoints with pending deliveries are found by a jump through an index from each to the next, so that a long
/// queue costs no more than a short one. Endpoints that are switched off are returned with the deliveries that were
/// left for them.
macro_rules! due_by_endpoint {
    ($kind:literal, $is_retry:literal) => {
        concat!(
            "WITH RECURSIVE ",
            busy!(),
            ", lanes AS (
                 SELECT (
                     SELECT endpoint_id FROM deliveries
                     WHERE state = 'pending' AND ",
            $kind,
            "        ORDER BY endpoint_id LIMIT 1
                 ) AS endpoint_id
                 UNION ALL
                 SELECT (
                     SELECT d.endpoint_id FROM deliveries d
                     WHERE d.state = 'pending' AND ",
            $kind,
            "            AND d.endpoint_id > lanes.endpoint_id
                     ORDER BY d.endpoint_id LIMIT 1
                 ) FROM lanes WHERE lanes.endpoint_id IS NOT NULL
             )
             SELECT due.id, due.next_attempt_at, open.endpoint_id, open.room, ",
            $is_retry,
            " AS is_retry FROM lanes CROSS JOIN instant ",
            room!("lanes.endpoint_id"),
            " CROSS JOIN LATERAL (
                 SELECT d.id, d.next_attempt_at FROM deliveries d
                 WHERE ",
            twins::delivery_is_due!("instant.now"),
            " AND ",
            $kind,
            "        AND d.endpoint_id = open.endpoint_id
                     AND d.id <> ALL ($5) AND d.endpoint_id <> ALL ($5)
                 ORDER BY d.next_attempt_at, d.id LIMIT least(open.room, $4)
             ) AS due
             ORDER BY due.next_attempt_at, due.id LIMIT $4",
        )
    };
}

/// The due first attempts.
const FIRST_ATTEMPTS: &str = due_by_endpoint!("attempts = 0", "false");

/// The due attempts that follow a failed one.
const RETRIES: &str = due_by_endpoint!("attempts > 0", "true");

#[derive(FromRow)]
struct Candidate {
    id: String,
    next_attempt_at: DateTime<Utc>,
    endpoint_id: String,
    /// The number of attempts that the worker may take up; `None` if the endpoint is switched off.
    room: Option<i64>,
    is_retry: bool,
}

#[derive(FromRow)]
struct DueRow {
    now: DateTime<Utc>,
    url: String,
    is_on: bool,
    body: Vec<u8>,
    #[sqlx(flatten)]
    secrets: SecretsRow,
    #[sqlx(flatten)]
    delivery: DeliveryRow,
}

/// The next step for a delivery that is due.
enum Due {
    Lost,
    /// The worker lacks a key to a secret with which the delivery is signed.
    Locked,
    Dropped(DeliveryId, DeliveryState),
    Claimed {
        delivery: Box<ClaimedDelivery>,
        tries: u32,
    },
}

/// The part of a due delivery that can't be read: the delivery itself, or its endpoint, which other deliveries share.
enum Unusable {
    Delivery(Corrupt),
    Endpoint(Corrupt),
}

impl From<Corrupt> for Unusable {
    fn from(problem: Corrupt) -> Self {
        Self::Delivery(problem)
    }
}

impl DueRow {
    fn due(self, worker: &WorkerId, term: TimeDelta, keys: &[KeyId]) -> Result<Due, Unusable> {
        let delivery = self.delivery.delivery()?;
        let id = delivery.id;
        if delivery.state.is_lost(self.now) {
            return Ok(Due::Lost);
        }
        if !self.is_on {
            return Ok(Due::Dropped(id, delivery.state.dropped(self.now)));
        }
        let endpoint = delivery.endpoint;
        let unusable = |error| Unusable::Endpoint(Corrupt::new("endpoints", endpoint, error));
        let secrets = self.secrets.secrets().map_err(unusable)?;
        let Some(secrets) = secrets.filter(|secrets| secrets.are_opened_by(keys)) else { return Ok(Due::Locked) };
        let corrupt = |error| Corrupt::new("deliveries", id, Box::new(error));
        let state = delivery.state.claim(worker.clone(), term, self.now).map_err(corrupt)?;
        let DeliveryState::Attempting { attempts, tries, lease, started_at } = state else {
            return Err(Corrupt::new("deliveries", id, "it was claimed, and no attempt is under way").into());
        };
        let url = SiteUrl::parse(&self.url).map_err(|error| unusable(error.into()))?;
        let delivery = Box::new(ClaimedDelivery {
            claim: DeliveryClaim { delivery: id, token: lease.token },
            attempt: attempts + 1,
            started_at,
            endpoint,
            url,
            secrets: secrets.signing(self.now),
            event: delivery.event,
            kind: delivery.kind,
            body: self.body.into(),
        });
        Ok(Due::Claimed { delivery, tries })
    }
}
