//! Giving due deliveries to a worker: the choice of those that are due and fit its limits, the test whether it can sign
//! them, and the changes to their rows.

use std::collections::HashMap;

use a11ycheck_core::{
    domain::{DeliveryState, SiteUrl},
    id::WorkerId,
    sealing::{KeyId, Sealed},
    store::{ClaimLimits, ClaimedDelivery, DeliveryClaim, StoreError},
};
use chrono::TimeDelta;
use sqlx::SqliteConnection;
use sqlx_macros::FromRow;

use crate::{
    db::{
        columns::{BoxedError, json},
        error::{Corrupt, Failure},
        ids::{At, Id},
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
pub(crate) async fn claim(
    tx: &mut Tx,
    worker: &WorkerId,
    limits: ClaimLimits,
    term: TimeDelta,
    keys: &[KeyId],
    skipped: &Skipped,
) -> Result<Claimed, Failure<StoreError>> {
    let mut claimed = Claimed::default();
    let mut endpoints = Endpoints::default();
    let due = candidates(tx, limits, &skipped.ids()).await?;
    if due.is_empty() {
        return Ok(claimed);
    }
    endpoints.read(tx, worker, limits, keys, &due).await?;
    let (mut left, mut retries_left) = (limits.all, limits.retries);
    // Those that fell due first, then by id; a delivery that a limit stops is passed, and stops no other.
    for candidate in due {
        if left == 0 {
            break;
        }
        let endpoint = match endpoints.found.get_mut(&candidate.endpoint_id) {
            Some(Ok(endpoint)) => endpoint,
            Some(Err(_)) => {
                if let Some(Err(problem)) = endpoints.found.remove(&candidate.endpoint_id)
                    && !skipped.add(candidate.endpoint_id, &problem)
                {
                    claimed.unskipped.get_or_insert(problem);
                }
                continue;
            }
            None => continue,
        };
        if endpoint.room == 0 || (candidate.is_retry && endpoint.is_on && retries_left == 0) {
            continue;
        }
        match take(tx, &candidate.id, endpoint, worker, term).await {
            Ok(Some(delivery)) => {
                endpoint.room -= 1;
                left -= 1;
                retries_left -= u32::from(candidate.is_retry);
                claimed.deliveries.push(delivery);
            }
            // It was lost, or dropped.
            Ok(None) => {}
            Err(Failure::Corrupt(problem)) => {
                if !skipped.add(candidate.id, &problem) {
                    claimed.unskipped.get_or_insert(problem);
                }
            }
            Err(other) => return Err(other),
        }
    }
    Ok(claimed)
}

/// Returns due deliveries in their order: all that are due, or, if there are many, the first of each endpoint, so that a
/// long queue of one endpoint does not hide those of others.
async fn candidates(
    tx: &mut Tx,
    limits: ClaimLimits,
    unreadable: &[String],
) -> Result<Vec<Candidate>, Failure<StoreError>> {
    // Of each kind, some may be skipped because the other kind takes the room of an endpoint, but no more than are
    // taken of the other kind.
    let most = i64::from(limits.all) + i64::from(limits.retries);
    let (now, unreadable) = (At(tx.now()), json(unreadable)?);
    let ask = async |db: &mut SqliteConnection, statement: &'static str, limit: i64| {
        sqlx::query_as::<_, Candidate>(statement).bind(now).bind(limit).bind(&unreadable).fetch_all(db).await
    };
    let mut due = ask(tx.db(), FIRST_DUE, most).await?;
    if i64::try_from(due.len()) == Ok(most) {
        let each = i64::from(limits.per_endpoint);
        due = ask(tx.db(), FIRST_ATTEMPTS, each).await?;
        due.extend(ask(tx.db(), RETRIES, each).await?);
        due.sort_by(|one, other| (one.next_attempt_at, &one.id).cmp(&(other.next_attempt_at, &other.id)));
    }
    Ok(due)
}

/// The first `?2` due deliveries: usually all.
const FIRST_DUE: &str = concat!(
    "SELECT id, next_attempt_at, endpoint_id, attempts > 0 AS is_retry
     FROM deliveries INDEXED BY deliveries_due WHERE ",
    twins::delivery_is_due!("?1"),
    " AND id NOT IN (SELECT value FROM json_each(?3)) AND endpoint_id NOT IN (SELECT value FROM json_each(?3))
     ORDER BY next_attempt_at, id LIMIT ?2",
);

/// The first `?2` due deliveries of one kind of each endpoint.
///
/// The endpoints with pending deliveries are found by a jump through an index from each to the next, so that a long
/// queue costs no more than a short one. `json_each` stands for LATERAL, which SQLite does not have.
macro_rules! due_by_endpoint {
    ($kind:literal, $index:literal) => {
        concat!(
            "WITH RECURSIVE lanes (endpoint_id) AS (
                 SELECT (
                     SELECT endpoint_id FROM deliveries INDEXED BY ",
            $index,
            "        WHERE state = 'pending' AND ",
            $kind,
            "        ORDER BY endpoint_id LIMIT 1
                 )
                 UNION ALL
                 SELECT (
                     SELECT d.endpoint_id FROM deliveries AS d INDEXED BY ",
            $index,
            "        WHERE state = 'pending' AND ",
            $kind,
            "            AND d.endpoint_id > lanes.endpoint_id
                     ORDER BY d.endpoint_id LIMIT 1
                 ) FROM lanes WHERE lanes.endpoint_id IS NOT NULL
             )
             SELECT d.id, d.next_attempt_at, d.endpoint_id, d.attempts > 0 AS is_retry
             FROM lanes CROSS JOIN json_each((
                 SELECT json_group_array(id) FROM (
                     SELECT id FROM deliveries INDEXED BY ",
            $index,
            "        WHERE endpoint_id = lanes.endpoint_id AND ",
            twins::delivery_is_due!("?1"),
            " AND ",
            $kind,
            "            AND id NOT IN (SELECT value FROM json_each(?3))
                     ORDER BY next_attempt_at, id LIMIT ?2
                 )
             )) AS first CROSS JOIN deliveries AS d ON d.id = first.value
             WHERE lanes.endpoint_id NOT IN (SELECT value FROM json_each(?3))",
        )
    };
}

/// The due first attempts.
const FIRST_ATTEMPTS: &str = due_by_endpoint!("attempts = 0", "deliveries_due_first");

/// The due attempts that follow a failed one.
const RETRIES: &str = due_by_endpoint!("attempts > 0", "deliveries_due_again");

#[derive(FromRow)]
struct Candidate {
    id: String,
    next_attempt_at: At,
    endpoint_id: String,
    is_retry: bool,
}

/// The endpoints of the candidates; an endpoint that can't be read is an error.
#[derive(Default)]
struct Endpoints {
    found: HashMap<String, Result<Endpoint, Corrupt>>,
}

struct Endpoint {
    url: SiteUrl,
    is_on: bool,
    /// The secrets that sign now.
    secrets: Vec<Sealed>,
    /// The number of attempts that the worker may take up: 0 if it lacks a key to a secret.
    room: u32,
}

impl Endpoints {
    async fn read(
        &mut self,
        tx: &mut Tx,
        worker: &WorkerId,
        limits: ClaimLimits,
        keys: &[KeyId],
        due: &[Candidate],
    ) -> Result<(), Failure<StoreError>> {
        let now = tx.now();
        let busy: Vec<(String, i64)> = sqlx::query_as(concat!(
            "SELECT endpoint_id, count(*) FROM deliveries WHERE ",
            twins::delivery_is_under_way!("?1", "?2"),
            " GROUP BY endpoint_id",
        ))
        .bind(Id(worker))
        .bind(At(now))
        .fetch_all(tx.db())
        .await?;
        let busy: HashMap<String, i64> = busy.into_iter().collect();
        let mut ids: Vec<&str> = due.iter().map(|candidate| candidate.endpoint_id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        let rows: Vec<EndpointRow> = sqlx::query_as(concat!(
            "SELECT e.id, e.url, e.off_since IS NULL AS is_on, ",
            secrets_columns!(),
            " FROM endpoints e WHERE e.id IN (SELECT value FROM json_each(?1))",
        ))
        .bind(json(ids)?)
        .fetch_all(tx.db())
        .await?;
        for row in rows {
            let busy = busy.get(&row.id).and_then(|busy| u32::try_from(*busy).ok()).unwrap_or(0);
            let id = row.id.clone();
            let read = || -> Result<Endpoint, BoxedError> {
                let secrets = row.secrets.secrets()?;
                let room = if !row.is_on {
                    // Nothing is sent to it: what was left for it is dropped.
                    u32::MAX
                } else if secrets.are_opened_by(keys) {
                    limits.per_endpoint.saturating_sub(busy)
                } else {
                    0
                };
                Ok(Endpoint { url: SiteUrl::parse(&row.url)?, is_on: row.is_on, secrets: secrets.signing(now), room })
            };
            let endpoint = read().map_err(|source| Corrupt::new("endpoints", &id, source));
            self.found.insert(id, endpoint);
        }
        Ok(())
    }
}

#[derive(FromRow)]
struct EndpointRow {
    id: String,
    url: String,
    is_on: bool,
    #[sqlx(flatten)]
    secrets: SecretsRow,
}

/// Gives a delivery to the worker, or drops it if its endpoint is off. Returns `None` if it is not given: the next claim
/// abandons one that is lost.
async fn take(
    tx: &mut Tx,
    id: &str,
    endpoint: &Endpoint,
    worker: &WorkerId,
    term: TimeDelta,
) -> Result<Option<ClaimedDelivery>, Failure<StoreError>> {
    let now = tx.now();
    let row: Option<DueRow> = sqlx::query_as(concat!(
        "SELECT ev.body, ",
        delivery_columns!(),
        " FROM deliveries d JOIN events ev ON ev.id = d.event_id WHERE d.id = ?1",
    ))
    .bind(id)
    .fetch_optional(tx.db())
    .await?;
    let row = row.ok_or_else(|| Corrupt::new("deliveries", id, "its event is missing"))?;
    let delivery = row.delivery.delivery()?;
    if delivery.state.is_lost(now) {
        return Ok(None);
    }
    if !endpoint.is_on {
        write_state(tx.db(), delivery.id, &delivery.state.dropped(now)).await?;
        return Ok(None);
    }
    let corrupt = |error| Corrupt::new("deliveries", id, Box::new(error));
    let state = delivery.state.claim(worker.clone(), term, now).map_err(corrupt)?;
    write_state(tx.db(), delivery.id, &state).await?;
    let DeliveryState::Attempting { attempts, lease, started_at, .. } = state else {
        return Err(Corrupt::new("deliveries", id, "it was claimed, and no attempt is under way").into());
    };
    Ok(Some(ClaimedDelivery {
        claim: DeliveryClaim { delivery: delivery.id, token: lease.token },
        attempt: attempts + 1,
        started_at,
        endpoint: delivery.endpoint,
        url: endpoint.url.clone(),
        secrets: endpoint.secrets.clone(),
        event: delivery.event,
        kind: delivery.kind,
        body: row.body.into(),
    }))
}

#[derive(FromRow)]
struct DueRow {
    body: Vec<u8>,
    #[sqlx(flatten)]
    delivery: DeliveryRow,
}
