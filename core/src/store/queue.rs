//! Checks, as workers and the scheduler see them: of all teams.

use std::error::Error as StdError;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use super::StoreError;
use crate::{
    domain::{
        Failure, FencingToken, Findings, Memo, NewEvent, Outcome, PageCounts, RetryBy, Scan, Site, TransitionError,
    },
    id::{ScanId, SiteId, TeamId, WorkerId},
    scanner::Screenshot,
};

/// The claim of a worker: a check, and the proof of its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The check.
    pub scan: ScanId,
    /// The proof.
    pub token: FencingToken,
}

/// A check that was given to a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedScan {
    /// The claim that proves the lease.
    pub claim: Claim,
    /// The check, running.
    pub scan: Scan,
    /// The site to be checked.
    pub site: Site,
}

/// The reason why a transition by the holder of a lease had no effect.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseError {
    /// The token is not that of the check's present holder, or the check has ended. Nothing was changed.
    #[error(transparent)]
    Refused(#[from] TransitionError),
    /// There is no such check: it was deleted with its site, or purged.
    #[error("the check was deleted")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The pictures of the result can't be stored for now, while everything else could. Nothing was changed.
    #[error("the pictures of a check could not be stored")]
    Pictures(#[source] Box<dyn StdError + Send + Sync>),
}

/// The result of a check, stored as a whole.
#[derive(Debug, Clone)]
pub struct Completion {
    /// The instant of completion: [`StoreClock::now`](super::StoreClock::now) of a moment ago.
    pub finished_at: DateTime<Utc>,
    /// The result in numbers.
    pub outcome: Outcome,
    /// The result in full.
    pub findings: Findings,
    /// The pictures of elements.
    pub screenshots: Vec<Screenshot>,
    /// The picture of the first page.
    pub screen: Option<Screenshot>,
    /// The events for the team's endpoints, in this order.
    pub events: Vec<NewEvent>,
    /// The memo for the next check of the site; `None` if the scanner left none.
    pub memo: Option<Memo>,
}

/// Hands checks out and takes results in. Each beginning and each end of a check is written into the
/// [log of occurrences](super::EventLog), in the step itself.
///
/// The transitions of a check are those of [`ScanState`](crate::domain::ScanState); a store runs them on the check that it
/// has locked.
#[async_trait]
pub trait QueueStore {
    /// Queues checks (kind `scheduled`) of at most `limit` sites whose `next_scan_at` has come and whose team is
    /// [served](crate::domain::Team::is_served), and advances their `next_scan_at`; returns the checks.
    ///
    /// A site with a queued or running check gets no second one; its `next_scan_at` advances all the same. So does that of
    /// a site whose team is not served. A site that fell due several times is queued once. If fewer than `limit` sites were
    /// advanced, no more are due for now, which [`DueSites::more`] says.
    ///
    /// # Ordering
    /// The sites whose `next_scan_at` came first, then by id. The order of [`DueSites::queued`] is not promised.
    ///
    /// # Concurrency
    /// However many schedulers run, a site that falls due is queued once.
    async fn queue_due_scans(&self, limit: u32) -> Result<DueSites, StoreError>;

    /// Gives the first check that is [due](crate::domain::ScanState::is_due) to `worker`, under a lease that lasts `term`.
    ///
    /// Checks that come before it in the order and were begun as often as permitted are
    /// [abandoned](crate::domain::ScanState::abandon) on the way, which gives a manual check back as
    /// [`fail_scan`](Self::fail_scan) does. The standing of the team plays no part: a queued check is carried out even if
    /// its team was blocked since.
    ///
    /// # Atomicity
    /// The choice and the lease are one step: a check is never given to two workers, and a crash leaves it either as it
    /// was or leased.
    ///
    /// # Ordering
    /// By the number of checks of its team that are running, so that a team with many checks, or with slow ones, delays no
    /// other team; then by [`Urgency::rank_at`](crate::domain::Urgency::rank_at), so that a check that somebody waits for
    /// begins before scheduled ones; then by id. A check counts as running until its lease ends.
    ///
    /// A check whose last attempt was lost, or was put off for [`RetryBy::OtherNodesFirst`], is skipped for workers of the
    /// node that had it while it is [left to others](crate::domain::ScanState::is_left_to_others).
    ///
    /// # Concurrency
    /// A check that another caller is about to claim is skipped, not waited for. Callers that claim at the same moment may
    /// each count the team's running checks without the other's.
    async fn claim_scan(&self, worker: &WorkerId, term: TimeDelta) -> Result<Option<ClaimedScan>, StoreError>;

    /// Extends a lease to `term` from now, and records the pages done and found. A lease that has ended but was not taken
    /// over is extended too.
    ///
    /// # Errors
    /// [`LeaseError::Refused`] for an old token, [`LeaseError::Gone`] for a deleted check: the worker must stop at once.
    async fn renew_lease(&self, claim: Claim, term: TimeDelta, pages: PageCounts) -> Result<(), LeaseError>;

    /// Releases a check without a result, and without counting this attempt: it is due at once, for workers of the same node, too.
    ///
    /// # Errors
    /// As [`renew_lease`](Self::renew_lease).
    async fn hand_back(&self, claim: Claim) -> Result<(), LeaseError>;

    /// Releases a check that could not be done this time: it is due again after `delay`, first for the workers that `next`
    /// names, and this attempt counts.
    ///
    /// # Errors
    /// As [`renew_lease`](Self::renew_lease); [`LeaseError::Refused`] too when no attempt is left.
    async fn retry_scan(&self, claim: Claim, delay: TimeDelta, next: RetryBy) -> Result<(), LeaseError>;

    /// Stores the result of a check, and returns the check: completed at [`Completion::finished_at`].
    ///
    /// # Atomicity
    /// State, numbers, findings and pictures become visible together, and with them a delivery of each event to each
    /// endpoint of the team that [listens](crate::domain::WebhookEndpoint::listens_to) to it now. An event that no
    /// endpoint listens to is not kept. The memo takes the place of the one that the site had, and without one that is
    /// deleted.
    ///
    /// # Ordering
    /// The first delivery to an endpoint is due at once; each further one is blocked until the first attempt of the one
    /// before it has ended.
    ///
    /// # Errors
    /// As [`renew_lease`](Self::renew_lease): the result is dropped whole, events included. [`LeaseError::Pictures`] if the
    /// place of the pictures is in trouble and the rest of the store is not; a result without pictures never causes it.
    async fn complete_scan(&self, claim: Claim, completion: Completion) -> Result<Scan, LeaseError>;

    /// Returns the memo that came with this completed check of a site; `None` if there is none, if a later check has
    /// completed since, or if the team has no such site.
    async fn memo(&self, team: TeamId, site: SiteId, scan: ScanId) -> Result<Option<Memo>, StoreError>;

    /// Ends a check that can't be done, and returns it: failed now.
    ///
    /// # Atomicity
    /// A manual check that is [given back](crate::domain::ManualChecks::failed) is given back in the same step.
    ///
    /// # Errors
    /// As [`renew_lease`](Self::renew_lease).
    async fn fail_scan(&self, claim: Claim, failure: Failure) -> Result<Scan, LeaseError>;

    /// Returns the checks that are [running](crate::domain::ScanState::Running), of all teams, at most `limit`: those that a worker has, and
    /// those that were left by a worker and nobody has taken over yet.
    ///
    /// # Ordering
    /// By the instant at which they were first begun, then id.
    async fn running_scans(&self, limit: u32) -> Result<Vec<Scan>, StoreError>;

    /// Returns the number of checks that wait, and since when the first of them does: those that somebody waits for, and
    /// those of the schedule.
    async fn queue_depth(&self) -> Result<QueueDepth, StoreError>;
}

/// The result of one step of the scheduler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueSites {
    /// The checks that were queued.
    pub queued: Vec<Scan>,
    /// True if more sites may be due: `limit` of them were advanced.
    pub more: bool,
}

/// The amount of work that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueDepth {
    /// Checks that were queued as [`Urgency::Requested`](crate::domain::Urgency::Requested).
    pub requested: Waiting,
    /// Checks that were queued as [`Urgency::Scheduled`](crate::domain::Urgency::Scheduled).
    pub scheduled: Waiting,
}

/// The number of checks of one kind that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Waiting {
    /// Checks that are [due](crate::domain::ScanState::is_due): queued, handed back, or left by a worker whose lease
    /// ended.
    pub checks: u64,
    /// The instant at which the first of these was queued, by `queued_at`.
    pub oldest: Option<DateTime<Utc>>,
}
