//! What a shorter history deletes, and when.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Plan, PlanCode};

/// A plan whose history became shorter for all teams that are on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortenedHistory {
    /// The plan.
    pub plan: PlanCode,
    /// The months of its history until now.
    pub months_before: u32,
    /// The months of its history from now on.
    pub months: u32,
    /// The instant before which nothing of its teams is purged.
    pub held_until: DateTime<Utc>,
}

impl ShortenedHistory {
    /// How long nothing of a team is purged after its history became shorter: time to notice a mistake and to put the
    /// plan back.
    pub const GRACE: TimeDelta = TimeDelta::hours(24);

    /// Returns what the change of a plan does to the history of its teams; `None` where it becomes no shorter.
    pub fn by(months_before: u32, plan: &Plan, now: DateTime<Utc>) -> Option<Self> {
        let months = plan.limits.history_months;
        let held_until = now + Self::GRACE;
        (months < months_before).then(|| Self { plan: plan.code.clone(), months_before, months, held_until })
    }
}

/// Returns the instant before which nothing of a team is purged once its history has changed from `months_before` to
/// `months`: a shorter history holds the purge off, and no other change ends an earlier hold.
pub fn purge_hold(
    months_before: u32,
    months: u32,
    held_until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    if months < months_before { held_until.max(Some(now + ShortenedHistory::GRACE)) } else { held_until }
}

/// Returns whether a hold is still in force: up to its end and not at it.
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
