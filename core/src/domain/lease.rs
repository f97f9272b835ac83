//! The right to work on a check, for a while.

use chrono::{DateTime, TimeDelta, Utc};

use crate::id::WorkerId;

/// Tells one holder of a check from the next. It grows with every change of hands, so a worker that slept through the end
/// of its lease can prove nothing with the number it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FencingToken(i64);

impl FencingToken {
    /// Nobody's: what comes before the first holder's.
    pub const NONE: Self = Self(0);
    /// The token of the first holder.
    pub const FIRST: Self = Self(1);

    /// The token of the next holder.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The number, to be stored.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Takes a stored number back.
    pub const fn from_stored(number: i64) -> Self {
        Self(number)
    }
}

/// A worker's right to a running check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Who holds it, for logs; the token is what proves it.
    pub worker: WorkerId,
    /// The proof.
    pub token: FencingToken,
    /// From this instant on, another worker may take the check.
    pub expires_at: DateTime<Utc>,
}

impl Lease {
    /// How long a lease lasts unless it is renewed (design §6).
    pub const TERM: TimeDelta = TimeDelta::seconds(60);
    /// How often a worker renews (design §6).
    pub const RENEWAL: TimeDelta = TimeDelta::seconds(15);
    /// A worker that could not renew for so long stops by itself (design §6).
    pub const GIVE_UP: TimeDelta = TimeDelta::seconds(45);

    /// Whether another worker may take the check.
    pub fn has_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at <= now
    }
}
