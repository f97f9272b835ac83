//! The log of occurrences: what happened to checks.

use chrono::{DateTime, TimeDelta, Utc};

use super::{UnknownWord, stored_word::stored_words};
use crate::id::{ScanId, SiteId, TeamId};

/// An entry of the log of occurrences: something that happened to a check. It contains ids only; the outcome is read
/// from the check itself, which may have been deleted since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanEventEntry {
    /// The position of the entry in the order of all entries. Positions begin with 1 and have no gaps.
    pub position: u64,
    /// The kind of occurrence.
    pub kind: ScanEventKind,
    /// The team that owns the check.
    pub team: TeamId,
    /// The site that is checked.
    pub site: SiteId,
    /// The check.
    pub scan: ScanId,
}

impl ScanEventEntry {
    /// The time for which an entry is kept.
    pub const TERM: TimeDelta = TimeDelta::days(1);

    /// Returns the instant from which entries are kept at `now`: earlier ones have left the log.
    pub fn kept_since(now: DateTime<Utc>) -> DateTime<Utc> {
        now - Self::TERM
    }
}

/// The kind of something that happens to a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScanEventKind {
    /// A worker claimed the check. A check that is attempted again starts again.
    Started,
    /// The check completed.
    Completed,
    /// The check failed, and its worker reported the reason.
    Failed,
    /// The check failed because it lost its last worker.
    GivenUp,
    /// Something that only a later release knows.
    Unknown(UnknownWord),
}

stored_words!(ScanEventKind {
    Started = "started",
    Completed = "completed",
    Failed = "failed",
    GivenUp = "given_up",
});
