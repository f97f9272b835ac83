//! Assessments.

use a11ycheck_core::{
    domain::{Assessment, AssessmentChanges, NewAuditRecord},
    id::{SiteId, TeamId},
    store::{AssessmentStore, StoreError},
};
use async_trait::async_trait;

use crate::MemoryStore;

#[async_trait]
impl AssessmentStore for MemoryStore {
    async fn change_assessments(
        &self,
        team: TeamId,
        site: SiteId,
        changes: &AssessmentChanges,
        audit: NewAuditRecord,
    ) -> Result<bool, StoreError> {
        self.step(|state, now| {
            if state.site(team, site).is_none() {
                return Ok(false);
            }
            if changes.is_empty() {
                return Ok(true);
            }
            let of_site = state.assessments.entry(site).or_default();
            for criterion in &changes.removed {
                of_site.remove(criterion);
            }
            let made = changes.made_at(team, site, now);
            of_site.extend(made.into_iter().map(|assessment| (assessment.criterion.clone(), assessment)));
            state.people.append(audit, now);
            Ok(true)
        })
    }

    async fn assessments(&self, team: TeamId, site: SiteId) -> Result<Vec<Assessment>, StoreError> {
        self.step(|state, _| {
            let of_site = state.assessments.get(&site).filter(|_| state.site(team, site).is_some());
            Ok(of_site.map(|of_site| of_site.values().cloned().collect()).unwrap_or_default())
        })
    }
}
