//! The guard's record of the hosts that a scan asked for.
//!
//! The browser learns only that its proxy refused; the guard knows the reason.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{BuildHasher as _, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
};

use a11ycheck_core::{domain::FailureCause, net::Refusal};

/// The number of hosts whose results are kept: those of the latest connections, so that a page which asks for very many
/// hosts takes the explanation from no page after it.
const MAX_HOSTS: usize = 2_000;
/// The number of words, a power of two, in whose bits it is noted which hosts were asked for at all.
const SEEN_WORDS: usize = 1 << 13;
/// The number of these bits.
const SEEN_BITS: u64 = 64 * SEEN_WORDS as u64;
/// The number of bits for each host. With these numbers, one host in 25,000 is taken for one that was asked for
/// after 20,000 others were, and one in 150 after 50,000.
const BITS_PER_HOST: u64 = 7;

/// The reason why a host was not reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The address policy refuses it.
    Refused(Refusal),
    /// Its name has no address, or none that may be visited; the two are deliberately not distinguished.
    Dns,
    /// No connection was established, or it broke before a response.
    Unreachable,
    /// The operator's own proxy did not make the connection.
    Proxy(FailureCause),
    /// The scan has moved as many bytes as it may.
    TooMuch,
}

/// A host and a port.
type Key = (String, u16);

/// The hosts and ports that were asked for, and the results of the latest connections.
#[derive(Debug, Default)]
pub(crate) struct GuardLog(Mutex<Log>);

#[derive(Debug, Default)]
struct Log {
    results: HashMap<Key, Noted>,
    /// The keys of `results` by the number of their latest connection.
    order: BTreeMap<u64, Key>,
    connections: u64,
    seen: Seen,
}

/// The result of the latest connection to a host.
#[derive(Debug)]
struct Noted {
    connection: u64,
    obstacle: Option<Obstacle>,
}

impl GuardLog {
    /// Returns whether a connection to this host was asked for, whatever its result. That of a host that was asked for
    /// is never forgotten. Of the others, a few may be taken for one that was, if very many hosts were asked for.
    pub(crate) fn was_asked_for(&self, host: &str, port: u16) -> bool {
        self.lock().seen.contains(&key(host, port))
    }

    /// Returns the obstacle that the latest connection to this host met; `None` if it met none, or if very many other
    /// hosts were asked for since.
    pub(crate) fn obstacle(&self, host: &str, port: u16) -> Option<Obstacle> {
        self.lock().results.get(&key(host, port))?.obstacle.clone()
    }

    pub(super) fn note(&self, host: &str, port: u16, obstacle: Option<Obstacle>) {
        let key = key(host, port);
        let mut guard = self.lock();
        let log = &mut *guard;
        log.seen.insert(&key);
        log.connections += 1;
        let connection = log.connections;
        log.order.insert(connection, key.clone());
        if let Some(before) = log.results.insert(key, Noted { connection, obstacle }) {
            log.order.remove(&before.connection);
        } else if log.results.len() > MAX_HOSTS
            && let Some((_, oldest)) = log.order.pop_first()
        {
            log.results.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A Bloom filter: a set that takes a fixed amount of memory, and forgets nothing that was put into it. Its hashes are
/// random, so that no page can choose names that fill it sooner.
#[derive(Debug, Default)]
struct Seen {
    /// The bits; empty until the first host.
    words: Vec<u64>,
    hashes: RandomState,
}

impl Seen {
    fn insert(&mut self, key: &Key) {
        self.words.resize(SEEN_WORDS, 0);
        for bit in self.bits(key) {
            self.words[bit / 64] |= 1 << (bit % 64);
        }
    }

    fn contains(&self, key: &Key) -> bool {
        !self.words.is_empty() && self.bits(key).all(|bit| self.words[bit / 64] >> (bit % 64) & 1 == 1)
    }

    /// Returns the positions of a host's bits, from two halves of one hash (Kirsch and Mitzenmacher, "Less Hashing, Same
    /// Performance").
    fn bits(&self, key: &Key) -> impl Iterator<Item = usize> + use<> {
        let hash = self.hashes.hash_one(key);
        // An odd step reaches every position.
        let (first, step) = (hash >> 32, (hash & 0xffff_ffff) | 1);
        (0..BITS_PER_HOST).map(move |number| ((first + number * step) % SEEN_BITS) as usize)
    }
}

fn key(host: &str, port: u16) -> Key {
    (host.to_ascii_lowercase(), port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_asks_for_very_many_hosts_makes_no_host_unknown_and_hides_no_later_obstacle() {
        let log = GuardLog::default();
        assert!(!log.was_asked_for("first.test", 443));
        log.note("First.test", 443, None);
        for number in 0..2 * MAX_HOSTS {
            log.note(&format!("{number}.test"), 443, Some(Obstacle::Dns));
        }
        log.note("last.test", 443, Some(Obstacle::Unreachable));
        for known in ["first.test", "0.test", "last.test"] {
            assert!(log.was_asked_for(known, 443), "{known}");
        }
        assert!(!log.was_asked_for("first.test", 80) && !log.was_asked_for("unknown.test", 443));
        assert_eq!(log.obstacle("last.test", 443), Some(Obstacle::Unreachable));
        assert_eq!(log.lock().results.len(), MAX_HOSTS);
        assert_eq!(log.lock().order.len(), MAX_HOSTS);
    }

    #[test]
    fn the_latest_connection_to_a_host_counts() {
        let log = GuardLog::default();
        log.note("a.test", 80, Some(Obstacle::Dns));
        assert_eq!(log.obstacle("A.test", 80), Some(Obstacle::Dns));
        log.note("a.test", 80, None);
        assert_eq!((log.obstacle("a.test", 80), log.was_asked_for("a.test", 80)), (None, true));
        let log = log.lock();
        assert_eq!((log.results.len(), log.order.len()), (1, 1));
    }

    #[test]
    fn hardly_any_host_is_taken_for_one_that_was_asked_for() {
        let log = GuardLog::default();
        (0..20_000).for_each(|number| log.note(&format!("{number}.test"), 443, None));
        let wrong = (0..20_000).filter(|number| log.was_asked_for(&format!("{number}.example"), 443)).count();
        assert!(wrong < 20, "{wrong}");
    }
}
