//! Checks, as their team sees them.

use std::{collections::BTreeSet, sync::Arc};

use a11ycheck_core::{
    domain::{Depth, Findings, Scan, ScanKind, Urgency, is_held, is_in_history},
    id::{ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{OpenFindings, ScanStore, StartScanError, StoreError, TrendPoint},
};
use async_trait::async_trait;

use crate::{
    MemoryStore,
    db::state::{copied, corrupt, taken},
};

#[async_trait]
impl ScanStore for MemoryStore {
    async fn start_manual_scan(
        &self,
        team: TeamId,
        site: SiteId,
        id: ScanId,
        depth: Depth,
    ) -> Result<Scan, StartScanError> {
        self.step(|state, now| {
            let Some(row) = state.site(team, site) else { return Err(StartScanError::NoSite) };
            if row.active.is_some() {
                return Err(StartScanError::Active);
            }
            let plan = state.plan_of(team)?;
            if !row.manual_interval_is_over(plan, now) {
                return Err(StartScanError::TooSoon(plan.limits.manual_check_interval));
            }
            if state.scans.contains_key(&id) {
                return Err(taken(id).into());
            }
            Ok(state.enqueue(site, id, ScanKind::Manual, depth, Urgency::Requested, now)?)
        })
    }

    async fn scan(&self, team: TeamId, id: ScanId) -> Result<Option<Scan>, StoreError> {
        self.step(|state, now| Ok(state.scan(team, id, now)?.map(|row| row.scan.clone())))
    }

    async fn scans(&self, team: TeamId, site: SiteId, page: PageRequest) -> Result<Option<Page<Scan>>, StoreError> {
        self.step(|state, now| {
            let Some(row) = state.site(team, site) else { return Ok(None) };
            let mut scans = Vec::new();
            for (_, id) in row.scans.iter().rev() {
                scans.extend(state.scan(team, *id, now)?.map(|row| &row.scan));
            }
            Ok(Some(copied(Page::cut(scans.into_iter(), page))))
        })
    }

    async fn latest_completed(&self, team: TeamId, site: SiteId) -> Result<Option<Scan>, StoreError> {
        self.step(|state, now| {
            let Some(id) = state.site(team, site).and_then(|row| row.latest_completed()) else { return Ok(None) };
            Ok(state.scan(team, id, now)?.map(|row| row.scan.clone()))
        })
    }

    async fn latest_problems(&self, team: TeamId) -> Result<Vec<(SiteId, u64)>, StoreError> {
        self.step(|state, _| {
            let sites: BTreeSet<SiteId> =
                state.teams.get(&team).into_iter().flat_map(|row| &row.sites).map(|(_, id)| *id).collect();
            let latest = |id: SiteId| {
                let scan = state.sites.get(&id)?.latest_completed()?;
                Some((id, state.scans.get(&scan)?.scan.outcome()?.totals.total()))
            };
            Ok(sites.into_iter().filter_map(latest).collect())
        })
    }

    async fn findings(&self, team: TeamId, scan: ScanId) -> Result<Option<Findings>, StoreError> {
        let findings = self.step(|state, now| {
            Ok::<_, StoreError>(state.result(team, scan, now)?.map(|result| Arc::clone(&result.findings)))
        })?;
        Ok(findings.map(Arc::unwrap_or_clone))
    }

    async fn open_findings(&self, team: TeamId, scan: ScanId) -> Result<Option<OpenFindings>, StoreError> {
        self.step(|state, now| Ok(state.result(team, scan, now)?.map(|result| result.open.clone())))
    }

    async fn trend(&self, team: TeamId, scan: ScanId, limit: u32) -> Result<Vec<TrendPoint>, StoreError> {
        self.step(|state, now| {
            let Some(last) = state.scan(team, scan, now)?.map(|row| &row.scan) else { return Ok(Vec::new()) };
            let (Some(_), Some(finished_at)) = (last.outcome(), last.finished_at()) else { return Ok(Vec::new()) };
            let site = state.sites.get(&last.site).ok_or_else(|| corrupt(scan, "its site is missing"))?;
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            let mut points = Vec::new();
            for (finished_at, id) in site.completed.range(..=(finished_at, scan)).rev() {
                if points.len() == limit {
                    break;
                }
                if let Some(outcome) = state.scan(team, *id, now)?.and_then(|row| row.scan.outcome()) {
                    points.push(TrendPoint { id: *id, finished_at: *finished_at, total: outcome.totals.total() });
                }
            }
            points.reverse();
            Ok(points)
        })
    }

    async fn mark_express(&self, team: TeamId, scan: ScanId) -> Result<bool, StoreError> {
        self.step(|state, now| {
            if state.scan(team, scan, now)?.is_none() {
                return Ok(false);
            }
            Ok(state.scans.get_mut(&scan).map(|row| row.scan.express = true).is_some())
        })
    }

    async fn purge_scans(&self, limit: u32) -> Result<u32, StoreError> {
        self.step(|state, now| {
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            let mut gone = Vec::new();
            'sites: for row in state.sites.values() {
                if state.teams.get(&row.site.team).is_some_and(|team| is_held(team.held_until, now)) {
                    continue;
                }
                let months = state.plan_of(row.site.team)?.limits.history_months;
                let latest = row.latest_completed();
                for (_, id) in &row.scans {
                    if gone.len() == limit {
                        break 'sites;
                    }
                    let scan = &state.scans.get(id).ok_or_else(|| corrupt(id, "it is listed, and missing"))?.scan;
                    if !is_in_history(scan, latest == Some(*id), months, now) {
                        gone.push(*id);
                    } else if is_in_history(scan, false, months, now) && !scan.state.is_active() {
                        // It is in the history by its age, and the rest were queued later.
                        break;
                    }
                }
            }
            for id in &gone {
                state.remove_scan(*id);
            }
            // Not more than `limit`, which is a u32.
            Ok(u32::try_from(gone.len()).unwrap_or(u32::MAX))
        })
    }
}
