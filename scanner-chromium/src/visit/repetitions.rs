//! Repeated requests of a script: which of them are steps towards a finished page, and which are a poll.

use std::{collections::HashMap, hash::Hash as _};

use tokio::time::{Duration, Instant};

use super::unresponsive::hash;
use crate::cdp::events::Request;

/// The number of requests of scripts whose repetitions are recognised. A page with more counts as polling.
const MAX_ASKED: usize = 4_000;
/// The number of identical requests of a script that count as steps; after that it polls.
const SAME_STEPS: u32 = 4;
/// The number of requests to one address with different bodies that count as steps: calls of a service that has one
/// address for all.
const BODIES: u32 = 10;
/// The time after a response within which the same request counts as the next step. A poll pauses longer.
const AT_ONCE: Duration = Duration::from_millis(250);

/// The requests that the scripts of a document have made.
#[derive(Debug, Default)]
pub(super) struct Repetitions {
    /// The requests by their keys.
    asked: HashMap<u64, Repeated>,
    /// The number of different requests by address, for those with a body.
    bodies: HashMap<u64, u32>,
}

/// The same request, made repeatedly.
#[derive(Debug, Clone, Copy)]
struct Repeated {
    times: u32,
    /// The instant at which the latest ended; `None` while it is under way, or if it is not waited for.
    ended: Option<Instant>,
}

impl Repetitions {
    /// Returns whether a request of a script is a step towards a finished page, and not a poll.
    pub(super) fn is_step(&mut self, request: &Request, key: u64, now: Instant) -> bool {
        if self.asked.len() >= MAX_ASKED {
            return false;
        }
        if let Some(repeated) = self.asked.get_mut(&key) {
            repeated.times += 1;
            let follows = repeated.ended.take().is_some_and(|ended| now.duration_since(ended) <= AT_ONCE);
            return follows && repeated.times <= SAME_STEPS;
        }
        self.asked.insert(key, Repeated { times: 1, ended: None });
        if !request.has_post_data {
            return true;
        }
        let bodies = self.bodies.entry(hash(|hasher| request.url.hash(hasher))).or_default();
        *bodies += 1;
        *bodies <= BODIES
    }

    /// Notes that a request has ended.
    pub(super) fn end(&mut self, key: u64, now: Instant) {
        if let Some(repeated) = self.asked.get_mut(&key) {
            repeated.ended = Some(now);
        }
    }
}
