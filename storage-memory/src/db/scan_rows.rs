//! Checks in the state.

use std::{collections::BTreeMap, sync::Arc};

use a11ycheck_core::{
    domain::{Depth, Findings, Scan, ScanKind, ScanState, ScanStatus, ScreenshotId, Urgency, is_in_history},
    id::{ScanId, SiteId, TeamId},
    scanner::Screenshot,
    store::{Document, DocumentKey, OpenFindings, StoreError, Work},
};
use chrono::{DateTime, Utc};

use crate::db::{
    site_rows::SiteRow,
    state::{State, corrupt},
};

pub(crate) struct ScanRow {
    pub(crate) scan: Scan,
    /// Says whether somebody waits for it.
    pub(crate) urgency: Urgency,
    /// The result of a completed check; `None` in any other state.
    pub(crate) result: Option<ScanResult>,
}

/// The result of a completed check, behind `Arc`s, so that the lock is not held while long data are copied for a
/// reader.
#[derive(Clone)]
pub(crate) struct ScanResult {
    pub(crate) findings: Arc<Findings>,
    /// The same findings, opened.
    pub(crate) open: OpenFindings,
    pub(crate) screenshots: BTreeMap<ScreenshotId, Arc<Screenshot>>,
    pub(crate) screen: Option<Arc<Screenshot>>,
    pub(crate) documents: BTreeMap<DocumentKey, Arc<Document>>,
}

impl State {
    /// Returns the check, if it is in the team's history.
    pub(crate) fn scan(&self, team: TeamId, id: ScanId, now: DateTime<Utc>) -> Result<Option<&ScanRow>, StoreError> {
        let Some(row) = self.scans.get(&id).filter(|row| row.scan.team == team) else { return Ok(None) };
        let months = self.plan_of(team)?.limits.history_months;
        let latest = self.sites.get(&row.scan.site).and_then(SiteRow::latest_completed);
        Ok(Some(row).filter(|row| is_in_history(&row.scan, latest == Some(id), months, now)))
    }

    /// Returns the result of a check that is completed and in the team's history.
    pub(crate) fn result(
        &self,
        team: TeamId,
        id: ScanId,
        now: DateTime<Utc>,
    ) -> Result<Option<&ScanResult>, StoreError> {
        Ok(self.scan(team, id, now)?.and_then(|row| row.result.as_ref()))
    }

    /// Queues a check of a site that has no queued or running one. The caller has made sure that the id is free.
    pub(crate) fn enqueue(
        &mut self,
        site: SiteId,
        id: ScanId,
        kind: ScanKind,
        depth: Depth,
        urgency: Urgency,
        now: DateTime<Utc>,
    ) -> Result<Scan, StoreError> {
        let team =
            self.sites.get(&site).ok_or_else(|| corrupt(site, "it is to be checked, and it is missing"))?.site.team;
        let pages_requested = self.plan_of(team)?.limits.pages_per_check;
        let state = ScanState::Queued;
        let scan = Scan { id, team, site, kind, pages_requested, queued_at: now, state, express: false, depth };
        if let Some(row) = self.sites.get_mut(&site) {
            row.active = Some(id);
            row.scans.insert((now, id));
            if kind == ScanKind::Manual {
                row.manual = row.manual.started(now);
            }
        }
        self.queue.insert((urgency.rank_at(now), id));
        self.scans.insert(id, ScanRow { scan: scan.clone(), urgency, result: None });
        self.hints.give(Work::Scans);
        Ok(scan)
    }

    /// Puts a check into a state that the domain has allowed, and updates the orders accordingly.
    pub(crate) fn set_scan_state(&mut self, id: ScanId, state: ScanState) {
        let Some(row) = self.scans.get_mut(&id) else { return };
        row.scan.state = state;
        if row.scan.state.is_active() {
            return;
        }
        let scan = row.scan.clone();
        self.queue.remove(&(row.urgency.rank_at(scan.queued_at), id));
        // A team with checks has a plan.
        let interval = self.plan_of(scan.team).map(|plan| plan.limits.manual_check_interval);
        if let Some(site) = self.sites.get_mut(&scan.site) {
            site.active = None;
            if let (ScanState::Failed { failure, .. }, ScanKind::Manual, Ok(interval)) =
                (&scan.state, scan.kind, interval)
            {
                site.manual = site.manual.failed(scan.queued_at, failure.code, interval);
            }
            if let (ScanStatus::Completed, Some(finished_at)) = (scan.status(), scan.finished_at()) {
                site.completed.insert((finished_at, id));
            }
        }
    }

    /// Removes a check that has ended.
    pub(crate) fn remove_scan(&mut self, id: ScanId) {
        let Some(ScanRow { scan, .. }) = self.scans.remove(&id) else { return };
        if let Some(site) = self.sites.get_mut(&scan.site) {
            site.scans.remove(&(scan.queued_at, id));
            if let Some(finished_at) = scan.finished_at() {
                site.completed.remove(&(finished_at, id));
            }
        }
    }
}
