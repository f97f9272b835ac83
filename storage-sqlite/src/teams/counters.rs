//! Counters of requests, in memory: one process serves a file, and so it counts all of them. A count is worth nothing a
//! minute later, and a table would cost each request a write.

use std::{
    collections::{BTreeSet, HashMap},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use a11ycheck_core::{
    domain::{RateCounters, RateDecision, RateLimits, RateWindow, RequestClass},
    id::TokenId,
};
use chrono::{DateTime, Utc};

/// The owner of the counter against which a request is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Key {
    Token(TokenId),
    Address(IpAddr),
}

/// The counters. They are kept for as long as one of their windows lasts: their number is that of the tokens and addresses
/// which made a request within the last [`RateWindow::LENGTH`].
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    counters: HashMap<Key, RateCounters>,
    /// The end of the last window of each key.
    ends: BTreeSet<(DateTime<Utc>, Key)>,
}

impl Counters {
    /// Counts a request, if the limits admit it. `now` is read when no other request can be counted, so that the order of
    /// instants is the order of decisions. Each call deletes the counters whose windows have ended since the last one, so
    /// that each is deleted by one call.
    pub(crate) fn admit(
        &self,
        key: Key,
        class: RequestClass,
        limits: RateLimits,
        now: impl FnOnce() -> DateTime<Utc>,
    ) -> (RateDecision, DateTime<Utc>) {
        let mut table = self.lock();
        table.admit(key, class, limits, now())
    }

    /// Gives a request back that was admitted at `counted_at`, and returns how many are left.
    pub(crate) fn give_back(
        &self,
        key: Key,
        class: RequestClass,
        limits: RateLimits,
        counted_at: DateTime<Utc>,
        now: impl FnOnce() -> DateTime<Utc>,
    ) -> RateDecision {
        let mut table = self.lock();
        // One that is not there has no window that still lasts.
        let mut nothing = RateCounters::default();
        let counters = table.counters.get_mut(&key).unwrap_or(&mut nothing);
        counters.give_back(class, counted_at);
        counters.left(class, limits, now())
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn admit(
        &mut self,
        key: Key,
        class: RequestClass,
        limits: RateLimits,
        now: DateTime<Utc>,
    ) -> (RateDecision, DateTime<Utc>) {
        self.forget_ended(now);
        let mut counters = self.counters.get(&key).copied().unwrap_or_default();
        let before = ends_at(&counters);
        let at = counters.counts_at(now);
        let decision = counters.admit(class, limits, now);
        // A refused request changes nothing; with a limit of 0 there are not even counters.
        if let Some(end) = ends_at(&counters) {
            if let Some(before) = before {
                self.ends.remove(&(before, key));
            }
            self.ends.insert((end, key));
            self.counters.insert(key, counters);
        }
        (decision, at)
    }

    fn forget_ended(&mut self, now: DateTime<Utc>) {
        while let Some((end, key)) = self.ends.first().copied().filter(|(end, _)| *end <= now) {
            self.ends.remove(&(end, key));
            self.counters.remove(&key);
        }
    }
}

fn ends_at(counters: &RateCounters) -> Option<DateTime<Utc>> {
    [counters.general, counters.files].iter().flatten().map(RateWindow::ends_at).max()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn a_flood_from_many_addresses_leaves_nothing_behind_when_it_is_over() {
        let limits = RateLimits::new(2, 1);
        let start = Utc::now();
        let mut table = Table::default();
        for number in 0..10_000 {
            let class = if number % 2 == 0 { RequestClass::General } else { RequestClass::File };
            for _ in 0..3 {
                table.admit(Key::Address(Ipv4Addr::from_bits(number).into()), class, limits, start);
            }
        }
        assert_eq!((table.counters.len(), table.ends.len()), (10_000, 10_000));
        let late = Key::Token(TokenId::generate(start));
        table.admit(late, RequestClass::General, limits, start + RateWindow::LENGTH);
        assert_eq!((table.counters.len(), table.ends.len()), (1, 1));
    }

    #[test]
    fn who_may_make_no_request_is_not_kept() {
        let counters = Counters::default();
        let address = Key::Address(Ipv4Addr::LOCALHOST.into());
        let (decision, _) = counters.admit(address, RequestClass::File, RateLimits::new(0, 0), Utc::now);
        assert!(!decision.is_admitted());
        assert!(counters.lock().counters.is_empty() && counters.lock().ends.is_empty());
    }
}
