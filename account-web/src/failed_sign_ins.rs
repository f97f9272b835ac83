//! Growing waits after failed sign-ins, so that passwords can't be guessed, and nobody is shut out of an account for good.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use a11ycheck_core::domain::EmailAddress;
use chrono::{DateTime, TimeDelta, Utc};

/// What failures are counted of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Of {
    /// One account, whoever tries.
    Account(EmailAddress),
    /// One network: an IPv4 address, or an IPv6 network of 64 bits.
    Network(IpAddr),
}

#[derive(Debug, Clone, Copy)]
struct Failures {
    count: u32,
    last: DateTime<Utc>,
}

/// The failed sign-ins of this process. Its memory is bounded: where it is full, what failed longest ago is forgotten.
#[derive(Debug, Default)]
pub(crate) struct FailedSignIns {
    counted: Mutex<HashMap<Of, Failures>>,
}

/// The number of accounts and networks that are remembered.
const REMEMBERED: usize = 20_000;
/// The failures of an account that have no wait.
const FREE_OF_ACCOUNT: u32 = 5;
/// The failures of a network that have no wait: many people may share one address.
const FREE_OF_NETWORK: u32 = 30;
/// The longest wait.
const LONGEST: TimeDelta = TimeDelta::minutes(15);
/// The time after which failures are forgotten.
const FORGOTTEN: TimeDelta = TimeDelta::hours(24);

impl Failures {
    /// Returns the instant from which another attempt is made: 2, 4, 8 … seconds after the last.
    fn waits_until(self, free: u32) -> DateTime<Utc> {
        match self.count.checked_sub(free) {
            None | Some(0) => self.last,
            Some(beyond) => self.last + TimeDelta::seconds(1 << beyond.min(10)).min(LONGEST),
        }
    }
}

impl FailedSignIns {
    /// Returns the instant before which an attempt is not even compared; `None` if it may be made now. Nothing is counted.
    pub(crate) fn wait(
        &self,
        account: &EmailAddress,
        address: Option<IpAddr>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let counted = self.lock();
        let until = keys(account, address).filter_map(|(of, free)| Some(counted.get(&of)?.waits_until(free)));
        until.filter(|until| *until > now).max()
    }

    /// Counts a failure.
    pub(crate) fn failed(&self, account: &EmailAddress, address: Option<IpAddr>, now: DateTime<Utc>) {
        let mut counted = self.lock();
        if counted.len() >= REMEMBERED {
            counted.retain(|_, failures| failures.last + FORGOTTEN > now);
        }
        for (of, _) in keys(account, address) {
            if counted.len() >= REMEMBERED && !counted.contains_key(&of) {
                let oldest = counted.iter().min_by_key(|(_, failures)| failures.last).map(|(of, _)| of.clone());
                oldest.and_then(|oldest| counted.remove(&oldest));
            }
            let failures = counted.entry(of).or_insert(Failures { count: 0, last: now });
            if failures.last + FORGOTTEN <= now {
                failures.count = 0;
            }
            *failures = Failures { count: failures.count.saturating_add(1), last: now };
        }
    }

    /// Forgets the failures of an account whose owner has signed in. Those of the network stay: somebody who guesses may have an account.
    pub(crate) fn succeeded(&self, account: &EmailAddress) {
        self.lock().remove(&Of::Account(account.clone()));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Of, Failures>> {
        // What it holds is whole after each statement.
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn keys(account: &EmailAddress, address: Option<IpAddr>) -> impl Iterator<Item = (Of, u32)> {
    let network = address.map(|address| match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    });
    let network = network.map(|network| (Of::Network(network), FREE_OF_NETWORK));
    std::iter::once((Of::Account(account.clone()), FREE_OF_ACCOUNT)).chain(network)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn email(name: &str) -> EmailAddress {
        format!("{name}@example.org").parse().unwrap()
    }

    #[test]
    fn guesses_wait_longer_and_longer_but_never_more_than_a_quarter_of_an_hour() {
        let (failed, jo, mut now) = (FailedSignIns::default(), email("jo"), Utc::now());
        let mut waits = Vec::new();
        for _ in 0..20 {
            failed.failed(&jo, None, now);
            let until = failed.wait(&jo, None, now).unwrap_or(now);
            waits.push((until - now).num_seconds());
            now = until;
        }
        assert_eq!(waits[..8], [0, 0, 0, 0, 0, 2, 4, 8]);
        assert_eq!(waits.last(), Some(&900));
        assert_eq!(failed.wait(&email("ann"), None, now - TimeDelta::seconds(1)), None, "nobody else waits");
        failed.succeeded(&jo);
        assert_eq!(failed.wait(&jo, None, now - TimeDelta::seconds(1)), None);
    }

    #[test]
    fn one_network_cannot_try_many_accounts() {
        let (failed, now) = (FailedSignIns::default(), Utc::now());
        let from = |address: &str| Some(address.parse().unwrap());
        for number in 0..40 {
            failed.failed(&email(&number.to_string()), from(&format!("2001:db8::{number:x}")), now);
        }
        assert!(failed.wait(&email("another"), from("2001:db8::ffff"), now).is_some());
        assert_eq!(failed.wait(&email("another"), from("2001:db8:1::1"), now), None);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (failed, now) = (FailedSignIns::default(), Utc::now());
        for number in 0..(REMEMBERED + 50) {
            let at = now + TimeDelta::milliseconds(i64::try_from(number).unwrap());
            failed.failed(&email(&number.to_string()), None, at);
        }
        assert!(failed.lock().len() <= REMEMBERED);
        assert!(failed.lock().contains_key(&Of::Account(email(&(REMEMBERED + 49).to_string()))));
    }
}
