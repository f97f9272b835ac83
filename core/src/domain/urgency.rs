//! The urgency of a queued check, which decides the order within a team.

use chrono::{DateTime, TimeDelta, Utc};

/// The urgency of a check: whether somebody waits for its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// A person or a program asked for the check and waits for its result: it was started by hand, or it was queued
    /// when its site was added.
    Requested,
    /// The schedule queued the check.
    Scheduled,
}

impl Urgency {
    /// The time that a scheduled check must have waited longer than a requested one in order to go first.
    ///
    /// After an outage, hundreds of scheduled checks are queued at once and take minutes or hours, which nobody
    /// notices; a user who starts a check notices seconds. The bound prevents a steady flow of requested checks from
    /// delaying scheduled ones without end: six hours are a quarter of the shortest interval between scheduled checks,
    /// a day.
    pub const HEAD_START: TimeDelta = TimeDelta::hours(6);

    /// Returns the urgency with this word; `None` for any other text.
    pub fn from_stored(word: &str) -> Option<Self> {
        [Self::Requested, Self::Scheduled].into_iter().find(|urgency| urgency.as_str() == word)
    }

    /// Returns the word under which the queue is shown and stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Scheduled => "scheduled",
        }
    }

    /// Returns the rank of a check that was queued at `queued_at`, as an instant: among the checks of a team, the
    /// earliest goes first.
    pub fn rank_at(self, queued_at: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Requested => queued_at,
            Self::Scheduled => queued_at + Self::HEAD_START,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requested_check_goes_first_unless_a_scheduled_one_has_waited_six_hours_longer() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let requested = Urgency::Requested.rank_at(now);
        let scheduled = |waited| Urgency::Scheduled.rank_at(now - waited);
        assert!(requested < scheduled(TimeDelta::zero()));
        assert!(requested < scheduled(TimeDelta::hours(6) - TimeDelta::microseconds(1)));
        assert!(requested > scheduled(TimeDelta::hours(6) + TimeDelta::microseconds(1)));
    }
}
