//! Checks of sites.

use chrono::{DateTime, Months, Utc};
use serde::{Deserialize, Serialize};

use super::{Depth, DiffSummary, ScanState, ScanStatus, Tool, Totals, UnknownWord, stored_word::stored_words};
use crate::id::{ScanId, SiteId, TeamId};

/// A check of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// The id of the check.
    pub id: ScanId,
    /// The team that owns it.
    pub team: TeamId,
    /// The site that is checked.
    pub site: SiteId,
    /// The kind of the check, that is, who started it.
    pub kind: ScanKind,
    /// The number of pages of the plan when the check was queued.
    pub pages_requested: u32,
    /// The instant at which it was queued.
    pub queued_at: DateTime<Utc>,
    /// The state.
    pub state: ScanState,
    /// True if an express report was bought for the check, which permits all exports.
    pub express: bool,
    /// The depth that was asked for when the check was queued. [`Depth::of`] decides the actual one when the check
    /// begins.
    pub depth: Depth,
}

impl Scan {
    /// Returns the name of the state.
    pub const fn status(&self) -> ScanStatus {
        self.state.status()
    }

    /// Returns the outcome of a completed check.
    pub const fn outcome(&self) -> Option<&Outcome> {
        match &self.state {
            ScanState::Completed { outcome, .. } => Some(outcome),
            ScanState::Queued | ScanState::Running { .. } | ScanState::Failed { .. } => None,
        }
    }

    /// Returns the instant at which the check completed or failed; `None` before that.
    pub const fn finished_at(&self) -> Option<DateTime<Utc>> {
        match &self.state {
            ScanState::Completed { finished_at, .. } | ScanState::Failed { finished_at, .. } => Some(*finished_at),
            ScanState::Queued | ScanState::Running { .. } => None,
        }
    }
}

/// The kind of a check: who started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScanKind {
    /// Started by the service: by schedule, or because the site is new.
    Scheduled,
    /// Started by a user.
    Manual,
    /// Started in a way that only a later release knows. It is not a manual check: it does not begin a manual check
    /// interval.
    Unknown(UnknownWord),
}

stored_words!(ScanKind {
    Scheduled = "scheduled",
    Manual = "manual",
});

impl ScanKind {
    /// Returns the depth that checks of this kind have unless another one was asked for.
    pub const fn usual_depth(self) -> Depth {
        match self {
            Self::Scheduled => Depth::Incremental,
            // Somebody who asks for a check wants to know how the site is now.
            Self::Manual | Self::Unknown(_) => Depth::Full,
        }
    }

    /// Returns the depth that was asked for a check of this kind, from the flag that stores keep. It is `None` for
    /// checks that a release without depths has stored: these have the [usual](Self::usual_depth) depth.
    pub const fn stored_depth(self, is_incremental: Option<bool>) -> Depth {
        match is_incremental {
            Some(true) => Depth::Incremental,
            Some(false) => Depth::Full,
            None => self.usual_depth(),
        }
    }
}

/// The findings of a completed check in numbers: all that lists and events show, without the findings themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The number of pages that were visited, including failed ones, without dead links.
    pub pages_scanned: u32,
    /// The number of problem elements.
    pub totals: Totals,
    /// The changes since the previous completed check.
    pub diff: DiffSummary,
    /// The engine that judged the pages.
    pub engine: Tool,
}

impl Outcome {
    /// Returns the outcome of a check by `engine` that visited this number of pages.
    pub const fn new(pages_scanned: u32, totals: Totals, diff: DiffSummary, engine: Tool) -> Self {
        Self { pages_scanned, totals, diff, engine }
    }
}

/// Returns whether a team still sees a check: while it is active, if it was queued no longer ago than the plan's
/// history, and if it is the latest completed check of its site.
pub fn is_in_history(scan: &Scan, is_latest_completed: bool, history_months: u32, now: DateTime<Utc>) -> bool {
    let oldest = now.checked_sub_months(Months::new(history_months)).unwrap_or(DateTime::<Utc>::MIN_UTC);
    is_latest_completed || scan.state.is_active() || scan.queued_at >= oldest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_check_has_the_depth_that_was_asked_for_and_one_of_an_earlier_release_that_of_its_kind() {
        let later = ScanKind::from_stored("imported").unwrap();
        for kind in [ScanKind::Scheduled, ScanKind::Manual, later] {
            for depth in [Depth::Full, Depth::Incremental] {
                assert_eq!(kind.stored_depth(Some(depth.is_incremental())), depth, "{kind:?}");
            }
        }
        assert_eq!(ScanKind::Scheduled.stored_depth(None), Depth::Incremental);
        assert_eq!((ScanKind::Manual.stored_depth(None), later.stored_depth(None)), (Depth::Full, Depth::Full));
    }
}
