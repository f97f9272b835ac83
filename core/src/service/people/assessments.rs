//! What a person says about success criteria of a site.

use std::collections::BTreeMap;

use super::OfTeam;
use crate::{
    domain::{
        Assessment, AssessmentChanges, AssessmentInput, AssessmentStep, AuditAction, CriterionNumber, FieldErrors,
        NewAssessment, bounded,
    },
    error::Error,
    id::SiteId,
    service::assessments::is_assessed_by_hand,
};

impl OfTeam {
    /// Says how far criteria of a site are met, all at once, and returns how many were assessed or taken back. Who may start checks may
    /// assess. What nothing is chosen for stays as it was.
    ///
    /// # Errors
    /// Returns [`Error::MayNotJudge`]; [`Error::NotFound`] if the team has no such site, no person assesses one of the criteria, or the
    /// service keeps no assessments; [`Error::Invalid`] with the problems of [fields](AssessmentInput::read) of all criteria: nothing is
    /// changed; and those of [every call](crate::service::TeamHandle#errors).
    pub async fn assess(
        &self,
        site: SiteId,
        inputs: &BTreeMap<CriterionNumber, AssessmentInput>,
    ) -> Result<usize, Error> {
        self.team.may_judge().await?;
        let (service, team) = (self.team.service(), self.team.id());
        let store = service.parts().judgements.as_deref().ok_or(Error::NotFound)?;
        let site = service.store().site(team, site).await?.ok_or(Error::NotFound)?;
        if inputs.keys().any(|criterion| !is_assessed_by_hand(criterion.as_str())) {
            return Err(Error::NotFound);
        }
        let before = store.assessments(team, site.id).await?;
        let (mut changes, mut said, mut errors) = (AssessmentChanges::default(), Vec::new(), FieldErrors::default());
        for (criterion, input) in inputs {
            match input.read(criterion, &mut errors) {
                AssessmentStep::Leave => {}
                AssessmentStep::TakeBack => {
                    if before.iter().any(|one| one.criterion == *criterion) {
                        said.push(format!("{criterion} –"));
                        changes.removed.push(criterion.clone());
                    }
                }
                AssessmentStep::Assess(outcome, note) => {
                    said.push(format!("{criterion} {outcome}"));
                    changes.made.push(NewAssessment {
                        criterion: criterion.clone(),
                        outcome,
                        note,
                        person: self.actor.id(),
                        author: bounded(self.actor.shown(), Assessment::MAX_AUTHOR),
                    });
                }
            }
        }
        if !errors.is_empty() {
            return Err(errors.into());
        }
        if changes.is_empty() {
            return Ok(0);
        }
        let text = format!("{}: {}", said.join(", "), site.details.url.as_str());
        let note = self.note(AuditAction::CriterionAssessed, &text);
        let is_there = store.change_assessments(team, site.id, &changes, note).await?;
        if is_there { Ok(said.len()) } else { Err(Error::NotFound) }
    }
}
