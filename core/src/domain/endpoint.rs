//! The endpoints to which the events of a team are delivered.

use std::{collections::BTreeSet, fmt};

use chrono::{DateTime, Utc};
use rand::RngExt as _;
use zeroize::Zeroizing;

use super::{EventKind, FieldErrors, Problem, SiteUrl};
use crate::{
    id::{EndpointId, TeamId},
    sealing::{KeyId, Keyring, OpenError, Sealed, SealingContext},
};

/// An address of a team to which events are delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookEndpoint {
    /// The id of the endpoint.
    pub id: EndpointId,
    /// The team that owns it.
    pub team: TeamId,
    /// The details that a user sets.
    pub details: EndpointDetails,
    /// The status, which decides whether events are delivered to it.
    pub status: EndpointStatus,
    /// The instant at which it was created.
    pub created_at: DateTime<Utc>,
}

impl WebhookEndpoint {
    /// The greatest number of endpoints of a team (contract §14).
    pub const MAX_PER_TEAM: u32 = 5;

    /// Returns whether events of this kind are delivered to it without being asked for.
    pub fn listens_to(&self, kind: EventKind) -> bool {
        self.status.is_on() && self.details.events.contains(&kind)
    }
}

/// The details of an endpoint that a user sets, checked and normalised.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndpointDetails {
    /// The address to which events are sent, in the same form as the address of a site.
    pub url: SiteUrl,
    /// The kinds of event that it listens to: at least one of [`EventKind::SELECTABLE`].
    pub events: BTreeSet<EventKind>,
}

impl EndpointDetails {
    /// The greatest number of characters of an address, both as it is typed and as it is sent to: receivers are
    /// programs, whose addresses are ASCII.
    pub const MAX_URL: usize = 500;

    /// Returns an endpoint at this address that listens to these kinds of event.
    pub fn new(url: SiteUrl, events: impl IntoIterator<Item = EventKind>) -> Self {
        Self { url, events: events.into_iter().collect() }
    }

    /// Returns an endpoint at this address that listens to every kind of event.
    pub fn everything_to(url: SiteUrl) -> Self {
        Self::new(url, EventKind::SELECTABLE)
    }

    /// Returns the problems with these details for an endpoint that listens to `before` so far. Whether the address is
    /// public is judged elsewhere, because that takes a look-up.
    pub(crate) fn problems(&self, before: &BTreeSet<EventKind>) -> FieldErrors {
        let mut errors = FieldErrors::default();
        if self.url.as_str().len() > Self::MAX_URL {
            errors.add("url", Problem::TooLong(Self::MAX_URL));
        }
        if self.events.is_empty() {
            errors.add("events", Problem::Required);
        }
        if !self.events.iter().all(|kind| EventKind::SELECTABLE.contains(kind) || before.contains(kind)) {
            errors.add("events", Problem::NotInList);
        }
        errors
    }

    /// Returns these details with the kinds of a later release to which the stored endpoint listens: a client of this
    /// release can't name them, and so can't mean to remove them.
    #[must_use]
    pub fn in_place_of(mut self, stored: &Self) -> Self {
        self.events.extend(stored.events.iter().filter(|kind| matches!(kind, EventKind::Unknown(_))));
        self
    }
}

/// An endpoint that is to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEndpoint {
    /// The id of the endpoint.
    pub id: EndpointId,
    /// The details that a user set.
    pub details: EndpointDetails,
    /// The secret with which its deliveries are signed, [sealed](EndpointSecret::seal) for this endpoint.
    pub secret: Sealed,
}

/// The status of an endpoint: whether events are delivered to it.
///
/// ```text
///      a delivery failed every attempt, the 20th in a row
///  On ───────────────────────────────────────────────────► Off
///   ▲                  switched on by hand                  │
///   └───────────────────────────────────────────────────────┘
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointStatus {
    /// Events are delivered to it.
    On {
        /// The number of deliveries that failed every attempt since the last one that succeeded; less than
        /// [`SWITCH_OFF_AFTER`](Self::SWITCH_OFF_AFTER).
        failed_in_a_row: u32,
    },
    /// Nothing is sent to it until it is switched on by hand.
    Off {
        /// The instant at which it was switched off.
        since: DateTime<Utc>,
    },
}

impl EndpointStatus {
    /// The status of an endpoint that is new or was switched on again.
    pub const ON: Self = Self::On { failed_in_a_row: 0 };
    /// The number of deliveries in a row that fail every attempt before an endpoint is switched off (contract §13.6).
    pub const SWITCH_OFF_AFTER: u32 = 20;

    /// Returns whether events are delivered to it.
    pub const fn is_on(self) -> bool {
        matches!(self, Self::On { .. })
    }

    /// Switches the endpoint off by hand. One that is already off keeps the instant at which it was switched off.
    #[must_use]
    pub const fn switched_off(self, now: DateTime<Utc>) -> Self {
        match self {
            Self::On { .. } => Self::Off { since: now },
            Self::Off { since } => Self::Off { since },
        }
    }

    /// Returns the status after a successful delivery. One that was under way when the endpoint was switched off does
    /// not switch it on.
    #[must_use]
    pub const fn after_delivered(self) -> Self {
        match self {
            Self::On { .. } => Self::ON,
            Self::Off { since } => Self::Off { since },
        }
    }

    /// Returns the status after a delivery that failed every attempt, the last of which ended at `now`.
    #[must_use]
    pub const fn after_failed(self, now: DateTime<Utc>) -> Self {
        match self {
            Self::On { failed_in_a_row } if failed_in_a_row + 1 < Self::SWITCH_OFF_AFTER => {
                Self::On { failed_in_a_row: failed_in_a_row + 1 }
            }
            Self::On { .. } => Self::Off { since: now },
            Self::Off { since } => Self::Off { since },
        }
    }
}

/// The secret with which deliveries to an endpoint are signed: `whsec_` and 40 random characters, all of which is the
/// key.
///
/// A hash can't sign, so a store keeps the secret [sealed](Self::seal). `Debug` does not show it, there is no
/// `Display`, and its memory is overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct EndpointSecret(Zeroizing<String>);

/// The reason why the sealed secret of an endpoint can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenSecretError {
    /// The secret could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The opened bytes are not a text.
    #[error("a sealed secret is no text")]
    NotText,
}

impl EndpointSecret {
    /// The beginning of every secret.
    pub const PREFIX: &'static str = "whsec_";
    /// The number of random characters after the prefix, each one of 64: 240 bits.
    const RANDOM_CHARACTERS: usize = 40;
    const ALPHABET: &'static [u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    /// Generates a secret from the operating system's random numbers.
    pub fn generate() -> Self {
        let mut rng = rand::rng();
        let random = (0..Self::RANDOM_CHARACTERS).map(|_| char::from(Self::ALPHABET[rng.random_range(0..64)]));
        Self(Zeroizing::new(Self::PREFIX.chars().chain(random).collect()))
    }

    /// Seals the secret for its endpoint, which is the form in which a store keeps it.
    pub fn seal(&self, ring: &Keyring, endpoint: EndpointId) -> Sealed {
        ring.seal(&SealingContext::webhook_secret(endpoint), self.0.as_bytes())
    }

    /// Opens a secret that was sealed for the endpoint.
    ///
    /// # Errors
    /// [`OpenSecretError`].
    pub fn open(ring: &Keyring, endpoint: EndpointId, sealed: &Sealed) -> Result<Self, OpenSecretError> {
        let opened = ring.open(&SealingContext::webhook_secret(endpoint), sealed)?;
        let text = std::str::from_utf8(&opened).map_err(|_| OpenSecretError::NotText)?;
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// Returns the secret itself, to be shown once and to sign with.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for EndpointSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EndpointSecret(…)")
    }
}

/// The sealed secrets of an endpoint: the current one and, for a time after it was replaced, the previous one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointSecrets {
    /// The newest secret.
    pub current: Sealed,
    /// The previous secret, and the instant from which it no longer signs.
    pub previous: Option<(Sealed, DateTime<Utc>)>,
}

impl EndpointSecrets {
    /// Returns secrets of which `secret` is the only one.
    pub const fn new(secret: Sealed) -> Self {
        Self { current: secret, previous: None }
    }

    /// Replaces the current secret with a new one, beside which it signs until `until`. An older one no longer signs:
    /// receivers never see more than two signatures.
    #[must_use]
    pub fn rotated(self, secret: Sealed, until: DateTime<Utc>) -> Self {
        Self { current: secret, previous: Some((self.current, until)) }
    }

    /// Returns the secrets that sign at `now`, the newest first.
    pub fn signing(&self, now: DateTime<Utc>) -> Vec<Sealed> {
        let previous = self.previous.iter().filter(|(_, until)| now < *until).map(|(secret, _)| secret);
        std::iter::once(&self.current).chain(previous).cloned().collect()
    }

    /// Returns all secrets, including one that no longer signs.
    pub fn all(&self) -> impl Iterator<Item = &Sealed> {
        std::iter::once(&self.current).chain(self.previous.iter().map(|(secret, _)| secret))
    }

    /// Returns whether these keys open all secrets.
    pub fn are_opened_by(&self, keys: &[KeyId]) -> bool {
        self.all().all(|secret| keys.contains(&secret.key()))
    }

    /// Replaces `old` with the same secret sealed with another key, whether it is the current or the previous one by
    /// now. Returns whether it was found.
    pub fn reseal(&mut self, old: &Sealed, new: &Sealed) -> bool {
        let previous = self.previous.iter_mut().map(|(secret, _)| secret);
        let place = std::iter::once(&mut self.current).chain(previous).find(|secret| *secret == old);
        place.map(|secret| *secret = new.clone()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn the_twentieth_failed_delivery_in_a_row_switches_off_and_none_before() {
        let now = Utc::now();
        let mut status = EndpointStatus::ON;
        for failed in 1..EndpointStatus::SWITCH_OFF_AFTER {
            status = status.after_failed(now);
            assert_eq!(status, EndpointStatus::On { failed_in_a_row: failed });
        }
        assert_eq!(status.after_delivered(), EndpointStatus::ON, "a success sets the count to zero");
        status = status.after_failed(now);
        assert_eq!(status, EndpointStatus::Off { since: now });
        assert_eq!(status.after_failed(now + TimeDelta::hours(1)), status, "it tells since when it is off");
        assert_eq!(status.after_delivered(), status, "only a hand switches on");
        assert_eq!(status.switched_off(now + TimeDelta::hours(1)), status);
        assert_eq!(EndpointStatus::ON.switched_off(now), status, "and a hand may switch off");
    }

    #[test]
    fn details_name_every_field_that_breaks_a_rule() {
        let details = |url: &str, events: &[EventKind]| EndpointDetails {
            url: SiteUrl::parse(url).unwrap(),
            events: events.iter().copied().collect(),
        };
        // 26 characters, and 6 for each letter: `%C3%BC`.
        let address = |letters: usize| format!("https://hooks.example.com/{}", "ü".repeat(letters));
        let longest = details(&address(79), &[EventKind::ScanCompleted]);
        assert_eq!(longest.url.as_str().len(), EndpointDetails::MAX_URL);
        assert!(longest.problems(&BTreeSet::new()).is_empty());
        let problems = details(&address(80), &[]).problems(&BTreeSet::new());
        assert_eq!(problems.to_string(), "url: has more than 500 characters; events: is required");

        let later = EventKind::from_stored("scan.failed").unwrap();
        let listens = details("https://hooks.example.com", &[later]);
        assert!(listens.problems(&[later].into()).is_empty(), "what it listened to before stays");
        let problems = listens.problems(&BTreeSet::new());
        assert_eq!(problems.to_string(), "events: is not one of the values that exist");
    }

    #[test]
    fn a_change_drops_no_kind_that_it_could_not_name() {
        let details = |events: &[EventKind]| EndpointDetails {
            url: SiteUrl::parse("https://hooks.example.com").unwrap(),
            events: events.iter().copied().collect(),
        };
        let later = EventKind::from_stored("scan.failed").unwrap();
        let stored = details(&[EventKind::ScanCompleted, later]);
        assert_eq!(details(&[EventKind::IssuesNew]).in_place_of(&stored), details(&[EventKind::IssuesNew, later]));
    }

    #[test]
    fn a_replaced_secret_signs_along_until_its_time_is_over() {
        let (now, overlap) = (Utc::now(), TimeDelta::hours(24));
        let [first, second, third] = sealed();
        let secrets = EndpointSecrets::new(first.clone()).rotated(second.clone(), now + overlap);
        assert_eq!(secrets.signing(now), [second.clone(), first]);
        assert_eq!(secrets.signing(now + overlap), std::slice::from_ref(&second));
        assert_eq!(secrets.rotated(third.clone(), now + overlap).signing(now), [third, second]);
    }

    #[test]
    fn a_secret_that_is_sealed_with_another_key_keeps_its_place_and_its_time() {
        let (now, [first, second, again]) = (Utc::now(), sealed());
        let mut secrets = EndpointSecrets::new(first.clone()).rotated(second.clone(), now);
        assert!(secrets.reseal(&first, &again));
        assert_eq!(secrets, EndpointSecrets { current: second.clone(), previous: Some((again.clone(), now)) });
        assert!(!secrets.reseal(&first, &again), "it stands there no more");
        assert!(secrets.are_opened_by(&[second.key(), again.key()]));
        assert!(!secrets.are_opened_by(&[second.key()]) && !secrets.are_opened_by(&[again.key()]));
    }

    #[test]
    fn a_secret_is_opened_for_the_endpoint_that_it_was_sealed_for_alone() {
        let (ring, secret) = (Keyring::ephemeral(), EndpointSecret::generate());
        let [mine, anothers] = std::array::from_fn(|_| EndpointId::generate(Utc::now()));
        let sealed = secret.seal(&ring, mine);
        assert_eq!(EndpointSecret::open(&ring, mine, &sealed).unwrap(), secret);
        assert!(EndpointSecret::open(&ring, anothers, &sealed).is_err());
    }

    #[test]
    fn secrets_are_long_never_the_same_and_not_in_logs() {
        let secret = EndpointSecret::generate();
        assert_eq!(secret.reveal().strip_prefix("whsec_").unwrap().len(), 40);
        assert_ne!(secret, EndpointSecret::generate());
        assert!(!format!("{secret:?}").contains(secret.reveal()));
    }

    /// Returns secrets, each sealed with a key of its own.
    fn sealed() -> [Sealed; 3] {
        let endpoint = EndpointId::generate(Utc::now());
        std::array::from_fn(|_| EndpointSecret::generate().seal(&Keyring::ephemeral(), endpoint))
    }
}
