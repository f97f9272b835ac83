//! Giving due deliveries to a worker: which are due and fit its limits, which of these it can sign, and what is written of them.

use std::collections::HashMap;

use a11ycheck_core::{
    domain::{DeliveryState, SiteUrl},
    id::{DeliveryId, WorkerId},
    sealing::KeyId,
    store::{ClaimLimits, ClaimedDelivery, DeliveryClaim},
};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::FromRow;

use crate::{
    db::{
        error::{Corrupt, Failure},
        ids::Id,
        passed_over::PassedOver,
        transaction::Tx,
    },
    deliveries::{
        attempts::write_state,
        rows::{DeliveryRow, SecretsRow, delivery_columns, secrets_columns},
    },
    twins,
};

/// Gives due deliveries to a worker, as far as the limits let it and its keys sign them.
pub(crate) async fn claim<E>(
    tx: &mut Tx,
    worker: &WorkerId,
    limits: ClaimLimits,
    term: TimeDelta,
    keys: &[KeyId],
    passed_over: &PassedOver,
) -> Result<Vec<ClaimedDelivery>, Failure<E>> {
    let chosen = choose(tx, worker, limits, keys, &passed_over.ids()).await?;
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    // What another caller has locked, or took since, is passed over.
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
    let mut claimed = Vec::new();
    let (mut ids, mut tokens, mut all_tries) = (Vec::new(), Vec::new(), Vec::new());
    let Some(now) = rows.first().map(|row| row.now) else { return Ok(claimed) };
    for row in rows {
        let (id, endpoint) = (row.delivery.id().to_owned(), row.delivery.endpoint_id().to_owned());
        match row.due(worker, term, keys) {
            // Since it was looked for, or there were more than could be given up at once: the next claim will.
            Ok(Due::Lost) => {}
            // Since it was looked for.
            Ok(Due::Locked) => {}
            Ok(Due::Dropped(id, state)) => write_state(tx.db(), id, &state).await?,
            Ok(Due::Claimed { delivery, tries }) => {
                ids.push(id);
                tokens.push(delivery.claim.token.get());
                all_tries.push(i64::from(tries));
                claimed.push(*delivery);
            }
            Err(Unusable::Delivery(problem)) => {
                passed_over.add(id, &problem);
            }
            Err(Unusable::Endpoint(problem)) => {
                passed_over.add(endpoint, &problem);
            }
        }
    }
    sqlx::query(
        "UPDATE deliveries
         SET token = claimed.token, tries = claimed.tries, lease_worker = $4, lease_started_at = $5, next_attempt_at = $6
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

/// The ids of what the worker takes up, and of what was left for endpoints that are switched off, in any order. Nothing is
/// locked yet, and `unreadable` is passed over.
async fn choose(
    tx: &mut Tx,
    worker: &WorkerId,
    limits: ClaimLimits,
    keys: &[KeyId],
    unreadable: &[String],
) -> Result<Vec<String>, sqlx::Error> {
    let keys: Vec<Id<KeyId>> = keys.iter().copied().map(Id).collect();
    // Of each kind, what the other one takes from an endpoint's room may be passed over: no more than is taken of it.
    let most = i64::from(limits.all) + i64::from(limits.retries);
    let mut due = ask(tx, FIRST_DUE, worker, limits, most, unreadable, &keys).await?;
    if i64::try_from(due.len()) == Ok(most) {
        // More may be due: those of one endpoint must not hide the others'.
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

/// Those that fell due first, then by id, as far as the limits let them.
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

/// The present, and how many attempts the worker `$2` has under way to each endpoint.
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

/// How many attempts the worker may take up for an endpoint, up to its limit `$3`; none where a secret is sealed with none of
/// the keys `$6`, or not sealed yet; NULL for an endpoint that is switched off.
/// Endpoints are looked up one by one: LIMIT has no effect but that.
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

/// What is due, up to `$4` of it: as a rule, all of it.
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

/// What is due, of one kind: at most `$4` of all, and of each endpoint as many as the worker may take up.
///
/// The endpoints with pending deliveries are found by a jump through an index from each to the next, so that a long queue
/// costs no more than a short one. Those that are switched off are given with what was left for them.
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

/// What is due of first attempts.
const FIRST_ATTEMPTS: &str = due_by_endpoint!("attempts = 0", "false");

/// What is due of attempts that follow a failed one.
const RETRIES: &str = due_by_endpoint!("attempts > 0", "true");

#[derive(FromRow)]
struct Candidate {
    id: String,
    next_attempt_at: DateTime<Utc>,
    endpoint_id: String,
    /// Attempts that the worker may take up; `None` where the endpoint is switched off.
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

/// What is to become of a delivery that is due.
enum Due {
    Lost,
    /// The worker lacks a key to what it is signed with.
    Locked,
    Dropped(DeliveryId, DeliveryState),
    Claimed {
        delivery: Box<ClaimedDelivery>,
        tries: u32,
    },
}

/// What can't be read of a delivery that is due: it alone, or that to which others go as well.
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
