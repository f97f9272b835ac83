//! Growing waits after failed sign-ins, so that passwords can't be guessed, and nobody is shut out of an account for good.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use a11ycheck_core::domain::EmailAddress;
use chrono::{DateTime, TimeDelta, Utc};

use crate::known_browser::KnownBrowser;

/// From what browser somebody tries to sign in to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A browser in which the account's owner has signed in before. It is counted by itself: what strangers do does not make it wait.
    Known(KnownBrowser),
    /// Any other browser, at this address, if that is known.
    Unknown(Option<IpAddr>),
}

/// The things of which attempts are counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Of {
    /// One account, whoever tries from browsers that are not known.
    Account(EmailAddress),
    /// One network of browsers that are not known: an IPv4 address, or an IPv6 network of 64 bits.
    Network(IpAddr),
    /// One known browser, and with it one account.
    Browser(KnownBrowser),
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

/// The number of accounts, networks and known browsers that are remembered.
const REMEMBERED: usize = 20_000;
/// The failures of an account, and of a known browser, that have no wait.
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
    /// Begins an attempt, which counts as failed until [it has succeeded](Self::succeeded): passwords that are sent at once are counted one
    /// after the other, before the first of them is compared.
    ///
    /// # Errors
    /// Returns the instant before which no attempt is made. The password must not be compared then, and nothing is counted.
    pub(crate) fn attempt(
        &self,
        account: &EmailAddress,
        from: Origin,
        now: DateTime<Utc>,
    ) -> Result<(), DateTime<Utc>> {
        let mut counted = self.lock();
        let until = keys(account, from).filter_map(|(of, free)| Some(counted.get(&of)?.waits_until(free)));
        if let Some(until) = until.filter(|until| *until > now).max() {
            return Err(until);
        }
        if counted.len() >= REMEMBERED {
            counted.retain(|_, failures| failures.last + FORGOTTEN > now);
        }
        for (of, _) in keys(account, from) {
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
        Ok(())
    }

    /// Forgets the failures of an account whose owner has signed in, of the kind of browser that it was: a known browser does not make
    /// strangers free to go on. Of the network, this attempt alone is forgotten: somebody who guesses may have an account.
    pub(crate) fn succeeded(&self, account: &EmailAddress, from: Origin) {
        let mut counted = self.lock();
        for (of, _) in keys(account, from) {
            match counted.get_mut(&of) {
                Some(failures) if matches!(of, Of::Network(_)) => failures.count = failures.count.saturating_sub(1),
                _ => drop(counted.remove(&of)),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Of, Failures>> {
        // What it holds is whole after each statement.
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn keys(account: &EmailAddress, from: Origin) -> impl Iterator<Item = (Of, u32)> {
    let (first, network) = match from {
        Origin::Known(browser) => (Of::Browser(browser), None),
        Origin::Unknown(address) => (Of::Account(account.clone()), address.map(network)),
    };
    let network = network.map(|network| (Of::Network(network), FREE_OF_NETWORK));
    std::iter::once((first, FREE_OF_ACCOUNT)).chain(network)
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    }
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::domain::{PasswordHash, PlainSecret};

    use super::*;
    use crate::known_browser;

    const UNKNOWN: Origin = Origin::Unknown(None);

    fn email(name: &str) -> EmailAddress {
        format!("{name}@example.org").parse().unwrap()
    }

    fn known(now: DateTime<Utc>) -> Origin {
        let person = a11ycheck_core::id::PersonId::generate(now);
        let password = PasswordHash::from_stored(PlainSecret::generate().reveal());
        let mark = known_browser::mark(person, &password, now);
        Origin::Known(known_browser::recognised(&mark, person, &password, now).unwrap())
    }

    /// Returns for how many seconds an attempt waits.
    fn wait(failed: &FailedSignIns, account: &EmailAddress, from: Origin, now: DateTime<Utc>) -> i64 {
        failed.attempt(account, from, now).err().map_or(0, |until| (until - now).num_seconds())
    }

    #[test]
    fn guesses_wait_longer_and_longer_but_never_more_than_a_quarter_of_an_hour() {
        let (failed, jo, mut now) = (FailedSignIns::default(), email("jo"), Utc::now());
        let mut waits = Vec::new();
        for _ in 0..20 {
            let mut waited = 0;
            while let Err(until) = failed.attempt(&jo, UNKNOWN, now) {
                waited += (until - now).num_seconds();
                now = until;
            }
            waits.push(waited);
        }
        assert_eq!(waits[..9], [0, 0, 0, 0, 0, 0, 2, 4, 8]);
        assert_eq!(waits.last(), Some(&900));
        assert_eq!(wait(&failed, &email("ann"), UNKNOWN, now), 0, "nobody else waits");
        failed.succeeded(&jo, UNKNOWN);
        assert_eq!(wait(&failed, &jo, UNKNOWN, now), 0);
    }

    #[test]
    fn strangers_do_not_make_a_known_browser_wait_nor_does_it_make_them_free() {
        let (failed, jo, now) = (FailedSignIns::default(), email("jo"), Utc::now());
        let (own, other) = (known(now), known(now));
        for _ in 0..30 {
            let _ = failed.attempt(&jo, UNKNOWN, now);
        }
        assert!(wait(&failed, &jo, UNKNOWN, now) > 0);
        for _ in 0..6 {
            assert_eq!(wait(&failed, &jo, own, now), 0);
        }
        assert_eq!(wait(&failed, &jo, own, now), 2, "a stolen mark is no way to guess");
        assert_eq!(wait(&failed, &jo, other, now), 0, "nor to make another browser wait");
        failed.succeeded(&jo, other);
        assert_eq!(wait(&failed, &jo, own, now), 2);
        assert!(wait(&failed, &jo, UNKNOWN, now) > 0, "strangers wait as before");
    }

    #[test]
    fn one_network_cannot_try_many_accounts() {
        let (failed, now) = (FailedSignIns::default(), Utc::now());
        let from = |address: &str| Origin::Unknown(Some(address.parse().unwrap()));
        for number in 0..40 {
            let _ = failed.attempt(&email(&number.to_string()), from(&format!("2001:db8::{number:x}")), now);
        }
        assert!(wait(&failed, &email("another"), from("2001:db8::ffff"), now) > 0);
        assert_eq!(wait(&failed, &email("another"), from("2001:db8:1::1"), now), 0);
    }

    #[test]
    fn those_who_know_their_passwords_do_not_make_their_network_wait() {
        let (failed, now) = (FailedSignIns::default(), Utc::now());
        let office = Origin::Unknown(Some("192.0.2.7".parse().unwrap()));
        for number in 0..100 {
            let account = email(&number.to_string());
            assert_eq!(wait(&failed, &account, office, now), 0);
            failed.succeeded(&account, office);
        }
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (failed, now) = (FailedSignIns::default(), Utc::now());
        for number in 0..(REMEMBERED + 50) {
            let at = now + TimeDelta::milliseconds(i64::try_from(number).unwrap());
            failed.attempt(&email(&number.to_string()), UNKNOWN, at).unwrap();
        }
        assert!(failed.lock().len() <= REMEMBERED);
        assert!(failed.lock().contains_key(&Of::Account(email(&(REMEMBERED + 49).to_string()))));
    }
}
