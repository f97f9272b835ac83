//! Endpoints, and the deliveries to them.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use a11ycheck_core::{
    domain::{
        Attempt, AttemptReport, Delivery, DeliveryState, DeliveryStatus, EndpointDetails, EndpointSecrets,
        EndpointStatus, NewEndpoint, NewEvent, WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, TeamId, WorkerId},
    paging::{Page, PageRequest},
    sealing::{KeyId, Sealed},
    store::{
        ClaimLimits, ClaimedDelivery, CreateEndpointError, DeliveryClaim, DeliveryDepth, DeliveryFilter, RecordError,
        Resent, SendError, StoreError, WebhookStore,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    MemoryStore,
    db::{
        delivery_rows::EndpointRow,
        state::{State, copied, corrupt, taken},
    },
    deliveries::outbox::Walk,
};

#[async_trait]
impl WebhookStore for MemoryStore {
    async fn create_endpoint(
        &self,
        team: TeamId,
        endpoint: NewEndpoint,
    ) -> Result<WebhookEndpoint, CreateEndpointError> {
        self.step(|state, now| {
            let Some(owner) = state.teams.get_mut(&team) else { return Err(CreateEndpointError::NoTeam) };
            if owner.endpoints.len() >= usize::try_from(WebhookEndpoint::MAX_PER_TEAM).unwrap_or(usize::MAX) {
                return Err(CreateEndpointError::LimitReached);
            }
            if state.endpoints.contains_key(&endpoint.id) {
                return Err(taken(endpoint.id).into());
            }
            let NewEndpoint { id, details, secret } = endpoint;
            let endpoint = WebhookEndpoint { id, team, details, status: EndpointStatus::ON, created_at: now };
            owner.endpoints.insert((now, id));
            let row = EndpointRow {
                endpoint: endpoint.clone(),
                secrets: EndpointSecrets::new(secret),
                deliveries: BTreeSet::new(),
                under_way: BTreeMap::new(),
            };
            state.endpoints.insert(id, row);
            Ok(endpoint)
        })
    }

    async fn endpoints(&self, team: TeamId) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.step(|state, _| {
            let Some(owner) = state.teams.get(&team) else { return Ok(Vec::new()) };
            let endpoint = |id: &EndpointId| state.endpoints.get(id).map(|row| row.endpoint.clone());
            let listed = owner.endpoints.iter();
            listed.map(|(_, id)| endpoint(id).ok_or_else(|| corrupt(id, "it is listed, and missing"))).collect()
        })
    }

    async fn change_endpoint(
        &self,
        team: TeamId,
        id: EndpointId,
        details: EndpointDetails,
    ) -> Result<Option<WebhookEndpoint>, StoreError> {
        self.step(|state, _| {
            let Some(row) = state.endpoint_mut(team, id) else { return Ok(None) };
            row.endpoint.details = details.in_place_of(&row.endpoint.details);
            Ok(Some(row.endpoint.clone()))
        })
    }

    async fn rotate_secret(
        &self,
        team: TeamId,
        id: EndpointId,
        secret: Sealed,
        overlap: TimeDelta,
    ) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let Some(row) = state.endpoint_mut(team, id) else { return Ok(false) };
            row.secrets = row.secrets.clone().rotated(secret, now + overlap);
            Ok(true)
        })
    }

    async fn enable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError> {
        self.step(|state, _| {
            let Some(row) = state.endpoint_mut(team, id) else { return Ok(None) };
            row.endpoint.status = EndpointStatus::ON;
            Ok(Some(row.endpoint.clone()))
        })
    }

    async fn disable_endpoint(&self, team: TeamId, id: EndpointId) -> Result<Option<WebhookEndpoint>, StoreError> {
        self.step(|state, now| {
            let Some(row) = state.endpoint(team, id) else { return Ok(None) };
            state.set_endpoint_status(id, row.endpoint.status.switched_off(now), now);
            Ok(state.endpoint(team, id).map(|row| row.endpoint.clone()))
        })
    }

    async fn delete_endpoint(&self, team: TeamId, id: EndpointId) -> Result<bool, StoreError> {
        self.step(|state, _| {
            if state.endpoint(team, id).is_none() {
                return Ok(false);
            }
            state.remove_endpoint(id);
            Ok(true)
        })
    }

    async fn send_event(&self, team: TeamId, endpoint: EndpointId, event: NewEvent) -> Result<Delivery, SendError> {
        self.step(|state, now| {
            let row = state.endpoint(team, endpoint).ok_or(SendError::NotFound)?;
            if !row.endpoint.status.is_on() {
                return Err(SendError::SwitchedOff);
            }
            state.check_events(std::slice::from_ref(&event))?;
            Ok(state.deliver(team, endpoint, event, None, now))
        })
    }

    async fn resend_delivery(&self, team: TeamId, delivery: DeliveryId) -> Result<Delivery, SendError> {
        self.step(|state, now| {
            let row = state.delivery(team, delivery).ok_or(SendError::NotFound)?;
            if row.delivery.state.status() == DeliveryStatus::Pending {
                return Err(SendError::Pending);
            }
            let (endpoint, event) = (row.delivery.endpoint, row.event.clone());
            if !state.endpoint(team, endpoint).is_some_and(|row| row.endpoint.status.is_on()) {
                return Err(SendError::SwitchedOff);
            }
            Ok(state.deliver(team, endpoint, event, None, now))
        })
    }

    async fn resend_failed(
        &self,
        team: TeamId,
        endpoint: EndpointId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Resent, SendError> {
        self.step(|state, now| {
            let row = state.endpoint(team, endpoint).ok_or(SendError::NotFound)?;
            if !row.endpoint.status.is_on() {
                return Err(SendError::SwitchedOff);
            }
            let mut newest = BTreeMap::new();
            for (created_at, id) in &row.deliveries {
                let row = state.deliveries.get(id).ok_or_else(|| corrupt(endpoint, "a delivery of it is missing"))?;
                newest.insert(row.delivery.event, (*created_at, *id, row));
            }
            let mut wanted: Vec<_> = newest
                .into_values()
                .filter(|(created_at, _, row)| {
                    let status = row.delivery.state.status();
                    *created_at >= since && matches!(status, DeliveryStatus::Failed | DeliveryStatus::Dropped)
                })
                .collect();
            wanted.sort_unstable_by_key(|(created_at, id, _)| (*created_at, *id));
            let most = usize::try_from(limit).unwrap_or(usize::MAX);
            let more = wanted.len() > most;
            let events: Vec<NewEvent> = wanted.into_iter().take(most).map(|(.., row)| row.event.clone()).collect();
            let queued = u32::try_from(events.len()).unwrap_or(limit);
            for event in events {
                state.deliver(team, endpoint, event, None, now);
            }
            Ok(Resent { queued, more })
        })
    }

    async fn delivery_log(
        &self,
        team: TeamId,
        filter: &DeliveryFilter,
        page: PageRequest,
    ) -> Result<Page<Delivery>, StoreError> {
        let DeliveryFilter { endpoint, kind, status, since } = filter;
        self.step(|state, _| {
            let of_team = state.endpoints.values().filter(|row| row.endpoint.team == team);
            let mut listed = Vec::new();
            for row in of_team.filter(|row| endpoint.is_none_or(|id| row.endpoint.id == id)) {
                for (created_at, id) in &row.deliveries {
                    let found = state.deliveries.get(id).ok_or_else(|| corrupt(id, "it is listed, and missing"))?;
                    let delivery = &found.delivery;
                    if since.is_none_or(|since| *created_at >= since)
                        && kind.is_none_or(|kind| delivery.kind == kind)
                        && status.is_none_or(|status| delivery.state.status() == status)
                    {
                        listed.push(delivery);
                    }
                }
            }
            listed.sort_unstable_by_key(|delivery| Reverse((delivery.created_at, delivery.id)));
            Ok(copied(Page::cut(listed.into_iter(), page)))
        })
    }

    async fn deliveries(
        &self,
        team: TeamId,
        endpoint: EndpointId,
        page: PageRequest,
    ) -> Result<Option<Page<Delivery>>, StoreError> {
        self.step(|state, _| {
            let Some(row) = state.endpoint(team, endpoint) else { return Ok(None) };
            let listed = row.deliveries.iter().rev().map(|(_, id)| state.deliveries.get(id).map(|row| &row.delivery));
            let listed: Option<Vec<&Delivery>> = listed.collect();
            let listed = listed.ok_or_else(|| corrupt(endpoint, "it lists a delivery that is missing"))?;
            Ok(Some(copied(Page::cut(listed.into_iter(), page))))
        })
    }

    async fn delivery(&self, team: TeamId, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        self.step(|state, _| Ok(state.delivery(team, id).map(|row| row.delivery.clone())))
    }

    async fn attempts(&self, team: TeamId, delivery: DeliveryId) -> Result<Option<Vec<Attempt>>, StoreError> {
        self.step(|state, _| Ok(state.delivery(team, delivery).map(|row| row.attempts.clone())))
    }

    async fn claim_deliveries(
        &self,
        worker: &WorkerId,
        limits: ClaimLimits,
        term: TimeDelta,
        keys: &[KeyId],
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        self.step(|state, now| {
            for id in state.lost_deliveries(limits.all, now) {
                let ended = state.end_attempt(id, AttemptReport::WORKER_LOST, now, |held, on| held.give_up(on, now));
                match ended {
                    // An attempt that was abandoned before may have switched the endpoint off, which drops this one.
                    Ok(_) | Err(RecordError::Refused(_)) => {}
                    Err(error) => return Err(StoreError::Corrupt { what: id.to_string(), source: Box::new(error) }),
                }
            }
            let Due { taken, orphaned } = due(state, worker, limits, keys, now)?;
            for id in orphaned {
                state.drop_delivery(id, now);
            }
            taken.into_iter().map(|id| claim(state, id, worker, term, now)).collect()
        })
    }

    async fn record_attempt(&self, claim: DeliveryClaim, report: AttemptReport) -> Result<Delivery, RecordError> {
        self.step(|state, now| {
            let is_success = report.is_success();
            state.end_attempt(claim.delivery, report, now, |held, on| held.record(claim.token, is_success, on, now))
        })
    }

    async fn purge_deliveries(&self, limit: u32) -> Result<u32, StoreError> {
        self.step(|state, now| {
            let has_left =
                |id: &DeliveryId| state.deliveries.get(id).is_some_and(|row| row.delivery.state.has_left_log(now));
            let oldest = state.ended_deliveries.iter().map(|(_, id)| *id).take_while(has_left);
            let gone: Vec<DeliveryId> = oldest.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect();
            for id in &gone {
                state.remove_delivery(*id);
            }
            // Not more than `limit`, which is a u32.
            Ok(u32::try_from(gone.len()).unwrap_or(u32::MAX))
        })
    }

    async fn endpoints_off(&self, limit: u32) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.step(|state, _| {
            let off = state.endpoints.values().filter_map(|row| match row.endpoint.status {
                EndpointStatus::Off { since } => Some((Reverse(since), &row.endpoint)),
                EndpointStatus::On { .. } => None,
            });
            let mut off: Vec<_> = off.collect();
            off.sort_unstable_by_key(|(since, endpoint)| (*since, endpoint.id));
            let most = usize::try_from(limit).unwrap_or(usize::MAX);
            Ok(off.into_iter().take(most).map(|(_, endpoint)| endpoint.clone()).collect())
        })
    }

    async fn delivery_depth(&self) -> Result<DeliveryDepth, StoreError> {
        self.step(|state, now| {
            let due_at = state.deliveries.values().filter_map(|row| row.delivery.state.due_at());
            let due: Vec<DateTime<Utc>> = due_at.filter(|at| *at <= now).collect();
            Ok(DeliveryDepth {
                pending: (state.deliveries.len() - state.ended_deliveries.len()) as u64,
                due: due.len() as u64,
                oldest_due: due.into_iter().min(),
                endpoints_off: state.endpoints.values().filter(|row| !row.endpoint.status.is_on()).count() as u64,
            })
        })
    }
}

/// The deliveries that a claim finds.
#[derive(Default)]
struct Due {
    /// The deliveries to be given out.
    taken: Vec<DeliveryId>,
    /// Deliveries left by a worker, for an endpoint that was switched off.
    orphaned: Vec<DeliveryId>,
}

fn due(
    state: &State,
    worker: &WorkerId,
    limits: ClaimLimits,
    keys: &[KeyId],
    now: DateTime<Utc>,
) -> Result<Due, StoreError> {
    let size = |limit: u32| usize::try_from(limit).unwrap_or(usize::MAX);
    let mut retries_left = size(limits.retries);
    let mut under_way: HashMap<EndpointId, usize> = HashMap::new();
    let mut due = Due::default();
    state.outbox.walk(now, |id, endpoint| {
        if due.taken.len() == size(limits.all) {
            return Ok(Walk::Stop);
        }
        let row = state.endpoints.get(&endpoint).ok_or_else(|| corrupt(id, "its endpoint is missing"))?;
        let delivery = state.deliveries.get(&id).ok_or_else(|| corrupt(id, "it is due, and missing"))?;
        if delivery.delivery.state.is_lost(now) {
            return Ok(Walk::Next);
        }
        if !row.endpoint.status.is_on() {
            due.orphaned.push(id);
            return Ok(Walk::Next);
        }
        if !row.secrets.are_opened_by(keys) {
            return Ok(Walk::SkipEndpoint);
        }
        let under_way = under_way.entry(endpoint).or_insert_with(|| row.under_way_of(worker, now));
        if *under_way >= size(limits.per_endpoint) {
            return Ok(Walk::SkipEndpoint);
        }
        if delivery.delivery.state.attempts() > 0 {
            let Some(left) = retries_left.checked_sub(1) else { return Ok(Walk::Next) };
            retries_left = left;
        }
        *under_way += 1;
        due.taken.push(id);
        Ok(Walk::Next)
    })?;
    Ok(due)
}

fn claim(
    state: &mut State,
    id: DeliveryId,
    worker: &WorkerId,
    term: TimeDelta,
    now: DateTime<Utc>,
) -> Result<ClaimedDelivery, StoreError> {
    let row = state.deliveries.get(&id).ok_or_else(|| corrupt(id, "it is due, and missing"))?;
    let endpoint = row.delivery.endpoint;
    let owner = state.endpoints.get(&endpoint).ok_or_else(|| corrupt(id, "its endpoint is missing"))?;
    let claimed = row.delivery.state.clone().claim(worker.clone(), term, now);
    let claimed = claimed.map_err(|error| StoreError::Corrupt { what: id.to_string(), source: Box::new(error) })?;
    let DeliveryState::Attempting { attempts, lease, started_at, .. } = &claimed else {
        return Err(corrupt(id, "it was claimed, and no attempt is under way"));
    };
    let given = ClaimedDelivery {
        claim: DeliveryClaim { delivery: id, token: lease.token },
        attempt: attempts + 1,
        started_at: *started_at,
        endpoint,
        url: owner.endpoint.details.url.clone(),
        secrets: owner.secrets.signing(now),
        event: row.event.id,
        kind: row.event.kind,
        body: row.event.body.clone(),
    };
    state.set_delivery_state(id, claimed);
    Ok(given)
}
