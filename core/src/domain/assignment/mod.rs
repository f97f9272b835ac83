//! Assignments: who of a team repairs what checks found, until when, and how far it is.
//!
//! An assignment is kept for the site and not for a check: it is joined to what a check found by the same keys as a
//! [`Judgement`](super::Judgement), when that is read. It changes neither findings nor numbers.

mod input;
mod joined;

pub use self::{
    input::{AssignmentInput, WorkChange},
    joined::{AssignedElements, assigned_by},
};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::{JudgedElement, Key, UnknownWord, stored_word::stored_words};
use crate::id::{AssignmentId, PersonId, ScanId, SiteId, TeamId};

/// The part of what was found that an assignment is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WorkScope {
    /// The one element.
    Element,
    /// All elements of the rule that one template repeats, on every page.
    Template,
    /// Everything that the rule finds on the site.
    Rule,
    /// One of a later release: it is about nothing.
    Unknown(UnknownWord),
}

stored_words!(WorkScope {
    Element = "element",
    Template = "template",
    Rule = "rule",
});

/// The state of the work of an assignment. People change it in any direction; a check changes it from done to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WorkState {
    /// Nobody has begun.
    Open,
    /// Somebody works on it.
    Doing,
    /// Somebody says that it is repaired.
    Done,
    /// One of a later release: it counts as unfinished.
    Unknown(UnknownWord),
}

stored_words!(WorkState {
    Open = "open",
    Doing = "doing",
    Done = "done",
});

/// Something to repair on a site, with the member who does it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The id.
    pub id: AssignmentId,
    /// The team that owns the site.
    pub team: TeamId,
    /// The site.
    pub site: SiteId,
    /// The element, as it was when it was assigned. Of a rule, it is an example.
    pub element: JudgedElement,
    /// The elements of the site that it is about.
    pub scope: WorkScope,
    /// The member who repairs it; `None` if nobody does, for example because the member left.
    pub assignee: Option<PersonId>,
    /// The state of the work.
    pub state: WorkState,
    /// The instant since which it is in that state.
    pub since: DateTime<Utc>,
    /// The due date: the last day on which the work is not overdue; `None` if there is none.
    pub due: Option<NaiveDate>,
    /// The check that found it again after it was done; `None` once a person has moved it on.
    pub reopened_by: Option<ScanId>,
    /// The name of who assigned it: the person's name at that time, or the name of a program.
    pub author: String,
    /// The instant at which it was assigned.
    pub at: DateTime<Utc>,
}

impl Assignment {
    /// The most assignments of a site, finished ones included.
    pub const MOST: u64 = 10_000;
    /// The longest time from today to a due date.
    pub const LONGEST: TimeDelta = TimeDelta::days(731);

    /// Returns the key of what it is about: a site has one assignment with it at most.
    pub fn subject(&self) -> Key {
        let JudgedElement { rule, keys, occurrence, .. } = &self.element;
        let scope = self.scope.as_str();
        match self.scope {
            WorkScope::Rule => Key::of(&["work", scope, rule.as_str()]),
            WorkScope::Template => Key::of(&["work", scope, keys.template.as_str()]),
            WorkScope::Element | WorkScope::Unknown(_) => {
                Key::of(&["work", scope, keys.tight.as_str(), keys.loose.as_str(), &occurrence.to_string()])
            }
        }
    }

    /// Returns whether there is something left to do.
    pub fn is_unfinished(&self) -> bool {
        self.state != WorkState::Done
    }

    /// Returns whether it should have been done before `today`.
    pub fn is_overdue(&self, today: NaiveDate) -> bool {
        self.is_unfinished() && self.due.is_some_and(|due| due < today)
    }

    /// Returns it as a person changed it at `now`. A state that is said again stays since when it is.
    #[must_use]
    pub fn changed(self, change: WorkChange, now: DateTime<Utc>) -> Self {
        let WorkChange { assignee, state, due } = change;
        let is_moved = state != self.state;
        let since = if is_moved { now } else { self.since };
        let reopened_by = self.reopened_by.filter(|_| !is_moved);
        Self { assignee, state, since, due, reopened_by, ..self }
    }

    /// Returns it as a check that began at `began` leaves it at `now`, which found what it is about: open again, if it was done
    /// before the check began; `None` if it stays as it is.
    #[must_use]
    pub fn reopened(self, by: ScanId, began: DateTime<Utc>, now: DateTime<Utc>) -> Option<Self> {
        let is_back = self.state == WorkState::Done && self.since <= began;
        is_back.then_some(Self { state: WorkState::Open, since: now, reopened_by: Some(by), ..self })
    }
}

/// An assignment that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAssignment {
    /// The id.
    pub id: AssignmentId,
    /// The element.
    pub element: JudgedElement,
    /// The elements of the site that it is about.
    pub scope: WorkScope,
    /// The assignee, the state and the due date.
    pub work: WorkChange,
    /// The name of who assigns it: a person's, or that of a program.
    pub author: String,
}

impl NewAssignment {
    /// Returns the assignment as it is kept.
    pub fn at(self, team: TeamId, site: SiteId, at: DateTime<Utc>) -> Assignment {
        let Self { id, element, scope, work: WorkChange { assignee, state, due }, author } = self;
        Assignment { id, team, site, element, scope, assignee, state, since: at, due, reopened_by: None, author, at }
    }
}

/// Returns assignments as they are kept together: of two with the same [subject](Assignment::subject), the later one.
pub fn without_repeated_assignments(assignments: Vec<Assignment>) -> Vec<Assignment> {
    let mut seen = std::collections::BTreeSet::new();
    let mut kept: Vec<Assignment> = assignments.into_iter().rev().filter(|one| seen.insert(one.subject())).collect();
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Finding, RuleId};

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + second, 0).unwrap()
    }

    fn assignment(state: WorkState) -> Assignment {
        let finding = Finding::new(RuleId::new("label"), 0, "https://shop.example/", "#a", "<input id=a>", "");
        let new = NewAssignment {
            id: AssignmentId::generate(at(0)),
            element: JudgedElement::of(&finding, "https://shop.example/", 0),
            scope: WorkScope::Template,
            work: WorkChange { assignee: Some(PersonId::generate(at(0))), state, due: None },
            author: "Jo".to_owned(),
        };
        new.at(TeamId::MIN, SiteId::MIN, at(0))
    }

    #[test]
    fn what_is_done_and_found_by_a_check_that_began_later_is_open_again() {
        let scan = ScanId::generate(at(5));
        let done = assignment(WorkState::Done);
        let again = done.clone().reopened(scan, at(5), at(9)).unwrap();
        assert_eq!((again.state, again.since, again.reopened_by), (WorkState::Open, at(9), Some(scan)));
        assert_eq!(again.assignee, done.assignee, "it stays with who has it");
        assert_eq!(done.reopened(scan, at(-1), at(9)), None, "the check looked before it was done");
        assert_eq!(assignment(WorkState::Doing).reopened(scan, at(5), at(9)), None);
        let moved = again.clone().changed(WorkChange { assignee: None, state: WorkState::Doing, due: None }, at(10));
        assert_eq!((moved.since, moved.reopened_by), (at(10), None));
        let given = again.clone().changed(WorkChange { assignee: None, state: WorkState::Open, due: None }, at(10));
        assert_eq!((given.since, given.reopened_by), (at(9), Some(scan)), "it is still the same work");
    }

    #[test]
    fn a_site_has_one_assignment_for_a_rule_whatever_the_example() {
        let mut first = assignment(WorkState::Open);
        first.scope = WorkScope::Rule;
        let other = Finding::new(RuleId::new("label"), 0, "https://shop.example/b", "#b", "<input id=b>", "");
        let mut second = first.clone();
        second.element = JudgedElement::of(&other, "https://shop.example/b", 0);
        assert_eq!(first.subject(), second.subject());
        second.scope = WorkScope::Element;
        first.scope = WorkScope::Element;
        assert_ne!(first.subject(), second.subject());
        assert_eq!(without_repeated_assignments(vec![first.clone(), second.clone(), first.clone()]), [second, first]);
    }

    #[test]
    fn what_is_done_is_never_overdue() {
        let day = at(0).date_naive();
        let mut open = assignment(WorkState::Open);
        assert!(!open.is_overdue(day));
        open.due = Some(day);
        assert!(!open.is_overdue(day) && open.is_overdue(day + TimeDelta::days(1)));
        open.state = WorkState::Done;
        assert!(!open.is_overdue(day + TimeDelta::days(1)));
    }
}
