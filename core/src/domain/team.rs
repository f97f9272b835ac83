//! Teams: the owners of sites and tokens.

use chrono::{DateTime, Utc};

use super::{Plan, PlanCode, Scan, UnknownWord, stored_word::stored_words};
use crate::id::TeamId;

/// A team with the plan that it is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// The id of the team.
    pub id: TeamId,
    /// The name for people.
    pub name: String,
    /// The plan, which says what the team may use.
    pub plan: Plan,
    /// The terms on which it has the plan.
    pub subscription: Subscription,
    /// The standing: whether the operator blocked the team.
    pub standing: Standing,
    /// The number of members; they are managed outside this service.
    pub seats_used: u32,
    /// The instant at which it was created.
    pub created_at: DateTime<Utc>,
}

impl Team {
    /// Returns whether scheduled checks of its sites start: not while it is blocked, nor once its plan has lapsed.
    pub fn is_served(&self, now: DateTime<Utc>) -> bool {
        !self.standing.is_blocked() && !self.subscription.has_lapsed(now)
    }

    /// Returns whether its plan includes the API: not once it has lapsed (decision 0007). Whether the team is blocked
    /// is not considered here.
    pub fn includes_api(&self, now: DateTime<Utc>) -> bool {
        self.plan.features.api && !self.subscription.has_lapsed(now)
    }

    /// Returns whether the team may use the API: its plan includes it, and the team is not blocked.
    pub fn may_use_api(&self, now: DateTime<Utc>) -> bool {
        !self.standing.is_blocked() && self.includes_api(now)
    }

    /// Returns whether it may export the issues of a check that is requested by its id: if its plan includes exports,
    /// or an express report was bought for the check.
    pub const fn includes_exports_of(&self, scan: &Scan) -> bool {
        self.plan.features.exports || scan.express
    }
}

/// A team to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTeam {
    /// The id of the team.
    pub id: TeamId,
    /// The name for people.
    pub name: String,
    /// The code of its plan.
    pub plan: PlanCode,
    /// The terms on which it has the plan.
    pub subscription: Subscription,
    /// The number of members.
    pub seats_used: u32,
}

/// The standing of a team: whether the operator blocked it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// The team may use the service.
    Active,
    /// The operator blocked the team.
    Blocked,
    /// A standing of a later release, which counts as blocked: it is not the ordinary case, and a restriction that this
    /// release does not know must not be lifted by it.
    Unknown(UnknownWord),
}

stored_words!(Standing {
    Active = "active",
    Blocked = "blocked",
});

impl Standing {
    /// Returns whether the team is blocked.
    pub const fn is_blocked(self) -> bool {
        match self {
            Self::Active => false,
            Self::Blocked | Self::Unknown(_) => true,
        }
    }
}

/// The terms on which a team has its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subscription {
    /// The stored status; [`status_at`](Self::status_at) takes the ends into account.
    pub status: PlanStatus,
    /// The instant at which the plan ends, if that is known.
    pub ends_at: Option<DateTime<Utc>>,
    /// The instant at which the trial ends, if there is one.
    pub trial_ends_at: Option<DateTime<Utc>>,
}

impl Subscription {
    /// The subscription to a plan without end.
    pub const ACTIVE: Self = Self::new(PlanStatus::Active);

    /// Returns a subscription of this status without an end.
    pub const fn new(status: PlanStatus) -> Self {
        Self { status, ends_at: None, trial_ends_at: None }
    }

    /// Sets the status.
    #[must_use]
    pub const fn with_status(self, status: PlanStatus) -> Self {
        Self { status, ..self }
    }

    /// Sets the instant at which the plan ends, if that is known.
    #[must_use]
    pub fn with_end(self, ends_at: impl Into<Option<DateTime<Utc>>>) -> Self {
        Self { ends_at: ends_at.into(), ..self }
    }

    /// Sets the instant at which the trial ends, if there is one.
    #[must_use]
    pub fn with_trial_end(self, trial_ends_at: impl Into<Option<DateTime<Utc>>>) -> Self {
        Self { trial_ends_at: trial_ends_at.into(), ..self }
    }

    /// Returns whether the plan, or a trial that was not continued, has ended at `now`.
    pub fn has_lapsed(&self, now: DateTime<Utc>) -> bool {
        let over = |end: Option<DateTime<Utc>>| end.is_some_and(|end| end <= now);
        match self.status {
            PlanStatus::Trialing => over(self.trial_ends_at) || over(self.ends_at),
            PlanStatus::Active | PlanStatus::PastDue | PlanStatus::Unknown(_) => over(self.ends_at),
            PlanStatus::Canceled => self.ends_at.is_none_or(|end| end <= now),
        }
    }

    /// Returns the status at `now`: a subscription that has lapsed is canceled, whatever status is stored.
    pub fn status_at(&self, now: DateTime<Utc>) -> PlanStatus {
        if self.has_lapsed(now) { PlanStatus::Canceled } else { self.status }
    }
}

/// The status of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanStatus {
    /// The team is in its trial.
    Trialing,
    /// The plan is paid.
    Active,
    /// A payment is late; everything still works.
    PastDue,
    /// The subscription has ended, or ends at [`Subscription::ends_at`].
    Canceled,
    /// A status of a later release. The plan is valid until [`Subscription::ends_at`]: a team that may well have paid
    /// is not blocked by a node that is about to be replaced.
    Unknown(UnknownWord),
}

stored_words!(PlanStatus {
    Trialing = "trialing",
    Active = "active",
    PastDue = "past_due",
    Canceled = "canceled",
});

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn a_canceled_plan_serves_until_its_end_and_not_at_it() {
        let end = Utc::now();
        let canceled = Subscription { status: PlanStatus::Canceled, ends_at: Some(end), trial_ends_at: None };
        assert!(!canceled.has_lapsed(end - TimeDelta::microseconds(1)));
        assert!(canceled.has_lapsed(end));
        assert!(Subscription { ends_at: None, ..canceled }.has_lapsed(end));
    }

    #[test]
    fn a_status_of_a_later_release_shuts_nobody_out_before_the_plans_end() {
        let end = Utc::now();
        let status = PlanStatus::from_stored("on_hold").unwrap();
        let terms = Subscription { status, ends_at: Some(end), trial_ends_at: Some(end - TimeDelta::days(1)) };
        assert!(!terms.has_lapsed(end - TimeDelta::microseconds(1)));
        assert!(terms.has_lapsed(end));
    }

    #[test]
    fn a_standing_of_a_later_release_is_no_way_in() {
        assert!(Standing::from_stored("suspended").unwrap().is_blocked());
        assert!(Standing::Blocked.is_blocked() && !Standing::Active.is_blocked());
    }

    #[test]
    fn what_has_lapsed_is_canceled_from_its_end_on() {
        let end = Utc::now();
        for status in [PlanStatus::Trialing, PlanStatus::Active, PlanStatus::PastDue, PlanStatus::Canceled] {
            let terms = Subscription { status, ends_at: Some(end), trial_ends_at: None };
            assert_eq!(terms.status_at(end - TimeDelta::microseconds(1)), status);
            assert_eq!(terms.status_at(end), PlanStatus::Canceled);
        }
        assert_eq!(Subscription::ACTIVE.status_at(end), PlanStatus::Active);
    }

    #[test]
    fn a_trial_ends_and_a_late_payment_does_not_end_a_plan() {
        let now = Utc::now();
        let trial = Subscription { status: PlanStatus::Trialing, ends_at: None, trial_ends_at: Some(now) };
        assert!(trial.has_lapsed(now));
        assert!(!Subscription { status: PlanStatus::PastDue, ends_at: None, trial_ends_at: Some(now) }.has_lapsed(now));
    }
}
