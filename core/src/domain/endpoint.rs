//! Where a team's events go.

use std::{collections::BTreeSet, fmt};

use chrono::{DateTime, Utc};
use rand::RngExt as _;
use zeroize::Zeroizing;

use super::{EventKind, SiteUrl};
use crate::{
    id::{EndpointId, TeamId},
    sealing::{KeyId, Keyring, OpenError, Sealed, SealingContext},
};

/// An address of a team that events are delivered to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookEndpoint {
    /// Its id.
    pub id: EndpointId,
    /// Whose it is.
    pub team: TeamId,
    /// What was asked for.
    pub details: EndpointDetails,
    /// Whether it is delivered to.
    pub status: EndpointStatus,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

impl WebhookEndpoint {
    /// Endpoints that a team has at most (contract, "Limits").
    pub const MAX_PER_TEAM: u32 = 5;

    /// Whether events of this kind are delivered to it by themselves.
    pub fn listens_to(&self, kind: EventKind) -> bool {
        self.status.is_on() && self.details.events.contains(&kind)
    }
}

/// What a user says of an endpoint, checked and normalised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointDetails {
    /// Where events are sent: by the same rules of form as the address of a site.
    pub url: SiteUrl,
    /// What it listens to: at least one of [`EventKind::SELECTABLE`].
    pub events: BTreeSet<EventKind>,
}

impl EndpointDetails {
    /// Returns these details with the kinds of a later release to which the stored endpoint listens: who changes an endpoint
    /// with this release can't name them, and so can't mean to drop them.
    #[must_use]
    pub fn in_place_of(mut self, stored: &Self) -> Self {
        self.events.extend(stored.events.iter().filter(|kind| matches!(kind, EventKind::Unknown(_))));
        self
    }
}

/// An endpoint to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEndpoint {
    /// Its id.
    pub id: EndpointId,
    /// What was asked for.
    pub details: EndpointDetails,
    /// What its deliveries are signed with, [sealed](EndpointSecret::seal) for it.
    pub secret: Sealed,
}

/// Whether an endpoint is delivered to.
///
/// ```text
///      a delivery failed every attempt, the 20th in a row
///  On ───────────────────────────────────────────────────► Off
///   ▲                  switched on by hand                  │
///   └───────────────────────────────────────────────────────┘
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointStatus {
    /// It is.
    On {
        /// Deliveries that failed every attempt since the last one that succeeded; less than
        /// [`SWITCH_OFF_AFTER`](Self::SWITCH_OFF_AFTER).
        failed_in_a_row: u32,
    },
    /// Nothing is sent to it, until it is switched on by hand.
    Off {
        /// When it was switched off.
        since: DateTime<Utc>,
    },
}

impl EndpointStatus {
    /// A new endpoint, and one that was switched on again.
    pub const ON: Self = Self::On { failed_in_a_row: 0 };
    /// Deliveries in a row that failed every attempt before an endpoint is switched off (contract, "Delivery rules").
    pub const SWITCH_OFF_AFTER: u32 = 20;

    /// Whether it is delivered to.
    pub const fn is_on(self) -> bool {
        matches!(self, Self::On { .. })
    }

    /// Switched off by hand. One that is off already stays off since when it was.
    #[must_use]
    pub const fn switched_off(self, now: DateTime<Utc>) -> Self {
        match self {
            Self::On { .. } => Self::Off { since: now },
            Self::Off { since } => Self::Off { since },
        }
    }

    /// After a delivery that was received. One that was under way when the endpoint was switched off does not switch it on.
    #[must_use]
    pub const fn after_delivered(self) -> Self {
        match self {
            Self::On { .. } => Self::ON,
            Self::Off { since } => Self::Off { since },
        }
    }

    /// After a delivery that failed every attempt, the last of which ended `now`.
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

/// What deliveries to an endpoint are signed with: `whsec_` and 40 random characters, all of which is the key. A hash can't
/// sign, so a store keeps the secret [sealed](Self::seal). `Debug` does not show it, and there is no `Display`; it is
/// overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct EndpointSecret(Zeroizing<String>);

/// Why a sealed secret of an endpoint can't be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenSecretError {
    /// It was not opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// What was opened is no text.
    #[error("a sealed secret is no text")]
    NotText,
}

impl EndpointSecret {
    /// What every secret begins with.
    pub const PREFIX: &'static str = "whsec_";
    /// Random characters after the prefix: 40 of 64 each, 240 bits.
    const RANDOM_CHARACTERS: usize = 40;
    const ALPHABET: &'static [u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    /// A new secret, from the operating system's random numbers.
    pub fn generate() -> Self {
        let mut rng = rand::rng();
        let random = (0..Self::RANDOM_CHARACTERS).map(|_| char::from(Self::ALPHABET[rng.random_range(0..64)]));
        Self(Zeroizing::new(Self::PREFIX.chars().chain(random).collect()))
    }

    /// Seals it for the endpoint that it belongs to: what a store keeps.
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

    /// The secret itself: to be shown once, and to sign with.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for EndpointSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EndpointSecret(…)")
    }
}

/// The secrets of an endpoint, sealed: one, and for a while after it was replaced the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointSecrets {
    /// The newest.
    pub current: Sealed,
    /// The one before it, and the instant from which on it signs no more.
    pub previous: Option<(Sealed, DateTime<Utc>)>,
}

impl EndpointSecrets {
    /// One secret.
    pub const fn new(secret: Sealed) -> Self {
        Self { current: secret, previous: None }
    }

    /// Replaced by a new secret; the present one signs along until `until`. A third, older one signs no more: receivers
    /// never see more than two signatures.
    #[must_use]
    pub fn rotated(self, secret: Sealed, until: DateTime<Utc>) -> Self {
        Self { current: secret, previous: Some((self.current, until)) }
    }

    /// Those that sign at `now`, the newest first.
    pub fn signing(&self, now: DateTime<Utc>) -> Vec<Sealed> {
        let previous = self.previous.iter().filter(|(_, until)| now < *until).map(|(secret, _)| secret);
        std::iter::once(&self.current).chain(previous).cloned().collect()
    }

    /// All of them, whether they sign or not.
    pub fn all(&self) -> impl Iterator<Item = &Sealed> {
        std::iter::once(&self.current).chain(self.previous.iter().map(|(secret, _)| secret))
    }

    /// Tells whether these keys open all of them.
    pub fn are_opened_by(&self, keys: &[KeyId]) -> bool {
        self.all().all(|secret| keys.contains(&secret.key()))
    }

    /// Puts the same secret, sealed with another key, in the place of `old`, wherever it stands by now. Returns whether it
    /// stands anywhere.
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
        assert_eq!(status.after_delivered(), EndpointStatus::ON, "a success begins the count anew");
        status = status.after_failed(now);
        assert_eq!(status, EndpointStatus::Off { since: now });
        assert_eq!(status.after_failed(now + TimeDelta::hours(1)), status, "it tells since when it is off");
        assert_eq!(status.after_delivered(), status, "only a hand switches on");
        assert_eq!(status.switched_off(now + TimeDelta::hours(1)), status);
        assert_eq!(EndpointStatus::ON.switched_off(now), status, "and a hand may switch off");
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

    /// Secrets, each sealed with a key of its own.
    fn sealed() -> [Sealed; 3] {
        let endpoint = EndpointId::generate(Utc::now());
        std::array::from_fn(|_| EndpointSecret::generate().seal(&Keyring::ephemeral(), endpoint))
    }
}
