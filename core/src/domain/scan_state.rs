//! The states of a check and the transitions between them.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Failure, FencingToken, Lease, Outcome, PageCounts};
use crate::id::{NodeId, WorkerId};

/// The state of a check.
///
/// ```text
///            claim                    complete
/// Queued ─────────────► Running ─────────────────► Completed
///                       │  ▲ │
///                       │  └─┘ claim again, when the lease has ended
///                       │
///                       └────────────────────────► Failed
///                         fail, or worker lost three times
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScanState {
    /// Waits for a worker. A crash changes nothing.
    Queued,
    /// A worker checks pages. If it dies, the lease ends and another worker claims the check.
    Running {
        /// The lease of the worker.
        lease: Lease,
        /// The number of times that the check was begun, including this one.
        attempt: u32,
        /// The instant at which it was first begun.
        started_at: DateTime<Utc>,
        /// The number of pages done in this attempt.
        pages_scanned: u32,
        /// The number of pages found so far in this attempt, as in [`PageCounts::found`].
        pages_found: u32,
    },
    /// Ended with findings. Final.
    Completed {
        /// The instant at which it was first begun.
        started_at: DateTime<Utc>,
        /// The instant at which the findings were stored.
        finished_at: DateTime<Utc>,
        /// The findings in numbers.
        outcome: Outcome,
    },
    /// Ended without findings, with a reason. Final; no event is sent.
    Failed {
        /// The instant at which it was first begun.
        started_at: DateTime<Utc>,
        /// The instant at which it failed.
        finished_at: DateTime<Utc>,
        /// The number of pages done in the last attempt.
        pages_scanned: u32,
        /// The reason for the failure.
        failure: Failure,
    },
}

/// The workers that may claim a check first after an attempt that ended without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryBy {
    /// Any worker that is free: the fault was not the node's.
    Anyone,
    /// A worker of another node, if one is free in time ([`ScanState::OTHERS_FIRST`]): the fault may have been the
    /// node's.
    OtherNodesFirst,
}

/// The name of a [`ScanState`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the states are explained at ScanState")]
pub enum ScanStatus {
    Queued,
    Running,
    Completed,
    Failed,
}

/// The error for a transition that the state does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a check can't go from {} to {}: {refusal}", from.as_str(), to.as_str())]
#[non_exhaustive]
pub struct TransitionError {
    /// The state of the check.
    pub from: ScanStatus,
    /// The state that was to be reached.
    pub to: ScanStatus,
    /// The reason why the state does not change.
    pub refusal: TransitionRefusal,
}

/// The reason why a transition is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TransitionRefusal {
    /// The check has ended: completed and failed are final.
    #[error("it has ended")]
    Ended,
    /// No worker has claimed the check.
    #[error("no worker has claimed it")]
    NotClaimed,
    /// Another worker holds the check.
    #[error("its lease has not ended")]
    Held,
    /// The token is that of an earlier holder.
    #[error("the lease is an old one")]
    LeaseLost,
    /// The check may be begun again.
    #[error("it may be begun again")]
    AttemptsLeft,
    /// The check was begun as often as it may be.
    #[error("it was begun {} times", ScanState::MAX_ATTEMPTS)]
    AttemptsUsedUp,
}

impl ScanState {
    /// The time after which a check that is still running is remarkable: one of a thousand pages takes a fraction of it.
    pub const REMARKABLE: TimeDelta = TimeDelta::hours(6);

    /// Returns whether the check is running and may be stuck: its lease has ended and no worker has taken it over, or it was begun longer
    /// than [`REMARKABLE`](Self::REMARKABLE) ago.
    pub fn is_stuck(&self, now: DateTime<Utc>) -> bool {
        match self {
            Self::Running { lease, started_at, .. } => lease.has_expired(now) || *started_at + Self::REMARKABLE < now,
            Self::Queued | Self::Completed { .. } | Self::Failed { .. } => false,
        }
    }

    /// The number of times that a check is begun before it is abandoned (decision 0009).
    pub const MAX_ATTEMPTS: u32 = 3;
    /// The time for which a node whose attempt broke leaves the check to other nodes, from the instant at which it is
    /// due again. Idle workers look for work once a second, so another node claims it in this time unless all of its
    /// workers are busy.
    pub const OTHERS_FIRST: TimeDelta = TimeDelta::seconds(10);

    /// Returns the name of the state.
    pub const fn status(&self) -> ScanStatus {
        match self {
            Self::Queued => ScanStatus::Queued,
            Self::Running { .. } => ScanStatus::Running,
            Self::Completed { .. } => ScanStatus::Completed,
            Self::Failed { .. } => ScanStatus::Failed,
        }
    }

    /// Returns whether the check is queued or running, which prevents another check of the same site.
    pub const fn is_active(&self) -> bool {
        matches!(self, Self::Queued | Self::Running { .. })
    }

    /// Returns whether a worker may claim the check. Which node goes first is decided by
    /// [`is_left_to_others`](Self::is_left_to_others).
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        match self {
            Self::Queued => true,
            Self::Running { lease, .. } => lease.has_expired(now),
            Self::Completed { .. } | Self::Failed { .. } => false,
        }
    }

    /// Returns whether workers of `node` leave the check to those of other nodes for now, because an attempt of theirs
    /// ended without a result and the fault may be the node's. That lasts for [`OTHERS_FIRST`](Self::OTHERS_FIRST)
    /// after the check became due, so a node that is alone, or beside busy ones, claims it in the end.
    pub fn is_left_to_others(&self, node: &NodeId, now: DateTime<Utc>) -> bool {
        match self {
            Self::Running { lease, .. } => lease.worker.node() == *node && now < lease.expires_at + Self::OTHERS_FIRST,
            Self::Queued | Self::Completed { .. } | Self::Failed { .. } => false,
        }
    }

    /// Gives the check to `worker` for `term` from `now`.
    ///
    /// # Errors
    /// [`Held`](TransitionRefusal::Held) while another lease lasts,
    /// [`AttemptsUsedUp`](TransitionRefusal::AttemptsUsedUp) if the only transition left is [`abandon`](Self::abandon),
    /// [`Ended`](TransitionRefusal::Ended).
    pub fn claim(self, worker: WorkerId, term: TimeDelta, now: DateTime<Utc>) -> Result<Self, TransitionError> {
        let lease = |token| Lease { worker, token, expires_at: now + term };
        match self {
            Self::Queued => Ok(Self::Running {
                lease: lease(FencingToken::FIRST),
                attempt: 1,
                started_at: now,
                pages_scanned: 0,
                pages_found: 0,
            }),
            Self::Running { lease: old, .. } if !old.has_expired(now) => {
                Err(ScanStatus::Running.refuses(ScanStatus::Running, TransitionRefusal::Held))
            }
            Self::Running { attempt: Self::MAX_ATTEMPTS.., .. } => {
                Err(ScanStatus::Running.refuses(ScanStatus::Running, TransitionRefusal::AttemptsUsedUp))
            }
            Self::Running { lease: old, attempt, started_at, .. } => Ok(Self::Running {
                lease: lease(old.token.next()),
                attempt: attempt + 1,
                started_at,
                pages_scanned: 0,
                pages_found: 0,
            }),
            Self::Completed { .. } | Self::Failed { .. } => {
                Err(self.status().refuses(ScanStatus::Running, TransitionRefusal::Ended))
            }
        }
    }

    /// Fails a check whose last permitted attempt ended without a report.
    ///
    /// # Errors
    /// Returns an error in any state but a running one with all attempts used and its lease ended.
    pub fn abandon(self, now: DateTime<Utc>) -> Result<Self, TransitionError> {
        let refuse = |from: ScanStatus, refusal| Err(from.refuses(ScanStatus::Failed, refusal));
        match self {
            Self::Running { lease, attempt: Self::MAX_ATTEMPTS.., started_at, pages_scanned, .. }
                if lease.has_expired(now) =>
            {
                Ok(Self::Failed { started_at, finished_at: now, pages_scanned, failure: Failure::worker_lost() })
            }
            Self::Running { lease, .. } if lease.has_expired(now) => {
                refuse(ScanStatus::Running, TransitionRefusal::AttemptsLeft)
            }
            Self::Running { .. } => refuse(ScanStatus::Running, TransitionRefusal::Held),
            Self::Queued => refuse(ScanStatus::Queued, TransitionRefusal::NotClaimed),
            Self::Completed { .. } | Self::Failed { .. } => refuse(self.status(), TransitionRefusal::Ended),
        }
    }

    /// Extends the holder's lease to `term` from `now` and records the pages that it has counted.
    ///
    /// A lease that has ended but was not claimed by another worker is extended: only the token decides.
    ///
    /// # Errors
    /// Those of every transition by a holder: [`LeaseLost`](TransitionRefusal::LeaseLost),
    /// [`NotClaimed`](TransitionRefusal::NotClaimed), [`Ended`](TransitionRefusal::Ended).
    pub fn renew(
        self,
        token: FencingToken,
        term: TimeDelta,
        pages: PageCounts,
        now: DateTime<Utc>,
    ) -> Result<Self, TransitionError> {
        let held = self.held_by(token, ScanStatus::Running)?;
        Ok(Self::Running {
            lease: Lease { expires_at: now + term, ..held.lease },
            attempt: held.attempt,
            started_at: held.started_at,
            pages_scanned: pages.done,
            pages_found: pages.found,
        })
    }

    /// Releases the check without a result, through no fault of the check: any worker can claim it at once, and this
    /// attempt does not count.
    ///
    /// # Errors
    /// As [`renew`](Self::renew).
    pub fn hand_back(self, token: FencingToken, now: DateTime<Utc>) -> Result<Self, TransitionError> {
        let held = self.held_by(token, ScanStatus::Running)?;
        Ok(held.waiting_until(now, held.attempt - 1, WorkerId::none()))
    }

    /// Releases the check after an attempt that did not succeed: it can be claimed from `at`, first by the workers that
    /// `next` names, and this attempt counts.
    ///
    /// # Errors
    /// As [`renew`](Self::renew), and [`AttemptsUsedUp`](TransitionRefusal::AttemptsUsedUp) after the last attempt: the
    /// check is then to be [failed](Self::fail).
    pub fn retry_at(self, token: FencingToken, at: DateTime<Utc>, next: RetryBy) -> Result<Self, TransitionError> {
        let held = self.held_by(token, ScanStatus::Running)?;
        if held.attempt >= Self::MAX_ATTEMPTS {
            return Err(ScanStatus::Running.refuses(ScanStatus::Running, TransitionRefusal::AttemptsUsedUp));
        }
        let last = match next {
            RetryBy::Anyone => WorkerId::none(),
            RetryBy::OtherNodesFirst => held.lease.worker.clone(),
        };
        Ok(held.waiting_until(at, held.attempt, last))
    }

    /// Completes the check with the outcome of the holder's attempt.
    ///
    /// # Errors
    /// As [`renew`](Self::renew).
    pub fn complete(self, token: FencingToken, outcome: Outcome, now: DateTime<Utc>) -> Result<Self, TransitionError> {
        let held = self.held_by(token, ScanStatus::Completed)?;
        Ok(Self::Completed { started_at: held.started_at, finished_at: now, outcome })
    }

    /// Fails the check for the reason that its holder gives.
    ///
    /// # Errors
    /// As [`renew`](Self::renew).
    pub fn fail(self, token: FencingToken, failure: Failure, now: DateTime<Utc>) -> Result<Self, TransitionError> {
        let held = self.held_by(token, ScanStatus::Failed)?;
        Ok(Self::Failed { started_at: held.started_at, finished_at: now, pages_scanned: held.pages_scanned, failure })
    }

    /// Decides whether the holder of `token` may move a running check; no other function does.
    fn held_by(self, token: FencingToken, to: ScanStatus) -> Result<Held, TransitionError> {
        match self {
            Self::Running { lease, attempt, started_at, pages_scanned, .. } if lease.token == token => {
                Ok(Held { lease, attempt, started_at, pages_scanned })
            }
            Self::Running { .. } => Err(ScanStatus::Running.refuses(to, TransitionRefusal::LeaseLost)),
            Self::Queued => Err(ScanStatus::Queued.refuses(to, TransitionRefusal::NotClaimed)),
            Self::Completed { .. } | Self::Failed { .. } => Err(self.status().refuses(to, TransitionRefusal::Ended)),
        }
    }
}

/// A running check whose holder has proved its lease.
struct Held {
    lease: Lease,
    attempt: u32,
    started_at: DateTime<Utc>,
    pages_scanned: u32,
}

impl Held {
    /// Returns the state without a holder until `at`. The fencing token is advanced, so that the present one no longer
    /// proves anything. The node of `last` leaves the check to others first.
    fn waiting_until(&self, at: DateTime<Utc>, attempt: u32, last: WorkerId) -> ScanState {
        ScanState::Running {
            lease: Lease { worker: last, token: self.lease.token.next(), expires_at: at },
            attempt,
            started_at: self.started_at,
            pages_scanned: 0,
            pages_found: 0,
        }
    }
}

impl ScanStatus {
    /// Returns the word of the contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    const fn refuses(self, to: Self, refusal: TransitionRefusal) -> TransitionError {
        TransitionError { from: self, to, refusal }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{DiffSummary, FailureCode, Tool, Totals};

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    fn claimed() -> (ScanState, FencingToken) {
        let state = ScanState::Queued.claim(WorkerId::generate(), Lease::TERM, now()).unwrap();
        let ScanState::Running { lease, .. } = &state else { unreachable!() };
        let token = lease.token;
        (state, token)
    }

    fn outcome() -> Outcome {
        Outcome {
            pages_scanned: 1,
            totals: Totals::default(),
            diff: DiffSummary::first(),
            engine: Tool::axe_core("4", "b"),
        }
    }

    fn failure() -> Failure {
        Failure::new(FailureCode::Dns, "no address")
    }

    #[test]
    fn a_check_goes_from_queued_over_running_to_its_end_and_stays_there() {
        let (running, token) = claimed();
        let completed = running.clone().complete(token, outcome(), now()).unwrap();
        let failed = running.fail(token, failure(), now()).unwrap();
        for ended in [completed, failed] {
            let from = ended.status();
            let refused = |to| TransitionError { from, to, refusal: TransitionRefusal::Ended };
            let ended = || ended.clone();
            assert_eq!(ended().claim(WorkerId::generate(), Lease::TERM, now()), Err(refused(ScanStatus::Running)));
            assert_eq!(
                ended().renew(token, Lease::TERM, PageCounts::default(), now()),
                Err(refused(ScanStatus::Running))
            );
            assert_eq!(ended().hand_back(token, now()), Err(refused(ScanStatus::Running)));
            assert_eq!(ended().retry_at(token, now(), RetryBy::Anyone), Err(refused(ScanStatus::Running)));
            assert_eq!(ended().complete(token, outcome(), now()), Err(refused(ScanStatus::Completed)));
            assert_eq!(ended().fail(token, failure(), now()), Err(refused(ScanStatus::Failed)));
            assert_eq!(ended().abandon(now()), Err(refused(ScanStatus::Failed)));
            assert!(!ended().is_due(DateTime::<Utc>::MAX_UTC));
        }
    }

    #[test]
    fn a_queued_check_can_only_be_claimed() {
        let refused = |to| TransitionError { from: ScanStatus::Queued, to, refusal: TransitionRefusal::NotClaimed };
        let token = FencingToken::FIRST;
        assert_eq!(ScanState::Queued.complete(token, outcome(), now()), Err(refused(ScanStatus::Completed)));
        assert_eq!(ScanState::Queued.fail(token, failure(), now()), Err(refused(ScanStatus::Failed)));
        assert_eq!(
            ScanState::Queued.renew(token, Lease::TERM, PageCounts::default(), now()),
            Err(refused(ScanStatus::Running))
        );
        assert_eq!(ScanState::Queued.abandon(now()), Err(refused(ScanStatus::Failed)));
    }

    #[test]
    fn an_error_says_from_to_and_why() {
        let error = ScanState::Queued.complete(FencingToken::FIRST, outcome(), now()).unwrap_err();
        assert_eq!(error.to_string(), "a check can't go from queued to completed: no worker has claimed it");
    }

    #[test]
    fn a_check_is_not_claimed_twice_before_its_lease_ends() {
        let (running, _) = claimed();
        let just_before = now() + Lease::TERM - TimeDelta::microseconds(1);
        assert!(!running.is_due(just_before));
        let error = running.clone().claim(WorkerId::generate(), Lease::TERM, just_before).unwrap_err();
        assert_eq!(error.refusal, TransitionRefusal::Held);
        assert!(running.claim(WorkerId::generate(), Lease::TERM, now() + Lease::TERM).is_ok());
    }

    #[test]
    fn a_worker_that_lost_its_lease_changes_nothing() {
        let (running, old) = claimed();
        let taken = running.claim(WorkerId::generate(), Lease::TERM, now() + Lease::TERM).unwrap();
        for error in [
            taken.clone().complete(old, outcome(), now()).unwrap_err(),
            taken.clone().fail(old, failure(), now()).unwrap_err(),
            taken.clone().renew(old, Lease::TERM, PageCounts::default(), now()).unwrap_err(),
            taken.hand_back(old, now()).unwrap_err(),
        ] {
            assert_eq!(error.refusal, TransitionRefusal::LeaseLost);
        }
    }

    #[test]
    fn a_check_that_loses_three_workers_is_given_up() {
        let (mut state, _) = claimed();
        let mut time = now();
        for _ in 1..ScanState::MAX_ATTEMPTS {
            time += Lease::TERM;
            let error = state.clone().abandon(time).unwrap_err();
            assert_eq!(error.refusal, TransitionRefusal::AttemptsLeft);
            state = state.claim(WorkerId::generate(), Lease::TERM, time).unwrap();
        }
        let error = state.clone().abandon(time).unwrap_err();
        assert_eq!(error.refusal, TransitionRefusal::Held, "the last attempt still runs");
        time += Lease::TERM;
        let error = state.clone().claim(WorkerId::generate(), Lease::TERM, time).unwrap_err();
        assert_eq!(error.refusal, TransitionRefusal::AttemptsUsedUp);
        let ScanState::Failed { failure, started_at, .. } = state.abandon(time).unwrap() else { unreachable!() };
        assert_eq!((failure.code, started_at), (FailureCode::WorkerLost, now()));
    }

    #[test]
    fn handing_back_costs_no_attempt_and_a_retry_costs_one() {
        let (running, token) = claimed();
        let attempt = |state: ScanState| match state.claim(WorkerId::generate(), Lease::TERM, now()).unwrap() {
            ScanState::Running { attempt, .. } => attempt,
            other => panic!("{other:?}"),
        };
        assert_eq!(attempt(running.clone().hand_back(token, now()).unwrap()), 1);
        assert_eq!(attempt(running.clone().retry_at(token, now(), RetryBy::Anyone).unwrap()), 2);
        let waiting = running.retry_at(token, now() + TimeDelta::seconds(30), RetryBy::Anyone).unwrap();
        assert!(!waiting.is_due(now() + TimeDelta::seconds(29)));
        assert!(waiting.complete(token, outcome(), now()).is_err(), "the old token proves nothing any more");
    }
}
