//! The model with which random walks compare a store: lists, searched from end to end, and the domain's own rules.

use std::collections::{BTreeMap, BTreeSet};

use a11ycheck_core::{
    domain::{
        Lease, Plan, Scan, ScanEventKind, ScanKind, ScanState, Site, TransitionError, Urgency, is_in_history,
        next_scan_at,
    },
    id::{ScanId, SiteId, TeamId, WorkerId},
    store::{QueueDepth, StartScanError, Waiting},
};
use chrono::{DateTime, Utc};

pub(crate) struct Model {
    plan: Plan,
    sites: BTreeMap<SiteId, Site>,
    /// Every manual start of an existing site, the oldest first.
    manual: BTreeMap<SiteId, Vec<ManualStart>>,
    scans: Vec<Scan>,
    /// Checks that the schedule queued; all others were requested.
    scheduled: BTreeSet<ScanId>,
    /// The log of checks, in its order.
    log: Vec<(ScanId, ScanEventKind)>,
}

#[derive(Debug, Clone, Copy)]
struct ManualStart {
    at: DateTime<Utc>,
    /// True if the check failed through our own fault, as the first one in its interval.
    is_given_back: bool,
}

impl Model {
    /// Makes the model of teams that are all on this plan and in good standing.
    pub(crate) fn new(plan: Plan) -> Self {
        Self {
            plan,
            sites: BTreeMap::new(),
            manual: BTreeMap::new(),
            scans: Vec::new(),
            scheduled: BTreeSet::new(),
            log: Vec::new(),
        }
    }

    pub(crate) fn sites(&self) -> Vec<(TeamId, SiteId)> {
        self.sites.values().map(|site| (site.team, site.id)).collect()
    }

    pub(crate) fn sites_of(&self, team: TeamId) -> Vec<Site> {
        let mut sites: Vec<Site> = self.sites.values().filter(|site| site.team == team).cloned().collect();
        sites.sort_by_key(|site| (site.details.url.domain().to_owned(), site.id));
        sites
    }

    pub(crate) fn has_room(&self, team: TeamId) -> bool {
        self.sites_of(team).len() < usize::try_from(self.plan.limits.sites).unwrap()
    }

    pub(crate) fn add(&mut self, site: Site, first: Option<ScanId>, now: DateTime<Utc>) {
        assert_eq!(site.next_scan_at, next_scan_at(site.id, self.plan.limits.check_frequency, now));
        if let Some(id) = first {
            self.scans.push(self.queued(&site, id, ScanKind::Scheduled, now));
        }
        self.sites.insert(site.id, site);
    }

    pub(crate) fn delete(&mut self, site: SiteId) {
        self.sites.remove(&site);
        self.manual.remove(&site);
        self.scans.retain(|scan| scan.site != site);
    }

    pub(crate) fn start(&mut self, site: SiteId, id: ScanId, now: DateTime<Utc>) -> Result<Scan, StartScanError> {
        if self.is_active(site) {
            return Err(StartScanError::Active);
        }
        if !self.interval_is_over(site, now) {
            return Err(StartScanError::TooSoon(self.plan.limits.manual_check_interval));
        }
        let scan = self.queued(&self.sites[&site], id, ScanKind::Manual, now);
        self.manual.entry(site).or_default().push(ManualStart { at: now, is_given_back: false });
        self.scans.push(scan.clone());
        Ok(scan)
    }

    /// Returns the sites that get a check, by id, and the number of sites whose next check was set.
    pub(crate) fn schedule(&mut self, limit: usize, now: DateTime<Utc>) -> (Vec<SiteId>, usize) {
        let mut due: Vec<(DateTime<Utc>, SiteId)> = self
            .sites
            .values()
            .filter(|site| site.next_scan_at <= now)
            .map(|site| (site.next_scan_at, site.id))
            .collect();
        due.sort_unstable();
        due.truncate(limit);
        for (_, id) in &due {
            let next = next_scan_at(*id, self.plan.limits.check_frequency, now);
            self.sites.entry(*id).and_modify(|site| site.next_scan_at = next);
        }
        let mut queued: Vec<SiteId> = due.iter().map(|(_, id)| *id).filter(|id| !self.is_active(*id)).collect();
        queued.sort_unstable();
        (queued, due.len())
    }

    /// Adds checks whose ids the store has chosen.
    pub(crate) fn insert(&mut self, scans: Vec<Scan>) {
        self.scheduled.extend(scans.iter().map(|scan| scan.id));
        self.scans.extend(scans);
    }

    pub(crate) fn claim(&mut self, worker: &WorkerId, now: DateTime<Utc>) -> Option<Scan> {
        loop {
            let due = self.scans.iter().filter(|scan| scan.state.is_due(now));
            let due = due.filter(|scan| !scan.state.is_left_to_others(&worker.node(), now));
            let first = due.min_by_key(|scan| (self.running(scan.team, now), self.rank_at(scan), scan.id))?.id;
            let scan = self.scans.iter_mut().find(|scan| scan.id == first)?;
            if let Ok(running) = scan.state.clone().claim(worker.clone(), Lease::TERM, now) {
                scan.state = running;
                self.log.push((first, ScanEventKind::Started));
                return Some(scan.clone());
            }
            scan.state = scan.state.clone().abandon(now).unwrap();
            let given_up = scan.clone();
            self.log.push((first, ScanEventKind::GivenUp));
            self.give_back(&given_up);
        }
    }

    fn running(&self, team: TeamId, now: DateTime<Utc>) -> usize {
        let of_team = self.scans.iter().filter(|scan| scan.team == team && scan.state.is_active());
        of_team.filter(|scan| !scan.state.is_due(now)).count()
    }

    fn rank_at(&self, scan: &Scan) -> DateTime<Utc> {
        let is_scheduled = self.scheduled.contains(&scan.id);
        if is_scheduled { Urgency::Scheduled } else { Urgency::Requested }.rank_at(scan.queued_at)
    }

    /// Changes the state of a check; returns `None` if it was deleted.
    pub(crate) fn move_on(
        &mut self,
        id: ScanId,
        decide: impl FnOnce(ScanState) -> Result<ScanState, TransitionError>,
    ) -> Option<Result<(), TransitionError>> {
        let scan = self.scans.iter_mut().find(|scan| scan.id == id)?;
        let moved = decide(scan.state.clone()).map(|state| scan.state = state);
        let scan = scan.clone();
        if moved.is_ok() {
            self.give_back(&scan);
            self.log.extend(match scan.state {
                ScanState::Queued | ScanState::Running { .. } => None,
                ScanState::Completed { .. } => Some((id, ScanEventKind::Completed)),
                ScanState::Failed { .. } => Some((id, ScanEventKind::Failed)),
            });
        }
        Some(moved)
    }

    /// Gives a manual check back that failed through our own fault, once per interval.
    fn give_back(&mut self, scan: &Scan) {
        let ScanState::Failed { failure, .. } = &scan.state else { return };
        if scan.kind != ScanKind::Manual || !failure.code.is_our_fault() {
            return;
        }
        let interval = self.plan.limits.manual_check_interval;
        let starts = self.manual.get_mut(&scan.site).unwrap();
        let mut given_back = starts.iter().filter(|start| start.is_given_back);
        let is_first = given_back.all(|start| interval.after(start.at) <= scan.queued_at);
        starts.last_mut().unwrap().is_given_back = is_first;
    }

    pub(crate) fn purge(&mut self, now: DateTime<Utc>) -> usize {
        let kept: Vec<Scan> = self.scans.iter().filter(|scan| self.is_seen(scan, now)).cloned().collect();
        let purged = self.scans.len() - kept.len();
        self.scans = kept;
        purged
    }

    /// Returns the checks of a site that are in its team's history, in the order of lists.
    pub(crate) fn seen(&self, site: SiteId, now: DateTime<Utc>) -> Vec<Scan> {
        let of_site = self.scans.iter().filter(|scan| scan.site == site);
        let mut seen: Vec<Scan> = of_site.filter(|scan| self.is_seen(scan, now)).cloned().collect();
        seen.sort_by_key(|scan| std::cmp::Reverse((scan.queued_at, scan.id)));
        seen
    }

    pub(crate) fn usage(&self, team: TeamId, now: DateTime<Utc>) -> (u32, u32) {
        let sites = self.sites_of(team);
        let free = sites.iter().filter(|site| !self.is_active(site.id) && self.interval_is_over(site.id, now));
        (u32::try_from(sites.len()).unwrap(), u32::try_from(free.count()).unwrap())
    }

    pub(crate) fn depth(&self, now: DateTime<Utc>) -> QueueDepth {
        let due = self.scans.iter().filter(|scan| scan.state.is_due(now));
        let (scheduled, requested): (Vec<&Scan>, Vec<&Scan>) = due.partition(|scan| self.scheduled.contains(&scan.id));
        let waiting = |scans: Vec<&Scan>| Waiting {
            checks: scans.len() as u64,
            oldest: scans.iter().map(|scan| scan.queued_at).min(),
        };
        QueueDepth { requested: waiting(requested), scheduled: waiting(scheduled) }
    }

    pub(crate) fn log(&self) -> &[(ScanId, ScanEventKind)] {
        &self.log
    }

    /// Asserts that manual checks of a site that count are never closer together than the plan's interval, and neither
    /// are those that were given back.
    pub(crate) fn assert_intervals(&self) {
        for (site, starts) in &self.manual {
            for is_given_back in [false, true] {
                let alike = starts.iter().filter(|start| start.is_given_back == is_given_back);
                let alike: Vec<DateTime<Utc>> = alike.map(|start| start.at).collect();
                for pair in alike.windows(2) {
                    assert!(self.plan.limits.manual_check_interval.after(pair[0]) <= pair[1], "{site}: {pair:?}");
                }
            }
        }
    }

    fn queued(&self, site: &Site, id: ScanId, kind: ScanKind, now: DateTime<Utc>) -> Scan {
        Scan {
            id,
            team: site.team,
            site: site.id,
            kind,
            pages_requested: self.plan.limits.pages_per_check,
            queued_at: now,
            state: ScanState::Queued,
            express: false,
            depth: kind.usual_depth(),
        }
    }

    fn is_active(&self, site: SiteId) -> bool {
        self.scans.iter().any(|scan| scan.site == site && scan.state.is_active())
    }

    fn interval_is_over(&self, site: SiteId, now: DateTime<Utc>) -> bool {
        let starts = self.manual.get(&site);
        let last = starts.and_then(|starts| starts.iter().rev().find(|start| !start.is_given_back));
        last.is_none_or(|last| self.plan.limits.manual_check_interval.after(last.at) <= now)
    }

    fn is_seen(&self, scan: &Scan, now: DateTime<Utc>) -> bool {
        let completed = self.scans.iter().filter(|other| other.site == scan.site && other.outcome().is_some());
        let latest = completed.max_by_key(|other| (other.finished_at(), other.id)).map(|other| other.id);
        is_in_history(scan, latest == Some(scan.id), self.plan.limits.history_months, now)
    }
}
