//! Assignments.

use std::collections::BTreeSet;

use a11ycheck_core::{
    domain::{Assignment, Key, NewAssignment, NewAuditRecord, Site, WorkChange, without_repeated_assignments},
    id::{AssignmentId, PersonId, ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{AssignError, AssignmentFilter, AssignmentStore, Progress, StoreError, Whose},
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

use crate::{
    MemoryStore,
    db::state::{State, copied, taken},
};

#[async_trait]
impl AssignmentStore for MemoryStore {
    async fn put_assignments(
        &self,
        team: TeamId,
        site: SiteId,
        assignments: Vec<NewAssignment>,
        audit: NewAuditRecord,
    ) -> Result<Vec<Assignment>, AssignError> {
        self.step(|state, now| {
            if state.site(team, site).is_none() {
                return Err(AssignError::NotFound);
            }
            let new =
                without_repeated_assignments(assignments.into_iter().map(|one| one.at(team, site, now)).collect());
            if new.is_empty() {
                return Ok(new);
            }
            replace(state, team, site, &new)?;
            state.people.append(audit, now);
            Ok(new)
        })
    }

    async fn change_assignment(
        &self,
        team: TeamId,
        assignment: AssignmentId,
        change: WorkChange,
        audit: NewAuditRecord,
    ) -> Result<Assignment, AssignError> {
        self.step(|state, now| {
            let before = assignment_of(state, team, assignment).cloned().ok_or(AssignError::NotFound)?;
            if !is_possible(state, team, change.assignee) {
                return Err(AssignError::NotMember);
            }
            let changed = before.changed(change, now);
            state.assignments.insert(assignment, changed.clone());
            state.people.append(audit, now);
            Ok(changed)
        })
    }

    async fn remove_assignment(
        &self,
        team: TeamId,
        assignment: AssignmentId,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.step(|state, now| {
            let is_there = assignment_of(state, team, assignment).is_some();
            if is_there {
                state.assignments.remove(&assignment);
                state.people.append(audit, now);
            }
            Ok(is_there)
        })
    }

    async fn reopen_assignments(
        &self,
        team: TeamId,
        scan: ScanId,
        began: DateTime<Utc>,
        found: Vec<(AssignmentId, NewAuditRecord)>,
    ) -> Result<Vec<Assignment>, StoreError> {
        self.step(|state, now| {
            let mut reopened = Vec::new();
            for (id, audit) in found {
                let before = assignment_of(state, team, id).cloned();
                if let Some(again) = before.and_then(|before| before.reopened(scan, began, now)) {
                    state.assignments.insert(id, again.clone());
                    state.people.append(audit, now);
                    reopened.push(again);
                }
            }
            Ok(reopened)
        })
    }

    async fn assignment(&self, team: TeamId, assignment: AssignmentId) -> Result<Option<Assignment>, StoreError> {
        self.step(|state, _| Ok(assignment_of(state, team, assignment).cloned()))
    }

    async fn assignments(
        &self,
        team: TeamId,
        filter: AssignmentFilter,
        page: PageRequest,
    ) -> Result<Page<Assignment>, StoreError> {
        self.step(|state, _| {
            let of_team = state.assignments.values().filter(|one| one.team == team);
            let mut found: Vec<&Assignment> = of_team.filter(|one| is_meant(one, filter)).collect();
            found.sort_unstable_by_key(|one| (one.due.unwrap_or(NaiveDate::MAX), one.due.is_none(), one.at, one.id));
            Ok(copied(Page::cut(found.into_iter(), page)))
        })
    }

    async fn all_assignments(&self, team: TeamId, site: SiteId) -> Result<Vec<Assignment>, StoreError> {
        self.step(|state, _| {
            let of_site = state.assignments_of(site).filter(|one| one.team == team);
            Ok(of_site.cloned().collect())
        })
    }

    async fn unfinished_assignments(&self, team: TeamId, person: PersonId) -> Result<u64, StoreError> {
        self.step(|state, _| {
            let filter = AssignmentFilter { site: None, whose: Whose::Person(person), progress: Progress::Unfinished };
            let of_team = state.assignments.values().filter(|one| one.team == team);
            Ok(of_team.filter(|one| is_meant(one, filter)).count() as u64)
        })
    }

    async fn assigned_sites(&self, team: TeamId) -> Result<Vec<Site>, StoreError> {
        self.step(|state, _| {
            let assigned: BTreeSet<SiteId> = state.assignments.values().map(|one| one.site).collect();
            let listed = state.teams.get(&team).into_iter().flat_map(|row| &row.sites);
            let rows = listed.filter(|(_, id)| assigned.contains(id)).filter_map(|(_, id)| state.sites.get(id));
            Ok(rows.map(|row| row.site.clone()).collect())
        })
    }
}

/// Keeps assignments about a site, in place of those with the same subjects; returns those whose place they take.
pub(crate) fn replace(
    state: &mut State,
    team: TeamId,
    site: SiteId,
    new: &[Assignment],
) -> Result<Vec<Assignment>, AssignError> {
    if !new.iter().all(|one| is_possible(state, team, one.assignee)) {
        return Err(AssignError::NotMember);
    }
    let subjects: BTreeSet<Key> = new.iter().map(Assignment::subject).collect();
    let (gone, kept): (Vec<&Assignment>, Vec<&Assignment>) =
        state.assignments_of(site).partition(|other| subjects.contains(&other.subject()));
    if (kept.len() + new.len()) as u64 > Assignment::MOST {
        return Err(AssignError::TooMany);
    }
    let gone: Vec<Assignment> = gone.into_iter().cloned().collect();
    let is_taken =
        |one: &&Assignment| state.assignments.contains_key(&one.id) && !gone.iter().any(|other| other.id == one.id);
    if let Some(assignment) = new.iter().find(is_taken) {
        return Err(taken(assignment.id).into());
    }
    for assignment in &gone {
        state.assignments.remove(&assignment.id);
    }
    state.assignments.extend(new.iter().map(|one| (one.id, one.clone())));
    Ok(gone)
}

fn is_meant(assignment: &Assignment, filter: AssignmentFilter) -> bool {
    let is_whose = match filter.whose {
        Whose::Anybody => true,
        Whose::Nobody => assignment.assignee.is_none(),
        Whose::Person(person) => assignment.assignee == Some(person),
    };
    let is_so_far = match filter.progress {
        Progress::Any => true,
        Progress::Unfinished => assignment.is_unfinished(),
    };
    is_whose && is_so_far && filter.site.is_none_or(|site| assignment.site == site)
}

fn assignment_of(state: &State, team: TeamId, id: AssignmentId) -> Option<&Assignment> {
    state.assignments.get(&id).filter(|assignment| assignment.team == team)
}

/// Returns whether it may be this member's.
fn is_possible(state: &State, team: TeamId, assignee: Option<PersonId>) -> bool {
    assignee.is_none_or(|person| state.people.members.contains_key(&(team, person)))
}
