//! Requests that a script makes again and again: which of them are steps on the way to a page that is built, and which a poll.

use std::{collections::HashMap, hash::Hash as _};

use tokio::time::{Duration, Instant};

use super::unresponsive::hash;
use crate::cdp::events::Request;

/// Requests of scripts whose repetitions are recognised. A page with more repeats itself, as far as anybody waits.
const MAX_ASKED: usize = 4_000;
/// Requests of a script that are all the same and count as one step after the other; then it polls.
const SAME_STEPS: u32 = 4;
/// Requests to one address that differ in their bodies, and count as steps: calls of a service that has one address for all.
const BODIES: u32 = 10;
/// How soon after the answer the same request counts as the next step. Whoever polls pauses.
const AT_ONCE: Duration = Duration::from_millis(250);

/// What the scripts of a document have asked for.
#[derive(Debug, Default)]
pub(super) struct Repetitions {
    /// By the key of the request.
    asked: HashMap<u64, Repeated>,
    /// The number of different requests by address, for those with a body.
    bodies: HashMap<u64, u32>,
}

/// The same request, made again and again.
#[derive(Debug, Clone, Copy)]
struct Repeated {
    times: u32,
    /// When the latest ended; `None` while it is under way, and where nobody waits for it.
    ended: Option<Instant>,
}

impl Repetitions {
    /// Whether a request of a script is a step on the way to a page that is built, and not a poll.
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
