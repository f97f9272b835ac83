//! Batches.

use std::collections::BTreeMap;

use a11ycheck_core::{
    domain::{
        Assignment, Batch, BatchContent, Judgement, NewAssignment, NewAuditRecord, NewJudgement, Undone,
        undo_assignments, undo_judgements, without_repeated, without_repeated_assignments,
    },
    id::{BatchId, JudgementId, SiteId, TeamId},
    store::{AssignError, BatchStore, JudgeError, StoreError, UndoError},
};
use async_trait::async_trait;

use crate::{
    MemoryStore, assignments,
    db::state::{State, taken},
    reviews,
};

#[async_trait]
impl BatchStore for MemoryStore {
    async fn judge_batch(
        &self,
        team: TeamId,
        site: SiteId,
        batch: BatchId,
        judgements: Vec<(NewJudgement, Option<JudgementId>)>,
        audit: NewAuditRecord,
    ) -> Result<Batch, JudgeError> {
        self.step(|state, now| {
            if state.site(team, site).is_none() {
                return Err(JudgeError::NotFound);
            }
            let named: BTreeMap<JudgementId, JudgementId> =
                judgements.iter().filter_map(|(one, other)| Some((one.id, (*other)?))).collect();
            let new = judgements.into_iter().map(|(one, _)| one.at(team, site, now)).collect();
            let new: Vec<Judgement> = without_repeated(new);
            let made = Batch { id: batch, team, site, count: new.len() as u64, at: now };
            if new.is_empty() {
                return Ok(made);
            }
            if state.batches.contains_key(&batch) {
                return Err(taken(batch).into());
            }
            let replaced = reviews::store::replace(state, site, &new, &named.values().copied().collect())?;
            let content = BatchContent::of_judgements(&new, &replaced, &named);
            state.batches.insert(batch, (made.clone(), content));
            state.people.append(audit, now);
            Ok(made)
        })
    }

    async fn assign_batch(
        &self,
        team: TeamId,
        site: SiteId,
        batch: BatchId,
        assignments: Vec<NewAssignment>,
        audit: NewAuditRecord,
    ) -> Result<Batch, AssignError> {
        self.step(|state, now| {
            if state.site(team, site).is_none() {
                return Err(AssignError::NotFound);
            }
            let new = assignments.into_iter().map(|one| one.at(team, site, now)).collect();
            let new: Vec<Assignment> = without_repeated_assignments(new);
            let made = Batch { id: batch, team, site, count: new.len() as u64, at: now };
            if new.is_empty() {
                return Ok(made);
            }
            if state.batches.contains_key(&batch) {
                return Err(taken(batch).into());
            }
            let replaced = assignments::store::replace(state, team, site, &new)?;
            if let Some(content) = BatchContent::of_assignments(&new, replaced) {
                state.batches.insert(batch, (made.clone(), content));
            }
            state.people.append(audit, now);
            Ok(made)
        })
    }

    async fn batch(&self, team: TeamId, batch: BatchId) -> Result<Option<Batch>, StoreError> {
        self.step(|state, now| {
            let found = state.batches.get(&batch).map(|(batch, _)| batch);
            Ok(found.filter(|batch| batch.team == team && !batch.is_over(now)).cloned())
        })
    }

    async fn undo_batch(&self, team: TeamId, batch: BatchId, audit: NewAuditRecord) -> Result<Undone, UndoError> {
        self.step(|state, now| {
            let is_there =
                state.batches.get(&batch).is_some_and(|(batch, _)| batch.team == team && !batch.is_over(now));
            let (batch, content) = match state.batches.remove(&batch) {
                Some(row) if is_there => row,
                Some(row) => {
                    state.batches.insert(batch, row);
                    return Err(UndoError::Gone);
                }
                None => return Err(UndoError::Gone),
            };
            let undone = undo(state, &batch, &content);
            state.people.append(audit, now);
            Ok(undone)
        })
    }

    async fn purge_batches(&self, limit: u32) -> Result<u32, StoreError> {
        self.step(|state, now| {
            let over = state.batches.values().filter(|(batch, _)| batch.is_over(now)).map(|(batch, _)| batch.id);
            let over: Vec<BatchId> = over.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect();
            for id in &over {
                state.batches.remove(id);
            }
            // Not more than `limit`.
            Ok(u32::try_from(over.len()).unwrap_or(limit))
        })
    }
}

fn undo(state: &mut State, batch: &Batch, content: &BatchContent) -> Undone {
    match content {
        BatchContent::Judgements(made) => {
            let present: Vec<Judgement> = state.judgements_of(batch.site).cloned().collect();
            let undoing = undo_judgements(made, &present);
            for id in undoing.removed {
                state.judgements.remove(&(batch.site, id));
            }
            state.judgements.extend(undoing.restored.into_iter().map(|one| ((batch.site, one.id), one)));
            undoing.undone
        }
        BatchContent::Assignments { work, made } => {
            let present: Vec<Assignment> = state.assignments_of(batch.site).cloned().collect();
            let undoing = undo_assignments(*work, made, batch.at, &present);
            for id in undoing.removed {
                state.assignments.remove(&id);
            }
            for mut one in undoing.restored {
                // Whoever has left the team meanwhile has nothing any more.
                one.assignee = one.assignee.filter(|person| state.people.members.contains_key(&(one.team, *person)));
                state.assignments.insert(one.id, one);
            }
            undoing.undone
        }
    }
}
