//! Sites.

use std::collections::BTreeSet;

use a11ycheck_core::{
    domain::{ManualChecks, NewSite, ScanKind, Site, SiteDetails, Urgency, next_scan_at},
    id::{ScanId, SiteId, TeamId},
    paging::{Page, PageRequest},
    store::{AddSiteError, AddedOnce, SiteStore, SiteUsage, StoreError},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::{
    MemoryStore,
    db::{
        site_rows::SiteRow,
        state::{State, copied, corrupt, taken},
    },
};

#[async_trait]
impl SiteStore for MemoryStore {
    async fn add_site(&self, team: TeamId, site: NewSite, first_scan: Option<ScanId>) -> Result<Site, AddSiteError> {
        self.step(|state, now| add(state, team, site, first_scan, now))
    }

    async fn add_site_once(
        &self,
        team: TeamId,
        site: NewSite,
        first_scan: Option<ScanId>,
    ) -> Result<AddedOnce, AddSiteError> {
        self.step(|state, now| {
            let listed = state.teams.get(&team).into_iter().flat_map(|owner| &owner.sites);
            let present = listed.filter_map(|(_, id)| state.sites.get(id)).map(|row| &row.site);
            let present = present.filter(|present| present.details.url == site.details.url).min_by_key(|site| site.id);
            match present.cloned() {
                Some(present) => Ok(AddedOnce::Present(present)),
                None => add(state, team, site, first_scan, now).map(AddedOnce::Added),
            }
        })
    }

    async fn site(&self, team: TeamId, id: SiteId) -> Result<Option<Site>, StoreError> {
        self.step(|state, _| Ok(state.site(team, id).map(|row| row.site.clone())))
    }

    async fn sites(&self, team: TeamId, tag: Option<&str>, page: PageRequest) -> Result<Page<Site>, StoreError> {
        self.step(|state, _| {
            let mut sites = Vec::new();
            for (_, id) in state.teams.get(&team).into_iter().flat_map(|row| &row.sites) {
                let row = state.sites.get(id).ok_or_else(|| corrupt(id, "it is listed, and missing"))?;
                if tag.is_none_or(|tag| row.site.details.tags.iter().any(|other| other == tag)) {
                    sites.push(&row.site);
                }
            }
            Ok(copied(Page::cut(sites.into_iter(), page)))
        })
    }

    async fn failing_sites(
        &self,
        team: TeamId,
        tag: Option<&str>,
        page: PageRequest,
    ) -> Result<Page<Site>, StoreError> {
        self.step(|state, now| {
            let mut sites = Vec::new();
            for (_, id) in state.teams.get(&team).into_iter().flat_map(|row| &row.sites) {
                let row = state.sites.get(id).ok_or_else(|| corrupt(id, "it is listed, and missing"))?;
                let is_tagged = tag.is_none_or(|tag| row.site.details.tags.iter().any(|other| other == tag));
                if is_tagged && state.is_failing(row, now)? {
                    sites.push(&row.site);
                }
            }
            Ok(copied(Page::cut(sites.into_iter(), page)))
        })
    }

    async fn change_site(&self, team: TeamId, id: SiteId, details: SiteDetails) -> Result<Option<Site>, StoreError> {
        self.step(|state, _| {
            if state.site(team, id).is_none() {
                return Ok(None);
            }
            Ok(state.sites.get_mut(&id).map(|row| {
                let url = row.site.details.url.clone();
                row.site.details = SiteDetails { url, ..details };
                row.site.clone()
            }))
        })
    }

    async fn delete_site(&self, team: TeamId, id: SiteId) -> Result<bool, StoreError> {
        self.step(|state, _| {
            if state.site(team, id).is_none() {
                return Ok(false);
            }
            state.remove_site(id);
            Ok(true)
        })
    }

    async fn site_usage(&self, team: TeamId) -> Result<SiteUsage, StoreError> {
        self.step(|state, now| {
            let mut usage = SiteUsage { sites: 0, manual_checks_available: 0 };
            let Some(owner) = state.teams.get(&team) else { return Ok(usage) };
            let plan = state.plan(&owner.plan)?;
            for row in owner.sites.iter().filter_map(|(_, id)| state.sites.get(id)) {
                usage.sites += 1;
                if row.active.is_none() && row.manual_interval_is_over(plan, now) {
                    usage.manual_checks_available += 1;
                }
            }
            Ok(usage)
        })
    }
}

fn add(
    state: &mut State,
    team: TeamId,
    site: NewSite,
    first_scan: Option<ScanId>,
    now: DateTime<Utc>,
) -> Result<Site, AddSiteError> {
    let Some(owner) = state.teams.get(&team) else { return Err(AddSiteError::NoTeam) };
    let limits = state.plan(&owner.plan)?.limits.clone();
    if owner.sites.len() >= usize::try_from(limits.sites).unwrap_or(usize::MAX) {
        return Err(AddSiteError::LimitReached(limits.sites));
    }
    if state.sites.contains_key(&site.id) {
        return Err(taken(site.id).into());
    }
    if let Some(id) = first_scan.filter(|id| state.scans.contains_key(id)) {
        return Err(taken(id).into());
    }
    let NewSite { id, details } = site;
    let next_scan_at = next_scan_at(id, limits.check_frequency, now);
    let site = Site { id, team, details, next_scan_at, created_at: now };
    if let Some(owner) = state.teams.get_mut(&team) {
        owner.sites.insert((site.details.url.domain().to_owned(), id));
    }
    state.due.insert((next_scan_at, id));
    let row = SiteRow {
        site: site.clone(),
        manual: ManualChecks::default(),
        active: None,
        scans: BTreeSet::new(),
        completed: BTreeSet::new(),
        memo: None,
    };
    state.sites.insert(id, row);
    if let Some(scan) = first_scan {
        let kind = ScanKind::Scheduled;
        state.enqueue(id, scan, kind, kind.usual_depth(), Urgency::Requested, now)?;
    }
    Ok(site)
}
