//! The rule for when the next manual check of a site may start.

use chrono::{DateTime, Utc};

use super::{FailureCode, IsoDuration};

/// The manual checks of a site that decide when the next one may start. A check is identified by the instant at which
/// it was started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ManualChecks {
    /// The start of the last check that counts.
    pub last_at: Option<DateTime<Utc>>,
    /// The start of the last check that counted before it.
    pub previous_at: Option<DateTime<Utc>>,
    /// The start of the last check that does not count, because it failed through the fault of this service.
    pub given_back_at: Option<DateTime<Utc>>,
}

impl ManualChecks {
    /// Returns whether the plan's interval since the last check that counts is over.
    pub fn may_start(&self, interval: IsoDuration, now: DateTime<Utc>) -> bool {
        self.last_at.is_none_or(|last| interval.after(last) <= now)
    }

    /// Records that a check was started at `now`.
    #[must_use]
    pub const fn started(self, now: DateTime<Utc>) -> Self {
        Self { last_at: Some(now), previous_at: self.last_at, ..self }
    }

    /// Records that the check which was started at `started_at` failed. If that was [the fault of this
    /// service](FailureCode::is_our_fault), the check does not count (decision 0008), unless a check that was started
    /// less than the interval before it does not count either: a page that crashes every browser must not be checked
    /// without end.
    #[must_use]
    pub fn failed(self, started_at: DateTime<Utc>, code: FailureCode, interval: IsoDuration) -> Self {
        let is_last = self.last_at == Some(started_at);
        let is_first_in_interval = self.given_back_at.is_none_or(|at| interval.after(at) <= started_at);
        if code.is_our_fault() && is_last && is_first_in_interval {
            Self { last_at: self.previous_at, previous_at: None, given_back_at: Some(started_at) }
        } else {
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    const HOUR: IsoDuration = IsoDuration::hours(1);

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap() + TimeDelta::minutes(minutes)
    }

    #[test]
    fn a_check_that_failed_through_our_fault_counts_as_if_it_had_not_been() {
        let before = ManualChecks::default().started(at(0)).started(at(60));
        let after = before.started(at(120)).failed(at(120), FailureCode::WorkerLost, HOUR);
        assert_eq!(after.last_at, before.last_at, "a longer interval goes by the one before");
        assert!(after.may_start(HOUR, at(120)));
        assert!(!after.may_start(IsoDuration::hours(3), at(121)));
    }

    #[test]
    fn one_check_in_an_interval_is_given_back_and_the_next_one_when_it_is_over() {
        let second = |minutes| {
            let given_back = ManualChecks::default().started(at(0)).failed(at(0), FailureCode::EngineError, HOUR);
            given_back.started(at(minutes)).failed(at(minutes), FailureCode::BrowserCrashed, HOUR)
        };
        assert!(!second(59).may_start(HOUR, at(118)));
        assert!(second(59).may_start(HOUR, at(119)));
        assert!(second(60).may_start(HOUR, at(60)));
    }

    #[test]
    fn what_the_site_brought_about_and_what_is_no_longer_the_last_one_counts() {
        let started = ManualChecks::default().started(at(0));
        for code in [FailureCode::Dns, FailureCode::Unreachable, FailureCode::Timeout, FailureCode::LoginRequired] {
            assert_eq!(started.failed(at(0), code, HOUR), started, "{code}");
        }
        let later = started.started(at(90));
        assert_eq!(later.failed(at(0), FailureCode::WorkerLost, HOUR), later);
    }
}
