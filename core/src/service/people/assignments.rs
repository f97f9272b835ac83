//! What a person assigns to members of a team.

use super::OfTeam;
use crate::{
    domain::{
        Assignment, AssignmentInput, AuditAction, JudgedElement, Judgement, NewAssignment, Subject, WorkChange, bounded,
    },
    error::Error,
    id::{AssignmentId, ScanId},
    service::{assignments::described, judgements::pool},
    store::AssignmentStore,
};

impl OfTeam {
    /// Assigns an element of a completed check that fails, or all of its template or rule, to a member or to nobody in particular: in
    /// place of the assignment about the same. Who may start checks may assign.
    ///
    /// # Errors
    /// Returns [`Error::MayNotJudge`]; [`Error::NotFound`] if there is no such check or element, the element does not fail, or the
    /// service keeps no assignments; [`Error::NotCompleted`]; [`Error::Invalid`] with the problems of what was entered, also where who
    /// should do it is no member; [`Error::TooManyAssignments`], and those of [every call](crate::service::TeamHandle#errors).
    pub async fn assign(&self, scan: ScanId, number: u64, input: &AssignmentInput) -> Result<Assignment, Error> {
        self.team.may_judge().await?;
        let store = self.assignments()?;
        let (service, team) = (self.team.service(), self.team.id());
        let scan = service.store().scan(team, scan).await?.ok_or(Error::NotFound)?;
        if scan.outcome().is_none() {
            return Err(Error::NotCompleted);
        }
        let findings = service.store().findings(team, scan.id).await?.ok_or(Error::NotFound)?;
        let finding = findings.numbered(number).ok_or(Error::NotFound)?;
        let (subject, of_kind) = pool(&findings, number);
        if subject != Subject::Finding {
            return Err(Error::NotFound);
        }
        let scope = input.read_scope()?;
        let page = findings.pages.get(finding.page).map_or("", |page| &page.url);
        let element = JudgedElement::of(finding, page, super::judgements::occurrence(of_kind, finding));
        let new = NewAssignment {
            id: AssignmentId::generate(service.parts().clock.now()),
            element,
            scope,
            work: self.read(input, None).await?,
            author: bounded(self.actor.shown(), Judgement::MAX_AUTHOR),
        };
        let described = described(&new.clone().at(team, scan.site, scan.queued_at));
        let note = self.note(AuditAction::FindingAssigned, &described);
        let mut made = store.put_assignments(team, scan.site, vec![new], note).await?;
        made.pop().ok_or(Error::NotFound)
    }

    /// Changes who does something, how far it is, and until when.
    ///
    /// # Errors
    /// Returns [`Error::MayNotJudge`]; [`Error::NotFound`] if the team has no such assignment; [`Error::Invalid`] with the problems of
    /// what was entered, and those of [every call](crate::service::TeamHandle#errors).
    pub async fn change_assignment(&self, id: AssignmentId, input: &AssignmentInput) -> Result<Assignment, Error> {
        self.team.may_judge().await?;
        let (store, team) = (self.assignments()?, self.team.id());
        let before = store.assignment(team, id).await?.ok_or(Error::NotFound)?;
        let change = self.read(input, before.due).await?;
        let text = format!("{} {}", change.state, described(&before));
        let note = self.note(AuditAction::AssignmentChanged, &text);
        Ok(store.change_assignment(team, id, change, note).await?)
    }

    /// Removes an assignment: it is nobody's affair any more.
    ///
    /// # Errors
    /// Returns [`Error::MayNotJudge`], [`Error::NotFound`] if the team has no such assignment, and those of
    /// [every call](crate::service::TeamHandle#errors).
    pub async fn remove_assignment(&self, id: AssignmentId) -> Result<Assignment, Error> {
        self.team.may_judge().await?;
        let (store, team) = (self.assignments()?, self.team.id());
        let removed = store.assignment(team, id).await?.ok_or(Error::NotFound)?;
        let note = self.note(AuditAction::AssignmentRemoved, &described(&removed));
        let is_removed = store.remove_assignment(team, id, note).await?;
        if is_removed { Ok(removed) } else { Err(Error::NotFound) }
    }

    async fn read(&self, input: &AssignmentInput, before: Option<chrono::NaiveDate>) -> Result<WorkChange, Error> {
        let today = self.team.service().store().now().await?.date_naive();
        Ok(input.read(before, today)?)
    }

    fn assignments(&self) -> Result<&dyn AssignmentStore, Error> {
        let store = self.team.service().parts().judgements.as_deref().ok_or(Error::NotFound)?;
        Ok(store)
    }
}
