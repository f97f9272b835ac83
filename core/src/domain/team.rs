//! A team: the owner of sites and tokens.

use chrono::{DateTime, Utc};

use super::{Plan, PlanCode, Scan, UnknownWord, stored_word::stored_words};
use crate::id::TeamId;

/// A team with the plan that it is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Its id.
    pub id: TeamId,
    /// Its name for people.
    pub name: String,
    /// What it may do.
    pub plan: Plan,
    /// On what terms.
    pub subscription: Subscription,
    /// Whether it may do anything at all.
    pub standing: Standing,
    /// Members that it has; they are managed outside this service.
    pub seats_used: u32,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

impl Team {
    /// Whether checks of its sites start by themselves: not while it is blocked, nor once its plan has ended.
    pub fn is_served(&self, now: DateTime<Utc>) -> bool {
        !self.standing.is_blocked() && !self.subscription.has_lapsed(now)
    }

    /// Whether its plan includes the API: not once it has ended (design §4, "a lapsed plan"). A blocked team is refused
    /// whatever its plan.
    pub fn includes_api(&self, now: DateTime<Utc>) -> bool {
        self.plan.features.api && !self.subscription.has_lapsed(now)
    }

    /// Whether the API answers a request of the team's at all.
    pub fn may_use_api(&self, now: DateTime<Utc>) -> bool {
        !self.standing.is_blocked() && self.includes_api(now)
    }

    /// Whether it may have the issue exports of a check, asked for by its id: those of its plan, or of an express report
    /// that was bought for the check.
    pub const fn includes_exports_of(&self, scan: &Scan) -> bool {
        self.plan.features.exports || scan.express
    }
}

/// A team to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTeam {
    /// Its id.
    pub id: TeamId,
    /// Its name for people.
    pub name: String,
    /// The plan that it is on.
    pub plan: PlanCode,
    /// On what terms.
    pub subscription: Subscription,
    /// Members that it has.
    pub seats_used: u32,
}

/// Whether a team may do anything at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// It may.
    Active,
    /// The operator shut it out.
    Blocked,
    /// A standing of a later release. It may not: whatever it stands for, it is not the ordinary case, and a restriction that
    /// this release can't keep is not lifted by it.
    Unknown(UnknownWord),
}

stored_words!(Standing {
    Active = "active",
    Blocked = "blocked",
});

impl Standing {
    /// Whether the team is shut out.
    pub const fn is_blocked(self) -> bool {
        match self {
            Self::Active => false,
            Self::Blocked | Self::Unknown(_) => true,
        }
    }
}

/// On what terms a team has its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscription {
    /// How it stands.
    pub status: PlanStatus,
    /// When the plan ends, where that is known.
    pub ends_at: Option<DateTime<Utc>>,
    /// When the trial ends, where there is one.
    pub trial_ends_at: Option<DateTime<Utc>>,
}

impl Subscription {
    /// A plan without end.
    pub const ACTIVE: Self = Self { status: PlanStatus::Active, ends_at: None, trial_ends_at: None };

    /// Whether the plan, or a trial that led nowhere, is over at `now`.
    pub fn has_lapsed(&self, now: DateTime<Utc>) -> bool {
        let over = |end: Option<DateTime<Utc>>| end.is_some_and(|end| end <= now);
        match self.status {
            PlanStatus::Trialing => over(self.trial_ends_at) || over(self.ends_at),
            PlanStatus::Active | PlanStatus::PastDue | PlanStatus::Unknown(_) => over(self.ends_at),
            PlanStatus::Canceled => self.ends_at.is_none_or(|end| end <= now),
        }
    }

    /// How it stands at `now`: what has lapsed is canceled, whatever was noted before.
    pub fn status_at(&self, now: DateTime<Utc>) -> PlanStatus {
        if self.has_lapsed(now) { PlanStatus::Canceled } else { self.status }
    }
}

/// How a subscription stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanStatus {
    /// In its trial.
    Trialing,
    /// Paid.
    Active,
    /// A payment is late; everything still works.
    PastDue,
    /// Ended, or ending at [`Subscription::ends_at`].
    Canceled,
    /// A status of a later release. The plan holds until [`Subscription::ends_at`]: a team that may well have paid is not
    /// shut out by a node that is about to be replaced.
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
