//! Who repairs what the checks of a site found, as it is read, and what a check does to it.

use chrono::{DateTime, Utc};

use super::{Service, TeamHandle};
use crate::{
    domain::{
        Ability, AssignedElements, Assignment, AuditAction, AuditRecord, NewAuditRecord, RuleId, Scan, ScanState, Site,
        assigned_by, bounded,
    },
    error::Error,
    id::{AssignmentId, AuditId, PersonId, SiteId, TeamId},
    paging::{Page, PageRequest},
    ranking::Extract,
    store::{AssignmentFilter, StoreError},
};

impl TeamHandle {
    /// Returns a page of the assignments of the team: by the day on which they are due, those without one last.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, [`Error::NotFound`] if the filter names a site that the team has not, and
    /// those of [every call](TeamHandle#errors).
    pub async fn assignments(&self, filter: AssignmentFilter, page: PageRequest) -> Result<Page<Assignment>, Error> {
        self.may(Ability::Read).await?;
        if let Some(site) = filter.site {
            self.service().store().site(self.id(), site).await?.ok_or(Error::NotFound)?;
        }
        match &self.service().parts().judgements {
            Some(store) => Ok(store.assignments(self.id(), filter, page).await?),
            None => Ok(Page { request: page, items: Vec::new(), total: 0 }),
        }
    }

    /// Returns an assignment of the team.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, [`Error::NotFound`] if there is none, and those of
    /// [every call](TeamHandle#errors).
    pub async fn assignment(&self, assignment: AssignmentId) -> Result<Assignment, Error> {
        self.may(Ability::Read).await?;
        let store = self.service().parts().judgements.as_deref().ok_or(Error::NotFound)?;
        store.assignment(self.id(), assignment).await?.ok_or(Error::NotFound)
    }

    /// Returns the number of assignments of a member that are not done.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn unfinished_assignments(&self, person: PersonId) -> Result<u64, Error> {
        self.may(Ability::Read).await?;
        match &self.service().parts().judgements {
            Some(store) => Ok(store.unfinished_assignments(self.id(), person).await?),
            None => Ok(0),
        }
    }

    /// Returns the sites about which there are assignments, also if all of them are done, by domain.
    ///
    /// # Errors
    /// Returns [`Error::MissingAbility`] without `read`, and those of [every call](TeamHandle#errors).
    pub async fn assigned_sites(&self) -> Result<Vec<Site>, Error> {
        self.may(Ability::Read).await?;
        match &self.service().parts().judgements {
            Some(store) => Ok(store.assigned_sites(self.id()).await?),
            None => Ok(Vec::new()),
        }
    }
}

/// Assignments, joined to a check.
pub(super) type Assigned = (Vec<Assignment>, AssignedElements);

impl Service {
    /// Returns the assignments of a site, joined to what a check found; none where the service keeps none.
    pub(super) async fn assigned(&self, team: TeamId, site: SiteId, extract: &Extract) -> Result<Assigned, Error> {
        let Some(store) = &self.parts().judgements else { return Ok(Assigned::default()) };
        let assignments = store.all_assignments(team, site).await?;
        let breaks = |rule: &RuleId| extract.breaks(rule);
        let joined = assigned_by(extract.traces(), extract.rest(), breaks, &assignments);
        Ok((assignments, joined))
    }

    /// Opens again what was done before a completed check began and was found by it. Returns how many assignments there were.
    ///
    /// What a crash keeps from being opened again after its check is opened again after the next one.
    pub(crate) async fn reopen_found(&self, scan: &Scan) -> Result<usize, StoreError> {
        let (Some(store), Some(began)) = (&self.parts().judgements, began(scan)) else { return Ok(0) };
        let mut done = store.all_assignments(scan.team, scan.site).await?;
        done.retain(|assignment| assignment.clone().reopened(scan.id, began, began).is_some());
        if done.is_empty() {
            return Ok(0);
        }
        let Some(open) = self.store().open_findings(scan.team, scan.id).await? else { return Ok(0) };
        let extract = open.extract();
        let joined = assigned_by(extract.traces(), extract.rest(), |rule| extract.breaks(rule), &done);
        let found = done.iter().enumerate().filter(|(index, _)| joined.is_found(*index));
        let found: Vec<_> = found.map(|(_, assignment)| (assignment.id, self.reopening(assignment))).collect();
        if found.is_empty() {
            return Ok(0);
        }
        Ok(store.reopen_assignments(scan.team, scan.id, began, found).await?.len())
    }

    fn reopening(&self, assignment: &Assignment) -> NewAuditRecord {
        NewAuditRecord {
            id: AuditId::generate(self.parts().clock.now()),
            team: Some(assignment.team),
            person: None,
            actor: "check".to_owned(),
            action: AuditAction::AssignmentReopened,
            subject: described(assignment),
            address: None,
        }
    }
}

/// Returns what an assignment is about, for the audit log.
pub(super) fn described(assignment: &Assignment) -> String {
    let element = &assignment.element;
    let text = format!("{}: {} {} {}", assignment.scope, element.rule.as_str(), element.page, element.selector);
    bounded(&text, AuditRecord::MAX_TEXT)
}

/// Returns the instant at which a completed check began.
const fn began(scan: &Scan) -> Option<DateTime<Utc>> {
    match scan.state {
        ScanState::Completed { started_at, .. } => Some(started_at),
        ScanState::Queued | ScanState::Running { .. } | ScanState::Failed { .. } => None,
    }
}
