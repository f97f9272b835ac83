//! Deliveries: the sending of one event to one endpoint.

use chrono::{DateTime, TimeDelta, Utc};

use super::{EventKind, FencingToken, Lease};
use crate::id::{DeliveryId, EndpointId, EventId, TeamId, WorkerId};

/// The sending of one event to one endpoint, with all its attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The id of the delivery, the same on every attempt, by which receivers drop duplicates.
    pub id: DeliveryId,
    /// The team that owns the endpoint.
    pub team: TeamId,
    /// The endpoint to which the event is sent.
    pub endpoint: EndpointId,
    /// The event that is sent.
    pub event: EventId,
    /// The kind of the event.
    pub kind: EventKind,
    /// The instant at which the delivery was created.
    pub created_at: DateTime<Utc>,
    /// The state of the delivery.
    pub state: DeliveryState,
}

/// The state of a delivery.
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
/// An attempt whose lease ended for the third time is abandoned, which is recorded as a failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryState {
    /// Waits until the first attempt of another delivery to the same endpoint has ended, whatever its outcome.
    Blocked {
        /// The delivery that is waited for.
        after: DeliveryId,
    },
    /// Waits for its next attempt. A crash changes nothing.
    Waiting {
        /// The number of attempts that have ended, all of them failed.
        attempts: u32,
        /// The fencing token of the last attempt.
        token: FencingToken,
        /// The instant at which the next attempt is due.
        next_attempt_at: DateTime<Utc>,
    },
    /// An attempt is under way. If its worker dies, the lease ends and another worker makes the same attempt: the
    /// receiver may see it twice, but it counts once. An attempt that loses every worker counts as failed in the end,
    /// so that it can't take workers down without end.
    Attempting {
        /// The number of attempts that ended before this one, all of them failed.
        attempts: u32,
        /// The number of times that this attempt was begun, including this one.
        tries: u32,
        /// The lease of the worker that makes the attempt.
        lease: Lease,
        /// The instant at which the attempt was last begun.
        started_at: DateTime<Utc>,
    },
    /// The receiver accepted the event. Final.
    Delivered {
        /// The number of attempts that it took, at least 1.
        attempts: u32,
        /// The instant at which the last attempt ended.
        finished_at: DateTime<Utc>,
    },
    /// Every attempt failed. Final.
    Failed {
        /// The instant at which the last attempt ended.
        finished_at: DateTime<Utc>,
    },
    /// Dropped because the endpoint was switched off. Final.
    Dropped {
        /// The number of attempts that have ended, all of them failed.
        attempts: u32,
        /// The instant at which the delivery was dropped.
        finished_at: DateTime<Utc>,
    },
}

/// The name of a [`DeliveryState`], as people read it: a delivery that has not ended is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the states are explained at DeliveryState")]
pub enum DeliveryStatus {
    Pending,
    Delivered,
    Failed,
    Dropped,
}

impl DeliveryStatus {
    /// Returns the word for people and database columns.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
        }
    }
}

/// The reason why a delivery can't be claimed, or an attempt can't be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DeliveryRefusal {
    /// The delivery has ended: delivered, failed and dropped are final.
    #[error("the delivery has ended")]
    Ended,
    /// The delivery is not due yet, or another worker holds its lease.
    #[error("the delivery is not due")]
    NotDue,
    /// No attempt is under way: it was already recorded, or never begun.
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
    /// The time between the end of each failed attempt and the next attempt (contract §13.6).
    pub const RETRY_SCHEDULE: [TimeDelta; 5] = [
        TimeDelta::minutes(1),
        TimeDelta::minutes(5),
        TimeDelta::minutes(30),
        TimeDelta::hours(2),
        TimeDelta::hours(6),
    ];
    /// The greatest number of attempts of a delivery: the first, and one for each step of the schedule.
    #[expect(clippy::cast_possible_truncation, reason = "a schedule of 5")]
    pub const MAX_ATTEMPTS: u32 = Self::RETRY_SCHEDULE.len() as u32 + 1;

    /// The number of times that an attempt is begun before it counts as failed because its workers die: the same as for
    /// a check (decision 0009).
    pub const MAX_TRIES: u32 = 3;

    /// The time for which a delivery that has ended is kept in the log.
    pub const LOG_TERM: TimeDelta = TimeDelta::days(30);

    /// Returns the state of a new delivery that is due at once.
    pub const fn due(now: DateTime<Utc>) -> Self {
        Self::Waiting { attempts: 0, token: FencingToken::NONE, next_attempt_at: now }
    }

    /// Returns the name of the state.
    pub const fn status(&self) -> DeliveryStatus {
        match self {
            Self::Blocked { .. } | Self::Waiting { .. } | Self::Attempting { .. } => DeliveryStatus::Pending,
            Self::Delivered { .. } => DeliveryStatus::Delivered,
            Self::Failed { .. } => DeliveryStatus::Failed,
            Self::Dropped { .. } => DeliveryStatus::Dropped,
        }
    }

    /// Returns the number of attempts that have ended.
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

    /// Returns the instant at which the delivery ended; `None` before that.
    pub const fn finished_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Blocked { .. } | Self::Waiting { .. } | Self::Attempting { .. } => None,
            Self::Delivered { finished_at, .. } | Self::Failed { finished_at } | Self::Dropped { finished_at, .. } => {
                Some(*finished_at)
            }
        }
    }

    /// Returns whether the delivery ended more than [`LOG_TERM`](Self::LOG_TERM) ago.
    pub fn has_left_log(&self, now: DateTime<Utc>) -> bool {
        self.finished_at().is_some_and(|finished_at| finished_at + Self::LOG_TERM < now)
    }

    /// Returns the instant from which a worker may claim the delivery: when its next attempt is due, or the lease of
    /// its present attempt ends.
    pub const fn due_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Waiting { next_attempt_at, .. } => Some(*next_attempt_at),
            Self::Attempting { lease, .. } => Some(lease.expires_at),
            Self::Blocked { .. } | Self::Delivered { .. } | Self::Failed { .. } | Self::Dropped { .. } => None,
        }
    }

    /// Returns the instant at which the next attempt is due; `None` if none is planned, and while one is under way.
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

    /// Returns whether the delivery lost its last worker: the only transition left is to [give the attempt
    /// up](Self::give_up).
    pub fn is_lost(&self, now: DateTime<Utc>) -> bool {
        matches!(self, Self::Attempting { tries: Self::MAX_TRIES.., lease, .. } if lease.has_expired(now))
    }

    /// Gives the next attempt to `worker` for `term` from `now`; if the lease of an attempt has ended, the same attempt
    /// again.
    ///
    /// # Errors
    /// [`DeliveryRefusal::NotDue`], [`DeliveryRefusal::Ended`], and [`DeliveryRefusal::TriesUsedUp`] if the attempt [is
    /// lost](Self::is_lost).
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

    /// Records the end, at `now`, of the attempt that `token` belongs to. A lease that has ended but was not claimed by
    /// another worker is still valid here: only the token decides.
    ///
    /// A failed attempt is followed by the next one of the schedule, counted from `now`, unless it was the last one or
    /// the endpoint has been switched off in the meantime.
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

    /// Counts an attempt that [is lost](Self::is_lost) as failed at `now`, with the same consequences as
    /// [recording](Self::record) a failed one. A report of its last worker is refused afterwards.
    ///
    /// # Errors
    /// [`DeliveryRefusal::NotDue`] while the attempt may be begun again or its lease lasts,
    /// [`DeliveryRefusal::NotClaimed`], [`DeliveryRefusal::Ended`].
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

    /// Returns the state after the `attempts`th failed attempt.
    fn after_failed(attempts: u32, token: FencingToken, endpoint: super::EndpointStatus, now: DateTime<Utc>) -> Self {
        match next_attempt_at(attempts, now) {
            None => Self::Failed { finished_at: now },
            Some(next_attempt_at) if endpoint.is_on() => Self::Waiting { attempts, token, next_attempt_at },
            Some(_) => Self::Dropped { attempts, finished_at: now },
        }
    }

    /// Makes a blocked delivery due, because the first attempt of the other one ended at `now`. Any other state is
    /// unchanged.
    #[must_use]
    pub fn unblocked(self, now: DateTime<Utc>) -> Self {
        match self {
            Self::Blocked { .. } => Self::due(now),
            other => other,
        }
    }

    /// Drops a delivery that waits, or whose worker lost its lease, because the endpoint is off. An attempt that is
    /// under way goes on, and a delivery that has ended is unchanged.
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

/// Returns the instant at which the next attempt is due after the `attempts`th failed at `now`; `None` after the last
/// one.
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
