//! Sites in the state.

use std::{collections::BTreeSet, sync::Arc};

use a11ycheck_core::{
    domain::{Assignment, Judgement, ManualChecks, Memo, Plan, ScanState, Site},
    id::{JudgementId, ScanId, SiteId, TeamId},
    store::StoreError,
};
use chrono::{DateTime, Utc};

use crate::db::state::{State, corrupt};

pub(crate) struct SiteRow {
    pub(crate) site: Site,
    /// The instants at which manual checks were started. Kept here because they outlive the checks.
    pub(crate) manual: ManualChecks,
    /// The queued or running check: there is room for one.
    pub(crate) active: Option<ScanId>,
    /// All checks, by the instant at which they were queued, then id.
    pub(crate) scans: BTreeSet<(DateTime<Utc>, ScanId)>,
    /// Completed checks, by the instant at which they completed, then id.
    pub(crate) completed: BTreeSet<(DateTime<Utc>, ScanId)>,
    /// The memo of the latest completed check, with the id of that check; `None` if it left none.
    pub(crate) memo: Option<(ScanId, Arc<Memo>)>,
}

impl State {
    /// Returns the site, if it is the team's.
    pub(crate) fn site(&self, team: TeamId, id: SiteId) -> Option<&SiteRow> {
        self.sites.get(&id).filter(|row| row.site.team == team)
    }

    /// Returns whether the check of a site that ended last has failed, and is in the history.
    pub(crate) fn is_failing(&self, row: &SiteRow, now: DateTime<Utc>) -> Result<bool, StoreError> {
        // Checks of a site end in the order in which they were queued, for there is one at a time.
        for (_, id) in row.scans.iter().rev() {
            let scan = &self.scans.get(id).ok_or_else(|| corrupt(id, "it is listed, and missing"))?.scan;
            match scan.state {
                ScanState::Queued | ScanState::Running { .. } => {}
                ScanState::Completed { .. } => return Ok(false),
                ScanState::Failed { .. } => return Ok(self.scan(row.site.team, *id, now)?.is_some()),
            }
        }
        Ok(false)
    }

    /// Sets the instant of a site's next check.
    pub(crate) fn set_next_scan_at(&mut self, id: SiteId, at: DateTime<Utc>) {
        if let Some(row) = self.sites.get_mut(&id) {
            self.due.remove(&(row.site.next_scan_at, id));
            self.due.insert((at, id));
            row.site.next_scan_at = at;
        }
    }

    /// Returns the judgements of a site, by id.
    pub(crate) fn judgements_of(&self, id: SiteId) -> impl Iterator<Item = &Judgement> {
        let (first, last) = ((id, JudgementId::MIN), (id, JudgementId::MAX));
        self.judgements.range(first..=last).map(|(_, judgement)| judgement)
    }

    /// Returns the assignments of a site, by id.
    pub(crate) fn assignments_of(&self, id: SiteId) -> impl Iterator<Item = &Assignment> {
        self.assignments.values().filter(move |assignment| assignment.site == id)
    }

    /// Removes a site with all its checks, values, judgements, assignments, assessments and batches.
    pub(crate) fn remove_site(&mut self, id: SiteId) {
        let Some(row) = self.sites.remove(&id) else { return };
        let judgements: Vec<JudgementId> = self.judgements_of(id).map(|judgement| judgement.id).collect();
        for judgement in judgements {
            self.judgements.remove(&(id, judgement));
        }
        self.assignments.retain(|_, assignment| assignment.site != id);
        self.assessments.remove(&id);
        self.batches.retain(|_, (batch, _)| batch.site != id);
        self.site_fields.values.remove(&id);
        self.mails.notices.remove(&id);
        self.due.remove(&(row.site.next_scan_at, id));
        if let Some(team) = self.teams.get_mut(&row.site.team) {
            team.sites.remove(&(row.site.details.url.domain().to_owned(), id));
        }
        for (queued_at, id) in row.scans {
            if let Some(scan) = self.scans.remove(&id) {
                self.queue.remove(&(scan.urgency.rank_at(queued_at), id));
            }
        }
    }
}

impl SiteRow {
    pub(crate) fn latest_completed(&self) -> Option<ScanId> {
        self.completed.last().map(|(_, id)| *id)
    }

    /// Returns whether the plan's time between two manual checks is over.
    pub(crate) fn manual_interval_is_over(&self, plan: &Plan, now: DateTime<Utc>) -> bool {
        self.manual.may_start(plan.limits.manual_check_interval, now)
    }
}
