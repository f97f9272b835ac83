//! Links that show one report to whoever has them.

use chrono::{DateTime, TimeDelta, Utc};

use super::SecretHash;
use crate::id::{ScanId, ShareId, TeamId};

/// The permission to show reports of a team to whoever has a link. Off until an owner switches it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sharing {
    /// Links can be made, and lead to their reports.
    On,
    /// No link can be made, and none leads anywhere.
    #[default]
    Off,
}

impl Sharing {
    /// Returns whether links lead to reports.
    pub const fn is_on(self) -> bool {
        matches!(self, Self::On)
    }

    /// Returns what a stored flag means.
    pub const fn from_flag(is_on: bool) -> Self {
        if is_on { Self::On } else { Self::Off }
    }
}

/// A link to the report of one check, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedReport {
    /// The id of the link, which is not its secret.
    pub id: ShareId,
    /// The team.
    pub team: TeamId,
    /// The check.
    pub scan: ScanId,
    /// The person who made it, in words: for members of the team, and not for who follows it.
    pub made_by: String,
    /// The instant at which it was made.
    pub created_at: DateTime<Utc>,
    /// The instant from which it leads nowhere.
    pub ends_at: DateTime<Utc>,
}

impl SharedReport {
    /// The longest time for which a link is valid.
    pub const LONGEST: TimeDelta = TimeDelta::days(90);
    /// The most links of a team that are valid.
    pub const MOST: u64 = 200;

    /// Returns whether it leads nowhere any more.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        self.ends_at <= now
    }
}

/// A link to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSharedReport {
    /// The id of the link.
    pub id: ShareId,
    /// The check.
    pub scan: ScanId,
    /// The hash under which it is stored and looked up.
    pub hash: SecretHash,
    /// The person who makes it, in words.
    pub made_by: String,
    /// For how long it is valid: at most [`SharedReport::LONGEST`], beyond which it is cut.
    pub term: TimeDelta,
}

impl NewSharedReport {
    /// Returns the link as it is made now.
    pub fn at(self, team: TeamId, now: DateTime<Utc>) -> SharedReport {
        let Self { id, scan, hash: _, made_by, term } = self;
        let ends_at = now + term.min(SharedReport::LONGEST);
        SharedReport { id, team, scan, made_by, created_at: now, ends_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::PlainSecret;

    #[test]
    fn a_link_is_over_after_ninety_days_at_the_latest() {
        let now = Utc::now();
        let new = |days| NewSharedReport {
            id: ShareId::generate(now),
            scan: ScanId::generate(now),
            hash: PlainSecret::generate().hash(),
            made_by: "Jo".to_owned(),
            term: TimeDelta::days(days),
        };
        for (days, last) in [(7, 7), (90, 90), (4_000, 90)] {
            let link = new(days).at(TeamId::generate(now), now);
            assert!(!link.is_over(now + TimeDelta::days(last) - TimeDelta::microseconds(1)));
            assert!(link.is_over(now + TimeDelta::days(last)), "{days}");
        }
        assert!(!Sharing::default().is_on());
    }
}
