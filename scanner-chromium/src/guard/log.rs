//! What a guard knows about the hosts that a scan asked for.
//!
//! The browser learns only that its proxy said no; the guard knows why.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use a11ycheck_core::{domain::FailureCause, net::Refusal};

/// Hosts that are remembered. A page that asks for more has had its share of explanations.
const MAX_HOSTS: usize = 2_000;

/// Why a host was not reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The address policy refuses it.
    Refused(Refusal),
    /// Its name has no address, or none that may be visited: the two are not told apart.
    Dns,
    /// No connection came about, or it broke before an answer.
    Unreachable,
    /// The operator's own proxy did not pass it on.
    Proxy(FailureCause),
    /// The scan has used up the bytes that it may move.
    TooMuch,
}

/// One entry per host and port that was asked for.
#[derive(Debug, Default)]
pub(crate) struct GuardLog(Mutex<HashMap<(String, u16), Option<Obstacle>>>);

impl GuardLog {
    /// Whether a connection to this host was asked for, with whatever result.
    pub(crate) fn was_asked_for(&self, host: &str, port: u16) -> bool {
        self.lock().contains_key(&key(host, port))
    }

    /// What stood in the way of the latest connection to this host; `None` when nothing did.
    pub(crate) fn obstacle(&self, host: &str, port: u16) -> Option<Obstacle> {
        self.lock().get(&key(host, port)).cloned().flatten()
    }

    pub(super) fn note(&self, host: &str, port: u16, obstacle: Option<Obstacle>) {
        let mut hosts = self.lock();
        if hosts.len() < MAX_HOSTS || hosts.contains_key(&key(host, port)) {
            hosts.insert(key(host, port), obstacle);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, u16), Option<Obstacle>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(host: &str, port: u16) -> (String, u16) {
    (host.to_ascii_lowercase(), port)
}
