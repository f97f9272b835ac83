//! The counters of addresses, which come from outside and must not fill the memory.

use std::{
    collections::{BTreeSet, HashMap},
    net::IpAddr,
};

use a11ycheck_core::domain::{RateCounters, RateDecision, RateLimits, RateWindow, RequestClass};
use chrono::{DateTime, Utc};

/// Counters by address, each for as long as one of its windows lasts: their number is that of the addresses which made
/// a request within the last [`RateWindow::LENGTH`].
#[derive(Default)]
pub(crate) struct Addresses {
    counters: HashMap<IpAddr, RateCounters>,
    /// The end of the last window of each address.
    ends: BTreeSet<(DateTime<Utc>, IpAddr)>,
}

impl Addresses {
    /// Counts a request for its address, if the limits admit it. Each call deletes the counters whose windows have
    /// ended since the last one, so that each address is deleted by one call.
    pub(crate) fn admit(
        &mut self,
        address: IpAddr,
        class: RequestClass,
        limits: RateLimits,
        now: DateTime<Utc>,
    ) -> (RateDecision, DateTime<Utc>) {
        self.forget_ended(now);
        let mut counters = self.counters.get(&address).copied().unwrap_or_default();
        let before = ends_at(&counters);
        let at = counters.counts_at(now);
        let decision = counters.admit(class, limits, now);
        // A refused request changes nothing; with a limit of 0 there are not even counters.
        if let Some(end) = ends_at(&counters) {
            if let Some(before) = before {
                self.ends.remove(&(before, address));
            }
            self.ends.insert((end, address));
            self.counters.insert(address, counters);
        }
        (decision, at)
    }

    fn forget_ended(&mut self, now: DateTime<Utc>) {
        while let Some((end, address)) = self.ends.first().copied().filter(|(end, _)| *end <= now) {
            self.ends.remove(&(end, address));
            self.counters.remove(&address);
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
        let mut addresses = Addresses::default();
        for number in 0..10_000 {
            let class = if number % 2 == 0 { RequestClass::General } else { RequestClass::File };
            for _ in 0..3 {
                addresses.admit(IpAddr::V4(Ipv4Addr::from_bits(number)), class, limits, start);
            }
        }
        assert_eq!((addresses.counters.len(), addresses.ends.len()), (10_000, 10_000));
        addresses.admit(IpAddr::V4(Ipv4Addr::LOCALHOST), RequestClass::General, limits, start + RateWindow::LENGTH);
        assert_eq!((addresses.counters.len(), addresses.ends.len()), (1, 1));
    }

    #[test]
    fn an_address_that_may_make_no_request_is_not_kept() {
        let mut addresses = Addresses::default();
        let limits = RateLimits::new(0, 0);
        assert!(
            !addresses.admit(IpAddr::V4(Ipv4Addr::LOCALHOST), RequestClass::File, limits, Utc::now()).0.is_admitted()
        );
        assert!(addresses.counters.is_empty() && addresses.ends.is_empty());
    }
}
