//! Checks, as workers and the scheduler see them.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use a11ycheck_core::{
    domain::{
        Failure, FencingToken, Memo, PageCounts, RetryBy, Scan, ScanEventKind, ScanKind, ScanState, TransitionError,
        TransitionRefusal, Urgency, next_scan_at,
    },
    id::{NodeId, ScanId, SiteId, TeamId, WorkerId},
    store::{
        Claim, ClaimedScan, Completion, DueSites, LeaseError, OpenFindings, QueueDepth, QueueStore, StoreError,
        Waiting, Work,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    MemoryStore,
    db::{
        scan_rows::ScanResult,
        state::{State, corrupt},
    },
};

#[async_trait]
impl QueueStore for MemoryStore {
    async fn queue_due_scans(&self, limit: u32) -> Result<DueSites, StoreError> {
        self.step(|state, now| {
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            let due: Vec<SiteId> =
                state.due.iter().take_while(|(at, _)| *at <= now).take(limit).map(|(_, id)| *id).collect();
            let mut queued = Vec::new();
            for id in &due {
                let row = state.sites.get(id).ok_or_else(|| corrupt(id, "it is due, and missing"))?;
                let (team, is_free) = (row.site.team, row.active.is_none());
                let team = state.team(team)?.ok_or_else(|| corrupt(id, "its team is missing"))?;
                state.set_next_scan_at(*id, next_scan_at(*id, team.plan.limits.check_frequency, now));
                if is_free && team.is_served(now) {
                    let (scan, kind) = (ScanId::generate(now), ScanKind::Scheduled);
                    queued.push(state.enqueue(*id, scan, kind, kind.usual_depth(), Urgency::Scheduled, now)?);
                }
            }
            Ok(DueSites { queued, more: due.len() == limit })
        })
    }

    async fn claim_scan(&self, worker: &WorkerId, term: TimeDelta) -> Result<Option<ClaimedScan>, StoreError> {
        self.step(|state, now| {
            let node = worker.node();
            while let Some(id) = first_due(state, &node, now)? {
                let scan = &state.scans.get(&id).ok_or_else(|| corrupt(id, "it is queued, and missing"))?.scan;
                match scan.state.clone().claim(worker.clone(), term, now) {
                    Ok(running) => {
                        state.set_scan_state(id, running);
                        let claimed = claimed_scan(state, id)?;
                        state.log(ScanEventKind::Started, &claimed.scan, now);
                        state.hints.give(Work::Scans);
                        return Ok(Some(claimed));
                    }
                    Err(TransitionError { refusal: TransitionRefusal::AttemptsUsedUp, .. }) => {
                        let (scan, failed) = (scan.clone(), abandoned(scan, now)?);
                        state.set_scan_state(id, failed.clone());
                        state.log(ScanEventKind::GivenUp, &scan, now);
                        state.notice_failed(&Scan { state: failed, ..scan })?;
                    }
                    Err(error) => return Err(StoreError::Corrupt { what: id.to_string(), source: Box::new(error) }),
                }
            }
            Ok(None)
        })
    }

    async fn renew_lease(&self, claim: Claim, term: TimeDelta, pages: PageCounts) -> Result<(), LeaseError> {
        self.step(|state, now| move_on(state, claim.scan, |held| held.renew(claim.token, term, pages, now)).map(drop))
    }

    async fn hand_back(&self, claim: Claim) -> Result<(), LeaseError> {
        self.step(|state, now| {
            move_on(state, claim.scan, |held| held.hand_back(claim.token, now))?;
            state.hints.give(Work::Scans);
            Ok(())
        })
    }

    async fn retry_scan(&self, claim: Claim, delay: TimeDelta, next: RetryBy) -> Result<(), LeaseError> {
        self.step(|state, now| {
            move_on(state, claim.scan, |held| held.retry_at(claim.token, now + delay, next)).map(drop)
        })
    }

    async fn complete_scan(&self, claim: Claim, completion: Completion) -> Result<Scan, LeaseError> {
        let Completion { finished_at, outcome, findings, screenshots, screen, events, memo } = completion;
        let findings = Arc::new(findings);
        let result = ScanResult {
            open: OpenFindings::of(Arc::clone(&findings)).await?,
            findings,
            screenshots: screenshots.into_iter().map(|picture| (picture.id, Arc::new(picture))).collect(),
            screen: screen.map(Arc::new),
            documents: BTreeMap::new(),
        };
        let memo = memo.map(Arc::new);
        self.step(|state, now| {
            let held = &state.scans.get(&claim.scan).ok_or(LeaseError::Gone)?.scan;
            let completed = held.state.clone().complete(claim.token, outcome, finished_at)?;
            state.check_events(&events)?;
            state.set_scan_state(claim.scan, completed);
            let row = state.scans.get_mut(&claim.scan).ok_or(LeaseError::Gone)?;
            row.result = Some(result);
            let scan = row.scan.clone();
            if let Some(site) = state.sites.get_mut(&scan.site) {
                site.memo = memo.map(|memo| (scan.id, memo));
            }
            state.store_events(scan.team, &events, now)?;
            state.log(ScanEventKind::Completed, &scan, now);
            Ok(scan)
        })
    }

    async fn memo(&self, team: TeamId, site: SiteId, scan: ScanId) -> Result<Option<Memo>, StoreError> {
        let memo = self.step(|state, _| {
            let kept = state.site(team, site).and_then(|row| row.memo.as_ref());
            Ok::<_, StoreError>(kept.filter(|(of, _)| *of == scan).map(|(_, memo)| Arc::clone(memo)))
        })?;
        // Copied once the lock is free.
        Ok(memo.map(Arc::unwrap_or_clone))
    }

    async fn fail_scan(&self, claim: Claim, failure: Failure) -> Result<Scan, LeaseError> {
        self.step(|state, now| {
            let failed = move_on(state, claim.scan, |held| held.fail(claim.token, failure, now))?;
            state.log(ScanEventKind::Failed, &failed, now);
            state.notice_failed(&failed)?;
            Ok(failed)
        })
    }

    async fn running_scans(&self, limit: u32) -> Result<Vec<Scan>, StoreError> {
        self.step(|state, _| {
            let mut running = Vec::new();
            for (_, id) in &state.queue {
                let scan = &state.scans.get(id).ok_or_else(|| corrupt(id, "it is queued, and missing"))?.scan;
                if let ScanState::Running { started_at, .. } = scan.state {
                    running.push((started_at, scan));
                }
            }
            running.sort_unstable_by_key(|(started_at, scan)| (*started_at, scan.id));
            let most = usize::try_from(limit).unwrap_or(usize::MAX);
            Ok(running.into_iter().take(most).map(|(_, scan)| scan.clone()).collect())
        })
    }

    async fn queue_depth(&self) -> Result<QueueDepth, StoreError> {
        self.step(|state, now| {
            let of = |urgency: Urgency| {
                let rows = state.queue.iter().filter_map(|(_, id)| state.scans.get(id));
                let due = rows.filter(|row| row.urgency == urgency && row.scan.state.is_due(now));
                let due: Vec<DateTime<Utc>> = due.map(|row| row.scan.queued_at).collect();
                Waiting { checks: due.len() as u64, oldest: due.into_iter().min() }
            };
            Ok(QueueDepth { requested: of(Urgency::Requested), scheduled: of(Urgency::Scheduled) })
        })
    }
}

/// Returns the due check that is to begin first on this node: of the team with the fewest running checks, the one of
/// the lowest rank.
fn first_due(state: &State, node: &NodeId, now: DateTime<Utc>) -> Result<Option<ScanId>, StoreError> {
    let mut running: HashMap<TeamId, usize> = HashMap::new();
    // The first due check of each team: `queue` is in the order of ranks.
    let mut firsts: HashMap<TeamId, (DateTime<Utc>, ScanId)> = HashMap::new();
    for (rank_at, id) in &state.queue {
        let scan = &state.scans.get(id).ok_or_else(|| corrupt(id, "it is queued, and missing"))?.scan;
        if !scan.state.is_due(now) {
            *running.entry(scan.team).or_default() += 1;
        } else if !scan.state.is_left_to_others(node, now) {
            firsts.entry(scan.team).or_insert((*rank_at, *id));
        }
    }
    let first = firsts.iter().min_by_key(|(team, first)| (running.get(team).copied().unwrap_or_default(), **first));
    Ok(first.map(|(_, (_, id))| *id))
}

/// Changes the state of a check as its holder asks, which happens nowhere else: the domain decides, and a refusal
/// changes nothing.
fn move_on(
    state: &mut State,
    id: ScanId,
    decide: impl FnOnce(ScanState) -> Result<ScanState, TransitionError>,
) -> Result<Scan, LeaseError> {
    let held = state.scans.get(&id).ok_or(LeaseError::Gone)?.scan.state.clone();
    state.set_scan_state(id, decide(held)?);
    Ok(state.scans.get(&id).ok_or(LeaseError::Gone)?.scan.clone())
}

fn abandoned(scan: &Scan, now: DateTime<Utc>) -> Result<ScanState, StoreError> {
    let corrupt = |error| StoreError::Corrupt { what: scan.id.to_string(), source: Box::new(error) };
    scan.state.clone().abandon(now).map_err(corrupt)
}

fn claimed_scan(state: &State, id: ScanId) -> Result<ClaimedScan, StoreError> {
    let scan = state.scans.get(&id).map(|row| row.scan.clone()).ok_or_else(|| corrupt(id, "it is missing"))?;
    let site = state.sites.get(&scan.site).ok_or_else(|| corrupt(id, "its site is missing"))?.site.clone();
    let token: FencingToken = match &scan.state {
        ScanState::Running { lease, .. } => lease.token,
        ScanState::Queued | ScanState::Completed { .. } | ScanState::Failed { .. } => {
            return Err(corrupt(id, "it was claimed, and is not running"));
        }
    };
    Ok(ClaimedScan { claim: Claim { scan: id, token }, scan, site })
}
