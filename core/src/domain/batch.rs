//! Batches: many decisions or assignments that a person made at once, and can undo for a while.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::{Assignment, Judgement, Key, WorkChange};
use crate::id::{AssignmentId, BatchId, JudgementId, SiteId, TeamId};

/// Judgements or assignments that were made at once. They can be undone together until [`Batch::undo_until`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The id.
    pub id: BatchId,
    /// The team that owns the site.
    pub team: TeamId,
    /// The site.
    pub site: SiteId,
    /// The number of judgements or assignments that were made.
    pub count: u64,
    /// The instant at which they were made.
    pub at: DateTime<Utc>,
}

impl Batch {
    /// The greatest number of judgements or assignments of a batch.
    pub const MOST: usize = 5_000;
    /// The time for which a batch can be undone.
    pub const TERM: TimeDelta = TimeDelta::minutes(10);

    /// Returns the last instant at which it can be undone.
    pub fn undo_until(&self) -> DateTime<Utc> {
        self.at + Self::TERM
    }

    /// Returns whether the time to undo it is over.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        now > self.undo_until()
    }
}

/// The result of undoing a batch, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undone {
    /// The number of judgements or assignments that are as they were before the batch.
    pub undone: u64,
    /// The number of those that somebody has changed since, and that were left as they are.
    pub kept: u64,
}

/// The content of a batch, with the judgements or assignments that it replaced: everything that is needed to undo it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchContent {
    /// Judgements, each with those that it replaced.
    Judgements(Vec<(JudgementId, Vec<Judgement>)>),
    /// Assignments of the same work, each with the one that it replaced.
    Assignments {
        /// The assignee, the state and the due date of all of them.
        work: WorkChange,
        /// The assignments.
        made: Vec<(AssignmentId, Option<Assignment>)>,
    },
}

impl BatchContent {
    /// Returns what a batch of judgements made, given those whose place they took; `named` says which were named with which.
    pub fn of_judgements(
        new: &[Judgement],
        replaced: &[Judgement],
        named: &BTreeMap<JudgementId, JudgementId>,
    ) -> Self {
        let mut of_subject: BTreeMap<Key, usize> = BTreeMap::new();
        let mut of_id: BTreeMap<JudgementId, usize> = BTreeMap::new();
        let mut made: Vec<(JudgementId, Vec<Judgement>)> = Vec::with_capacity(new.len());
        for (place, judgement) in new.iter().enumerate() {
            of_subject.insert(judgement.subject(), place);
            if let Some(other) = named.get(&judgement.id) {
                of_id.entry(*other).or_insert(place);
            }
            made.push((judgement.id, Vec::new()));
        }
        for judgement in replaced {
            let place = of_subject.get(&judgement.subject()).or_else(|| of_id.get(&judgement.id));
            if let Some((_, before)) = place.and_then(|place| made.get_mut(*place)) {
                before.push(judgement.clone());
            }
        }
        Self::Judgements(made)
    }

    /// Returns what a batch of assignments of the same work made, given those whose place they took; `None` if there are none.
    pub fn of_assignments(new: &[Assignment], replaced: Vec<Assignment>) -> Option<Self> {
        let first = new.first()?;
        let work = WorkChange { assignee: first.assignee, state: first.state, due: first.due };
        let mut before: BTreeMap<Key, Assignment> = replaced.into_iter().map(|one| (one.subject(), one)).collect();
        let made = new.iter().map(|one| (one.id, before.remove(&one.subject()))).collect();
        Some(Self::Assignments { work, made })
    }
}

/// The changes with which a batch is undone, to the judgements or assignments of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undoing<I, T> {
    /// The ids of those that are removed.
    pub removed: Vec<I>,
    /// Those that are restored, exactly as they were.
    pub restored: Vec<T>,
    /// The result in numbers.
    pub undone: Undone,
}

/// Returns what undoes judgements that were made at once, given all judgements of the site as they are now. One that is not there any
/// more was changed or taken back by somebody, and what somebody decided about the same since is not overwritten.
pub fn undo_judgements(made: &[(JudgementId, Vec<Judgement>)], now: &[Judgement]) -> Undoing<JudgementId, Judgement> {
    let own: BTreeSet<JudgementId> = made.iter().map(|(id, _)| *id).collect();
    let there: BTreeSet<JudgementId> = now.iter().map(|judgement| judgement.id).collect();
    let mut taken: BTreeSet<Key> =
        now.iter().filter(|judgement| !own.contains(&judgement.id)).map(Judgement::subject).collect();
    let mut undoing = Undoing { removed: Vec::new(), restored: Vec::new(), undone: Undone { undone: 0, kept: 0 } };
    for (id, before) in made {
        if !there.contains(id) {
            undoing.undone.kept += 1;
            continue;
        }
        undoing.removed.push(*id);
        let restored: Vec<&Judgement> = before.iter().filter(|judgement| taken.insert(judgement.subject())).collect();
        if restored.len() == before.len() {
            undoing.undone.undone += 1;
        } else {
            undoing.undone.kept += 1;
        }
        undoing.restored.extend(restored.into_iter().cloned());
    }
    undoing
}

/// Returns what undoes assignments that were made at once at `at`, given all assignments of the site as they are now. One that somebody
/// or a check has moved since, or that is not there any more, stays as it is.
pub fn undo_assignments(
    work: WorkChange,
    made: &[(AssignmentId, Option<Assignment>)],
    at: DateTime<Utc>,
    now: &[Assignment],
) -> Undoing<AssignmentId, Assignment> {
    let there: BTreeMap<AssignmentId, &Assignment> = now.iter().map(|one| (one.id, one)).collect();
    let mut undoing = Undoing { removed: Vec::new(), restored: Vec::new(), undone: Undone { undone: 0, kept: 0 } };
    for (id, before) in made {
        let is_as_made = there.get(id).is_some_and(|one| {
            (one.assignee, one.state, one.due) == (work.assignee, work.state, work.due)
                && one.since == at
                && one.reopened_by.is_none()
        });
        if is_as_made {
            undoing.removed.push(*id);
            undoing.restored.extend(before.clone());
            undoing.undone.undone += 1;
        } else {
            undoing.undone.kept += 1;
        }
    }
    undoing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Finding, JudgedElement, Reach, RuleId, Verdict, WorkScope, WorkState};

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + second, 0).unwrap()
    }

    fn element(selector: &str) -> JudgedElement {
        let finding = Finding::new(RuleId::new("label"), 0, "https://shop.example/", selector, "<input>", "");
        JudgedElement::of(&finding, "https://shop.example/", 0)
    }

    fn judgement(selector: &str, second: i64) -> Judgement {
        Judgement {
            id: JudgementId::generate(at(second)),
            team: TeamId::MIN,
            site: SiteId::MIN,
            element: element(selector),
            reach: Reach::Element,
            verdict: Verdict::Planned,
            note: "The new header comes in May.".to_owned(),
            until: None,
            person: None,
            author: "Jo".to_owned(),
            at: at(second),
        }
    }

    #[test]
    fn what_nobody_touched_is_as_it_was_and_what_somebody_decided_since_stays() {
        let (before, renamed, new, changed) =
            (judgement("#a", 0), judgement("#old", 1), judgement("#a", 2), judgement("#b", 2));
        let made = [(new.id, vec![before.clone(), renamed.clone()]), (changed.id, Vec::new())];
        let later = judgement("#b", 3);
        let undoing = undo_judgements(&made, &[new.clone(), later.clone()]);
        assert_eq!((undoing.removed, undoing.restored), (vec![new.id], vec![before.clone(), renamed.clone()]));
        assert_eq!(undoing.undone, Undone { undone: 1, kept: 1 });
        // Somebody decided about the former place of a renamed element.
        let undoing = undo_judgements(&made[..1], &[new.clone(), judgement("#old", 4)]);
        assert_eq!((undoing.restored, undoing.undone), (vec![before], Undone { undone: 0, kept: 1 }));
    }

    #[test]
    fn an_assignment_that_was_moved_since_stays_as_it_is() {
        let work = WorkChange { assignee: None, state: WorkState::Open, due: None };
        let assignment = |selector: &str, second| Assignment {
            id: AssignmentId::generate(at(second)),
            team: TeamId::MIN,
            site: SiteId::MIN,
            element: element(selector),
            scope: WorkScope::Element,
            assignee: None,
            state: WorkState::Open,
            since: at(second),
            due: None,
            reopened_by: None,
            author: "Jo".to_owned(),
            at: at(second),
        };
        let (before, first, second) = (assignment("#a", 0), assignment("#a", 5), assignment("#b", 5));
        let made = [(first.id, Some(before.clone())), (second.id, None)];
        let moved = second.clone().changed(WorkChange { state: WorkState::Done, ..work }, at(6));
        let undoing = undo_assignments(work, &made, at(5), &[first.clone(), moved]);
        assert_eq!((undoing.removed, undoing.restored), (vec![first.id], vec![before]));
        assert_eq!(undoing.undone, Undone { undone: 1, kept: 1 });
        assert_eq!(undo_assignments(work, &made, at(5), &[first]).undone.kept, 1, "one that is gone");
    }

    #[test]
    fn a_batch_can_be_undone_for_ten_minutes() {
        let batch = Batch { id: BatchId::generate(at(0)), team: TeamId::MIN, site: SiteId::MIN, count: 1, at: at(0) };
        assert!(!batch.is_over(at(600)) && batch.is_over(at(601)));
    }
}
