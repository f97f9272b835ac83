//! Which deliveries a worker takes up next.

use std::collections::HashMap;

use a11ycheck_core::{id::WorkerId, sealing::KeyId, store::ClaimLimits};
use chrono::{DateTime, Utc};
use sqlx::FromRow;

use crate::db::transaction::Tx;

/// The present, and how many attempts the worker `$2` has under way to each endpoint.
macro_rules! busy {
    () => {
        "instant AS MATERIALIZED (
             SELECT coalesce($1, clock_timestamp()) AS now
         ), busy AS MATERIALIZED (
             SELECT endpoint_id, count(*) AS attempts FROM deliveries
             WHERE lease_worker = $2 AND next_attempt_at > (SELECT now FROM instant)
             GROUP BY endpoint_id
         )"
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
                     WHEN e.sealed_with = ANY ($6)
                         AND (e.previous_until IS NULL OR e.sealed_previous_with = ANY ($6))
                         THEN greatest($3 - coalesce(
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
         WHERE state = 'pending' AND next_attempt_at <= (SELECT now FROM instant)
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
                 WHERE d.state = 'pending' AND ",
            $kind,
            "        AND d.endpoint_id = open.endpoint_id AND d.next_attempt_at <= instant.now
                     AND d.id <> ALL ($5) AND d.endpoint_id <> ALL ($5)
                 ORDER BY d.next_attempt_at, d.id LIMIT least(open.room, $4)
             ) AS due
             ORDER BY due.next_attempt_at, due.id LIMIT $4",
        )
    };
}

/// The ids of what the worker takes up, and of what was left for endpoints that are switched off, in any order. Nothing is
/// locked yet, and `unreadable` is passed over.
pub(crate) async fn choose(
    tx: &mut Tx,
    worker: &WorkerId,
    limits: ClaimLimits,
    keys: &[KeyId],
    unreadable: &[String],
) -> Result<Vec<String>, sqlx::Error> {
    let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
    // Of each kind, what the other one takes from an endpoint's room may be passed over: no more than is taken of it.
    let most = i64::from(limits.all) + i64::from(limits.retries);
    let mut due = ask(tx, FIRST_DUE, worker, limits, most, unreadable, &keys).await?;
    if i64::try_from(due.len()) == Ok(most) {
        // More may be due: those of one endpoint must not hide the others'.
        due = ask(tx, due_by_endpoint!("attempts = 0", "false"), worker, limits, most, unreadable, &keys).await?;
        due.extend(ask(tx, due_by_endpoint!("attempts > 0", "true"), worker, limits, most, unreadable, &keys).await?);
    }
    Ok(taken_up(due, limits))
}

#[expect(clippy::too_many_arguments, reason = "the parameters of one statement, in its order")]
async fn ask(
    tx: &mut Tx,
    statement: &'static str,
    worker: &WorkerId,
    limits: ClaimLimits,
    most: i64,
    unreadable: &[String],
    keys: &[String],
) -> Result<Vec<Candidate>, sqlx::Error> {
    sqlx::query_as(statement)
        .bind(tx.instant())
        .bind(worker.to_string())
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

#[derive(FromRow)]
struct Candidate {
    id: String,
    next_attempt_at: DateTime<Utc>,
    endpoint_id: String,
    /// Attempts that the worker may take up; `None` where the endpoint is switched off.
    room: Option<i64>,
    is_retry: bool,
}
