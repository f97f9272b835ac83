//! The purge of checks after a plan's history was shortened.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Plan, PlanCode};

/// A plan whose history became shorter for all teams that are on it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShortenedHistory {
    /// The plan.
    pub plan: PlanCode,
    /// The months of its history before the change.
    pub months_before: u32,
    /// The months of its history after the change.
    pub months: u32,
    /// The end of the hold: before this instant nothing of its teams is purged.
    pub held_until: DateTime<Utc>,
}

impl ShortenedHistory {
    /// The time for which nothing of a team is purged after its history became shorter, so that a mistake can be
    /// noticed and the plan restored.
    pub const GRACE: TimeDelta = TimeDelta::hours(24);

    /// Returns the effect that the change of a plan has on the history of its teams; `None` if it becomes no shorter.
    pub fn by(months_before: u32, plan: &Plan, now: DateTime<Utc>) -> Option<Self> {
        let months = plan.limits.history_months;
        let held_until = now + Self::GRACE;
        (months < months_before).then(|| Self { plan: plan.code.clone(), months_before, months, held_until })
    }
}

/// Returns the end of the hold of a team whose history changes from `months_before` to `months`: a shorter history
/// begins a hold, and no other change ends an earlier one.
pub fn purge_hold(
    months_before: u32,
    months: u32,
    held_until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    if months < months_before { held_until.max(Some(now + ShortenedHistory::GRACE)) } else { held_until }
}

/// Returns whether a hold is in force: it ends at `held_until`, which is no longer part of it.
pub fn is_held(held_until: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    held_until.is_some_and(|until| now < until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_shorter_history_holds_the_purge_off_and_nothing_ends_a_hold_early() {
        let now = Utc::now();
        let day = Some(now + TimeDelta::hours(24));
        assert_eq!(purge_hold(12, 11, None, now), day);
        assert_eq!(purge_hold(12, 12, None, now), None);
        assert_eq!(purge_hold(12, 36, None, now), None);
        let earlier = Some(now + TimeDelta::hours(5));
        assert_eq!(purge_hold(12, 36, earlier, now), earlier);
        assert_eq!(purge_hold(12, 1, earlier, now), day);
        let later = Some(now + TimeDelta::hours(25));
        assert_eq!(purge_hold(12, 1, later, now), later, "the clock was set back");
    }

    #[test]
    fn a_hold_ends_at_its_end() {
        let end = Utc::now();
        assert!(is_held(Some(end), end - TimeDelta::microseconds(1)));
        assert!(!is_held(Some(end), end));
        assert!(!is_held(None, end));
    }
}
