//! A check of a site.

use chrono::{DateTime, Months, Utc};
use serde::{Deserialize, Serialize};

use super::{DiffSummary, Engine, ScanState, ScanStatus, Totals, UnknownWord, stored_word::stored_words};
use crate::id::{ScanId, SiteId, TeamId};

/// A check of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// Its id.
    pub id: ScanId,
    /// Whose it is.
    pub team: TeamId,
    /// What is checked.
    pub site: SiteId,
    /// Who started it.
    pub kind: ScanKind,
    /// The plan's number of pages when the check was queued.
    pub pages_requested: u32,
    /// When it was queued.
    pub queued_at: DateTime<Utc>,
    /// How far it has come.
    pub state: ScanState,
    /// Whether an express report was bought for it, which opens all exports.
    pub express: bool,
}

impl Scan {
    /// The state's name.
    pub const fn status(&self) -> ScanStatus {
        self.state.status()
    }

    /// What it found, once completed.
    pub const fn outcome(&self) -> Option<&Outcome> {
        match &self.state {
            ScanState::Completed { outcome, .. } => Some(outcome),
            ScanState::Queued | ScanState::Running { .. } | ScanState::Failed { .. } => None,
        }
    }

    /// When it completed or failed.
    pub const fn finished_at(&self) -> Option<DateTime<Utc>> {
        match &self.state {
            ScanState::Completed { finished_at, .. } | ScanState::Failed { finished_at, .. } => Some(*finished_at),
            ScanState::Queued | ScanState::Running { .. } => None,
        }
    }
}

/// Who started a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScanKind {
    /// The service: by schedule, or because the site is new.
    Scheduled,
    /// A user.
    Manual,
    /// A later release, in a way of its own. It is no manual check: it uses up nobody's interval.
    Unknown(UnknownWord),
}

stored_words!(ScanKind {
    Scheduled = "scheduled",
    Manual = "manual",
});

/// What a completed check found, in numbers: all that lists and events show, without the findings themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Pages taken up, failed ones included.
    pub pages_scanned: u32,
    /// Problem elements.
    pub totals: Totals,
    /// What changed since the previous completed check.
    pub diff: DiffSummary,
    /// What checked.
    pub engine: Engine,
}

/// Whether a team still sees a check: while it is active, while it was queued no longer than the plan's history ago, and
/// as long as it is the latest completed one of its site.
pub fn is_in_history(scan: &Scan, is_latest_completed: bool, history_months: u32, now: DateTime<Utc>) -> bool {
    let oldest = now.checked_sub_months(Months::new(history_months)).unwrap_or(DateTime::<Utc>::MIN_UTC);
    is_latest_completed || scan.state.is_active() || scan.queued_at >= oldest
}
