//! A team: the owner of sites and tokens.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Plan, PlanCode, Scan};
use crate::id::TeamId;

/// A team with the plan that it is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
        self.standing == Standing::Active && !self.subscription.has_lapsed(now)
    }

    /// Whether its plan includes the API: not once it has ended (design §4, "a lapsed plan"). A blocked team is refused
    /// whatever its plan.
    pub fn includes_api(&self, now: DateTime<Utc>) -> bool {
        self.plan.features.api && !self.subscription.has_lapsed(now)
    }

    /// Whether the API answers a request of the team's at all.
    pub fn may_use_api(&self, now: DateTime<Utc>) -> bool {
        self.standing == Standing::Active && self.includes_api(now)
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It may.
    Active,
    /// The operator shut it out.
    Blocked,
}

/// On what terms a team has its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
            PlanStatus::Active | PlanStatus::PastDue => over(self.ends_at),
            PlanStatus::Canceled => self.ends_at.is_none_or(|end| end <= now),
        }
    }

    /// How it stands at `now`: what has lapsed is canceled, whatever was noted before.
    pub fn status_at(&self, now: DateTime<Utc>) -> PlanStatus {
        if self.has_lapsed(now) { PlanStatus::Canceled } else { self.status }
    }
}

/// How a subscription stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// In its trial.
    Trialing,
    /// Paid.
    Active,
    /// A payment is late; everything still works.
    PastDue,
    /// Ended, or ending at [`Subscription::ends_at`].
    Canceled,
}

impl PlanStatus {
    /// The word that the account shows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trialing => "trialing",
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Canceled => "canceled",
        }
    }
}

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
