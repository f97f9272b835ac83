//! The telling of one event to one endpoint.

use chrono::{DateTime, TimeDelta, Utc};

use super::{EventKind, FencingToken, Lease};
use crate::id::{DeliveryId, EndpointId, EventId, TeamId, WorkerId};

/// The telling of one event to one endpoint, with all its attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its id, the same on every attempt: receivers drop duplicates by it.
    pub id: DeliveryId,
    /// Whose endpoint it goes to.
    pub team: TeamId,
    /// Where it goes.
    pub endpoint: EndpointId,
    /// What is told.
    pub event: EventId,
    /// What kind of event that is.
    pub kind: EventKind,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// How far it has come.
    pub state: DeliveryState,
}

/// How far a delivery has come.
///
/// ```text
///  Blocked ──► Waiting ──claim──► Attempting ──2xx──────────────► Delivered
///     the first   ▲                 │ ▲  │ │
///     attempt of  │   record, n < 6 │ └──┘ │ record, n = 6
///     another     └─────────────────┘claim │────────────────────► Failed
///     ended                          again,│
///                          the lease ended └─ the endpoint is off ► Dropped (and so do Blocked and Waiting)
/// ```
///
/// An attempt whose lease ended for the third time is given up: that is a record of a failed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryState {
    /// Waits until the first attempt of another delivery to the same endpoint has ended, whatever its outcome.
    Blocked {
        /// The other delivery.
        after: DeliveryId,
    },
    /// Waits for its next attempt. A crash changes nothing.
    Waiting {
        /// Attempts that have ended, all of them failed.
        attempts: u32,
        /// The token of the last attempt.
        token: FencingToken,
        /// When the next one is due.
        next_attempt_at: DateTime<Utc>,
    },
    /// An attempt is under way. When its worker dies, the lease ends, and another makes the same attempt: it may be seen
    /// twice by the receiver, and counts once. What loses every worker counts as failed in the end, so that it can't take
    /// workers down for ever.
    Attempting {
        /// Attempts that have ended before it, all of them failed.
        attempts: u32,
        /// How often this one was begun, this time included.
        tries: u32,
        /// Who makes it.
        lease: Lease,
        /// When it began.
        started_at: DateTime<Utc>,
    },
    /// Received. Final.
    Delivered {
        /// Attempts that it took, at least 1.
        attempts: u32,
        /// When the last one ended.
        finished_at: DateTime<Utc>,
    },
    /// Every attempt failed. Final.
    Failed {
        /// When the last one ended.
        finished_at: DateTime<Utc>,
    },
    /// Given up because its endpoint was switched off. Final.
    Dropped {
        /// Attempts that were made, all of them failed.
        attempts: u32,
        /// When it was given up.
        finished_at: DateTime<Utc>,
    },
}

/// The name of a [`DeliveryState`], as people read it: what has not ended is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the states are explained at DeliveryState")]
pub enum DeliveryStatus {
    Pending,
    Delivered,
    Failed,
    Dropped,
}

impl DeliveryStatus {
    /// The word for people and columns.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
        }
    }
}

/// Why a delivery can't be claimed, or an attempt can't be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DeliveryRefusal {
    /// Delivered, failed and dropped are final.
    #[error("the delivery has ended")]
    Ended,
    /// Its time has not come, or another worker holds it.
    #[error("the delivery is not due")]
    NotDue,
    /// No attempt of this holder is under way: it was recorded already, or never begun.
    #[error("no attempt is under way")]
    NotClaimed,
    /// The token is that of an earlier holder.
    #[error("the lease is an old one")]
    LeaseLost,
    /// The attempt was begun as often as it may be.
    #[error("the attempt was begun {} times", DeliveryState::MAX_TRIES)]
    TriesUsedUp,
}

impl DeliveryState {
    /// The times between the end of a failed attempt and the next one (contract, "Delivery rules").
    pub const RETRY_SCHEDULE: [TimeDelta; 5] = [
        TimeDelta::minutes(1),
        TimeDelta::minutes(5),
        TimeDelta::minutes(30),
        TimeDelta::hours(2),
        TimeDelta::hours(6),
    ];
    /// Attempts of a delivery: the first, and one for each step of the schedule.
    #[expect(clippy::cast_possible_truncation, reason = "a schedule of 5")]
    pub const MAX_ATTEMPTS: u32 = Self::RETRY_SCHEDULE.len() as u32 + 1;

    /// How often an attempt is begun whose workers die, before it counts as failed: as often as a check (design §4).
    pub const MAX_TRIES: u32 = 3;

    /// How long a delivery that has ended is kept in the log.
    pub const LOG_TERM: TimeDelta = TimeDelta::days(30);

    /// A new delivery, due at once.
    pub const fn due(now: DateTime<Utc>) -> Self {
        Self::Waiting { attempts: 0, token: FencingToken::NONE, next_attempt_at: now }
    }

    /// The state's name.
    pub const fn status(&self) -> DeliveryStatus {
        match self {
            Self::Blocked { .. } | Self::Waiting { .. } | Self::Attempting { .. } => DeliveryStatus::Pending,
            Self::Delivered { .. } => DeliveryStatus::Delivered,
            Self::Failed { .. } => DeliveryStatus::Failed,
            Self::Dropped { .. } => DeliveryStatus::Dropped,
        }
    }

    /// Attempts that have ended.
    pub const fn attempts(&self) -> u32 {
        match self {
            Self::Blocked { .. } => 0,
            Self::Waiting { attempts, .. }
            | Self::Attempting { attempts, .. }
            | Self::Delivered { attempts, .. }
            | Self::Dropped { attempts, .. } => *attempts,
            Self::Failed { .. } => Self::MAX_ATTEMPTS,
        }
    }

    /// When it ended.
    pub const fn finished_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Blocked { .. } | Self::Waiting { .. } | Self::Attempting { .. } => None,
            Self::Delivered { finished_at, .. } | Self::Failed { finished_at } | Self::Dropped { finished_at, .. } => {
                Some(*finished_at)
            }
        }
    }

    /// Whether it ended longer ago than the log reaches.
    pub fn has_left_log(&self, now: DateTime<Utc>) -> bool {
        self.finished_at().is_some_and(|finished_at| finished_at + Self::LOG_TERM < now)
    }

    /// From when on a worker may take it, as things stand: when the next attempt is due, or the lease of one ends.
    pub const fn due_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Waiting { next_attempt_at, .. } => Some(*next_attempt_at),
            Self::Attempting { lease, .. } => Some(lease.expires_at),
            Self::Blocked { .. } | Self::Delivered { .. } | Self::Failed { .. } | Self::Dropped { .. } => None,
        }
    }

    /// When its next attempt is due, where one is planned; not while one is under way.
    pub const fn next_attempt_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Waiting { next_attempt_at, .. } => Some(*next_attempt_at),
            Self::Blocked { .. }
            | Self::Attempting { .. }
            | Self::Delivered { .. }
            | Self::Failed { .. }
            | Self::Dropped { .. } => None,
        }
    }

    /// Whether it lost its last worker: the only way on is to [give the attempt up](Self::give_up).
    pub fn is_lost(&self, now: DateTime<Utc>) -> bool {
        matches!(self, Self::Attempting { tries: Self::MAX_TRIES.., lease, .. } if lease.has_expired(now))
    }

    /// Gives the next attempt to `worker` until `term` from now; where a lease ended, the same attempt once more.
    ///
    /// # Errors
    /// [`DeliveryRefusal::NotDue`], [`DeliveryRefusal::Ended`], and [`DeliveryRefusal::TriesUsedUp`] where the attempt
    /// [is lost](Self::is_lost).
    pub fn claim(self, worker: WorkerId, term: TimeDelta, now: DateTime<Utc>) -> Result<Self, DeliveryRefusal> {
        if self.is_lost(now) {
            return Err(DeliveryRefusal::TriesUsedUp);
        }
        let (attempts, tries, token) = match self {
            Self::Waiting { attempts, token, next_attempt_at } if next_attempt_at <= now => (attempts, 0, token),
            Self::Attempting { attempts, tries, lease, .. } if lease.has_expired(now) => (attempts, tries, lease.token),
            Self::Blocked { .. } | Self::Waiting { .. } | Self::Attempting { .. } => {
                return Err(DeliveryRefusal::NotDue);
            }
            Self::Delivered { .. } | Self::Failed { .. } | Self::Dropped { .. } => return Err(DeliveryRefusal::Ended),
        };
        let lease = Lease { worker, token: token.next(), expires_at: now + term };
        Ok(Self::Attempting { attempts, tries: tries + 1, lease, started_at: now })
    }

    /// Records the end, `now`, of the holder's attempt. A lease that has ended but was not taken by another is the
    /// holder's still: only the token decides.
    ///
    /// A failed attempt is followed by the next one of the schedule, counted from `now`, unless it was the last one or the
    /// endpoint has been switched off meanwhile.
    ///
    /// # Errors
    /// [`DeliveryRefusal::LeaseLost`], [`DeliveryRefusal::NotClaimed`], [`DeliveryRefusal::Ended`].
    pub fn record(
        self,
        token: FencingToken,
        is_success: bool,
        endpoint: super::EndpointStatus,
        now: DateTime<Utc>,
    ) -> Result<Self, DeliveryRefusal> {
        let attempts = match self {
            Self::Attempting { attempts, lease, .. } if lease.token == token => attempts + 1,
            Self::Attempting { .. } => return Err(DeliveryRefusal::LeaseLost),
            Self::Blocked { .. } | Self::Waiting { .. } => return Err(DeliveryRefusal::NotClaimed),
            Self::Delivered { .. } | Self::Failed { .. } | Self::Dropped { .. } => return Err(DeliveryRefusal::Ended),
        };
        if is_success {
            return Ok(Self::Delivered { attempts, finished_at: now });
        }
        Ok(Self::after_failed(attempts, token, endpoint, now))
    }

    /// Counts an attempt that [is lost](Self::is_lost) as failed `now`, with all that follows from
    /// [that](Self::record). What its last worker has to tell comes too late from now on.
    ///
    /// # Errors
    /// [`DeliveryRefusal::NotDue`] while it may be begun again or its lease lasts, [`DeliveryRefusal::NotClaimed`],
    /// [`DeliveryRefusal::Ended`].
    pub fn give_up(self, endpoint: super::EndpointStatus, now: DateTime<Utc>) -> Result<Self, DeliveryRefusal> {
        let is_lost = self.is_lost(now);
        match self {
            Self::Attempting { attempts, lease, .. } if is_lost => {
                Ok(Self::after_failed(attempts + 1, lease.token, endpoint, now))
            }
            Self::Attempting { .. } => Err(DeliveryRefusal::NotDue),
            Self::Blocked { .. } | Self::Waiting { .. } => Err(DeliveryRefusal::NotClaimed),
            Self::Delivered { .. } | Self::Failed { .. } | Self::Dropped { .. } => Err(DeliveryRefusal::Ended),
        }
    }

    /// What follows the `attempts`th failed attempt.
    fn after_failed(attempts: u32, token: FencingToken, endpoint: super::EndpointStatus, now: DateTime<Utc>) -> Self {
        match next_attempt_at(attempts, now) {
            None => Self::Failed { finished_at: now },
            Some(next_attempt_at) if endpoint.is_on() => Self::Waiting { attempts, token, next_attempt_at },
            Some(_) => Self::Dropped { attempts, finished_at: now },
        }
    }

    /// Lets a blocked delivery go on: the first attempt of the other one has ended `now`. Any other state stays.
    #[must_use]
    pub fn unblocked(self, now: DateTime<Utc>) -> Self {
        match self {
            Self::Blocked { .. } => Self::due(now),
            other => other,
        }
    }

    /// Gives up what waits, and what was left by a worker whose lease ended, since the endpoint is off. An attempt that is
    /// under way goes on, and what has ended stays.
    #[must_use]
    pub fn dropped(self, now: DateTime<Utc>) -> Self {
        match self {
            Self::Blocked { .. } | Self::Waiting { .. } => {
                Self::Dropped { attempts: self.attempts(), finished_at: now }
            }
            Self::Attempting { attempts, lease, .. } if lease.has_expired(now) => {
                Self::Dropped { attempts, finished_at: now }
            }
            other => other,
        }
    }
}

/// When the next attempt is due after the `attempts`th failed at `now`; `None` after the last.
pub fn next_attempt_at(attempts: u32, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let step = usize::try_from(attempts.checked_sub(1)?).ok()?;
    DeliveryState::RETRY_SCHEDULE.get(step).map(|step| now + *step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::EndpointStatus;

    const TERM: TimeDelta = TimeDelta::seconds(60);

    fn token(state: &DeliveryState) -> FencingToken {
        match state {
            DeliveryState::Attempting { lease, .. } => lease.token,
            other => panic!("{other:?}"),
        }
    }

    fn claimed(state: DeliveryState, now: DateTime<Utc>) -> DeliveryState {
        state.claim(WorkerId::generate(), TERM, now).unwrap()
    }

    #[test]
    fn a_receiver_that_never_answers_is_asked_six_times_by_the_contracts_schedule() {
        let start = Utc::now();
        let (mut now, mut begun, mut state) = (start, Vec::new(), DeliveryState::due(start));
        while state.status() == DeliveryStatus::Pending {
            now = state.due_at().unwrap();
            assert_eq!(state.clone().claim(WorkerId::generate(), TERM, now - TERM), Err(DeliveryRefusal::NotDue));
            begun.push((now - start).num_seconds());
            state = claimed(state, now);
            now += TimeDelta::seconds(10);
            let token = token(&state);
            state = state.record(token, false, EndpointStatus::ON, now).unwrap();
        }
        let steps = [0, 60, 300, 1_800, 7_200, 21_600];
        let expected: Vec<i64> = steps
            .iter()
            .scan(-10, |at, step| {
                *at += 10 + step;
                Some(*at)
            })
            .collect();
        assert_eq!(begun, expected);
        assert_eq!((state.attempts(), state), (6, DeliveryState::Failed { finished_at: now }));
    }

    #[test]
    fn an_attempt_whose_worker_died_is_made_again_and_counts_once() {
        let now = Utc::now();
        let first = claimed(DeliveryState::due(now), now);
        assert_eq!(first.clone().claim(WorkerId::generate(), TERM, now), Err(DeliveryRefusal::NotDue));
        let second = claimed(first.clone(), now + TERM);
        let late = second.clone().record(token(&first), true, EndpointStatus::ON, now + TERM);
        assert_eq!(late, Err(DeliveryRefusal::LeaseLost));
        let ended = second.clone().record(token(&second), true, EndpointStatus::ON, now + TERM).unwrap();
        assert_eq!(ended, DeliveryState::Delivered { attempts: 1, finished_at: now + TERM });
        assert_eq!(ended.record(token(&second), true, EndpointStatus::ON, now), Err(DeliveryRefusal::Ended));
    }

    #[test]
    fn an_attempt_that_loses_three_workers_counts_as_failed_and_the_next_one_begins_anew() {
        let mut now = Utc::now();
        let mut state = DeliveryState::due(now);
        for attempt in 1..=DeliveryState::MAX_ATTEMPTS {
            for _ in 0..DeliveryState::MAX_TRIES {
                assert!(!state.is_lost(now));
                state = claimed(state, now);
                assert_eq!(state.clone().give_up(EndpointStatus::ON, now), Err(DeliveryRefusal::NotDue));
                now += TERM;
            }
            let again = state.clone().claim(WorkerId::generate(), TERM, now);
            assert_eq!((state.is_lost(now), again), (true, Err(DeliveryRefusal::TriesUsedUp)));
            let late = state.clone().record(token(&state), true, EndpointStatus::ON, now);
            assert!(late.is_ok(), "until it is given up, the last holder may still tell");
            state = state.give_up(EndpointStatus::ON, now).unwrap();
            assert_eq!(state.attempts(), attempt);
            now = state.due_at().unwrap_or(now);
        }
        assert_eq!(state, DeliveryState::Failed { finished_at: now });
        assert_eq!(state.give_up(EndpointStatus::ON, now), Err(DeliveryRefusal::Ended));
        assert_eq!(DeliveryState::due(now).give_up(EndpointStatus::ON, now), Err(DeliveryRefusal::NotClaimed));
    }

    #[test]
    fn a_switched_off_endpoint_drops_what_waits_and_lets_an_attempt_end() {
        let now = Utc::now();
        let off = EndpointStatus::Off { since: now };
        let dropped = |attempts| DeliveryState::Dropped { attempts, finished_at: now };
        assert_eq!(DeliveryState::due(now).dropped(now), dropped(0));
        assert_eq!(DeliveryState::Blocked { after: DeliveryId::generate(now) }.dropped(now), dropped(0));
        let under_way = claimed(DeliveryState::due(now), now);
        assert_eq!(under_way.clone().dropped(now), under_way);
        let token = token(&under_way);
        assert_eq!(under_way.clone().record(token, false, off, now), Ok(dropped(1)));
        let delivered = DeliveryState::Delivered { attempts: 1, finished_at: now };
        assert_eq!(under_way.clone().record(token, true, off, now), Ok(delivered.clone()));
        assert_eq!(delivered.clone().dropped(now), delivered);
        let left = DeliveryState::Dropped { attempts: 0, finished_at: now + TERM };
        assert_eq!(under_way.dropped(now + TERM), left);
    }
}
