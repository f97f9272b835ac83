//! Endpoints and deliveries in the state.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::{
    domain::{
        Attempt, AttemptReport, Delivery, DeliveryRefusal, DeliveryState, EndpointSecrets, EndpointStatus, Lease,
        NewEvent, WebhookEndpoint,
    },
    id::{DeliveryId, EndpointId, TeamId, WorkerId},
    store::{RecordError, StoreError, Work},
};
use chrono::{DateTime, Utc};

use crate::db::state::{State, corrupt, taken};

pub(crate) struct EndpointRow {
    pub(crate) endpoint: WebhookEndpoint,
    pub(crate) secrets: EndpointSecrets,
    /// All deliveries, in the order of lists: by creation, then id.
    pub(crate) deliveries: BTreeSet<(DateTime<Utc>, DeliveryId)>,
    /// The attempts whose end was not recorded.
    pub(crate) under_way: BTreeMap<DeliveryId, Lease>,
}

pub(crate) struct DeliveryRow {
    pub(crate) delivery: Delivery,
    pub(crate) event: NewEvent,
    /// The attempts that have ended, by number.
    pub(crate) attempts: Vec<Attempt>,
    /// The delivery that is blocked by this one.
    pub(crate) blocks: Option<DeliveryId>,
}

impl EndpointRow {
    /// Returns the number of attempts that the worker has in progress.
    pub(crate) fn under_way_of(&self, worker: &WorkerId, now: DateTime<Utc>) -> usize {
        self.under_way.values().filter(|lease| lease.worker == *worker && !lease.has_expired(now)).count()
    }
}

impl State {
    /// Returns the endpoint, if it is the team's.
    pub(crate) fn endpoint(&self, team: TeamId, id: EndpointId) -> Option<&EndpointRow> {
        self.endpoints.get(&id).filter(|row| row.endpoint.team == team)
    }

    /// Returns the endpoint as [`endpoint`](Self::endpoint) does, to be changed.
    pub(crate) fn endpoint_mut(&mut self, team: TeamId, id: EndpointId) -> Option<&mut EndpointRow> {
        self.endpoints.get_mut(&id).filter(|row| row.endpoint.team == team)
    }

    /// Returns the delivery, if it goes to an endpoint of the team.
    pub(crate) fn delivery(&self, team: TeamId, id: DeliveryId) -> Option<&DeliveryRow> {
        self.deliveries.get(&id).filter(|row| row.delivery.team == team)
    }

    /// Checks that the events' ids are new: none is stored already, and none occurs twice.
    pub(crate) fn check_events(&self, events: &[NewEvent]) -> Result<(), StoreError> {
        let mut seen = BTreeSet::new();
        match events.iter().find(|event| self.events.contains_key(&event.id) || !seen.insert(event.id)) {
            Some(event) => Err(taken(event.id)),
            None => Ok(()),
        }
    }

    /// Makes a delivery of each event to each endpoint that listens to it.
    pub(crate) fn store_events(
        &mut self,
        team: TeamId,
        events: &[NewEvent],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let row = self.teams.get(&team).ok_or_else(|| corrupt(team, "it has a check, and it is missing"))?;
        let endpoints: Vec<EndpointId> = row.endpoints.iter().map(|(_, id)| *id).collect();
        for id in endpoints {
            let mut before = None;
            for event in events {
                let row = self.endpoints.get(&id).ok_or_else(|| corrupt(id, "it is listed, and missing"))?;
                if row.endpoint.listens_to(event.kind) {
                    before = Some(self.deliver(team, id, event.clone(), before, now).id);
                }
            }
        }
        Ok(())
    }

    /// Makes a delivery that waits for the first attempt of `after`, or is due now.
    pub(crate) fn deliver(
        &mut self,
        team: TeamId,
        endpoint: EndpointId,
        event: NewEvent,
        after: Option<DeliveryId>,
        now: DateTime<Utc>,
    ) -> Delivery {
        let id = DeliveryId::generate(now);
        let state = after.map_or_else(|| DeliveryState::due(now), |after| DeliveryState::Blocked { after });
        let delivery = Delivery { id, team, endpoint, event: event.id, kind: event.kind, created_at: now, state };
        if let Some(before) = after.and_then(|after| self.deliveries.get_mut(&after)) {
            before.blocks = Some(id);
        }
        if let Some(row) = self.endpoints.get_mut(&endpoint) {
            row.deliveries.insert((now, id));
        }
        if let Some(at) = delivery.state.due_at() {
            self.outbox.insert(at, id, endpoint);
            self.hints.give(Work::Deliveries);
        }
        *self.events.entry(event.id).or_default() += 1;
        let row = DeliveryRow { delivery: delivery.clone(), event, attempts: Vec::new(), blocks: None };
        self.deliveries.insert(id, row);
        delivery
    }

    /// Puts a delivery into a state that the domain has allowed, and updates the orders accordingly.
    pub(crate) fn set_delivery_state(&mut self, id: DeliveryId, state: DeliveryState) {
        let Some(DeliveryRow { delivery, .. }) = self.deliveries.get_mut(&id) else { return };
        let endpoint = delivery.endpoint;
        if let Some(at) = delivery.state.due_at() {
            self.outbox.remove(at, id, endpoint);
        }
        if let Some(at) = state.due_at() {
            self.outbox.insert(at, id, endpoint);
        }
        if let Some(at) = state.finished_at() {
            self.ended_deliveries.insert((at, id));
        }
        if let Some(at) = end_of_last_try(&delivery.state) {
            self.last_tries.remove(&(at, id));
        }
        if let Some(at) = end_of_last_try(&state) {
            self.last_tries.insert((at, id));
        }
        if let Some(row) = self.endpoints.get_mut(&endpoint) {
            match &state {
                DeliveryState::Attempting { lease, .. } => drop(row.under_way.insert(id, lease.clone())),
                DeliveryState::Blocked { .. }
                | DeliveryState::Waiting { .. }
                | DeliveryState::Delivered { .. }
                | DeliveryState::Failed { .. }
                | DeliveryState::Dropped { .. } => drop(row.under_way.remove(&id)),
            }
        }
        delivery.state = state;
    }

    /// Ends an attempt as `decide` says, given the delivery's state and that of its endpoint, with all that follows.
    pub(crate) fn end_attempt(
        &mut self,
        id: DeliveryId,
        report: AttemptReport,
        now: DateTime<Utc>,
        decide: impl FnOnce(DeliveryState, EndpointStatus) -> Result<DeliveryState, DeliveryRefusal>,
    ) -> Result<Delivery, RecordError> {
        let row = self.deliveries.get_mut(&id).ok_or(RecordError::Gone)?;
        let endpoint = row.delivery.endpoint;
        let owner = self.endpoints.get(&endpoint).ok_or_else(|| corrupt(id, "its endpoint is missing"))?;
        let status = owner.endpoint.status;
        let held = row.delivery.state.clone();
        let ended = decide(held.clone(), status)?;
        if let DeliveryState::Attempting { attempts, started_at, .. } = held {
            row.attempts.push(Attempt { number: attempts + 1, started_at, ended_at: now, report });
        }
        let blocked = row.blocks.take();
        self.set_delivery_state(id, ended.clone());
        if let Some(blocked) = blocked.and_then(|id| self.deliveries.get(&id)) {
            let (id, unblocked) = (blocked.delivery.id, blocked.delivery.state.clone().unblocked(now));
            self.set_delivery_state(id, unblocked);
            self.hints.give(Work::Deliveries);
        }
        match ended {
            DeliveryState::Delivered { .. } => self.set_endpoint_status(endpoint, status.after_delivered(), now),
            DeliveryState::Failed { .. } => {
                let after = status.after_failed(now);
                self.set_endpoint_status(endpoint, after, now);
                if status.is_on() && !after.is_on() {
                    self.notice_switched_off(endpoint, now)?;
                }
            }
            DeliveryState::Blocked { .. }
            | DeliveryState::Waiting { .. }
            | DeliveryState::Attempting { .. }
            | DeliveryState::Dropped { .. } => {}
        }
        let row = self.deliveries.get(&id).ok_or(RecordError::Gone)?;
        Ok(row.delivery.clone())
    }

    /// Returns the attempts that are lost, in the order in which their leases ended.
    pub(crate) fn lost_deliveries(&self, limit: u32, now: DateTime<Utc>) -> Vec<DeliveryId> {
        let ended = self.last_tries.iter().take_while(|(expires_at, _)| *expires_at <= now);
        ended.take(usize::try_from(limit).unwrap_or(usize::MAX)).map(|(_, id)| *id).collect()
    }

    /// Sets an endpoint's status; if that switches it off, drops its pending deliveries.
    pub(crate) fn set_endpoint_status(&mut self, id: EndpointId, status: EndpointStatus, now: DateTime<Utc>) {
        let Some(row) = self.endpoints.get_mut(&id) else { return };
        let is_switched_off = row.endpoint.status.is_on() && !status.is_on();
        row.endpoint.status = status;
        if !is_switched_off {
            return;
        }
        let listed: Vec<DeliveryId> = row.deliveries.iter().map(|(_, id)| *id).collect();
        for id in listed {
            self.drop_delivery(id, now);
        }
    }

    /// Drops a delivery whose endpoint is off, unless an attempt is in progress or it has ended.
    pub(crate) fn drop_delivery(&mut self, id: DeliveryId, now: DateTime<Utc>) {
        let Some(state) = self.deliveries.get(&id).map(|row| row.delivery.state.clone()) else { return };
        let dropped = state.clone().dropped(now);
        if dropped != state {
            self.set_delivery_state(id, dropped);
        }
    }

    /// Removes an endpoint with all its deliveries.
    pub(crate) fn remove_endpoint(&mut self, id: EndpointId) {
        let Some(row) = self.endpoints.remove(&id) else { return };
        if let Some(team) = self.teams.get_mut(&row.endpoint.team) {
            team.endpoints.remove(&(row.endpoint.created_at, id));
        }
        for (_, id) in row.deliveries {
            self.remove_delivery(id);
        }
    }

    /// Removes a delivery, and the event with its last delivery.
    pub(crate) fn remove_delivery(&mut self, id: DeliveryId) {
        let Some(DeliveryRow { delivery, .. }) = self.deliveries.remove(&id) else { return };
        if let Some(at) = delivery.state.due_at() {
            self.outbox.remove(at, id, delivery.endpoint);
        }
        if let Some(at) = delivery.state.finished_at() {
            self.ended_deliveries.remove(&(at, id));
        }
        if let Some(at) = end_of_last_try(&delivery.state) {
            self.last_tries.remove(&(at, id));
        }
        if let Some(row) = self.endpoints.get_mut(&delivery.endpoint) {
            row.deliveries.remove(&(delivery.created_at, id));
            row.under_way.remove(&id);
        }
        if let Some(count) = self.events.get_mut(&delivery.event) {
            *count -= 1;
            if *count == 0 {
                self.events.remove(&delivery.event);
            }
        }
    }
}

/// Returns the end of the lease of an attempt that will not be begun again.
const fn end_of_last_try(state: &DeliveryState) -> Option<DateTime<Utc>> {
    match state {
        DeliveryState::Attempting { tries: DeliveryState::MAX_TRIES.., lease, .. } => Some(lease.expires_at),
        DeliveryState::Blocked { .. }
        | DeliveryState::Waiting { .. }
        | DeliveryState::Attempting { .. }
        | DeliveryState::Delivered { .. }
        | DeliveryState::Failed { .. }
        | DeliveryState::Dropped { .. } => None,
    }
}
