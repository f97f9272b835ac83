//! Fixed windows for counting requests: contract §4.1 and decision 0005.

use chrono::{DateTime, TimeDelta, Utc};

/// A counter: a window that begins with its first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateWindow {
    /// The instant at which the window began.
    pub started_at: DateTime<Utc>,
    /// The number of requests that were counted in it.
    pub used: u32,
}

impl RateWindow {
    /// The length of a window.
    pub const LENGTH: TimeDelta = TimeDelta::seconds(60);

    /// Returns the window of a request at `now`: `window` while it lasts, or else a new one.
    pub fn current(window: Option<Self>, now: DateTime<Utc>) -> Self {
        match window {
            Some(window) if now < window.ends_at() => window,
            _ => Self { started_at: now, used: 0 },
        }
    }

    /// Returns the first instant that is no longer in the window.
    pub fn ends_at(&self) -> DateTime<Utc> {
        self.started_at + Self::LENGTH
    }
}

/// The kind of response that a request asks for, which decides the counters in which it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestClass {
    /// Anything but a file, which is counted in the general counter.
    General,
    /// A PDF, an export or an ACR, which is counted in the general counter and in that for files.
    File,
}

/// The number of requests that a window admits, by counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimits {
    /// The limit of requests of any kind.
    pub general: u32,
    /// The limit of requests for files.
    pub files: u32,
}

impl RateLimits {
    /// Returns the limits of requests of any kind, and of requests for files among them.
    pub const fn new(general: u32, files: u32) -> Self {
        Self { general, files }
    }
}

/// The counters of a token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RateCounters {
    /// The counter of requests of any kind.
    pub general: Option<RateWindow>,
    /// The counter of requests for files.
    pub files: Option<RateWindow>,
}

/// The decision of the counters about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateDecision {
    /// The limit of the counter that has the least left (the general one on a tie); if the request is refused, that of
    /// the exceeded counter.
    pub limit: u32,
    /// The number of requests that this counter has left after this one.
    pub remaining: u32,
    /// The instant from which a refused request may be repeated; `None` if it is admitted.
    pub retry_at: Option<DateTime<Utc>>,
}

impl RateDecision {
    /// Returns whether the request is admitted.
    pub const fn is_admitted(&self) -> bool {
        self.retry_at.is_none()
    }

    /// Returns the whole seconds, at least 1, from `now` until a refused request may be repeated; `None` if it is
    /// admitted.
    pub fn retry_after(&self, now: DateTime<Utc>) -> Option<u64> {
        let left = self.retry_at? - now;
        let whole = left.num_seconds() + i64::from(left.subsec_nanos() > 0);
        Some(u64::try_from(whole).unwrap_or(0).max(1))
    }
}

impl RateCounters {
    /// Returns the instant at which a request that arrives at `now` counts: `now` or, if a window has begun since then,
    /// the latest beginning of one. A request can find such a window where another node began it while the request
    /// waited for its turn, or where a clock was set back. [`give_back`](Self::give_back) needs this instant.
    pub fn counts_at(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        [self.general, self.files].into_iter().flatten().map(|window| window.started_at).fold(now, Ord::max)
    }

    /// Checks a request that arrives at `now` against its counters and counts it, at the instant that
    /// [`counts_at`](Self::counts_at) says, in all of them or, if one is used up, in none.
    pub fn admit(&mut self, class: RequestClass, limits: RateLimits, now: DateTime<Utc>) -> RateDecision {
        let now = self.counts_at(now);
        let general = RateWindow::current(self.general, now);
        let mut asked = vec![(general, limits.general)];
        if class == RequestClass::File {
            asked.push((RateWindow::current(self.files, now), limits.files));
        }
        if let Some((window, limit)) = asked.iter().find(|(window, limit)| window.used >= *limit) {
            return RateDecision { limit: *limit, remaining: 0, retry_at: Some(window.ends_at()) };
        }
        for (window, _) in &mut asked {
            window.used += 1;
        }
        self.general = Some(asked[0].0);
        if let Some((files, _)) = asked.get(1) {
            self.files = Some(*files);
        }
        // `min_by_key` returns the first of equal elements: the general counter.
        let (limit, remaining) = asked
            .iter()
            .map(|(window, limit)| (*limit, limit - window.used))
            .min_by_key(|(_, remaining)| *remaining)
            .unwrap_or_default();
        RateDecision { limit, remaining, retry_at: None }
    }

    /// Removes a request that was counted at `counted_at`, as [`counts_at`](Self::counts_at) says, from its counters
    /// again, never below zero, and from each counter only if the window in which it was counted still lasts: a window that has begun since then has not
    /// counted it.
    pub fn give_back(&mut self, class: RequestClass, counted_at: DateTime<Utc>) {
        let files = self.files.as_mut().filter(|_| class == RequestClass::File);
        for window in self.general.as_mut().into_iter().chain(files) {
            if window.started_at <= counted_at && counted_at < window.ends_at() {
                window.used = window.used.saturating_sub(1);
            }
        }
    }

    /// Returns what is left for requests of this class at `now`, without counting one.
    pub fn left(&self, class: RequestClass, limits: RateLimits, now: DateTime<Utc>) -> RateDecision {
        let left = |window, limit: u32| (limit, limit.saturating_sub(RateWindow::current(window, now).used));
        let general = left(self.general, limits.general);
        let files = left(self.files, limits.files);
        let (limit, remaining) = if class == RequestClass::File && files.1 < general.1 { files } else { general };
        RateDecision { limit, remaining, retry_at: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: RateLimits = RateLimits { general: 60, files: 20 };

    #[test]
    fn the_first_answer_says_59_and_the_61st_request_is_refused_until_the_window_ends() {
        let start = Utc::now();
        let mut counters = RateCounters::default();
        assert_eq!(counters.admit(RequestClass::General, LIMITS, start).remaining, 59);
        for _ in 0..59 {
            assert!(counters.admit(RequestClass::General, LIMITS, start + TimeDelta::seconds(20)).is_admitted());
        }
        let late = start + TimeDelta::milliseconds(59_100);
        let refused = counters.admit(RequestClass::General, LIMITS, late);
        assert_eq!((refused.limit, refused.remaining, refused.retry_at), (60, 0, Some(start + TimeDelta::seconds(60))));
        assert_eq!(refused.retry_after(late), Some(1));
        let reopened = counters.admit(RequestClass::General, LIMITS, start + TimeDelta::seconds(60));
        assert_eq!((reopened.remaining, reopened.retry_at), (59, None));
    }

    #[test]
    fn a_refused_file_is_counted_nowhere_and_shows_the_counter_that_refused_it() {
        let now = Utc::now();
        let mut counters = RateCounters::default();
        for _ in 0..20 {
            assert!(counters.admit(RequestClass::File, LIMITS, now).is_admitted());
        }
        assert_eq!(counters.admit(RequestClass::File, LIMITS, now).limit, 20);
        assert_eq!(counters.admit(RequestClass::General, LIMITS, now).remaining, 39);
    }

    #[test]
    fn a_file_shows_the_counter_with_less_left_and_the_general_one_on_a_tie() {
        let now = Utc::now();
        let mut counters = RateCounters::default();
        let first = counters.admit(RequestClass::File, LIMITS, now);
        assert_eq!((first.limit, first.remaining), (20, 19));
        for _ in 0..40 {
            counters.admit(RequestClass::General, LIMITS, now);
        }
        let tied = counters.admit(RequestClass::File, LIMITS, now);
        assert_eq!((tied.limit, tied.remaining), (60, 18));
    }

    #[test]
    fn a_request_that_was_not_served_is_given_back_to_the_windows_that_counted_it_and_to_no_later_one() {
        let start = Utc::now();
        let mut counters = RateCounters::default();
        assert_eq!(counters.admit(RequestClass::General, LIMITS, start).remaining, 59);
        let counted_at = start + TimeDelta::seconds(40);
        assert_eq!(counters.admit(RequestClass::File, LIMITS, counted_at).remaining, 19);
        let mut given_back = counters;
        given_back.give_back(RequestClass::File, counted_at);
        assert_eq!(given_back.left(RequestClass::File, LIMITS, counted_at).remaining, 20);
        assert_eq!(
            given_back.left(RequestClass::General, LIMITS, counted_at).remaining,
            59,
            "the other one stays counted"
        );
        for _ in 0..3 {
            given_back.give_back(RequestClass::File, counted_at);
        }
        assert_eq!(given_back.left(RequestClass::General, LIMITS, counted_at).remaining, 60, "never below zero");

        // The general window is renewed at 60 s; that of files lasts until 100 s.
        let later = start + TimeDelta::seconds(70);
        assert_eq!(counters.admit(RequestClass::File, LIMITS, later).remaining, 18);
        counters.give_back(RequestClass::File, counted_at);
        let left = |class| counters.left(class, LIMITS, later).remaining;
        assert_eq!((left(RequestClass::General), left(RequestClass::File)), (59, 19));
    }

    #[test]
    fn a_request_that_arrived_before_the_windows_that_count_it_is_given_back_to_them() {
        let start = Utc::now();
        let mut counters = RateCounters::default();
        counters.admit(RequestClass::General, LIMITS, start);
        let files_start = start + TimeDelta::milliseconds(5);
        counters.admit(RequestClass::File, LIMITS, files_start);
        for arrived_at in [start - TimeDelta::seconds(1), start + TimeDelta::milliseconds(2)] {
            let counted_at = counters.counts_at(arrived_at);
            assert_eq!(counted_at, files_start);
            let before = counters;
            assert!(counters.admit(RequestClass::File, LIMITS, arrived_at).is_admitted());
            counters.give_back(RequestClass::File, counted_at);
            assert_eq!(counters, before);
        }
        let later = start + TimeDelta::seconds(1);
        assert_eq!(counters.counts_at(later), later);
    }
}
