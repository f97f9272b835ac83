//! Instants and lengths of time on pages.

use chrono::{DateTime, TimeDelta, Utc};

/// An instant, for a `time` element: for programs, and for people in the form that all languages share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant(DateTime<Utc>);

impl Instant {
    pub(crate) const fn of(at: DateTime<Utc>) -> Self {
        Self(at)
    }

    /// Returns the instant for programs.
    pub(crate) fn machine(&self) -> String {
        self.0.format("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// Returns the instant for people, in UTC.
    pub(crate) fn shown(&self) -> String {
        self.0.format("%Y-%m-%d %H:%M").to_string()
    }
}

/// Returns a length of time as `3:05:09` or `5:09`.
pub(crate) fn clock(length: TimeDelta) -> String {
    let seconds = length.num_seconds().max(0);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}
