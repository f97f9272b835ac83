//! The order of pending deliveries, endpoint by endpoint.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap, HashMap},
};

use a11ycheck_core::id::{DeliveryId, EndpointId};
use chrono::{DateTime, Utc};

/// The pending deliveries in the order in which they fall due, in one lane for each endpoint, so that an endpoint with
/// a long queue is skipped in one step.
#[derive(Default)]
pub(crate) struct Outbox {
    lanes: HashMap<EndpointId, BTreeSet<(DateTime<Utc>, DeliveryId)>>,
    /// The first of each lane.
    heads: BTreeSet<Due>,
}

type Due = (DateTime<Utc>, DeliveryId, EndpointId);

/// The next step of a walk.
pub(crate) enum Walk {
    Next,
    SkipEndpoint,
    Stop,
}

impl Outbox {
    pub(crate) fn insert(&mut self, at: DateTime<Utc>, id: DeliveryId, endpoint: EndpointId) {
        self.change(endpoint, |lane| {
            lane.insert((at, id));
        });
    }

    pub(crate) fn remove(&mut self, at: DateTime<Utc>, id: DeliveryId, endpoint: EndpointId) {
        self.change(endpoint, |lane| {
            lane.remove(&(at, id));
        });
    }

    fn change(&mut self, endpoint: EndpointId, change: impl FnOnce(&mut BTreeSet<(DateTime<Utc>, DeliveryId)>)) {
        let lane = self.lanes.entry(endpoint).or_default();
        let before = lane.first().copied();
        change(lane);
        let after = lane.first().copied();
        if lane.is_empty() {
            self.lanes.remove(&endpoint);
        }
        if before != after {
            if let Some((at, id)) = before {
                self.heads.remove(&(at, id, endpoint));
            }
            if let Some((at, id)) = after {
                self.heads.insert((at, id, endpoint));
            }
        }
    }

    /// Visits the due deliveries, in the order in which they fell due, then by id.
    pub(crate) fn walk<E>(
        &self,
        now: DateTime<Utc>,
        mut visit: impl FnMut(DeliveryId, EndpointId) -> Result<Walk, E>,
    ) -> Result<(), E> {
        let mut heads = self.heads.iter().copied().peekable();
        // The next deliveries of the lanes that were begun.
        let mut begun: BinaryHeap<Reverse<Due>> = BinaryHeap::new();
        loop {
            let head = heads.peek().copied();
            let next = match (head, begun.peek()) {
                (Some(head), Some(Reverse(next))) if head < *next => heads.next(),
                (Some(_), None) => heads.next(),
                (_, Some(_)) => begun.pop().map(|Reverse(next)| next),
                (None, None) => None,
            };
            let Some((at, id, endpoint)) = next.filter(|(at, ..)| *at <= now) else { return Ok(()) };
            match visit(id, endpoint)? {
                Walk::Stop => return Ok(()),
                Walk::SkipEndpoint => {}
                Walk::Next => {
                    let after = (std::ops::Bound::Excluded((at, id)), std::ops::Bound::Unbounded);
                    let following = self.lanes.get(&endpoint).and_then(|lane| lane.range(after).next());
                    begun.extend(following.map(|(at, id)| Reverse((*at, *id, endpoint))));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn lanes_are_walked_as_one_queue_and_a_passed_endpoint_costs_one_step() {
        let now = Utc::now();
        let (slow, quick) = (EndpointId::generate(now), EndpointId::generate(now));
        let mut outbox = Outbox::default();
        let at = |seconds| now + TimeDelta::seconds(seconds);
        let mut ids = Vec::new();
        for number in 0..10 {
            let id = DeliveryId::generate(now);
            outbox.insert(at(number - 9), id, if number % 2 == 0 { slow } else { quick });
            ids.push(id);
        }
        outbox.insert(at(1), DeliveryId::generate(now), quick);

        let mut walked = Vec::new();
        let mut all = |id, _| {
            walked.push(id);
            Ok::<_, ()>(Walk::Next)
        };
        outbox.walk(now, &mut all).unwrap();
        assert_eq!(walked, ids);

        let mut visits = Vec::new();
        let visit = |id, endpoint| {
            visits.push(id);
            Ok::<_, ()>(if endpoint == slow { Walk::SkipEndpoint } else { Walk::Next })
        };
        outbox.walk(now, visit).unwrap();
        assert_eq!(visits, [&ids[..2], &[ids[3], ids[5], ids[7], ids[9]]].concat());

        for (number, id) in (0..).zip(&ids) {
            outbox.remove(at(number - 9), *id, if number % 2 == 0 { slow } else { quick });
        }
        assert_eq!((outbox.lanes.len(), outbox.heads.len()), (1, 1));
    }
}
