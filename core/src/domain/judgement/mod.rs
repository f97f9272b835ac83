//! Judgements: what a person decided about an element that a check found, for as long as the element stays as it was.
//!
//! A judgement is kept for the site and not for a check: it is joined to what a check found when that is read, so that neither
//! findings nor numbers change. It is about elements that fail, of which it accepts what [`AcceptReason`](super::AcceptReason)
//! names, or about elements that no program could judge.

mod element;
mod input;
mod judged;
mod traces;
mod verdict;

pub use self::{
    element::{JudgedElement, Reach},
    input::{Decision, JudgementInput},
    judged::{Judged, JudgementState, is_stale, judged, judged_by},
    traces::Traces,
    verdict::{Subject, Verdict},
};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::{Acceptance, Key};
use crate::id::{JudgementId, PersonId, SiteId, TeamId};

/// A decision of a person about an element of a site, or about all elements like it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The id.
    pub id: JudgementId,
    /// The team that owns the site.
    pub team: TeamId,
    /// The site.
    pub site: SiteId,
    /// The element, as it was when it was judged.
    pub element: JudgedElement,
    /// True if it is about this element alone.
    pub reach: Reach,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason in the words of the person: at most [`Judgement::MAX_NOTE`] characters.
    pub note: String,
    /// The last day on which it holds; `None` if it does not expire.
    pub until: Option<NaiveDate>,
    /// The person who decided; `None` if it was a program.
    pub person: Option<PersonId>,
    /// The author, in words: the person's name at that time, or the name of the program.
    pub author: String,
    /// The instant at which it was decided.
    pub at: DateTime<Utc>,
}

impl Judgement {
    /// The most judgements of a site.
    pub const MOST: u64 = 10_000;
    /// The fewest characters of a note about something that is accepted: enough for a reason, and too many for a dot.
    pub const MIN_NOTE: usize = 10;
    /// The most characters of a note.
    pub const MAX_NOTE: usize = 1_000;
    /// The most characters of an author's name that are kept.
    pub const MAX_AUTHOR: usize = 300;
    /// The longest time for which something can be accepted, except for what was no barrier.
    pub const LONGEST: TimeDelta = TimeDelta::days(731);
    /// The time for which something is accepted unless the person says otherwise.
    pub const USUAL: TimeDelta = TimeDelta::days(180);

    /// Returns the key of what it is about: a site has one judgement with it at most.
    pub fn subject(&self) -> Key {
        self.element.subject(self.verdict.subject(), self.reach)
    }

    /// Returns whether the last day has passed on `today`. On the day itself, it still holds.
    pub fn is_expired(&self, today: NaiveDate) -> bool {
        self.until.is_some_and(|until| until < today)
    }

    /// Returns it as reports show an accepted element; `None` if it accepts nothing.
    pub fn acceptance(&self) -> Option<Acceptance> {
        let reason = self.verdict.accepts()?;
        Some(Acceptance { reason: Some(reason), note: self.note.clone(), until: self.until })
    }
}

/// Returns judgements as they are kept together: of two with the same [subject](Judgement::subject), the later one.
pub fn without_repeated(judgements: Vec<Judgement>) -> Vec<Judgement> {
    let mut seen = std::collections::BTreeSet::new();
    let mut kept: Vec<Judgement> =
        judgements.into_iter().rev().filter(|judgement| seen.insert(judgement.subject())).collect();
    kept.reverse();
    kept
}

/// A judgement that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJudgement {
    /// The id.
    pub id: JudgementId,
    /// The element.
    pub element: JudgedElement,
    /// The verdict.
    pub decision: Decision,
    /// The person who decides; `None` if it is a program.
    pub person: Option<PersonId>,
    /// The author, in words.
    pub author: String,
}

impl NewJudgement {
    /// Returns the judgement as it is kept.
    pub fn at(self, team: TeamId, site: SiteId, at: DateTime<Utc>) -> Judgement {
        let Self { id, element, decision: Decision { verdict, reach, note, until }, person, author } = self;
        Judgement { id, team, site, element, reach, verdict, note, until, person, author, at }
    }
}
