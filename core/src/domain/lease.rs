//! Leases: the right to work on a check or a delivery, for a time.

use chrono::{DateTime, TimeDelta, Utc};

use crate::id::WorkerId;

/// The number that distinguishes one holder of a lease from the next. It grows with every change of holder, so a worker
/// that was suspended beyond the end of its lease can prove nothing with its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FencingToken(i64);

impl FencingToken {
    /// The token before that of the first holder; it belongs to nobody.
    pub const NONE: Self = Self(0);
    /// The token of the first holder.
    pub const FIRST: Self = Self(1);

    /// Returns the token of the next holder.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns the number that is stored.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Restores a token from its stored number.
    pub const fn from_stored(number: i64) -> Self {
        Self(number)
    }
}

/// The right of a worker to a check or a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The holder, for logs; the token is the proof.
    pub worker: WorkerId,
    /// The fencing token, which proves the lease.
    pub token: FencingToken,
    /// The instant from which another worker may claim the check or the delivery.
    pub expires_at: DateTime<Utc>,
}

impl Lease {
    /// The time for which a lease lasts unless it is renewed (decision 0010).
    pub const TERM: TimeDelta = TimeDelta::seconds(60);
    /// The interval at which a worker renews (decision 0010).
    pub const RENEWAL: TimeDelta = TimeDelta::seconds(15);
    /// The time without a successful renewal after which a worker stops by itself (decision 0010).
    pub const GIVE_UP: TimeDelta = TimeDelta::seconds(45);

    /// Returns whether the lease has ended, so that another worker may claim.
    pub fn has_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at <= now
    }
}
